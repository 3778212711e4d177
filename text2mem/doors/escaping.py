"""Text as people may be shown it: what would steer a terminal, or turn its order round, escaped."""

from __future__ import annotations

import re

_HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters but newlines, other ends of lines, and marks that set the order of reading."""


def escaped(text: str) -> str:
    """The text with these characters as escapes; newlines stay."""
    return _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
