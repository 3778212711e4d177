"""The checks of a request before a page is made.

- Its Host header must be a name of the loopback, which rules out DNS rebinding.
- It must carry the cookie. One browser gets it, by an address with a token that is valid once.
- If it changes something, it must come from a form of this site.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import cookie_parser  # it skips malformed cookies

from text2mem.doors.listening import LOOPBACK, host_headers, printed, same_secret
from text2mem.doors.ui.visit import PageRefused
from text2mem.errors import ConfigurationError

TOKEN = "token"
"""The query parameter of the address that lets a browser in."""
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
"""The headers of every response. ``Referrer-Policy`` is not "no-referrer", since forms of this site
must send their Origin."""
_TOKEN = re.compile(r"[A-Za-z0-9_.~-]{16,200}")
_AGAIN = "it lets one browser in, once; start `text2mem ui` again for another one"
_CLOSED = "open the address that `text2mem ui` has printed"


def check_token(token: str) -> None:
    """Raise ConfigurationError for a token that is too weak."""
    if not _TOKEN.fullmatch(token):
        raise ConfigurationError(
            "the token must have 16 to 200 characters out of letters, digits, - . _ and ~",
            hint="openssl rand -hex 32 makes one",
        )


@dataclass(slots=True)
class Guard:
    """The checks of one server, which asks them all on its event loop."""

    port: int
    token: str
    """The token of the address that lets a browser in, once."""
    name: str = "127.0.0.1"
    """The host that the server listens on."""
    secret: str = field(default_factory=secrets.token_urlsafe)
    """The value of the cookie."""
    csrf: str = field(default_factory=secrets.token_urlsafe)
    """The token that every form of this site carries, against forgery by another site."""
    _spent: bool = False

    @property
    def cookie(self) -> str:
        """The name of the cookie. It has the port, since the ports of a host share cookies."""
        return f"text2mem-ui-{self.port}"

    @property
    def cookie_line(self) -> str:
        return f"{self.cookie}={self.secret}; Path=/; HttpOnly; SameSite=Strict"

    def check_host(self, headers: Headers) -> None:
        """Raise PageRefused (421) for a Host that is not the loopback's, with this port."""
        given = headers.getlist("host")
        if len(given) != 1 or given[0].lower() not in self._hosts():
            raise PageRefused(421, "this server does not answer for that name")

    def knows(self, headers: Headers) -> bool:
        """Whether the request carries the cookie."""
        try:
            self.check_cookie(headers)
        except PageRefused:
            return False
        return True

    def admit(self, token: str) -> None:
        """Spend the token. Raises PageRefused (403) if it is wrong, or spent already."""
        if not same_secret(token, self.token) or self._spent:
            raise PageRefused(403, "this address is good no longer", hint=_AGAIN)
        self._spent = True

    def check_cookie(self, headers: Headers) -> None:
        """Raise PageRefused: 401 without the cookie, 403 with a wrong one."""
        given = None
        for line in headers.getlist("cookie"):
            given = cookie_parser(line).get(self.cookie, given)
        if given is None:
            raise PageRefused(401, "nobody is let in without the address", hint=_CLOSED)
        if not same_secret(given, self.secret):
            raise PageRefused(403, "this browser was let in by another server", hint=_CLOSED)

    def check_origin(self, headers: Headers) -> None:
        """Raise PageRefused: 403 for a request of another site, 415 for one that is no form."""
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
        """Raise PageRefused (403) for a form without the token of this site's forms."""
        if not same_secret(given, self.csrf):
            raise PageRefused(403, "this form is not of this page", hint="load the page again")

    def _hosts(self) -> list[str]:
        return host_headers([*LOOPBACK, printed(self.name)], self.port)
