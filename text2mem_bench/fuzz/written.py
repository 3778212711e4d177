"""An input as an expression of Python that makes it again, in ASCII and cut where it is long."""

from __future__ import annotations

import math
from typing import Any

_DEEP = 100
_LONG = 60
_MOST = 4_000


def expression(held: Any) -> str:
    """The expression; what is too deep or too long for it stands as ``…``, in words."""
    text = _expression(held, 0)
    return text if len(text) <= _MOST else f"{text[:_MOST]}... ({len(text)} characters)"


def _expression(held: Any, level: int) -> str:
    if level > _DEEP:
        return "...deeper..."
    if isinstance(held, dict):
        pairs = (f"{_text(str(k))}: {_expression(v, level + 1)}" for k, v in held.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(held, list):
        if len(held) > 1 and all(each == held[0] for each in held[1:]):
            return f"[{_expression(held[0], level + 1)}] * {len(held)}"
        return "[" + ", ".join(_expression(each, level + 1) for each in held) + "]"
    if isinstance(held, str | bytes):
        return _text(held)
    if isinstance(held, float) and not math.isfinite(held):
        return f"float('{held}')"
    if isinstance(held, int) and held.bit_length() > 1_000:
        power = round(held.bit_length() * math.log10(2))
        near = next((p for p in (power - 1, power, power + 1) if 10**p == abs(held)), None)
        return hex(held) if near is None else f"{'-' * (held < 0)}10**{near}"
    return repr(held)


def _text(held: str | bytes) -> str:
    if len(held) > _LONG:
        for period in range(1, 5):
            piece = held[:period]
            times, rest = divmod(len(held), period)
            if piece * times + piece[:rest] == held:  # type: ignore[operator]
                return f"{piece!a} * {times}" + (f" + {piece[:rest]!a}" if rest else "")
    return ascii(held)
