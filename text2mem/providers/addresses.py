"""Check the addresses of services, and show them without a password."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from text2mem.errors import ConfigurationError

_LOGIN = re.compile(r"^(?P<scheme>[a-z][a-z0-9+.-]*://)?(?P<login>[^/?#]*)@", re.IGNORECASE)


def checked(address: str, *, setting: str, bare: bool = False) -> str:
    """Return the address if it is ``http(s)://host[:port][/path]``; ``bare``: or ``host:port``.

    Raises ConfigurationError for any other one; the hint names the ``setting`` it came from.
    """
    schemeless = bare and "://" not in address
    try:
        parts = urlsplit(f"http://{address}" if schemeless else address)
        port = parts.port
    except ValueError as error:
        # The cause may quote the address, with its password.
        raise _wrong(address, setting) from (None if login(address) else error)
    usable = parts.scheme in ("http", "https") and (parts.hostname or (schemeless and port))
    if not usable or re.search(r"\s", address):
        raise _wrong(address, setting)
    return address


def shown(address: str) -> str:
    """Return the address without the user name and password that it may contain."""
    return _LOGIN.sub(lambda found: found["scheme"] or "", address)


def login(address: str) -> tuple[str, ...]:
    """Return the user name and the password that an address contains, if any."""
    found = _LOGIN.match(address)
    return tuple(part for part in found["login"].split(":", 1) if part) if found else ()


def _wrong(address: str, setting: str) -> ConfigurationError:
    return ConfigurationError(
        f"'{shown(address)}' is not the address of a server",
        hint=f"{setting} looks like http://host:port",
    )
