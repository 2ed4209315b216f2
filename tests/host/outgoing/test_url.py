"""A URL is literal but for its path segments and query values, and each of those is the inside of one value."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

import httpx
import pytest
from hypothesis import example, given

from falai_django.errors import OutgoingError
from falai_django.outgoing.placeholders import Values
from falai_django.outgoing.url import check_origin, parse_url
from tests.host.outgoing.hostile import HOSTILE, hostile_text

NOT_A_URL = [
    "",
    "api.example.com",
    "//api.example.com/",
    "ftp://api.example.com/",
    "file:///etc/passwd",
    "gopher://api.example.com/",
    "https:api.example.com",
    "https:///path",
    "https://",
    "https://user@api.example.com/",
    "https://user:secret@api.example.com/",
    "https://api.example.com@127.0.0.1/",
    "https://api.example.com:/",
    "https://api.example.com:99999/",
    "https://api.example.com:0/",
    "https://api.example.com:8o/",
    "https://api.example.com./",
    "https://api..example.com/",
    "https://-api.example.com/",
    "https://api.example.com/#part",
    "https://api.example.com\\@127.0.0.1/",
    "https://api.example.com/\\..\\",
    "https://api.example.com/a b",
    "https://api.example.com/\n",
    " https://api.example.com/",
    "https://api.example.com/\x00",
    "https://api.example.com/\u2028",
    "https://api.example.com/\ud800",
    "https://api.example.com/%",
    "https://api.example.com/%zz",
    "https://api.example.com/%00",
    "https://api.example.com/%0d%0a",
    "https://api.example.com/a/../b",
    "https://api.example.com/a/%2e%2E/b",
    "https://api.example.com/..%2fb",
    "https://api.example.com/%252e%252e/",
    "https://api.example.com/..;/b",
    "https://api.example.com/./",
    "https://api.example.com/{a}",
    "https://api.example.com/{{name}}",
    "https://api.example.com/{{input}}",
    "https://api.example.com/{{input.}}",
    "https://api.example.com/?{{input.x}}=1",
    "https://{{input.host}}/",
    "https://api.{{input.host}}/",
    "https://api.example.com:{{input.port}}/",
    "https://api.example.com{{input.x}}/",
    "{{input.scheme}}://api.example.com/",
    "{{input.url}}",
    "https://[::1",
    "https://::1/",
    "https://[fe80::1%25eth0]/",
    "https://[::1]x/",
    "https://[v1.x]/",
    "https://exa mple.com/",
    "https://exa%6dple.com/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://127.0.0.0x1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://127.0.0.01/",
    "https://256.0.0.1/",
    "https://1.2.3.4.5/",
    "https://1\uff127.1/",
    "https://\u200b127.0.0.1\u200b.:1/",
    "https://xn--a/",
]
NOT_REACHED = [
    "http://api.example.com/",
    "https://api.example.com:22/",
    "https://api.example.com:8080/",
    "https://localhost/",
    "https://LOCALHOST/",
    "https://api.localhost/",
    "https://intranet/",
    "https://metadata/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://METADATA.google.internal/",
    "https://instance-data.ec2.internal/",
    "https://kubernetes.default.svc.cluster.local/",
    "https://127.0.0.1/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::127.0.0.1]/",
    "https://[fd00:ec2::254]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://\uff11\uff12\uff17.\uff10.\uff10.\uff11/",
    "https://127。0。0。1/",
    "https://ⓛocalhost/",
]


@pytest.mark.parametrize("url", NOT_A_URL, ids=ascii)
def test_what_can_be_read_in_two_ways_is_no_url(url):
    """Userinfo, short and odd numbers, dots, controls, templates in the wrong place: each says what to do."""
    with pytest.raises(OutgoingError) as caught:
        parse_url(url)
    assert caught.value.code == "refused"
    assert caught.value.what
    assert caught.value.fix


@pytest.mark.parametrize("url", NOT_REACHED, ids=ascii)
def test_what_is_not_public_is_not_reached(url):
    """Without a look-up even: by scheme, port, name and address."""
    with pytest.raises(OutgoingError) as caught:
        check_origin(parse_url(url).origin)
    assert caught.value.code == "refused"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://api.example.com", "https://api.example.com"),
        ("HTTPS://API.Example.COM:443/x", "https://api.example.com"),
        ("https://café.example/x", "https://xn--caf-dma.example"),
        ("https://xn--caf-dma.example/x", "https://xn--caf-dma.example"),
        ("https://my_host.example.com/", "https://my_host.example.com"),
        ("https://8.8.8.8/", "https://8.8.8.8"),
        ("https://[2606:4700:0:0::1111]/", "https://[2606:4700::1111]"),
    ],
)
def test_a_public_host_is_reached_in_its_plain_form(url, origin):
    parsed = parse_url(url)
    check_origin(parsed.origin)
    assert str(parsed.origin) == origin


def test_the_settings_open_ports_and_hosts(settings):
    """http, odd ports and private hosts are for hosts that the site names."""
    settings.FALAI_OUTGOING_PORTS = [8443]
    check_origin(parse_url("https://api.example.com:8443/").origin)
    settings.FALAI_OUTGOING_ALLOW = ["ollama:11434", "10.0.0.0/8"]
    check_origin(parse_url("http://ollama:11434/").origin)
    check_origin(parse_url("https://10.0.0.1/").origin)
    for url in ("http://ollama/", "https://ollama:11435/", "http://10.0.0.1/", "https://10.0.0.1:11434/"):
        with pytest.raises(OutgoingError):
            check_origin(parse_url(url).origin)


def is_refusable(text):
    """Whether a text has a reason not to stand in a path."""
    clean = text.encode("utf-8", "ignore").decode().replace("\0", "")
    return not clean or any(sign in unquote(unquote(clean)) for sign in (".", "\\")) or not clean.isprintable()


URL = "https://api.example.com/v1/{{input.x}}/items/a-{{input.y}}.json?q={{input.x}}&fixed=1&z=a{{ input.y }}b"


@given(hostile_text, hostile_text)
@example("..", "x")
@example("x", "../../admin")
def test_a_value_never_changes_the_structure(x, y):
    """Host, number of segments and of query pairs are the author's; each value reads back as it was, or is refused."""
    try:
        url = parse_url(URL).render(Values({"x": x, "y": y}))
    except OutgoingError:
        assert is_refusable(x) or is_refusable(y)
        return
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "api.example.com", "")
    segments = parts.path.split("/")
    assert segments[1:2] + segments[3:4] == ["v1", "items"]
    assert len(segments) == 5
    clean = x.replace("\0", "").encode("utf-8", "ignore").decode()
    clean_y = y.replace("\0", "").encode("utf-8", "ignore").decode()
    assert unquote(segments[2]) == clean
    assert unquote(segments[4]) == f"a-{clean_y}.json"
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    assert pairs == [("q", clean), ("fixed", "1"), ("z", f"a{clean_y}b")]
    assert str(httpx.URL(url)) == url
    assert not {"..", "."} & set(segments)


@given(hostile_text)
def test_a_query_takes_any_text(text):
    """Newlines too: it is what a customer wrote."""
    url = parse_url("https://api.example.com/search?q={{input.x}}&n=1").render(Values({"x": text}))
    clean = text.replace("\0", "").encode("utf-8", "ignore").decode()
    assert parse_qsl(urlsplit(url).query, keep_blank_values=True) == [("q", clean), ("n", "1")]
    assert str(httpx.URL(url)) == url


@pytest.mark.parametrize(
    "value",
    ["", None, ".", "..", "../x", "x/..", "%2e%2e", "%252e%252e/x", "..;a", "a\\b", "a\nb", "\x85", "\0", "..\0"],
)
def test_a_path_refuses_what_would_leave_it(value):
    """And says which template it was."""
    with pytest.raises(OutgoingError, match=r"input\.x"):
        parse_url("https://api.example.com/a/{{input.x}}/b").render(Values({"x": value}))


def test_values_together_make_no_step_up():
    with pytest.raises(OutgoingError):
        parse_url("https://api.example.com/{{input.x}}.{{input.x}}/b").render(Values({"x": ""}))
    for value in ("/b", ";b"):
        with pytest.raises(OutgoingError):
            parse_url("https://api.example.com/..{{input.x}}/c").render(Values({"x": value}))


def test_a_slash_in_a_value_stays_in_its_segment():
    url = parse_url("https://api.example.com/projects/{{input.x}}").render(Values({"x": "team/app"}))
    assert url == "https://api.example.com/projects/team%2Fapp"


def test_what_the_author_wrote_is_encoded_where_it_must_be():
    url = parse_url("https://api.example.com/preço/a:b%20c/{{input.x}}?maçã=é&q=a+b")
    assert url.render(Values({"x": "1"})) == (
        "https://api.example.com/pre%C3%A7o/a:b%20c/1?ma%C3%A7%C3%A3=%C3%A9&q=a+b"
    )


def test_values_come_from_the_call_the_data_and_the_context():
    url = parse_url("https://api.example.com/{{input.a}}/{{data.b}}/{{context.c.d}}?n={{data.n}}&l={{data.l}}")
    values = Values({"a": 1}, {"b": "ção", "n": 2.0, "l": ["x", "y"]}, {"c": {"d": True}})
    assert url.render(values) == "https://api.example.com/1/%C3%A7%C3%A3o/true?n=2&l=x%2C%20y"


def test_a_name_in_a_template_may_hold_any_sign():
    """The author's `/`, `?`, `#` and `&` inside of braces part nothing."""
    url = parse_url("https://api.example.com/{{input.a/b?c#d}}?x={{input.e&f=g}}")
    assert url.render(Values({"a/b?c#d": "1", "e&f=g": "2"})) == "https://api.example.com/1?x=2"


def test_the_hostile_table_is_used():
    assert len(HOSTILE) > 10
