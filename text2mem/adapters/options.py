"""The options behind the ``?`` of a store's name."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, urlencode


def pairs(query: str) -> list[tuple[str, str]]:
    """The options of a query, in order. A plus is a plus: this is an address and no form."""
    return parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)


def joined(options: Iterable[tuple[str, str]]) -> str:
    """The query of options, as libpq reads it."""
    return urlencode(list(options), quote_via=quote)
