"""The fetcher against servers on the loopback: what it takes, and all that it must not do."""

from __future__ import annotations

import contextlib
import gzip
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from tests.servers import refusing_address
from text2mem.errors import (
    ConfigurationError,
    FetchRefused,
    ServiceTimeout,
    ServiceUnreachable,
    Text2MemError,
)
from text2mem.services.destinations import IPAddress
from text2mem.services.fetching import Fetcher

HOST = "books.test"
FAR_TOO_LONG = 20.0
"""Seconds. Whatever has a deadline below one second ends long before."""

# Made for these tests, for the name books.test and a hundred years; it protects nothing.
CERTIFICATE = """-----BEGIN CERTIFICATE-----
MIIBZDCCAQqgAwIBAgIBATAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApib29rcy50
ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAVMRMwEQYDVQQD
DApib29rcy50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAERKFfkIEc1BCo
B9D0TL54FhchOkMLysy62TA4iCT+2sbP4S7POJqF+rGsxJL0iB31a4m8vnJzjvY2
AQHk/NrkWqNJMEcwFQYDVR0RBA4wDIIKYm9va3MudGVzdDAPBgNVHRMBAf8EBTAD
AQH/MB0GA1UdDgQWBBS7z3yTInhml/bN9ldqm4UT0drlxTAKBggqhkjOPQQDAgNI
ADBFAiAZg3AKfVr6DZ82EFFm/kq5kXX95XVceRZTxy5MvdNJmQIhAOvtBh/T9HC6
KjPqi+QQbOIBbeUFD1CWK70TSBRynAAT
-----END CERTIFICATE-----
"""
KEY = """-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwKD5GtQQ5Ot99y6A
nLDw7QEMJtTyfvGA+pdtlr7te0+hRANCAAREoV+QgRzUEKgH0PRMvngWFyE6QwvK
zLrZMDiIJP7axs/hLs84moX6sazEkvSIHfVriby+cnOO9jYBAeT82uRa
-----END PRIVATE KEY-----
"""

Step = bytes | float
"""What a server sends next, or the seconds for which it says nothing."""


class Wire:
    """A server that sends, for each path, exactly these bytes, and keeps the requests."""

    def __init__(self, pages: Mapping[str, Sequence[Step]], tls: ssl.SSLContext | None) -> None:
        self.pages = pages
        self.requests: list[str] = []
        self.names: list[str | None] = []
        self._tls = tls
        if tls is not None:
            tls.sni_callback = lambda _, name, __: self.names.append(name)
        self._closed = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                connection.settimeout(FAR_TOO_LONG)
                if self._tls is None:
                    self._serve(connection)
                else:
                    with self._tls.wrap_socket(connection, server_side=True) as encrypted:
                        self._serve(encrypted)

    def _serve(self, connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            received = connection.recv(4096)
            if not received:
                return
            head += received
        self.requests.append(head.decode("ascii"))
        for step in self.pages[head.split()[1].decode()]:
            if isinstance(step, bytes):
                connection.sendall(step)
            else:
                self._closed.wait(step)


def page(
    body: bytes | str = "hello",
    kind: str | None = "text/plain",
    status: str = "200 OK",
    **more: str,
) -> Sequence[Step]:
    """A whole answer. The names of more headers are written with underscores for dashes."""
    content = body.encode() if isinstance(body, str) else body
    headers = {"Content-Length": str(len(content))} | ({"Content-Type": kind} if kind else {})
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return [f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + content]


def redirect(location: str, status: str = "302 Found") -> Sequence[Step]:
    return page(b"", None, status, Location=location)


def raw(headers: str, *steps: Step) -> Sequence[Step]:
    """Headers of one's own under status 200, and then the steps."""
    return [f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{headers}\r\n".encode(), *steps]


class Names:
    """A resolver: the addresses of each name, the next ones at each look-up; the last ones stay."""

    def __init__(self, **addresses: list[list[str]]) -> None:
        self._addresses = addresses
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, **options: Any) -> list[Any]:
        self.asked.append(host)
        name = host.replace(".", "_").replace("-", "_")
        if name not in self._addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        turns = self._addresses[name]
        found = turns.pop(0) if len(turns) > 1 else turns[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]


def loopback(address: IPAddress) -> bool:
    return address.is_loopback


Serve = Callable[..., Wire]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers, and stops them at the end."""
    running: list[Wire] = []

    def start(tls: ssl.SSLContext | None = None, **pages: Sequence[Step]) -> Wire:
        running.append(Wire({f"/{name}": steps for name, steps in pages.items()}, tls))
        return running[-1]

    yield start
    for wire in running:
        wire.close()


def fetcher(wire: Wire, *allow: str, **options: Any) -> Fetcher:
    """One that may go to this server, under the name books.test and further names."""
    hosts = [f"{name}:{wire.port}" for name in (HOST, *allow)]
    defaults = {"resolve": Names(books_test=[["127.0.0.1"]]), "permits": loopback}
    return Fetcher(hosts, **(defaults | options))


def url(wire: Wire, name: str = "a", host: str = HOST, scheme: str = "http") -> str:
    return f"{scheme}://{host}:{wire.port}/{name}"


def refused(reason: str, fetch: Fetcher, address: str) -> FetchRefused:
    with pytest.raises(FetchRefused) as caught:
        fetch.fetch(address)
    assert caught.value.reason == reason, caught.value
    return caught.value


# --- what is taken -------------------------------------------------------------------------


def test_a_page_of_text_is_fetched(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing_address() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        wire = serve(**{"a?b=c": page("héllo\r\nyou\x1b[31m", "Text/Plain; charset=UTF-8")})
        found = fetcher(wire).fetch(url(wire, "a?b=c") + "#part")
    assert found.text == "héllo\nyou[31m"
    lines = wire.requests[0].splitlines()
    assert lines[0] == "GET /a?b=c HTTP/1.1"
    assert f"Host: {HOST}:{wire.port}" in lines
    assert "Accept-Encoding: identity" in lines
    assert not any(line.startswith(("Cookie", "Authorization", "Referer")) for line in lines)


def test_html_becomes_readable_and_json_stays(serve: Serve) -> None:
    html = "<title>T</title><script>x</script><p>one<p>two"
    wire = serve(
        a=page(html, "text/html; charset=utf-8"),
        b=page(html, "application/xhtml+xml"),
        c=page('{"a": 1}', "application/json"),
    )
    one = fetcher(wire)
    assert one.fetch(url(wire, "a")).text == one.fetch(url(wire, "b")).text == "T\none\ntwo"
    assert one.fetch(url(wire, "c")).text == '{"a": 1}'


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain", "猫".encode(), "猫"),
        ("text/plain", b"\xef\xbb\xbfbom", "bom"),
        ("text/plain", b"\xff\xfe ok", "\ufffd\ufffd ok"),
        ("text/plain; charset=gbk", "猫粮".encode("gbk"), "猫粮"),
        ('text/plain; format=flowed; Charset="Big5"', "貓".encode("big5"), "貓"),
        ("text/plain; charset=iso-8859-1", b"caf\xe9 \x93x\x94", "café “x”"),
        ("text/plain; charset=gbk", b"ok \xff", "ok \ufffd"),
        ("text/plain; charset=klingon", "猫".encode(), "猫"),
        ("text/plain; charset=", "猫".encode(), "猫"),
        ("text/plain; charset=a\x00b", "猫".encode(), "猫"),
        # Python's codecs that are no charsets.
        ("text/plain; charset=punycode", b"a-b", "a-b"),
        ("text/plain; charset=unicode_escape", b"\\x41", "\\x41"),
        ("text/plain; charset=rot13", b"abc", "abc"),
        ("text/plain; charset=zlib", b"abc", "abc"),
        ("text/plain; charset=utf-7", b"+AGE-", "+AGE-"),
    ],
)
def test_charsets(serve: Serve, kind: str, body: bytes, text: str) -> None:
    wire = serve(a=page(body, kind))
    assert fetcher(wire).fetch(url(wire)).text == text


def test_a_page_in_chunks_and_one_without_a_length(serve: Serve) -> None:
    wire = serve(
        a=raw("Transfer-Encoding: chunked\r\n", b"3\r\nabc\r\n", b"2\r\nde\r\n0\r\n\r\n"),
        b=raw("", b"to the ", b"end"),
    )
    assert fetcher(wire).fetch(url(wire, "a")).text == "abcde"
    assert fetcher(wire).fetch(url(wire, "b")).text == "to the end"


def test_a_name_of_another_script(serve: Serve) -> None:
    wire = serve(a=page())
    names = Names(xn__bcher_kva_test=[["127.0.0.1"]])
    fetcher(wire, "bücher.test", resolve=names).fetch(url(wire, host="bücher.test"))
    assert names.asked == ["xn--bcher-kva.test"]
    assert f"Host: xn--bcher-kva.test:{wire.port}" in wire.requests[0]


def test_the_next_address_is_tried_when_one_does_not_answer(serve: Serve) -> None:
    wire = serve(a=page())
    names = Names(books_test=[["127.0.0.2", "127.0.0.1"]])
    assert fetcher(wire, resolve=names).fetch(url(wire)).text == "hello"


# --- where it does not go ------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    ["http://other.test/", "http://books.test/", "https://www.books.test/", "http://127.0.0.1/",
     "http://localhost/"],
)  # fmt: skip
def test_a_host_that_is_not_on_the_list(serve: Serve, address: str) -> None:
    wire = serve(a=page())
    names = Names(other_test=[["127.0.0.1"]])
    refused("host", fetcher(wire, resolve=names), address)
    assert names.asked == wire.requests == []


def test_without_a_list_nothing_is_fetched() -> None:
    refused("host", Fetcher([]), "http://example.org/")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "::1", "fe80::1", "fd00::1",
     "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "fe80::1%eth0"],
)  # fmt: skip
def test_a_name_that_stands_for_an_address_that_is_not_public(serve: Serve, address: str) -> None:
    wire = serve(a=page())
    for found in ([address], ["93.184.216.34", address]):
        strict = Fetcher([f"{HOST}:{wire.port}"], resolve=Names(books_test=[found]))
        assert str(ip_address(address)) in str(refused("address", strict, url(wire)))
    assert wire.requests == []


def test_an_address_on_the_list_has_to_be_public_too(serve: Serve) -> None:
    wire = serve(a=page())
    for host in ("127.0.0.1", "[::ffff:127.0.0.1]", "[::1]"):
        strict = Fetcher([f"{host}:{wire.port}"])
        refused("address", strict, url(wire, host=host))
    assert wire.requests == []


@pytest.mark.parametrize(
    "host", ["2130706433", "0177.0.0.1", "0x7f.1", "127.1", "user:password@books.test"]
)
def test_a_url_in_disguise(serve: Serve, host: str) -> None:
    wire = serve(a=page())
    error = refused("url", fetcher(wire), url(wire, host=host))
    assert "user:" not in str(error)
    assert wire.requests == []


def test_a_url_with_line_breaks_adds_no_header(serve: Serve) -> None:
    wire = serve(a=page())
    refused("url", fetcher(wire), url(wire) + " HTTP/1.1\r\nX-Mine: 1\r\n")
    assert wire.requests == []


def test_a_name_is_looked_up_once_and_what_was_checked_is_connected_to(serve: Serve) -> None:
    wire = serve(a=page())
    names = Names(books_test=[["127.0.0.1"], ["10.0.0.1"]])
    assert fetcher(wire, resolve=names).fetch(url(wire)).text == "hello"
    assert names.asked == [HOST]
    # The next fetch looks up, and checks, anew.
    refused("address", fetcher(wire, resolve=names), url(wire))


def test_no_hosts_in_one_string() -> None:
    with pytest.raises(ConfigurationError, match="are a list"):
        Fetcher("example.org")


# --- redirects -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"]
)
def test_a_redirect_is_followed(serve: Serve, status: str) -> None:
    wire = serve(a=redirect("b?c#d", status), **{"b?c": page("there")})
    assert fetcher(wire).fetch(url(wire)).text == "there"
    assert [each.splitlines()[0] for each in wire.requests] == [
        "GET /a HTTP/1.1", "GET /b?c HTTP/1.1",
    ]  # fmt: skip


def test_a_redirect_in_raw_utf_8(serve: Serve) -> None:
    wire = serve(a=redirect("/书"), **{"%E4%B9%A6": page("there")})
    assert fetcher(wire).fetch(url(wire)).text == "there"


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://other.test/", "host"),
        ("//other.test/", "host"),
        ("http://127.0.0.1/", "host"),
        ("https://books.test/", "host"),
        ("file:///etc/passwd", "url"),
        ("http://user:password@books.test/", "url"),
        ("http://2130706433/", "url"),
        ("http://[::1/", "url"),
        ("/a b", "url"),
        ("", "status"),
    ],
)
def test_a_redirect_is_checked_like_a_first_url(serve: Serve, location: str, reason: str) -> None:
    wire = serve(a=redirect(location))
    refused(reason, fetcher(wire), url(wire))
    assert len(wire.requests) == 1


def test_a_redirect_to_a_name_of_a_private_address(serve: Serve) -> None:
    wire = serve(b=page())
    wire.pages = {"/a": redirect(url(wire, "b", "inside.test"))}
    names = Names(books_test=[["127.0.0.1"]], inside_test=[["10.0.0.1"]])
    refused("address", fetcher(wire, "inside.test", resolve=names), url(wire))


def test_a_name_that_becomes_private_between_two_hops(serve: Serve) -> None:
    wire = serve(a=redirect("/b"), b=page())
    names = Names(books_test=[["127.0.0.1"], ["169.254.169.254"]])
    refused("address", fetcher(wire, resolve=names), url(wire))
    assert names.asked == [HOST, HOST]
    assert len(wire.requests) == 1


def test_redirects_come_to_an_end(serve: Serve) -> None:
    wire = serve(a=redirect("/b"), b=redirect("/a"), c=redirect("/d"), d=page("there"))
    refused("redirects", fetcher(wire), url(wire))
    assert len(wire.requests) == 4
    refused("redirects", fetcher(wire, max_redirects=0), url(wire, "c"))
    assert fetcher(wire, max_redirects=1).fetch(url(wire, "c")).text == "there"


# --- what is not taken ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "status", ["204 No Content", "206 Partial", "300 Choices", "304 Same", "404 Gone", "429 Slow"]
)
def test_only_a_whole_page_is_taken(serve: Serve, status: str) -> None:
    wire = serve(a=page(status=status))
    assert status[:3] in str(refused("status", fetcher(wire), url(wire)))


@pytest.mark.parametrize(
    "kind",
    [None, "", "image/png", "application/pdf", "application/octet-stream", "textual/plain",
     "multipart/form-data", "application/json-seq", "x" * 5000],
)  # fmt: skip
def test_only_text_is_taken(serve: Serve, kind: str | None) -> None:
    wire = serve(a=page(kind=kind))
    assert len(str(refused("media-type", fetcher(wire), url(wire)))) < 250


@pytest.mark.parametrize(
    "headers", [{"Content_Encoding": "gzip"}, {"Content_Encoding": "br"},
                {"Transfer_Encoding": "gzip"}, {"Transfer_Encoding": "gzip, chunked"}],
)  # fmt: skip
def test_a_page_that_would_have_to_be_unpacked(serve: Serve, headers: dict[str, str]) -> None:
    wire = serve(a=page(gzip.compress(b"0" * 100_000), **headers))
    refused("encoding", fetcher(wire), url(wire))


@pytest.mark.parametrize(
    "answer",
    [
        page("x" * 1001),
        raw("Content-Length: 999999999999\r\n", b"x"),
        raw("", b"x" * 1001),
        raw("Transfer-Encoding: chunked\r\n", *[b"64\r\n" + b"x" * 100 + b"\r\n"] * 11),
        raw("Transfer-Encoding: chunked\r\n", b"3E9\r\n" + b"x" * 1001 + b"\r\n0\r\n\r\n"),
        # A length below zero makes http.client read to the end, however far that is.
        raw("Transfer-Encoding: chunked\r\n", b"-1\r\n", b"x" * 200_000),
        raw("".join(f"X-{n}: {'x' * 5000}\r\n" for n in range(60))),
    ],
    ids=["length", "lie", "endless", "chunks", "chunk", "negative", "headers"],
)
def test_a_page_that_is_too_large(serve: Serve, answer: Sequence[Step]) -> None:
    wire = serve(a=answer)
    refused("too-large", fetcher(wire, max_bytes=1000), url(wire))


def test_a_page_of_just_the_size_is_taken(serve: Serve) -> None:
    wire = serve(a=page("x" * 1000))
    assert len(fetcher(wire, max_bytes=1000).fetch(url(wire)).text) == 1000


# --- services that are down ----------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [b"\x1b[31mnot http at all\r\n\r\n"],
        page(status="503 Busy"),
        raw("Content-Length: 10\r\n", b"half"),
        raw("Transfer-Encoding: chunked\r\n", b"a\r\nhalf"),
        raw("Transfer-Encoding: chunked\r\n", b"zz\r\nhalf\r\n"),
        raw("".join(f"X-{n}: x\r\n" for n in range(200))),
    ],
    ids=["silent", "no-http", "5xx", "cut", "cut-chunk", "bad-chunk", "headers"],
)
def test_a_server_that_fails(serve: Serve, answer: Sequence[Step]) -> None:
    wire = serve(a=answer)
    with pytest.raises(ServiceUnreachable) as caught:
        fetcher(wire).fetch(url(wire))
    assert caught.value.service == HOST
    assert "\x1b" not in str(caught.value)


def test_nobody_there_and_no_such_name(serve: Serve) -> None:
    with refusing_address() as address:
        port = int(address.rpartition(":")[2])
        one = Fetcher([f"127.0.0.1:{port}"], permits=loopback)
        with pytest.raises(ServiceUnreachable, match=r"127\.0\.0\.1"):
            one.fetch(f"http://127.0.0.1:{port}/")
    for names in (Names(), Names(books_test=[[]])):
        with pytest.raises(ServiceUnreachable, match=HOST):
            Fetcher([HOST], resolve=names).fetch(f"http://{HOST}/")


def drip(drop: bytes) -> Sequence[Step]:
    """Twenty seconds of it."""
    return [step for _ in range(400) for step in (drop, 0.05)]


@pytest.mark.parametrize(
    "answer",
    [
        [FAR_TOO_LONG],
        [b"HTTP/1.1 200 OK\r\nX: ", *drip(b"x")],
        raw("Content-Length: 400\r\n", *drip(b"x")),
        raw("Transfer-Encoding: chunked\r\n", *drip(b"1\r\nx\r\n")),
        drip(b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["silence", "headers", "body", "chunks", "continue"],
)  # fmt: skip
def test_the_deadline_holds_for_the_whole_fetch(serve: Serve, answer: Sequence[Step]) -> None:
    wire = serve(a=answer)
    started = time.monotonic()
    with pytest.raises(ServiceTimeout) as caught:
        fetcher(wire, seconds=0.5).fetch(url(wire))
    assert time.monotonic() - started < FAR_TOO_LONG / 2
    assert caught.value.service == HOST


def test_the_hops_share_one_deadline(serve: Serve) -> None:
    wire = serve(a=[0.4, *redirect("/b")], b=[0.4, *redirect("/a")])
    with pytest.raises(ServiceTimeout):
        fetcher(wire, seconds=1.0, max_redirects=100).fetch(url(wire))
    assert len(wire.requests) <= 3


def test_a_name_server_that_says_nothing() -> None:
    over = threading.Event()

    def resolve(*_: Any, **__: Any) -> list[Any]:
        over.wait(FAR_TOO_LONG)
        return []

    started = time.monotonic()
    with pytest.raises(ServiceTimeout):
        Fetcher([HOST], resolve=resolve, seconds=0.2).fetch(f"http://{HOST}/")
    assert time.monotonic() - started < FAR_TOO_LONG / 2
    over.set()


# --- TLS -----------------------------------------------------------------------------------


@pytest.fixture
def server_side(tmp_path: Path) -> ssl.SSLContext:
    (tmp_path / "both.pem").write_text(CERTIFICATE + KEY)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "both.pem")
    return context


def test_https_is_spoken_with_the_name(serve: Serve, server_side: ssl.SSLContext) -> None:
    wire = serve(
        tls=server_side, a=redirect("/b"), b=page("secret"), c=redirect("http://books.test/")
    )
    trusting = ssl.create_default_context(cadata=CERTIFICATE)
    one = fetcher(wire, tls=trusting)
    assert one.fetch(url(wire, scheme="https")).text == "secret"
    assert wire.names == [HOST, HOST]
    error = refused("redirects", one, url(wire, "c", scheme="https"))
    assert "https" in str(error)


def test_a_certificate_is_verified(serve: Serve, server_side: ssl.SSLContext) -> None:
    wire = serve(tls=server_side, a=page())
    refused("certificate", fetcher(wire), url(wire, scheme="https"))
    # Trusted, and for another name.
    names = Names(other_test=[["127.0.0.1"]])
    trusting = ssl.create_default_context(cadata=CERTIFICATE)
    wrong = fetcher(wire, "other.test", tls=trusting, resolve=names)
    refused("certificate", wrong, url(wire, host="other.test", scheme="https"))
    assert wire.requests == []


def test_a_server_that_speaks_no_tls(serve: Serve) -> None:
    wire = serve(a=page())
    with pytest.raises(Text2MemError) as caught:
        fetcher(wire, seconds=1.0).fetch(url(wire, scheme="https"))
    assert isinstance(caught.value, ServiceUnreachable | ServiceTimeout)
