"""Pages of the web, fetched from allowed hosts at public addresses only.

A URL comes from a program, and so from anybody: it must not reach what only this machine reaches
(server-side request forgery). Hence every hop is checked alike, and the connection goes to the
very address that was checked; a name that stands for another one a moment later changes nothing.
"""

from __future__ import annotations

import codecs
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from typing import Any
from urllib.parse import urljoin

from text2mem.errors import (
    ConfigurationError,
    FetchRefused,
    ServiceTimeout,
    ServiceUnreachable,
    Text2MemError,
)
from text2mem.services.connecting import Deadline, TimedStream, TooMuch, connected
from text2mem.services.destinations import (
    Allowed,
    Destination,
    IPAddress,
    is_public,
    literal,
    read_url,
)
from text2mem.services.readable import plain, readable
from text2mem.timed import within

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_HTML = frozenset(("text/html", "application/xhtml+xml"))
_DATA = frozenset(("application/json",))
_HEADERS = 65_536
"""Room for the headers and the framing of the chunks, in bytes."""
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s;\"']+)", re.IGNORECASE)
# Pages that name these are written in Windows' superset of them (WHATWG Encoding Standard).
_WINDOWS = frozenset(("ascii", "iso8859-1"))
# What Python has besides, such as punycode, is no charset of a page, and slow.
_CHARSETS = re.compile(
    r"ascii|utf-8(-sig)?|utf-(16|32)(-[bl]e)?|iso8859-\d+|cp\d+|mac-.*|koi8-[rtu]|tis-620|"
    r"gb2312|gbk|gb18030|big5(hkscs)?|shift_jis.*|euc_.*|iso2022_.*|johab"
)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page: the URL that was asked for, the one that answered, and the text to be read."""

    url: str
    final_url: str
    media_type: str
    text: str


class Fetcher:
    """Fetches by GET from the hosts of ``allow`` (``services.destinations.Allowed``).

    ``max_bytes`` bounds a page, ``seconds`` the whole fetch with all its hops, name look-ups
    included. ``resolve`` is called as ``socket.getaddrinfo`` is. ``permits`` says which addresses
    may be connected to, and ``tls`` which certificates count: a server on the loopback, or in a
    closed network, needs others than the defaults. Proxies of the environment are not used.
    """

    def __init__(
        self,
        allow: Sequence[str],
        *,
        max_bytes: int = 1_000_000,
        seconds: float = 10.0,
        max_redirects: int = 3,
        resolve: Callable[..., Sequence[Any]] | None = None,
        permits: Callable[[IPAddress], bool] = is_public,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        if isinstance(allow, str):
            raise ConfigurationError(
                "the hosts that may be fetched from are a list", hint=f"write ['{allow}']"
            )
        self._allow = tuple(Allowed.read(entry) for entry in allow)
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._max_redirects = max_redirects
        self._resolve = resolve or socket.getaddrinfo
        self._permits = permits
        self._tls = tls

    def fetch(self, url: str) -> Fetched:
        """The page that a URL leads to.

        Raises FetchRefused where the URL, a hop or the page is not taken; ServiceTimeout where the
        time is up; ServiceUnreachable where the server is not there or fails.
        """
        deadline = Deadline(self._seconds)
        here = read_url(url)
        for _ in range(self._max_redirects + 1):
            with self._answer(here, deadline) as response:
                if response.status not in _REDIRECTS:
                    media_type, text = _page(response, self._max_bytes, here.host)
                    return Fetched(url, here.url, media_type, text)
                here = _redirected(here, response)
        raise FetchRefused(
            "redirects", f"more than {self._max_redirects} redirects, the last to {here.host}",
            hint="give the URL that they end at",
        )  # fmt: skip

    @contextmanager
    def _answer(self, to: Destination, deadline: Deadline) -> Iterator[HTTPResponse]:
        """One hop: the server's answer, its headers read."""
        if not any(entry.admits(to) for entry in self._allow):
            raise FetchRefused(
                "host", f"{to.authority} is not among the hosts that may be fetched from",
                hint="allow the host, if its pages are wanted",
            )  # fmt: skip
        with _as_our_errors(to.host), self._connected(to, deadline) as connection:
            connection.settimeout(deadline.left())
            connection.sendall(_request(to))
            stream = TimedStream(connection, deadline, 2 * self._max_bytes + _HEADERS)
            response = HTTPResponse(stream)  # type: ignore[arg-type]
            with response:
                response.begin()
                yield response

    @contextmanager
    def _connected(self, to: Destination, deadline: Deadline) -> Iterator[socket.socket]:
        """A connection to one of the host's addresses, all of which are permitted."""
        with connected(self._addresses(to, deadline), to.port, deadline) as connection:
            if to.scheme == "http":
                yield connection
                return
            tls = self._tls or ssl.create_default_context()
            connection.settimeout(deadline.left())
            with tls.wrap_socket(connection, server_hostname=to.host) as encrypted:
                yield encrypted

    def _addresses(self, to: Destination, deadline: Deadline) -> Sequence[IPAddress]:
        """What the host stands for, looked up once. Refused as a whole for one bad address."""
        address = literal(to.host)
        if address is not None:
            found = [address]
        else:
            look_up = partial(self._resolve, to.host, to.port, type=socket.SOCK_STREAM)
            answers = within(deadline.left(), look_up, "text2mem-look-up")
            found = list(dict.fromkeys(ip_address(answer[4][0]) for answer in answers))
        if not found:
            raise ServiceUnreachable(f"{to.host} has no address", service=to.host)
        bad = next((one for one in found if not self._permits(one)), None)
        if bad is not None:
            raise FetchRefused(
                "address", f"{to.host} stands for {bad}, which may not be fetched from",
                hint="only addresses of the public internet are connected to",
            )  # fmt: skip
        return found


@contextmanager
def _as_our_errors(service: str) -> Iterator[None]:
    """What sockets, TLS and ``http.client`` raise within, in the classes that fetch promises."""
    try:
        yield
    except Text2MemError:
        raise
    except TooMuch as error:
        raise _too_large() from error
    except TimeoutError as error:
        raise ServiceTimeout(
            f"{service}: no whole answer in time", service=service, hint="try again later"
        ) from error
    except ssl.SSLCertVerificationError as error:
        raise FetchRefused(
            "certificate", f"{service} shows no valid certificate: {error.verify_message}"
        ) from error
    except (OSError, HTTPException, ValueError) as error:
        # What http.client says repeats the server, at any length.
        said = type(error).__name__ if isinstance(error, HTTPException) else str(error)
        raise ServiceUnreachable(
            f"{service} cannot be fetched from: {said}", service=service, hint="try again later"
        ) from error


# --- what is asked and answered ------------------------------------------------------------


def _request(to: Destination) -> bytes:
    return (
        f"GET {to.target} HTTP/1.1\r\n"
        f"Host: {to.authority}\r\n"
        "User-Agent: text2mem\r\n"
        "Accept: text/html, application/xhtml+xml, application/json, text/*;q=0.9\r\n"
        "Accept-Encoding: identity\r\n"
        "Connection: close\r\n"
        "\r\n"
    ).encode("ascii")


def _redirected(here: Destination, response: HTTPResponse) -> Destination:
    """Where a redirect leads. From https it must not lead to plain http."""
    location = response.headers.get("Location", "").strip()
    if not location:
        raise FetchRefused("status", f"{here.host} redirects and does not say where")
    with suppress(UnicodeError):
        # http.client reads headers as Latin-1; what is not ASCII there is UTF-8 today.
        location = location.encode("latin-1").decode()
    try:
        there = read_url(urljoin(here.url, location))
    except ValueError as error:
        raise FetchRefused("url", f"{here.host} redirects to a URL that cannot be read") from error
    if here.scheme == "https" and there.scheme != "https":
        raise FetchRefused("redirects", f"{here.host} redirects from https to {there.scheme}")
    return there


def _page(response: HTTPResponse, max_bytes: int, host: str) -> tuple[str, str]:
    """The media type and the text of an answer that is no redirect."""
    if response.status >= 500:
        raise ServiceUnreachable(
            f"{host} answered with status {response.status}", service=host, hint="try again later"
        )
    if response.status != 200:
        raise FetchRefused("status", f"{host} answered with status {response.status}")
    encodings = (
        response.headers.get("Content-Encoding", "identity"),
        response.headers.get("Transfer-Encoding", "chunked"),
    )
    if tuple(one.strip().lower() for one in encodings) != ("identity", "chunked"):
        raise FetchRefused("encoding", f"{host} sent the page encoded, though asked not to")
    kind = response.headers.get("Content-Type", "")
    media_type = kind.partition(";")[0].strip().lower()
    if not (media_type.startswith("text/") or media_type in _HTML | _DATA):
        raise FetchRefused(
            "media-type", f"{host} sent a page of type {media_type[:80]!r}",
            hint="only text, HTML and JSON are taken",
        )  # fmt: skip
    if response.length is not None and response.length > max_bytes:
        raise _too_large()
    content = response.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise _too_large()
    if response.length:
        raise ConnectionError("the page was cut off")
    text = content.decode(_charset(kind), errors="replace")
    return media_type, readable(text) if media_type in _HTML else plain(text)


def _charset(kind: str) -> str:
    """The charset that a Content-Type names; UTF-8 where it names none that is known."""
    named = _CHARSET.search(kind)
    try:
        name = codecs.lookup(named[1]).name if named else "utf-8"
    except (LookupError, ValueError):
        name = "utf-8"
    if name in _WINDOWS:
        return "cp1252"
    return "utf-8-sig" if name == "utf-8" or not _CHARSETS.fullmatch(name) else name


def _too_large() -> FetchRefused:
    return FetchRefused("too-large", "the page is larger than pages may be")
