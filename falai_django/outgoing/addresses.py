"""Which IP addresses a tenant's request may reach (spec: host.md section 6): public ones, however they are written.

An address of IPv6 that stands for one of IPv4 is judged by that one. The tables are ours, not those of `ipaddress`, so
that no release of Python changes what is refused; `ipaddress` is asked besides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

__all__ = ["CLOSED", "Address", "Network", "address_of", "closed_reason", "judged"]

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_REASONS: Final = (
    ("metadata", "169.254.169.254/32 169.254.169.253/32 169.254.170.2/32 169.254.170.23/32 169.254.0.23/32"),
    ("metadata", "100.100.100.200/32 168.63.129.16/32 192.0.0.192/32"),
    ("metadata", "fd00:ec2::254/128 fd00:ec2::253/128 fd00:ec2::23/128 fd20:ce::254/128 fd00:42::42/128"),
    ("unspecified", "0.0.0.0/8 ::/128"),
    ("loopback", "127.0.0.0/8 ::1/128"),
    ("private", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10 64:ff9b:1::/48"),
    ("carrier", "100.64.0.0/10"),
    ("link-local", "169.254.0.0/16 fe80::/10"),
    ("benchmarking", "198.18.0.0/15 2001:2::/48"),
    ("multicast", "224.0.0.0/4 ff00::/8"),
    ("documentation", "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"),
    ("reserved", "192.0.0.0/24 192.88.99.0/24 240.0.0.0/4 2001::/23 5f00::/16 100::/64"),
)
"""The first that holds the address tells the reason."""
_TABLE: Final = tuple((reason, ip_network(text)) for reason, texts in _REASONS for text in texts.split())
CLOSED: Final = frozenset({"metadata", "unspecified", "multicast"})
"""Reasons that no allow-list opens: nothing that anybody wants to reach answers there, or it gives away the machine."""
_GLOBAL_V6: Final = IPv6Network("2000::/3")
_SIX_TO_FOUR: Final = IPv6Network("2002::/16")
_TEREDO: Final = IPv6Network("2001::/32")
_NAT64: Final = IPv6Network("64:ff9b::/96")
_LOW_32: Final = 0xFFFF_FFFF
# Interface identifiers that carry an address of IPv4 (ISATAP).
_ISATAP: Final = (0x0000_5EFE, 0x0200_5EFE)


def address_of(text: str) -> Address | None:
    """The address that a text is in its plain form; None for anything else, a zone (`%eth0`) too."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def _low(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & _LOW_32)


def _teredo(address: IPv6Address) -> Iterator[IPv4Address]:
    yield IPv4Address((int(address) >> 64) & _LOW_32)
    yield IPv4Address(~int(address) & _LOW_32)


_STANDS_FOR: Final[tuple[tuple[IPv6Network, Callable[[IPv6Address], list[IPv4Address]]], ...]] = (
    (IPv6Network("::ffff:0:0/96"), lambda address: [_low(address)]),
    (IPv6Network("::ffff:0:0:0/96"), lambda address: [_low(address)]),
    (_NAT64, lambda address: [_low(address)]),
    (_SIX_TO_FOUR, lambda address: [IPv4Address((int(address) >> 80) & _LOW_32)]),
    (_TEREDO, lambda address: list(_teredo(address))),
    # Last, since it holds `::` and `::1`, which stand for themselves.
    (IPv6Network("::/96"), lambda address: [_low(address)] if int(address) > 1 else []),
)


def judged(address: Address) -> tuple[Address, ...]:
    """The addresses that decide: itself, or those of IPv4 that an address of IPv6 stands for or carries."""
    if isinstance(address, IPv4Address):
        return (address,)
    for network, embedded in _STANDS_FOR:
        if address in network:
            return tuple(embedded(address)) or (address,)
    carries = (int(address) >> 32) & _LOW_32 in _ISATAP
    return (address, _low(address)) if carries else (address,)


def closed_reason(address: Address) -> str | None:
    """Why a request may not go to one address of `judged`; None when it may."""
    for reason, network in _TABLE:
        if address.version == network.version and address in network:
            return reason
    is_public = address.is_global and (isinstance(address, IPv4Address) or address in _GLOBAL_V6)
    return None if is_public else "reserved"
