"""The words of the grammars: JSON's strings, numbers and punctuation, bounded where a small model
could loop. RFC 8259 is the source; what is narrower than it says so here.

A class of characters is written as in GBNF, which Python's ``re`` reads the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Lit:
    """These characters."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a class; ``spec`` stands in brackets."""

    spec: str


@dataclass(frozen=True, slots=True)
class Ref:
    """The rule or token of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class Seq:
    """One after another; nothing, when empty."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """One of them."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Rep:
    """Between ``low`` and ``high`` times; without end where ``high`` is None."""

    node: Node
    low: int
    high: int | None


Node: TypeAlias = Lit | Chars | Ref | Seq | Alt | Rep


def seq(*parts: Node | str) -> Seq:
    """A sequence; a plain string is literal."""
    return Seq(tuple(Lit(part) if isinstance(part, str) else part for part in parts))


def alt(*options: Node | str) -> Alt:
    """A choice; a plain string is literal."""
    return Alt(tuple(Lit(option) if isinstance(option, str) else option for option in options))


def maybe(node: Node) -> Rep:
    """The node or nothing."""
    return Rep(node, 0, 1)


_BLANKS = (
    r"\x20\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000"  # what \s means in Unicode
)
_HEX = Chars("[0-9A-Fa-f]")
_HEX2 = Rep(_HEX, 2, 2)
_DIGIT = Chars("[0-9]")
_ESCAPED_WIDE = alt(  # from U+0100 on; a surrogate comes with its other half
    seq("0", Chars("[1-9A-Fa-f]"), _HEX2),
    seq(Chars("[1-9A-CE-Fa-ce-f]"), Rep(_HEX, 3, 3)),
    seq(Chars("[Dd]"), Chars("[0-7]"), _HEX2),
    seq(Chars("[Dd]"), Chars("[89ABab]"), _HEX2, "\\u", Chars("[Dd]"), Chars("[C-Fc-f]"), _HEX2),
)
_INTEGER = alt("0", seq(Chars("[1-9]"), Rep(_DIGIT, 0, 15)))
_FRACTION = maybe(seq(".", Rep(_DIGIT, 1, 20)))
_UNIT = alt(
    seq("0", _FRACTION),
    seq("1", maybe(seq(".", Rep(Lit("0"), 1, 20)))),
    seq(
        Chars("[1-9]"),
        _FRACTION,
        Chars("[eE]"),
        "-",
        maybe(Lit("0")),
        Chars("[1-9]"),
        maybe(_DIGIT),
    ),
)

TOKENS: dict[str, Node] = {
    "ws": maybe(alt(" ", seq("\n", Rep(Lit(" "), 0, 20)))),
    "open": seq("{", Ref("ws")),
    "close": seq(Ref("ws"), "}"),
    "list-open": seq("[", Ref("ws")),
    "list-close": seq(Ref("ws"), "]"),
    "comma": seq(Ref("ws"), ",", Ref("ws")),
    "colon": seq(Ref("ws"), ":", Ref("ws")),
    "wide": _ESCAPED_WIDE,
    "char": alt(
        Chars(r'[^"\\\x00-\x1F]'),
        seq("\\", alt(Chars(r'["\\/bfnrt]'), seq("u", alt(seq("00", _HEX2), Ref("wide"))))),
    ),
    "key-escape": seq("\\", alt(Chars(r'["\\/bfnrt]'), seq("u", Ref("wide")))),
    "visible": alt(
        Chars(rf'[^"\\\x00-\x1F{_BLANKS}]'),
        seq(
            "\\",
            alt(
                Chars(r'["\\/b]'),
                seq("u", alt(seq("00", Chars("[2-9A-Fa-f]"), _HEX), Ref("wide"))),
            ),
        ),
    ),
    "blank": alt(
        Chars(f"[{_BLANKS}]"),
        seq("\\", alt(Chars("[fnrt]"), seq("u00", Chars("[01]"), _HEX))),
    ),
    "string": seq('"', Rep(Ref("char"), 0, None), '"'),
    "tag": seq('"', Rep(Ref("blank"), 0, None), Ref("visible"), Rep(Ref("char"), 0, None), '"'),
    "id": seq(
        '"',
        alt(
            "0",
            seq(Chars("[1-9]"), Rep(_DIGIT, 0, 17)),
            seq("$", Chars("[1-9]"), Rep(_DIGIT, 0, 3)),
        ),
        '"',
    ),
    "url": seq(
        '"', Chars("[A-Za-z]"), Rep(Chars("[A-Za-z0-9+.-]"), 0, None), ":",
        Rep(Ref("visible"), 1, None), '"',
    ),
    "number": seq(
        maybe(Lit("-")), _INTEGER, _FRACTION,
        maybe(seq(Chars("[eE]"), maybe(Chars("[+-]")), Rep(_DIGIT, 1, 2))),
    ),
    "unit": _UNIT,
    "signed-unit": seq(maybe(Lit("-")), _UNIT),
    "integer": seq(maybe(Lit("-")), _INTEGER),
    "natural": _INTEGER,
    "positive": seq(Chars("[1-9]"), Rep(_DIGIT, 0, 15)),
}  # fmt: skip
"""Every token by its name. Numbers have at most 16 digits, 20 decimals and an exponent below 100:
a model that copies digits for ever is stopped, and no number overflows to infinity."""

PATTERNS = {
    r"\S": "tag",
    r"^(0|[1-9][0-9]{0,17}|\$[1-9][0-9]{0,3})$": "id",
    r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$": "url",
}
"""The token that says what a ``pattern`` of the surface models says."""


def text(low: int, high: int | None) -> Node:
    """A string of ``low`` to ``high`` characters."""
    return seq('"', Rep(Ref("char"), low, high), '"')


def other_key(known: Iterable[str]) -> Node:
    """A string that is none of the known keys, however it is escaped; they are ASCII."""
    keys = set(known)

    def after(prefix: str) -> Node:
        following = sorted(
            {key[len(prefix)] for key in keys if key.startswith(prefix) and key != prefix}
        )
        other = Chars(rf'[^"\\\x00-\x1F{"".join(following)}]')
        more = alt(
            *(seq(char, after(prefix + char)) for char in following),
            seq(alt(other, Ref("key-escape")), Rep(Ref("char"), 0, None)),
        )
        return more if prefix in keys else maybe(more)

    return seq('"', after(""), '"')
