"""Fetch web pages, from allowed hosts at public addresses only.

The URL of a program is untrusted input, and must not lead to a server that only this machine can
reach (server-side request forgery). So every hop is checked, and the connection is made to the
address that was checked, whatever the name resolves to a moment later.
"""

from __future__ import annotations

import codecs
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass
from functools import partial
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from typing import Any
from urllib.parse import urljoin

from text2mem.errors import ConfigurationError, FetchRefused, ServiceTimeout, ServiceUnreachable
from text2mem.services.connecting import Deadline, TimedStream, connected, too_large
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
_HEADERS = 65_536
"""The bytes that are allowed for the headers and the framing of chunks."""
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s;\"']+)", re.IGNORECASE)
# Pages with these charsets are read as Windows' superset of them (WHATWG Encoding Standard).
_WINDOWS = frozenset(("ascii", "iso8859-1"))
# The charsets of pages. Other codecs of Python, such as punycode, are slow.
_CHARSETS = re.compile(
    r"ascii|utf-8(-sig)?|utf-(16|32)(-[bl]e)?|iso8859-\d+|cp\d+|mac-.*|koi8-[rtu]|tis-620|"
    r"gb2312|gbk|gb18030|big5(hkscs)?|shift_jis.*|euc_.*|iso2022_.*|johab"
)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page that was fetched."""

    text: str


@dataclass(eq=False)
class Fetcher:
    """Fetches by GET from the hosts of ``allow`` (``services.destinations.Allowed``).

    ``max_bytes`` limits a page, and ``seconds`` a whole fetch, with all hops and name look-ups.
    ``resolve`` replaces ``socket.getaddrinfo``. ``permits`` says which addresses may be connected
    to, and ``tls`` which certificates are valid; a server on the loopback, or in a closed network,
    needs others than the defaults. Proxies of the environment are not used. Raises
    ConfigurationError for a wrong entry.
    """

    allow: Sequence[str]
    _: KW_ONLY
    max_bytes: int = 1_000_000
    seconds: float = 10.0
    max_redirects: int = 3
    resolve: Callable[..., Sequence[Any]] | None = None
    permits: Callable[[IPAddress], bool] = is_public
    tls: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        if isinstance(self.allow, str):
            raise ConfigurationError(
                "the hosts that may be fetched from are a list", hint=f"write ['{self.allow}']"
            )
        self._allowed = [Allowed.read(entry) for entry in self.allow]

    def fetch(self, url: str) -> Fetched:
        """Return the page of a URL.

        Raises FetchRefused if the URL, a hop or the page is not allowed; ServiceTimeout if it takes
        too long; and ServiceUnreachable if the server does not answer or fails.
        """
        deadline = Deadline(self.seconds)
        here = read_url(url)
        for _ in range(self.max_redirects + 1):
            with self._answer(here, deadline) as response:
                if response.status not in _REDIRECTS:
                    return Fetched(_page(response, self.max_bytes, here.host))
                here = _redirected(here, response)
        raise FetchRefused(
            "redirects", f"more than {self.max_redirects} redirects, the last to {here.host}",
            hint="give the URL that they end at",
        )  # fmt: skip

    @contextmanager
    def _answer(self, to: Destination, deadline: Deadline) -> Iterator[HTTPResponse]:
        """Make one hop, and yield the server's response with its headers read."""
        if not any(entry.admits(to) for entry in self._allowed):
            raise FetchRefused(
                "host", f"{to.authority} is not among the hosts that may be fetched from",
                hint="allow the host, if its pages are wanted",
            )  # fmt: skip
        with _as_our_errors(to.host), self._connected(to, deadline) as connection:
            connection.settimeout(deadline.left())
            connection.sendall(_request(to))
            stream = TimedStream(connection, deadline, 2 * self.max_bytes + _HEADERS)
            with HTTPResponse(stream) as response:  # type: ignore[arg-type]
                response.begin()
                yield response

    @contextmanager
    def _connected(self, to: Destination, deadline: Deadline) -> Iterator[socket.socket]:
        """Connect to one of the host's addresses, with TLS for https."""
        with connected(self._addresses(to, deadline), to.port, deadline) as connection:
            if to.scheme == "http":
                yield connection
                return
            tls = self.tls or ssl.create_default_context()
            connection.settimeout(deadline.left())
            with tls.wrap_socket(connection, server_hostname=to.host) as encrypted:
                yield encrypted

    def _addresses(self, to: Destination, deadline: Deadline) -> Sequence[IPAddress]:
        """Look up the addresses of a host, once. Raises FetchRefused if one is not permitted."""
        address = literal(to.host)
        if address is not None:
            found = [address]
        else:
            resolve = self.resolve or socket.getaddrinfo
            look_up = partial(resolve, to.host, to.port, type=socket.SOCK_STREAM)
            answers = within(deadline.left(), look_up, "text2mem-look-up")
            found = list(dict.fromkeys(ip_address(answer[4][0]) for answer in answers))
        if not found:
            raise ServiceUnreachable(f"{to.host} has no address", service=to.host)
        for each in found:
            if not self.permits(each):
                raise FetchRefused(
                    "address", f"{to.host} stands for {each}, which may not be fetched from",
                    hint="only addresses of the public internet are connected to",
                )  # fmt: skip
        return found


@contextmanager
def _as_our_errors(service: str) -> Iterator[None]:
    """Translate the errors of sockets, TLS and ``http.client`` into those that ``fetch`` raises."""
    try:
        yield
    except TimeoutError as error:
        raise ServiceTimeout(
            f"{service}: no whole answer in time", service=service, hint="try again later"
        ) from error
    except ssl.SSLCertVerificationError as error:
        raise FetchRefused(
            "certificate", f"{service} shows no valid certificate: {error.verify_message}"
        ) from error
    except (OSError, HTTPException, ValueError) as error:
        # The message of http.client quotes the server, at any length.
        said = type(error).__name__ if isinstance(error, HTTPException) else str(error)
        raise ServiceUnreachable(
            f"{service} cannot be fetched from: {said}", service=service, hint="try again later"
        ) from error


# --- requests and responses ----------------------------------------------------------------


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
    """The destination of a redirect. Raises FetchRefused, also for one from https to http."""
    location = response.headers.get("Location", "").strip()
    if not location:
        raise FetchRefused("status", f"{here.host} redirects and does not say where")
    with suppress(UnicodeError):
        # http.client decodes headers as Latin-1, but characters beyond ASCII are sent as UTF-8.
        location = location.encode("latin-1").decode()
    try:
        there = read_url(urljoin(here.url, location))
    except ValueError as error:
        raise FetchRefused("url", f"{here.host} redirects to a URL that cannot be read") from error
    if here.scheme == "https" and there.scheme != "https":
        raise FetchRefused("redirects", f"{here.host} redirects from https to {there.scheme}")
    return there


def _page(response: HTTPResponse, max_bytes: int, host: str) -> str:
    """Return the text of a response that is no redirect. Raises as ``fetch``."""
    if response.status >= 500:
        raise ServiceUnreachable(
            f"{host} answered with status {response.status}", service=host, hint="try again later"
        )
    if response.status != 200:
        raise FetchRefused("status", f"{host} answered with status {response.status}")
    for header, plainly in (("Content-Encoding", "identity"), ("Transfer-Encoding", "chunked")):
        if response.headers.get(header, plainly).strip().lower() != plainly:
            raise FetchRefused("encoding", f"{host} sent the page encoded, though asked not to")
    kind = response.headers.get("Content-Type", "")
    media_type = kind.partition(";")[0].strip().lower()
    if not (media_type.startswith("text/") or media_type in _HTML | {"application/json"}):
        raise FetchRefused(
            "media-type", f"{host} sent a page of type {media_type[:80]!r}",
            hint="only text, HTML and JSON are taken",
        )  # fmt: skip
    if response.length is not None and response.length > max_bytes:
        raise too_large()
    content = response.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise too_large()
    if response.length:
        raise ConnectionError("the page was cut off")
    text = content.decode(_charset(kind), errors="replace")
    return readable(text) if media_type in _HTML else plain(text)


def _charset(kind: str) -> str:
    """Return the charset of a Content-Type; UTF-8 if it names none, or an unknown one."""
    named = _CHARSET.search(kind)
    try:
        name = codecs.lookup(named[1]).name if named else "utf-8"
    except (LookupError, ValueError):
        name = "utf-8"
    if name in _WINDOWS:
        return "cp1252"
    return "utf-8-sig" if name == "utf-8" or not _CHARSETS.fullmatch(name) else name
