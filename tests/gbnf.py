"""GBNF as llama.cpp reads it, as far as the printers use it (llama.cpp, grammars/README.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import lark

Rules = Mapping[str, "lark.Tree[lark.Token]"]

_SYNTAX = r"""
start: (rule _NL+)+
rule: NAME "::=" alt
alt: seq ("|" _NL? seq)*
seq: item+
item: atom REPEAT?
?atom: NAME | LITERAL | CLASS | "(" alt ")"
NAME: /[a-zA-Z][a-zA-Z0-9-]*/
LITERAL: /"(\\["\\n]|[^"\\\n])*"/
CLASS: /\[(\\(x[0-9A-F]{2}|u[0-9A-F]{4}|[\\\]\[nrt"])|[^\]\\\n])+\]/
REPEAT: /[?*+]|\{\d+(,\d*)?\}/
_NL: /(\n\s*)+/
%ignore / +/
"""


@cache
def rules(grammar: str) -> Rules:
    """The rules of a grammar by name."""
    lines = grammar.splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("#")).lstrip()
    tree = lark.Lark(_SYNTAX, parser="lalr").parse(text)
    return {str(rule.children[0]): rule.children[1] for rule in tree.children}  # type: ignore[union-attr, misc]


def named(found: Rules) -> set[str]:
    """The rules that rules speak of."""
    return {
        str(token)
        for body in found.values()
        for token in (
            [body]
            if isinstance(body, lark.Token)
            else body.scan_values(lambda t: isinstance(t, lark.Token) and t.type == "NAME")
        )
    }


def accepts(text: str, grammar: str) -> bool:
    """A plain recogniser: the set of places at which each part can end."""
    known = rules(grammar)
    ends: dict[tuple[str, int], frozenset[int]] = {}

    def rule(name: str, at: int) -> frozenset[int]:
        if (name, at) not in ends:
            ends[name, at] = frozenset(match(known[name], at))
        return ends[name, at]

    def match(node: Any, at: int) -> set[int]:
        if isinstance(node, lark.Token):
            if node.type == "NAME":
                return set(rule(str(node), at))
            if node.type == "CLASS":
                return {at + 1} if at < len(text) and re.match(str(node), text[at]) else set()
            literal = json.loads(str(node))
            return {at + len(literal)} if text.startswith(literal, at) else set()
        if node.data == "alt":
            return set().union(*(match(option, at) for option in node.children))
        if node.data == "seq":
            places = {at}
            for part in node.children:
                places = set().union(*(match(part, place) for place in places))
            return places
        inner, *repeat = node.children
        return repeated(inner, at, *_times(str(repeat[0]))) if repeat else match(inner, at)

    def repeated(node: Any, at: int, low: int, high: int | None) -> set[int]:
        reached, places, count = {at} if low == 0 else set(), {at}, 0
        while places and (high is None or count < high):
            places = set().union(*(match(node, place) for place in places))
            places -= reached if count >= low else set()
            count += 1
            if count >= low:
                reached |= places
        return reached

    return len(text) in rule("root", 0)


@cache
def pattern(grammar: str) -> re.Pattern[str]:
    """A grammar without recursion as one regular expression: quick on thousands of texts."""
    known = rules(grammar)

    @cache
    def written(name: str) -> str:
        return f"(?:{of(known[name])})"

    def of(node: Any) -> str:
        if isinstance(node, lark.Token):
            if node.type == "NAME":
                return written(str(node))
            return str(node) if node.type == "CLASS" else re.escape(json.loads(str(node)))
        if node.data == "alt":
            return f"(?:{'|'.join(map(of, node.children))})"
        if node.data == "seq":
            return "".join(map(of, node.children))
        inner, *repeat = node.children
        return f"(?:{of(inner)}){repeat[0]}" if repeat else of(inner)

    return re.compile(written("root"))


def _times(mark: str) -> tuple[int, int | None]:
    if mark in "?*+":
        return {"?": (0, 1), "*": (0, None), "+": (1, None)}[mark]
    low, _, high = mark.strip("{}").partition(",")
    return int(low), (int(high) if high else None if "," in mark else int(low))
