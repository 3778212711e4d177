"""Who is let in: one browser of this machine, by an address that is good once, and its own forms.

Before a page is made, a request has come to one of the loopback's names (no other site's name that
was rebound to it), bears the cookie, and where it changes something comes from a form of this site.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from text2mem.doors.listening import LOOPBACK, host_headers, printed, same_secret
from text2mem.doors.ui.visit import PageRefused
from text2mem.errors import ConfigurationError

if TYPE_CHECKING:
    from starlette.datastructures import Headers

BODY = 1_000_000
"""Bytes of a request at most."""
TOKEN = "token"
FORM = "application/x-www-form-urlencoded"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""What every answer says. A form of ours names its origin, so the policy of referrers lets it."""
_TOKEN = re.compile(r"[A-Za-z0-9_.~-]{16,200}")
_AGAIN = "it lets one browser in, once; start `text2mem ui` again for another one"
_CLOSED = "open the address that `text2mem ui` has printed"


def check_token(token: str) -> str:
    """A token that the user has chosen, if it is a safe one. Raises ConfigurationError."""
    if not _TOKEN.fullmatch(token):
        raise ConfigurationError(
            "the token must have 16 to 200 characters out of letters, digits, - . _ and ~",
            hint="openssl rand -hex 32 makes one",
        )
    return token


@dataclass(slots=True)
class Guard:
    """The checks of one server. ``token`` is part of the address that lets a browser in once;
    ``name`` is the host it listens on."""

    port: int
    token: str
    name: str = "127.0.0.1"
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _spent: bool = False
    _lock: Lock = field(default_factory=Lock)

    @property
    def cookie(self) -> str:
        """The cookie's name, with the port: a browser shares a host's cookies between its ports."""
        return f"text2mem-ui-{self.port}"

    @property
    def csrf(self) -> str:
        """The token against cross-site requests that every form of this site carries."""
        return hmac.new(self.secret.encode(), b"form", hashlib.sha256).hexdigest()

    @property
    def cookie_line(self) -> str:
        """The header that gives the cookie."""
        return f"{self.cookie}={self.secret}; Path=/; HttpOnly; SameSite=Strict"

    def check_host(self, headers: Headers) -> None:
        """Raises PageRefused (421) for a request to another name than the loopback's."""
        given = headers.getlist("host")
        if len(given) != 1 or given[0].lower() not in self._hosts():
            raise PageRefused(421, "this server does not answer for that name")

    def admit(self, token: str) -> None:
        """Spend the token. Raises PageRefused (403) where it is wrong, or spent."""
        with self._lock:
            if not _same(token, self.token) or self._spent:
                raise PageRefused(403, "this address is good no longer", hint=_AGAIN)
            self._spent = True

    def check_cookie(self, headers: Headers) -> None:
        """Raises PageRefused (401) without the cookie, 403 with a wrong one."""
        from starlette.requests import cookie_parser  # goes on after what others sent malformed

        given = None
        for line in headers.getlist("cookie"):
            given = cookie_parser(line).get(self.cookie, given)
        if given is None:
            raise PageRefused(401, "nobody is let in without the address", hint=_CLOSED)
        if not _same(given, self.secret):
            raise PageRefused(403, "this browser was let in by another server", hint=_CLOSED)

    def check_origin(self, headers: Headers) -> None:
        """Raises PageRefused (403) for a form that another site has sent, 415 for what is none."""
        origins = headers.getlist("origin")
        sites = headers.getlist("sec-fetch-site") or ["same-origin"]
        if (
            len(origins) != 1
            or origins[0] not in {f"http://{host}" for host in self._hosts()}
            or origins[0] != f"http://{headers['host'].lower()}"
            or sites != ["same-origin"]
        ):
            raise PageRefused(403, "a form of another site is not taken")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
            raise PageRefused(415, "only a form is taken")

    def check_form(self, given: str) -> None:
        """Raises PageRefused (403) for a form that is not of this site."""
        if not _same(given, self.csrf):
            raise PageRefused(403, "this form is not of this page", hint="load the page again")

    def _hosts(self) -> list[str]:
        return host_headers([*LOOPBACK, printed(self.name)], self.port)


def _same(one: str, other: str) -> bool:
    return same_secret(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
