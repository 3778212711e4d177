"""The contract of a model's answer about a turn (docs/statements.md).

The JSON Schema, the grammar and the check of an answer are all made from ``KEYS``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST = 8
"""The most facts that are read out of one turn."""
_LONGEST = 200
"""The most characters of a value."""
KINDS = ("correct", "retract", "confirm", "deny")
ANSWERS = ("confirm", "deny")
"""Kinds that need no other key."""
KEYS: dict[str, tuple[str, ...]] = {
    "subject": (), "attribute": (), "value": (), "kind": KINDS, "old": (), "when": (),
    "until": (), "sure": ("no",), "says": (),
}  # fmt: skip
"""The keys of a fact in their order, each with its choices; without choices it holds words."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact as a model has read it: words of the turn, not checked yet, empty if not given."""

    subject: str = ""
    attribute: str = ""
    value: str = ""
    kind: str = ""
    old: str = ""
    when: str = ""
    until: str = ""
    sure: str = ""
    says: str = ""

    @property
    def doubted(self) -> bool:
        """Whether the speaker, or the reader, is not sure of it."""
        return self.sure == "no"

    def as_dict(self) -> dict[str, str]:
        """The fact as JSON, with its keys in the contract's order, without empty ones."""
        return {key: getattr(self, key) for key in KEYS if getattr(self, key)}


def dump(statements: tuple[Statement, ...]) -> str:
    """The compact JSON that a tuned model writes."""
    facts = [statement.as_dict() for statement in statements]
    return json.dumps({"facts": facts}, ensure_ascii=False, separators=(",", ":"))


def read_statements(answer: Any) -> tuple[Statement, ...] | str:
    """The statements in a model's answer, or a text that says what is wrong with it. Nulls and
    empty values count as absent, since a decoder may force every key to be written."""
    facts = answer.get("facts") if isinstance(answer, dict) else None
    if not isinstance(facts, list):
        return "the answer is an object with a list under 'facts'"
    statements = []
    for number, fact in enumerate(facts[:MOST]):
        statement = _read(fact)
        if isinstance(statement, str):
            return f"/facts/{number}: {statement}"
        statements.append(statement)
    return tuple(statements)


def _read(fact: Any) -> Statement | str:
    """The statement of one fact, or what is wrong with it."""
    if not isinstance(fact, dict):
        return "a fact is an object"
    fields: dict[str, str] = {}
    for key, value in fact.items():
        if key not in KEYS:
            return f"a fact has no {key!r}"
        if value is None or value == "":
            continue
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            return f"{key} is words"
        words = " ".join(str(value).split())[:_LONGEST]
        if KEYS[key] and words not in KEYS[key]:
            return f"{key} is one of {', '.join(KEYS[key])}"
        fields[key] = words
    statement = Statement(**fields)
    if statement.kind in ANSWERS:
        return statement
    needed = ["subject", "attribute", *(["value"] if statement.kind != "retract" else [])]
    missing = [key for key in needed if not fields.get(key)]
    return f"a fact needs {missing[0]!r}" if missing else statement


# --- schema and grammar for decoders -----------------------------------------------------------


def statements_schema() -> dict[str, Any]:
    """The contract as JSON Schema, with closed objects and without conditionals."""
    properties = {
        key: {"type": "string", "enum": [*choices]} if choices else {"type": "string"}
        for key, choices in KEYS.items()
    }
    fact = {
        "type": "object", "properties": properties, "required": [], "additionalProperties": False,
    }  # fmt: skip
    return {
        "type": "object",
        "properties": {"facts": {"type": "array", "maxItems": MOST, "items": fact}},
        "required": ["facts"],
        "additionalProperties": False,
    }


BEGUN = '{"facts":[{"subject":"'
"""The beginning of an answer that states something."""


def statements_grammar(*, begun: bool = False) -> str:
    """The contract in GBNF, with the keys in their order, for a decoder that takes a grammar.

    With ``begun`` it is the grammar of what follows ``BEGUN``.
    """
    more = f'("," fact){{0,{MOST - 1}}}'
    root = f'"{{\\"facts\\":[" (fact {more})? "]}}"'
    if begun:
        root = f'char{{1,{_LONGEST}}} "\\"" {_pair("attribute", ",")} rest "}}" {more} "]}}"'
    return "\n".join((f"root ::= {root}", *_rules())) + "\n"


def _rules() -> Iterator[str]:
    """Yield the rules of the grammar other than its root."""
    yield 'fact ::= "{" (answer | said) "}"'
    answers = " | ".join(f'"\\"{kind}\\""' for kind in ANSWERS)
    yield f'answer ::= "\\"kind\\":" ({answers})'
    pairs = [f"({_pair(key, ',')})?" for key in KEYS if key not in ("subject", "attribute")]
    yield f"rest ::= {' '.join(pairs)}"
    yield f"said ::= {_pair('subject', '')} {_pair('attribute', ',')} rest"
    yield f'text ::= "\\"" char{{1,{_LONGEST}}} "\\""'
    yield r'char ::= [^"\\\x00-\x1F] | "\\" ["\\/]'


def _pair(key: str, before: str) -> str:
    """The rule for a key and its value, after the text ``before``."""
    choices = [choice for choice in KEYS[key] if choice not in ANSWERS]
    value = " | ".join(f'"\\"{choice}\\""' for choice in choices) if choices else "text"
    return f'"{before}\\"{key}\\":" ({value})'
