"""Only public addresses are open, in whatever form one is written; the allow-list opens exact exceptions."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_django.outgoing.addresses import CLOSED, address_of, closed_reason, judged
from falai_django.outgoing.allow_list import allow_list, unreadable_entries

NOTHING = allow_list([])

CLOSED_ADDRESSES = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "100.64.0.1": "carrier",
    "100.100.100.200": "metadata",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "168.63.129.16": "metadata",
    "169.254.0.1": "link-local",
    "169.254.169.254": "metadata",
    "169.254.170.2": "metadata",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.1": "reserved",
    "192.0.0.192": "metadata",
    "192.0.2.1": "documentation",
    "192.88.99.1": "reserved",
    "192.168.1.1": "private",
    "198.18.0.1": "benchmarking",
    "198.51.100.1": "documentation",
    "203.0.113.1": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::": "unspecified",
    "::1": "loopback",
    "::2": "unspecified",
    "::7f00:1": "loopback",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:a9fe:a9fe": "metadata",
    "::ffff:0:127.0.0.1": "loopback",
    "64:ff9b::10.0.0.1": "private",
    "64:ff9b:1::1": "private",
    "100::1": "reserved",
    "2001::1": "unspecified",
    "2001:0:808:808:0:0:80ff:fffe": "loopback",
    "2001:2::1": "benchmarking",
    "2001:10::1": "reserved",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "loopback",
    "2002:a9fe:a9fe::1": "metadata",
    "2606:4700::5efe:127.0.0.1": "loopback",
    "3fff::1": "documentation",
    "5f00::1": "reserved",
    "fc00::1": "private",
    "fd00:ec2::254": "metadata",
    "fd20:ce::254": "metadata",
    "fe80::1": "link-local",
    "fec0::1": "private",
    "ff02::1": "multicast",
}
OPEN_ADDRESSES = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]


def refusal(text, allowed=NOTHING, *, is_named=False):
    return allowed.refusal(ip_address(text), is_named=is_named)


@pytest.mark.parametrize(("text", "reason"), CLOSED_ADDRESSES.items(), ids=CLOSED_ADDRESSES)
def test_what_is_not_public_is_closed(text, reason):
    """And the reason is known."""
    assert refusal(text) == reason


@pytest.mark.parametrize("text", OPEN_ADDRESSES)
def test_what_is_public_is_open(text):
    """In its own form, or through a translation to it."""
    assert refusal(text) is None


@given(st.ip_addresses())
def test_nothing_is_open_that_python_calls_private(address):
    """The table is at least as strict as the standard library, for every address that decides."""
    if NOTHING.refusal(address, is_named=False) is None:
        assert all(each.is_global and not each.is_multicast for each in judged(address))


@given(st.ip_addresses(v=4))
def test_an_address_in_an_address_decides(address):
    """Each way to write an IPv4 address in IPv6 is as closed as that address."""
    low, plain = int(address), closed_reason(address)
    for base, shift in ((0xFFFF << 32, 0), (0x64FF9B << 96, 0), (0xFFFF << 48, 0), (0x2002 << 112, 80)):
        inside = IPv6Address(base | low << shift)
        assert NOTHING.refusal(inside, is_named=False) == plain


@pytest.mark.parametrize(
    "text", ["fe80::1%eth0", "127.1", "0x7f000001", "2130706433", "010.0.0.1", "", "a.b", "1.2.3.4 "]
)
def test_an_address_has_one_plain_form(text):
    """Anything that only some readers take for an address is none here."""
    assert address_of(text) is None


def test_a_network_opens_its_addresses_alone():
    allowed = allow_list(["10.1.0.0/16", "fd12::/16"])
    assert refusal("10.1.2.3", allowed) is None
    assert refusal("::ffff:10.1.2.3", allowed) is None
    assert refusal("fd12::1", allowed) is None
    assert refusal("10.2.0.1", allowed) == "private"


@pytest.mark.parametrize("reason", sorted(CLOSED))
def test_nothing_opens_what_stays_closed(reason):
    """Metadata above all: neither a network around it nor a name that leads there."""
    allowed = allow_list(["0.0.0.0/0", "::/0"])
    for text in (text for text, found in CLOSED_ADDRESSES.items() if found == reason):
        assert refusal(text, allowed, is_named=True) == reason


def test_a_named_host_is_open_on_its_port():
    allowed = allow_list(["ollama.lan", "127.0.0.1:11434", "[::1]:8000", "Modelo.Example:81"])
    assert allowed.names("ollama.lan", 443)
    assert not allowed.names("ollama.lan", 11434)
    assert allowed.names("127.0.0.1", 11434)
    assert not allowed.names("127.0.0.1", 443)
    assert allowed.names("::1", 8000)
    assert allowed.names("modelo.example", 81)
    assert refusal("192.168.0.9", allowed, is_named=True) is None
    assert refusal("192.168.0.9", allowed) == "private"


def test_an_entry_that_cannot_be_read_opens_nothing():
    """And is told, by `manage.py check`."""
    bad = ["10.0.0.1/8", "a b", "host:99999", "host:x", "127.1", "http://host", ""]
    assert list(unreadable_entries([*bad, "10.0.0.0/8"])) == bad
    assert allow_list(bad).hosts == frozenset()
    assert allow_list(bad).networks == ()


def test_the_table_holds_ipv4_and_ipv6():
    assert closed_reason(IPv4Address("10.0.0.1")) == "private"
    assert closed_reason(IPv6Address("fc00::1")) == "private"
