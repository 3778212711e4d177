"""Check the addresses of services. Keep keys and passwords out of what is shown: addresses,
messages and chained exceptions.

A service may repeat the key that it was sent, and the client's exception quotes the service.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote_plus, urlsplit

from text2mem.errors import ConfigurationError

_LOGIN = re.compile(r"^(?P<scheme>[a-z][a-z0-9+.-]*://)?(?P<login>[^/?#]*)@", re.IGNORECASE)
_PLACEHOLDER = 8
"""A key with fewer characters is a placeholder ("none", "ollama") and no secret."""
_KEY = re.compile(rf"(?<==)[^&#]{{{_PLACEHOLDER},}}")
"""A value in a query that may be a key."""
_LONGEST = 1_000
"""The most characters that an error quotes. A service may answer with a page."""


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
    """Return the address without the user name, password and keys that it may contain."""
    before, mark, query = _LOGIN.sub(lambda found: found["scheme"] or "", address).partition("?")
    return before + mark + _KEY.sub("***", query)


def login(address: str) -> tuple[str, ...]:
    """Return the user name and the password that an address contains, if any."""
    found = _LOGIN.match(address)
    return tuple(part for part in found["login"].split(":", 1) if part) if found else ()


def secrets_in(*texts: str | None, address: str | None = None) -> tuple[str, ...]:
    """Return what must not be shown: the texts, and user name, password and keys of an address.

    Texts of fewer than 8 characters are left out: they are placeholders.
    """
    keys = _KEY.findall((address or "").partition("?")[2])
    found = [*texts, *login(address or ""), *keys, *map(unquote_plus, keys)]
    return tuple(text for text in found if text and len(text) >= _PLACEHOLDER)


def require_sendable(key: str, *, setting: str) -> None:
    """Raise ConfigurationError if no HTTP header can hold the key of the variable ``setting``.

    HTTP libraries would quote it.
    """
    if not (key.isascii() and key.isprintable() and key == key.strip()):
        raise ConfigurationError(
            f"the key in {setting} has a character that no key has",
            hint="look for a blank or a line break at its end, and for curly quotation marks",
        )


def redacted(text: str, secrets: Sequence[str]) -> str:
    """Return the beginning of a text, with ``***`` in place of each secret."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def with_causes(error: Exception) -> Iterator[BaseException]:
    """Yield an error and all of its causes and contexts, each once."""
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        link = waiting.pop()
        if link is not None and not any(link is other for other in seen):
            seen.append(link)
            waiting += [link.__context__, link.__cause__]
            yield link


def fit_as_cause(error: Exception, secrets: Sequence[str]) -> Exception | None:
    """Return the error, or None if it or one of its causes and contexts contains a secret."""
    said = [f"{link!s} {link!r}" for link in with_causes(error)]
    return None if any(secret in each for each in said for secret in secrets) else error


def _wrong(address: str, setting: str) -> ConfigurationError:
    return ConfigurationError(
        f"'{shown(address)}' is not the address of a server",
        hint=f"{setting} looks like http://host:port",
    )
