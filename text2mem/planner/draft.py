"""The draft: what a request asks for, as a model writes it (docs/draft.md).

The tables ``WHICH`` and ``SLOTS`` are the single source of the contract: the JSON schema, the
grammar and the check of an answer are made from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.json_values import flaws
from text2mem.ir.ops import READS
from text2mem.ir.ports import Away
from text2mem.planner.traits import TRAITS, Traits

MOST_STEPS = 6
_QUESTION = 240
"""The most characters of a question. A small model may not stop by itself."""
LEVELS = ("low", "normal", "high", "urgent")
AMOUNTS = ("a little", "a lot")


Kind = Literal["words", "list", "ids", "flag", "count", "choice"]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a step."""

    name: str
    kind: Kind
    choices: tuple[str, ...] = ()


WHICH = (
    Key("about", "words"),
    Key("many", "flag"),
    Key("tags", "list"),
    Key("from", "words"),
    Key("except", "words"),
    Key("which", "choice", ("earlier", "step", "all", "latest", "oldest")),
    Key("count", "count"),
    Key("state", "choice", get_args(Away)),
    Key("ids", "ids"),
)
"""The keys that say which memories a step means. Every op but Encode has them."""
NAMED = "memories"
"""The key for names of memories (their first words), which code turns into ids."""

SLOTS: Mapping[str, tuple[Key, ...]] = {
    "Encode": (
        Key("text", "words"),
        Key("tags", "list"),
        Key("type", "words"),
        Key("subject", "words"),
        Key("place", "words"),
        Key("priority", "choice", LEVELS),
        Key("date", "words"),
        Key("until", "words"),
        Key("remind", "words"),
    ),
    "Update": (
        Key("old", "words"),
        Key("new", "words"),
        Key("text", "words"),
        Key("add", "words"),
        Key("plus", "words"),
        Key("minus", "words"),
        Key("stop", "choice", ("reminder", "end")),
    ),
    "Label": (Key("add", "list"), Key("remove", "list")),
    "Promote": (
        Key("priority", "choice", LEVELS),
        Key("by", "choice", AMOUNTS),
        Key("remind", "words"),
        Key("skip", "words"),
    ),
    "Demote": (
        Key("archive", "flag"),
        Key("priority", "choice", LEVELS),
        Key("by", "choice", AMOUNTS),
        Key("until", "words"),
    ),
    "Merge": (Key("into", "words"),),
    "Split": (Key("by", "words"), Key("parts", "list")),
    "Delete": (Key("for_good", "flag"),),
    "Lock": (Key("mode", "choice", ("read_only", "append_only", "none")), Key("until", "words")),
    "Expire": (
        Key("when", "words"),
        Key("then", "choice", ("delete", "erase", "archive", "anonymize")),
    ),
    "Retrieve": (Key("as_of", "words"),),
    "Summarize": (Key("focus", "words"), Key("length", "words")),
}
"""The further keys of each op."""

REQUIRED: Mapping[str, tuple[str, ...]] = {
    "Encode": ("text",),
    "Lock": ("mode",),
    "Expire": ("when",),
}


def keys_of(op: str) -> tuple[Key, ...]:
    """Every key of an op's step except ``op``, in the order in which they are written."""
    return SLOTS[op] if op == "Encode" else (*WHICH, *SLOTS[op])


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a draft: an op and the values of its keys."""

    op: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def traits(self) -> Traits:
        """How steps of its op are treated."""
        return TRAITS[self.op]

    @property
    def adds(self) -> bool:
        """Whether it has words that are to stand in a memory."""
        return any(map(self.words, (*self.traits.stores, "plus", "minus")))

    @property
    def hides(self) -> bool:
        """Whether it deletes memories or puts them out of sight."""
        return self.traits.destroys or bool(self.values.get("archive"))

    def words(self, key: str) -> str:
        """The words under a key; empty where it is absent."""
        return str(self.values.get(key, ""))

    def listed(self, key: str) -> tuple[str, ...]:
        """The list under a key; empty where it is absent."""
        return tuple(self.values.get(key, ()))

    def as_dict(self) -> dict[str, Any]:
        """The step as JSON, its keys in the contract's order."""
        ordered = {k.name: self.values[k.name] for k in keys_of(self.op) if k.name in self.values}
        return {"op": self.op, **ordered}


@dataclass(frozen=True, slots=True)
class Draft:
    """What a request asks for: steps (none: nothing is asked), a question back, or an undo."""

    steps: tuple[Step, ...] = ()
    ask: str = ""
    undo: bool = False

    @property
    def changes(self) -> bool:
        """Whether it changes something: an undo, or a step that does not only read."""
        return self.undo or any(step.op not in READS for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """The draft as JSON."""
        if self.undo:
            return {"undo": True}
        return {"ask": self.ask} if self.ask else {"steps": [s.as_dict() for s in self.steps]}

    def words(self) -> Iterator[str]:
        """All words and lists of words in its steps."""
        for step in self.steps:
            for value in step.values.values():
                each = value if isinstance(value, list | tuple) else (value,)
                yield from (words for words in each if isinstance(words, str))

    def dump(self) -> str:
        """The draft as the compact JSON that a tuned model writes."""
        return json.dumps(self.as_dict(), ensure_ascii=False, separators=(",", ":"))


def read_draft(answer: Any) -> Draft | list[Diagnostic]:
    """Read a model's answer: the draft, or everything that is wrong with it.

    Nulls and empty values count as absent, since a decoder may force every key to be written.
    """
    if not isinstance(answer, dict):
        return [_wrong("", "the answer is not an object")]
    for flaw in flaws(answer):
        return [flaw]
    held = {key: value for key, value in answer.items() if not _empty(value) and key != "steps"}
    steps = answer.get("steps")
    if held.get("undo") is True and not steps:
        return Draft(undo=True)
    if isinstance(held.get("ask"), str) and not steps:
        return Draft(ask=held["ask"].strip())
    if not isinstance(steps, list) or (held and not steps):
        return [_wrong("", "a draft has `steps`, `ask` or `undo`")]
    if len(steps) > MOST_STEPS:
        return [_wrong("/steps", f"{len(steps)} steps, more than {MOST_STEPS}", "bad-length")]
    read = [_step(item, f"/steps/{i}") for i, item in enumerate(steps)]
    problems = [problem for each in read if isinstance(each, list) for problem in each]
    return problems or Draft(tuple(each for each in read if isinstance(each, Step)))


def _step(item: Any, at: str) -> Step | list[Diagnostic]:
    """The step in an item of an answer, or everything that is wrong with it."""
    if not isinstance(item, dict):
        return [_wrong(at, "a step is an object")]
    op = item.get("op")
    if not isinstance(op, str) or op not in SLOTS:
        return [_wrong(f"{at}/op", f"there is no op {op!r}", "unknown-op")]
    known = {key.name: key for key in keys_of(op)}
    held = {key: value for key, value in item.items() if key != "op" and not _empty(value)}
    problems = []
    values: dict[str, Any] = {}
    for name, value in held.items():
        if name not in known:
            problems.append(_wrong(f"{at}/{name}", f"{op} has no {name!r}", "unknown-key"))
            continue
        fitting = _fitting(value, known[name])
        if fitting is None:
            expected = " or ".join(known[name].choices) or known[name].kind
            problems.append(_wrong(f"{at}/{name}", f"{value!r} is no {expected}"))
        else:
            values[name] = fitting
    missing = [name for name in REQUIRED.get(op, ()) if name not in held]
    problems += [_wrong(at, f"{op} needs {name!r}", "missing-key") for name in missing]
    if op == "Label" and not {"add", "remove"} & set(held):
        problems.append(_wrong(at, "Label adds or removes tags", "label-empty"))
    return problems or Step(op, values)


def _fitting(value: Any, key: Key) -> Any:
    """The value in the form of the key's kind; None if it has no such form."""
    if key.kind in ("list", "ids"):
        items = value if isinstance(value, list) else [value]
        clean = [str(item).strip() for item in items if isinstance(item, str | int)]
        return clean if len(clean) == len(items) else None
    if key.kind == "flag":
        return True if value is True else None
    if key.kind == "count":
        number = isinstance(value, int) and not isinstance(value, bool)
        return value if number and value > 0 else None
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    words = str(value).strip()
    return words if not key.choices or words in key.choices else None


def _empty(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value is False or value == []


def _wrong(at: str, message: str, code: str = "wrong-type") -> Diagnostic:
    return Diagnostic(code, at, message, "see the contract of a draft")


# --- the contract for decoders -----------------------------------------------------------------


def draft_schema(names: Sequence[str] = (), *, steps: bool = False) -> dict[str, Any]:
    """The contract as JSON Schema: one closed object for each op, without conditionals. The
    parameters are those of ``draft_grammar``."""
    step = {"anyOf": [_shape(op, names) for op in SLOTS]}
    listed = {"type": "array", "maxItems": MOST_STEPS, "items": step}
    others = {} if steps else {"ask": {"type": "string"}, "undo": {"type": "boolean"}}
    return _object({"steps": listed, **others}, ["steps"] if steps else [])


def _shape(op: str, names: Sequence[str]) -> dict[str, Any]:
    """The schema of an op's step."""
    held = {key.name: _value(key) for key in WHICH if op != "Encode"}
    if held and names:
        held[NAMED] = {"type": "array", "items": {"type": "string", "enum": [*names]}}
    slots = {key.name: _value(key) for key in SLOTS[op]}
    properties = {"op": {"type": "string", "const": op}, **held, **slots}
    return _object(properties, ["op", *REQUIRED.get(op, ())])


def _object(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    """The schema of a closed object."""
    return {
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": False,
    }  # fmt: skip


def _value(key: Key) -> dict[str, Any]:
    """The schema of a key's value."""
    if key.kind in ("list", "ids"):
        return {"type": "array", "items": {"type": "string"}}
    if key.kind == "flag":
        return {"type": "boolean"}
    if key.kind == "count":
        return {"type": "integer"}
    return {"type": "string", "enum": list(key.choices)} if key.choices else {"type": "string"}


def draft_grammar(names: Sequence[str] = (), *, steps: bool = False) -> str:
    """The contract as a GBNF grammar, with the keys in their order.

    ``names`` are the names of shown memories: a step may list some under ``NAMED``, after its ids.
    ``steps``: only a draft with steps is allowed, no question and no undo.
    """
    return "\n".join(_rules(names, steps)) + "\n"


def _rules(names: Sequence[str], steps: bool) -> Iterator[str]:
    """The rules of the grammar."""
    if names:
        spelt = (_literal(json.dumps(name, ensure_ascii=False)) for name in names)
        yield f"name ::= {' | '.join(spelt)}"
        yield 'named ::= "[" name ("," name){0,19} "]"'
    others = "" if steps else ' | "{\\"ask\\":" question "}" | "{\\"undo\\":true}"'
    yield f"root ::= steps{others}"
    yield f'question ::= "\\"" char{{1,{_QUESTION}}} "\\""'
    yield f'steps ::= "{{\\"steps\\":[" (step ("," step){{0,{MOST_STEPS - 1}}})? "]}}"'
    yield f"step ::= {' | '.join(f'step-{op.lower()}' for op in SLOTS)}"
    which = "".join(_pair(key, required=False) for key in WHICH)
    which += f' (",\\"{NAMED}\\":" named)?' if names else ""
    for op in SLOTS:
        keys = "".join(_pair(key, key.name in REQUIRED.get(op, ())) for key in SLOTS[op])
        if op == "Label":  # at least one of its two slots
            add, remove = (_pair(key, required=True) for key in SLOTS[op])
            keys = f" ({add} ({remove})? | {remove})"
        if op != "Encode":
            keys = f"{which}{keys}"
        yield f'step-{op.lower()} ::= "{{\\"op\\":\\"{op}\\""{keys} "}}"'
    yield 'text ::= "\\"" char{1,600} "\\""'
    yield r'char ::= [^"\\\x00-\x1F] | "\\" ["\\/nt]'
    yield 'list ::= "[" text ("," text){0,11} "]"'
    yield 'ids ::= "[" id ("," id){0,19} "]"'
    yield r'id ::= "\"" [1-9] [0-9]{0,11} "\""'
    yield "count ::= [1-9] [0-9]{0,2}"


def _literal(text: str) -> str:
    """A text as a GBNF literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _pair(key: Key, required: bool) -> str:
    """A key and its value as GBNF."""
    if key.kind == "choice":
        value = "(" + " | ".join(f'"\\"{choice}\\""' for choice in key.choices) + ")"
    else:
        value = {"words": "text", "flag": '"true"'}.get(key.kind, key.kind)
    pair = f'",\\"{key.name}\\":" {value}'
    return f" {pair}" if required else f" ({pair})?"
