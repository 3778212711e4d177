"""The destinations of a fetch: URLs, the list of allowed hosts, and public addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote, urlsplit

from text2mem.errors import ConfigurationError, FetchRefused

IPAddress = IPv4Address | IPv6Address

_PORTS = {"http": 80, "https": 443}
_LONGEST_URL = 8_192
# urlsplit drops line breaks, and browsers take a backslash for a slash. Such URLs are refused.
_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]|\s")
_NAME = re.compile(
    r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*"
)
_ENDS_IN_A_NUMBER = re.compile(r"(^|\.)([0-9]+|0x[0-9a-f]*)$")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
# Special-purpose ranges that the ``ipaddress`` of some releases of Python does not know: protocol
# assignments, 6to4 relays, and the second range for documentation (RFC 9637).
_SET_ASIDE_4 = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))
_SET_ASIDE_6 = IPv6Network("3fff::/20")


@dataclass(frozen=True, slots=True)
class Destination:
    """The parts of a URL."""

    scheme: str
    host: str
    """In ASCII and lower case."""
    port: int
    target: str
    """Path and query, as in the request line."""

    @property
    def authority(self) -> str:
        """The Host header: the host, with the port unless it is the scheme's default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL, without a fragment."""
        return f"{self.scheme}://{self.authority}{self.target}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """One entry of the list of hosts: ``example.org``, ``*.example.org``, ``example.org:8080``."""

    host: str
    port: int | None
    """None allows only the scheme's default port (80, 443)."""
    subdomains: bool
    """Whether the entry has a star: it allows all subdomains, but not the domain itself."""

    @classmethod
    def read(cls, entry: str) -> Allowed:
        """Read an entry. Raises ConfigurationError if it is neither a host nor ``*.domain``."""
        star, _, rest = entry.strip().rpartition("*.")
        try:
            parts = urlsplit(f"//{rest}")
            port, host = parts.port, _host(parts.hostname or "")
        except (ValueError, FetchRefused) as error:
            raise _no_host(entry) from error
        plain = parts.netloc == rest and "@" not in rest
        if star or not plain or ("*." in entry and literal(host)) or _NOT_IN_A_URL.search(rest):
            raise _no_host(entry)
        return cls(host, port, "*." in entry)

    def admits(self, to: Destination) -> bool:
        """Whether this entry allows a destination."""
        known = to.host.endswith(f".{self.host}") if self.subdomains else to.host == self.host
        return known and to.port == (_PORTS[to.scheme] if self.port is None else self.port)


def read_url(url: str) -> Destination:
    """Parse a URL. Raises FetchRefused (``url``); its message does not repeat the URL.

    Refused are other schemes than http and https, a login, blanks, and an IP address as a decimal,
    octal or hexadecimal number. A host name in another script becomes ASCII (IDNA).
    """
    if len(url) > _LONGEST_URL:
        raise _refused(f"the URL has more than {_LONGEST_URL} characters")
    if _NOT_IN_A_URL.search(url):
        raise _refused("the URL holds a blank, a control character or a backslash")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _refused("the URL cannot be read") from error
    if parts.scheme not in _PORTS:
        raise _refused("the URL is neither http nor https")
    if "@" in parts.netloc:
        raise _refused("the URL holds a login", "give the URL without user and password")
    if not parts.hostname or port == 0:
        raise _refused("the URL names no server")
    target = quote(parts.path, safe="/%:@!$&'()*+,;=~") or "/"
    if parts.query:
        target += "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~?")
    host = _host(parts.hostname)
    return Destination(parts.scheme, host, port or _PORTS[parts.scheme], target)


def literal(host: str) -> IPAddress | None:
    """Return the IP address that a host is; None for a host name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public(address: IPAddress) -> bool:
    """Whether an address belongs to the public internet.

    The ranges of IANA's special-purpose registries (RFC 6890) do not: private, loopback,
    link-local, shared, reserved, multicast, documentation, Teredo. If an IPv6 address contains an
    IPv4 one (mapped, NAT64, 6to4), that one must be public.
    """
    if isinstance(address, IPv4Address):
        aside = any(address in network for network in _SET_ASIDE_4)
        return address.is_global and not (aside or address.is_multicast or address.is_reserved)
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    if address in _NAT64:
        return is_public(IPv4Address(address.packed[-4:]))
    if address.scope_id is not None:
        return False
    if address.sixtofour is not None:  # releases of Python differ on whether it is global
        return is_public(address.sixtofour)
    return address in _GLOBAL_UNICAST and address not in _SET_ASIDE_6 and address.is_global


def _host(written: str) -> str:
    """Return a host in ASCII and lower case, without a dot at its end. Raises FetchRefused."""
    if ":" in written:
        address = literal(written)
        if address is None or "%" in written:
            raise _refused("the URL's host is no address")
        return str(address)
    try:
        host = written.encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:
        raise _refused("the URL's host is not a name that can be looked up") from error
    if literal(host) is not None:
        return host
    if _ENDS_IN_A_NUMBER.search(host):
        raise _refused("the URL's host is a number", "write an address in four decimal parts")
    if len(host) > 253 or not _NAME.fullmatch(host):
        raise _refused("the URL's host is not a name that can be looked up")
    return host


def _refused(message: str, hint: str = "an http or https URL of a page") -> FetchRefused:
    return FetchRefused("url", message, hint=hint)


def _no_host(entry: str) -> ConfigurationError:
    return ConfigurationError(
        f"'{entry}' is not a host that can be allowed",
        hint="write example.org, *.example.org or example.org:8080",
    )
