"""HTML and SVG from Python values. Whatever is not markup already is escaped.

Text of a run (utterances, programs, stored memories, names of models) is untrusted. Only ``tag``
and ``join`` make markup, and only what they made is not escaped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

_UNFIT = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
"""Characters that a document in UTF-8 cannot hold, that a browser complains about, or that make
text read otherwise than it is stored (bidirectional overrides)."""
_VOID = frozenset({"input", "meta", "link", "rect", "line", "path", "circle"})


class Markup(str):
    """Text that is markup. Only ``tag`` and ``join`` make it."""

    __slots__ = ()


Child = str | int | None
"""A part of an element: markup is used as it is, text is escaped, None is left out."""


def tag(name: str, /, *children: Child | Iterable[Child], **attributes: Any) -> Markup:
    """An element. Attributes: ``class_`` becomes class, ``data_op`` data-op. None and False are
    left out; True has no value."""
    said = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{join(*children)}</{name}>")


def join(*children: Child | Iterable[Child]) -> Markup:
    """Several parts in a row."""
    return Markup("".join(_rendered(child) for child in children))


def text(value: Any) -> Markup:
    """A value as escaped text. Characters that no document can hold are replaced."""
    return Markup(html.escape(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", str(value))))


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def _rendered(child: Child | Iterable[Child]) -> str:
    """A part of an element as markup."""
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return text(child)
    return join(*child)
