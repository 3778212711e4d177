"""Addresses of services: checked, and shown without a password."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from text2mem.errors import ConfigurationError

_LOGIN = re.compile(r"^(?P<scheme>[a-z][a-z0-9+.-]*://)?(?P<login>[^/?#]*)@", re.IGNORECASE)


def checked(address: str, *, setting: str, bare: bool = False) -> str:
    """The address, if it is ``http(s)://host[:port][/path]``; ``bare`` allows ``host:port`` too.

    Raises ConfigurationError, which names the ``setting`` that the address came from.
    """
    schemeless = bare and "://" not in address
    try:
        parts = urlsplit(f"http://{address}" if schemeless else address)
        port = parts.port
    except ValueError as error:
        # The reason may quote the address, and so its password.
        raise _wrong(address, setting) from (None if login(address) else error)
    usable = parts.scheme in ("http", "https") and (parts.hostname or (schemeless and port))
    if not usable or re.search(r"\s", address):
        raise _wrong(address, setting)
    return address


def shown(address: str) -> str:
    """The address without the name and the password that it may hold."""
    return _LOGIN.sub(lambda found: found["scheme"] or "", address)


def login(address: str) -> tuple[str, ...]:
    """The name and the password that an address holds, if any."""
    found = _LOGIN.match(address)
    return tuple(part for part in found["login"].split(":", 1) if part) if found else ()


def _wrong(address: str, setting: str) -> ConfigurationError:
    return ConfigurationError(
        f"'{shown(address)}' is not the address of a server",
        hint=f"{setting} looks like http://host:port",
    )
