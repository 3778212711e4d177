"""HTML and SVG from Python values: what is not markup already is escaped.

Text of a run (utterances, programs, stored memories, names of models) is hostile until it is shown
as text. ``tag`` is the one way into markup, and only what ``tag`` and ``join`` made passes through
it unescaped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any

_UNFIT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What a document in UTF-8 cannot hold, or a browser complains about."""
_VOID = frozenset({"input", "meta", "link", "rect", "line", "path", "circle"})


class Markup(str):
    """Text that is markup: made by ``tag`` and ``join`` only."""

    __slots__ = ()


Child = str | int | None
"""A part of an element: markup as it is, text escaped, None left out."""


def tag(name: str, /, *children: Child | Iterable[Child], **attributes: Any) -> Markup:
    """An element. Attributes: ``class_`` is class, ``data_op`` is data-op; None and False are left
    out, True stands alone."""
    said = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{join(*children)}</{name}>")


def join(*children: Child | Iterable[Child]) -> Markup:
    """Several parts after each other."""
    return Markup("".join(_rendered(child) for child in children))


def text(value: Any) -> Markup:
    """A value as text: nothing in it is markup, and what no document can hold is replaced."""
    return Markup(html.escape(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", str(value))))


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def _rendered(child: Child | Iterable[Child]) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return text(child)
    return join(*child)
