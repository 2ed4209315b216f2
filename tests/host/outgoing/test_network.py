"""The socket goes to the address that was checked, whatever the name, the resolver and the environment say."""

from __future__ import annotations

import os
import socket
import ssl
import threading

import httpcore
import pytest
import trustme

from falai_django.errors import OutgoingError
from falai_django.outgoing import network
from falai_django.outgoing.network import process_transport
from tests.host.outgoing.sending import ask
from tests.providers.local_server import LocalServer, Reply

PUBLIC = "203.0.114.7"


def resolving(*answers):
    """A resolver that gives these lists of addresses, one a look-up; the last for ever."""
    asked = []

    def resolve(host, port):
        asked.append((host, port))
        return answers[min(len(asked), len(answers)) - 1]

    resolve.asked = asked
    return resolve


def test_an_allowed_server_is_reached_and_its_address_is_told(allowed):
    """The positive control of all that is refused below."""
    allowed.say(Reply.of_json({"ok": True}))
    answered = ask(f"{allowed.url}/path?x=1")
    assert (answered.status, answered.body, answered.peer) == (200, b'{"ok": true}', "127.0.0.1")
    assert allowed.asked[0].path == "/path?x=1"
    assert allowed.asked[0].headers["host"] == f"127.0.0.1:{allowed.port}"


def test_the_same_server_is_not_reached_when_nobody_allowed_it(server):
    with pytest.raises(OutgoingError) as caught:
        ask(f"{server.url}/")
    assert (caught.value.code, server.connections) == ("refused", 0)


@pytest.mark.parametrize("port", [443, 80])
@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00:ec2::254", "0.0.0.0", "x"]
)
def test_a_name_that_leads_to_a_private_address_is_refused(transports, connected, address, port):
    """No socket is opened, not for its other, public address either."""
    for found in ([address], [PUBLIC, address]):
        with pytest.raises(OutgoingError) as caught:
            ask("https://api.example.com/", transport=transports(resolve=resolving(found)))
        assert caught.value.code == "refused"
        assert address not in str(caught.value)
    assert connected == []


def test_a_resolver_that_changes_its_mind_changes_nothing(transports, connected):
    """Public, then private: it is asked once, and the socket goes to what it said then."""
    resolve = resolving([PUBLIC], ["127.0.0.1"])
    with pytest.raises(OutgoingError) as caught:
        ask("https://rebinding.example.com/", transport=transports(resolve=resolve))
    assert caught.value.code == "unreachable"
    assert connected == [(PUBLIC, 443)]
    assert resolve.asked == [("rebinding.example.com", 443)]


def test_a_second_look_up_is_judged_anew(transports, connected):
    transport = transports(resolve=resolving([PUBLIC], ["127.0.0.1"]))
    codes = []
    for _time in range(2):
        with pytest.raises(OutgoingError) as caught:
            ask("https://rebinding.example.com/", transport=transport)
        codes.append(caught.value.code)
    assert codes == ["unreachable", "refused"]
    assert connected == [(PUBLIC, 443)]


def test_a_peer_that_is_another_than_was_asked_for_is_refused(allowed, transports, monkeypatch):
    """Should anything below lead elsewhere, nothing is sent."""
    real = httpcore.SyncBackend.connect_tcp

    def elsewhere(self, host, port, *rest, **more):
        return real(self, "127.0.0.1", allowed.port)

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", elsewhere)
    with pytest.raises(OutgoingError, match="another address") as caught:
        ask("https://api.example.com/", transport=transports(resolve=resolving([PUBLIC])))
    assert caught.value.code == "refused"
    assert allowed.asked == []


def test_each_address_of_a_name_is_tried(transports, server, settings):
    settings.FALAI_OUTGOING_ALLOW = [f"model.lan:{server.port}"]
    server.say(Reply([b"here"]))
    resolve = resolving(["::1", "127.0.0.1"])
    answered = ask(f"http://model.lan:{server.port}/", transport=transports(resolve=resolve))
    assert (answered.body, answered.peer) == (b"here", "127.0.0.1")
    assert server.asked[0].headers["host"] == f"model.lan:{server.port}"


def test_a_name_that_the_site_allows_is_allowed_on_its_port_only(transports, server, connected, settings):
    settings.FALAI_OUTGOING_ALLOW = [f"model.lan:{server.port + 1}"]
    with pytest.raises(OutgoingError):
        ask(f"http://model.lan:{server.port}/", transport=transports(resolve=resolving(["127.0.0.1"])))
    assert connected == []


@pytest.mark.parametrize(
    "resolve", [lambda *_: [], lambda *_: socket.getaddrinfo("nowhere.example", 443)], ids=["empty", "unknown"]
)
def test_a_name_without_an_address_is_unreachable(transports, resolve):
    with pytest.raises(OutgoingError) as caught:
        ask("https://nowhere.example/", transport=transports(resolve=resolve))
    assert caught.value.code == "unreachable"


def test_a_resolver_that_does_not_answer_holds_nobody(transports):
    """The system's look-up has no limit of its own."""
    over = threading.Event()

    def resolve(_host, _port):
        over.wait(1)
        return []

    with pytest.raises(OutgoingError) as caught:
        ask("https://slow.example/", 0.1, transport=transports(resolve=resolve))
    over.set()
    assert caught.value.code == "timeout"


@pytest.mark.parametrize("target", ["http://127.0.0.1/", "https://169.254.169.254/", "/again", "//127.0.0.1/"])
def test_a_redirect_is_an_answer_and_leads_nowhere(allowed, target):
    """To loopback, to metadata, to itself for ever: one request was made."""
    allowed.say(Reply([b""], 302, {"location": target}))
    assert ask(f"{allowed.url}/").status == 302
    assert len(allowed.asked) == 1


def test_a_proxy_of_the_environment_is_not_asked(allowed, monkeypatch):
    """Nor is `.netrc`, nor any other variable."""
    proxy = LocalServer()
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    allowed.say(Reply([b"direct"]))
    try:
        assert ask(f"{allowed.url}/").body == b"direct"
        assert proxy.connections == 0
        assert "authorization" not in allowed.asked[0].headers
    finally:
        proxy.close()


def test_tls_is_for_the_name_and_the_socket_for_the_address(transports, settings):
    """The certificate is checked against the host of the URL, though the socket went to a number."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("model.lan").configure_cert(context)
    server = LocalServer(context)
    settings.FALAI_OUTGOING_ALLOW = [f"model.lan:{server.port}", f"other.lan:{server.port}"]
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    transport = transports(resolve=resolving(["127.0.0.1"]), ssl_context=trusting)
    try:
        server.say(Reply([b"safe"]))
        assert ask(f"https://model.lan:{server.port}/", transport=transport).body == b"safe"
        with pytest.raises(OutgoingError, match="certificate") as caught:
            ask(f"https://other.lan:{server.port}/", transport=transport)
        assert caught.value.code == "unreachable"
    finally:
        transport.close()
        server.close()


def test_a_certificate_of_nobody_is_refused(transports, settings):
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    server = LocalServer(context)
    settings.FALAI_OUTGOING_ALLOW = [f"127.0.0.1:{server.port}"]
    try:
        with pytest.raises(OutgoingError, match="certificate"):
            ask(f"{server.url}/")
        assert server.asked == []
    finally:
        server.close()


def test_connections_are_kept_for_the_next(allowed):
    """By all threads of a process."""
    allowed.say(*(Reply([b"x"]) for _ in range(3)))
    for _time in range(3):
        ask(f"{allowed.url}/")
    assert (len(allowed.asked), allowed.connections) == (3, 1)
    assert process_transport() is process_transport()


def test_what_is_not_allowed_any_more_is_refused_on_an_open_connection_too(allowed, settings):
    allowed.say(Reply([b"x"]), Reply([b"y"]))
    ask(f"{allowed.url}/")
    settings.FALAI_OUTGOING_ALLOW = []
    with pytest.raises(OutgoingError):
        ask(f"{allowed.url}/")
    assert len(allowed.asked) == 1


def test_a_forked_process_has_connections_of_its_own(monkeypatch):
    mine = process_transport()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    child = process_transport()
    assert child is not mine
    child.close()
    mine.close()
    network.close_connections()


def test_cookies_are_not_kept(allowed):
    """What one tenant's receiver sets, nobody sends."""
    allowed.say(Reply([b""], headers={"set-cookie": "a=1; Path=/"}), Reply([b""]))
    ask(f"{allowed.url}/")
    ask(f"{allowed.url}/")
    assert [asked.headers.get("cookie") for asked in allowed.asked] == [None, None]


def test_a_unix_socket_is_never_opened(transports):
    backend = transports()._pool._network_backend  # noqa: SLF001 - what the pool would ask
    with pytest.raises(OutgoingError):
        backend.connect_unix_socket("/var/run/docker.sock")


def test_many_threads_get_their_own_answers(allowed):
    allowed.say(*([lambda asked: Reply([asked.path.encode()])] * 16))
    found = {}

    def run(number):
        found[number] = ask(f"{allowed.url}/{number}").body.decode()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: f"/{number}" for number in range(16)}
