"""Context-free grammars of the language, made from its JSON Schema: GBNF (llama.cpp) and Lark.

The schema is read once into rules as data (``grammar_rules.py``); two small printers write them
down. An object's keys stand in the order of its schema. Blanks are bounded, so that a small
model cannot loop on them: one blank, or a newline and up to twenty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.generating.grammar_rules import Alt, Chars, Grammar, Lit, Node, Ref, Rep, Seq, read
from tools.generating.schemas import program_schema

_GBNF_BAR = " |\n  "
_LARK_BAR = "\n    | "


def to_gbnf(schema: Mapping[str, Any] | None = None) -> str:
    """The grammar of a schema in llama.cpp's notation, starting at ``root``.

    ``schema`` is that of a program unless given; it may hold ``$defs``.
    Notation: llama.cpp, grammars/README.md.
    """
    grammar = read(program_schema() if schema is None else schema)
    rules = {**grammar.rules, **grammar.tokens}
    return "".join(f"{name} ::= {_gbnf(node, _GBNF_BAR)}\n" for name, node in rules.items())


def to_lark(schema: Mapping[str, Any] | None = None) -> str:
    """The grammar of a schema as a Lark LALR grammar, starting at ``root``.

    ``schema`` is that of a program unless given. Each token is one regular expression, so that the
    contextual lexer can tell a key from a string.
    """
    grammar = read(program_schema() if schema is None else schema)
    used = _used_tokens(grammar)
    rules = [
        f"{_lower(name)}: {_lark(node, grammar, _LARK_BAR)}\n"
        for name, node in grammar.rules.items()
    ]
    tokens = [
        f"{_upper(name)}: /{_regex(node, grammar)}/\n"
        for name, node in grammar.tokens.items()
        if name in used
    ]
    return "".join(rules + tokens)


def dropped(schema: Mapping[str, Any] | None = None) -> list[str]:
    """What the schema says and the grammars do not, one sentence a rule, in the schema's order."""
    return list(read(program_schema() if schema is None else schema).dropped)


# --- GBNF ----------------------------------------------------------------------------------


def _gbnf(node: Node, bar: str = " | ") -> str:
    match node:
        case Lit(text):
            return _quoted(text)
        case Chars(spec):
            return spec
        case Ref(name):
            return name
        case Seq(parts):
            return " ".join(_grouped(part, _gbnf(part), Alt) for part in parts) or '""'
        case Alt(options):
            return bar.join(_gbnf(option) for option in options)
        case Rep(inner, low, high):
            return _grouped(inner, _gbnf(inner), Alt, Seq, Rep) + _times(low, high)


# --- Lark ----------------------------------------------------------------------------------


def _lark(node: Node, grammar: Grammar, bar: str = " | ") -> str:
    match node:
        case Lit(text):
            return _quoted(text)
        case Chars(spec):
            return f"/{_slashed(spec)}/"
        case Ref(name):
            return _upper(name) if name in grammar.tokens else _lower(name)
        case Seq(parts):
            return " ".join(_grouped(part, _lark(part, grammar), Alt) for part in parts)
        case Alt(options):
            return bar.join(_lark(option, grammar) for option in options)
        case Rep(inner, low, high):
            return _grouped(inner, _lark(inner, grammar), Alt, Seq, Rep) + _times(low, high)


def _regex(node: Node, grammar: Grammar) -> str:
    """A token as a regular expression of Python's ``re``, a slash escaped for Lark."""
    match node:
        case Lit(text):
            return "".join(
                "\\n" if c == "\n" else f"\\{c}" if c in r"\.^$*+?{}[]|()/" else c for c in text
            )
        case Chars(spec):
            return _slashed(spec)
        case Ref(name):
            return f"(?:{_regex(grammar.tokens[name], grammar)})"
        case Seq(parts):
            return "".join(_grouped(p, _regex(p, grammar), Alt, start="(?:") for p in parts)
        case Alt(options):
            return "|".join(_regex(option, grammar) for option in options)
        case Rep(inner, low, high):
            atom = isinstance(inner, Chars | Ref) or (
                isinstance(inner, Lit) and len(inner.text) == 1
            )
            body = _regex(inner, grammar)
            return (body if atom else f"(?:{body})") + _times(low, high)


def _slashed(spec: str) -> str:
    return spec.replace("/", "\\/")


def _lower(name: str) -> str:
    return name.replace("-", "_")


def _upper(name: str) -> str:
    return name.replace("-", "_").upper()


def _used_tokens(grammar: Grammar) -> set[str]:
    """The tokens that rules name; what only tokens name is spelled out inside them."""
    found: set[str] = set()

    def visit(node: Node) -> None:
        match node:
            case Ref(name):
                found.add(name)
            case Seq(nodes) | Alt(nodes):
                for inner in nodes:
                    visit(inner)
            case Rep(inner):
                visit(inner)

    for rule in grammar.rules.values():
        visit(rule)
    return found & grammar.tokens.keys()


# --- both ----------------------------------------------------------------------------------


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _grouped(node: Node, printed: str, *kinds: type[Alt | Seq | Rep], start: str = "(") -> str:
    return f"{start}{printed})" if isinstance(node, kinds) else printed


def _times(low: int, high: int | None) -> str:
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((low, high))
    if short:
        return short
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
