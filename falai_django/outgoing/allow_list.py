"""FALAI_OUTGOING_ALLOW: what a site opens for its own models and test servers (spec: host.md section 6).

An entry is a host (`ollama.lan`, on the usual ports), a host with its port (`127.0.0.1:11434`), or a network
(`10.1.0.0/16`). A host that is named may be reached over plain http, whatever its address is; a network opens the
addresses of hosts that are not named, and those over https only. Metadata addresses are opened by none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_network
from typing import Final

from falai_django.errors import OutgoingError
from falai_django.outgoing.addresses import CLOSED, Address, Network, closed_reason, judged
from falai_django.outgoing.hosts import plain_host

__all__ = ["LAST_PORT", "USUAL_PORTS", "AllowList", "allow_list", "unreadable_entries"]

USUAL_PORTS: Final = (80, 443)
LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class AllowList:
    """`hosts`: plain hosts with their port, None for the usual ones."""

    hosts: frozenset[tuple[str, int | None]]
    networks: tuple[Network, ...]

    def names(self, host: str, port: int, usual: Iterable[int] = USUAL_PORTS) -> bool:
        """Whether an entry names this host for this port."""
        return (host, port) in self.hosts or ((host, None) in self.hosts and port in usual)

    def refusal(self, address: Address, *, is_named: bool) -> str | None:
        """Why a request may not go to an address (a reason of `addresses`); None when it may.

        `is_named`: an entry names the host that has the address.
        """
        return next((reason for each in judged(address) if (reason := self._one(each, is_named=is_named))), None)

    def _one(self, address: Address, *, is_named: bool) -> str | None:
        reason = closed_reason(address)
        if reason is None or reason in CLOSED:
            return reason
        within = any(address.version == network.version and address in network for network in self.networks)
        return None if is_named or within else reason


def allow_list(entries: Iterable[str]) -> AllowList:
    """The entries that can be read; the others open nothing (`unreadable_entries` names them)."""
    return _allow_list(tuple(entries))


@lru_cache(maxsize=8)
def _allow_list(entries: tuple[str, ...]) -> AllowList:
    read = [found for entry in entries if (found := _entry(entry)) is not None]
    return AllowList(
        frozenset(each for each in read if isinstance(each, tuple)),
        tuple(each for each in read if not isinstance(each, tuple)),
    )


def unreadable_entries(entries: Iterable[str]) -> Iterator[str]:
    """The entries that are neither a host, a host with its port, nor a network."""
    return (entry for entry in entries if _entry(entry) is None)


def _entry(entry: str) -> tuple[str, int | None] | Network | None:
    try:
        if "/" in entry:
            return ip_network(entry)
        host, port = _parted(entry)
        return plain_host(host), port
    except (ValueError, OutgoingError):
        return None


def _parted(entry: str) -> tuple[str, int | None]:
    """Host and port; an IPv6 address with a port stands in brackets."""
    host, colon, port = entry.rpartition(":")
    is_bare = not colon or entry.endswith("]") or (":" in host and not host.endswith("]"))
    if is_bare:
        return entry, None
    if not (port.isascii() and port.isdigit() and 0 < int(port) <= LAST_PORT):
        raise ValueError(port)
    return host, int(port)
