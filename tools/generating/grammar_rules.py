"""A JSON Schema read into the rules of a context-free grammar, as data.

Keys stand in the order of the schema; optional ones may be absent, and the rules on which keys may
stand together (``export``'s ``allOf`` of one group each) are carried along as a state, so that they
are said too. What cannot be said is listed in ``dropped``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tools.generating.grammar_tokens import (
    PATTERNS,
    TOKENS,
    Alt,
    Chars,
    Lit,
    Node,
    Ref,
    Rep,
    Seq,
    alt,
    maybe,
    other_key,
    seq,
    text,
)

__all__ = ["Alt", "Chars", "Grammar", "Lit", "Node", "Ref", "Rep", "Seq", "read"]

_COMMA = Ref("comma")
_NOTHING = Seq(())


@dataclass(slots=True)
class Grammar:
    """Rules and tokens by name, ``root`` first; ``dropped``: what the schema says beyond them."""

    rules: dict[str, Node] = field(default_factory=dict)
    tokens: dict[str, Node] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Together:
    """One group rule: of these keys at least one, and no second one unless ``many``; or ``needy``
    only behind another of them."""

    keys: frozenset[str]
    needed: bool
    many: bool
    needy: str = ""


def read(schema: Mapping[str, Any]) -> Grammar:
    """The grammar of a schema; deterministic. ValueError for a keyword that nothing here knows."""
    reader = _Reader(schema.get("$defs", {}))
    reader.grammar.rules["root"] = _NOTHING  # keeps the first place
    reader.grammar.rules["root"] = reader.value(schema, "program")
    reader.add_json()
    return reader.grammar


class _Reader:
    def __init__(self, defs: Mapping[str, Any]) -> None:
        self.defs = defs
        self.grammar = Grammar(tokens=dict(TOKENS))
        self.pairs: dict[tuple[str, Node], Ref] = {}
        self.inlined: dict[str, int] = {}

    def value(self, schema: Mapping[str, Any], where: str) -> Node:
        """One JSON value; ``where`` names it in what is dropped."""
        if "$ref" in schema:
            return self.definition(schema["$ref"].rsplit("/", 1)[-1])
        if "const" in schema or "enum" in schema:
            options = [_json(v) for v in schema.get("enum", [schema.get("const")])]
            return Lit(options[0]) if len(options) == 1 else alt(*options)
        for union in ("oneOf", "anyOf"):
            if union in schema:
                return Alt(tuple(self.value(option, where) for option in schema[union]))
        match schema.get("type"):
            case None:
                return Ref("value")
            case "null":
                return Lit("null")
            case "boolean":
                return alt("true", "false")
            case "string":
                return self.string(schema, where)
            case "number" | "integer":
                return self.number(schema, where)
            case "array":
                return self.array(schema, where)
            case "object" if "properties" in schema:
                return self.inline(schema, where)
            case "object":
                return Ref("some-object" if schema.get("minProperties") else "object")
            case kind:
                raise ValueError(f"{where}: no grammar for the type {kind!r} here")

    def definition(self, name: str) -> Ref:
        """The rule of a ``$defs`` entry, made when first asked for."""
        rule = _kebab(name)
        if rule not in self.grammar.rules:
            self.grammar.rules[rule] = _NOTHING
            schema = self.defs[name]
            self.grammar.rules[rule] = (
                _Object(self, rule, name, schema).node()
                if "properties" in schema
                else self.value(schema, name)
            )
        return Ref(rule)

    def inline(self, schema: Mapping[str, Any], where: str) -> Node:
        """An object that stands where it is used; its rules bear the name of that place."""
        name = _kebab(where.replace(".", "-"))
        count = self.inlined[name] = self.inlined.get(name, 0) + 1
        return _Object(self, f"in{count}-{name}", where, schema).node()

    def string(self, schema: Mapping[str, Any], where: str) -> Node:
        if "pattern" in schema:
            if token := PATTERNS.get(schema["pattern"]):
                if token != "id":
                    self.drop(
                        where, f"an escaped blank counts as visible (pattern {schema['pattern']})"
                    )
                return Ref(token)
            self.drop(where, f"pattern {schema['pattern']}")
        low, high = schema.get("minLength", 0), schema.get("maxLength")
        name = "string" if (low, high) == (0, None) else f"text-{low}-{high or 'up'}"
        self.grammar.tokens.setdefault(name, text(low, high))
        return Ref(name)

    def number(self, schema: Mapping[str, Any], where: str) -> Node:
        low, high = schema.get("minimum"), schema.get("maximum")
        if schema["type"] == "number" and (low, high) in ((0, 1), (-1, 1)):
            return Ref("unit" if low == 0 else "signed-unit")
        said: dict[Any, str] = {0: "natural", 1: "positive"} if schema["type"] == "integer" else {}
        if low is not None and low not in said:
            self.drop(where, f"minimum {low}")
        if high is not None:
            self.drop(where, f"maximum {high}")
        return Ref(said.get(low, str(schema["type"])))

    def array(self, schema: Mapping[str, Any], where: str) -> Node:
        for keyword in ("maxItems", "uniqueItems"):
            if keyword in schema:
                self.drop(where, f"{keyword} {_json(schema[keyword])}")
        low = schema.get("minItems", 0)
        if low > 1:
            self.drop(where, f"minItems {low}")
        return _listed(
            Ref("list-open"), self.value(schema["items"], where), Ref("list-close"), bool(low)
        )

    def pair(self, key: str, value: Node) -> Ref:
        """The rule of a key with its value. Equal pairs share one, or an LALR parser could not tell
        the ops apart, which begin alike.
        """
        if (key, value) not in self.pairs:
            count = sum(known == key for known, _ in self.pairs)
            name = f"kv-{_kebab(key)}" + (f"-{count + 1}" if count else "")
            self.grammar.rules[name] = seq(_json(key), Ref("colon"), value)
            self.pairs[key, value] = Ref(name)
        return self.pairs[key, value]

    def drop(self, where: str, what: str) -> None:
        if (said := f"{where}: {what}") not in self.grammar.dropped:
            self.grammar.dropped.append(said)

    def add_json(self) -> None:
        """The rules of JSON itself (RFC 8259), for what is open."""
        member = seq(Ref("string"), Ref("colon"), Ref("value"))
        self.grammar.rules |= {
            "value": alt(
                Ref("object"), Ref("list"), Ref("string"), Ref("number"), "true", "false", "null"
            ),
            "object": _listed(Ref("open"), member, Ref("close"), False),
            "some-object": _listed(Ref("open"), member, Ref("close"), True),
            "list": _listed(Ref("list-open"), Ref("value"), Ref("list-close"), False),
        }


class _Object:
    """One object as rules: from each key on, what may still come.

    Its rules begin with ``name``; ``where`` names it in what is dropped.
    """

    def __init__(self, reader: _Reader, name: str, where: str, schema: Mapping[str, Any]) -> None:
        self.reader, self.name, self.schema = reader, name, schema
        self.keys = list(schema["properties"])
        self.required = set(schema.get("required", ()))
        self.groups = [_together(clause) for clause in schema.get("allOf", ())]
        self.pairs = [
            reader.pair(key, reader.value(schema["properties"][key], f"{where}.{key}"))
            for key in self.keys
        ]
        self.extra: Node | None = None
        other = schema.get("additionalProperties", True)
        if other is not False:
            token = f"{self.name}-key"
            reader.grammar.tokens[token] = other_key(self.keys)
            value = reader.value({} if other is True else other, f"{where}, any other key")
            self.extra = seq(Ref(token), Ref("colon"), value)
        self.made: dict[tuple[int, bool, frozenset[int]], Node | None] = {}
        self.rules = 0

    def node(self) -> Node:
        inside = self.rest(0, False, frozenset())
        if inside is None:
            raise ValueError(f"{self.name}: its rules allow no object at all")
        return seq(Ref("open"), inside, Ref("close"))

    def rest(self, at: int, begun: bool, seen: frozenset[int]) -> Node | None:
        """What may come from key number ``at`` on, None if nothing legal can. ``begun``: a key has
        been written, so the next one needs a comma. ``seen``: the groups that have a key.
        """
        state = (at, begun, seen)
        if state not in self.made:
            self.made[state] = self.choices(at, begun, seen)
        return self.made[state]

    def choices(self, at: int, begun: bool, seen: frozenset[int]) -> Node | None:
        if at == len(self.keys):
            return self.end(begun)
        key, options = self.keys[at], []
        mine = {i for i, group in enumerate(self.groups) if key in group.keys - {group.needy}}
        waits = any(group.needy == key and i not in seen for i, group in enumerate(self.groups))
        if not (waits or any(i in seen and not self.groups[i].many for i in mine)):
            after = self.after(at, True, seen | mine)
            if after is not None:
                options.append(_flat(*([_COMMA] if begun else []), self.pairs[at], after))
        if key not in self.required:
            after = self.after(at, begun, seen)
            if after is not None:
                options.append(_flat(after))
        if len(options) < 2:
            return options[0] if options else None
        if options[1] == _NOTHING:
            return maybe(options[0])
        self.rules += 1
        name = f"{self.name}-{self.rules}"
        self.reader.grammar.rules[name] = Alt(tuple(options))
        return Ref(name)

    def after(self, at: int, begun: bool, seen: frozenset[int]) -> Node | None:
        """``rest`` behind key ``at``; a group without further keys is judged and forgotten."""
        later = set(self.keys[at + 1 :])
        ended = {
            i
            for i, group in enumerate(self.groups)
            if self.keys[at] in group.keys and not group.keys & later
        }
        if any(self.groups[i].needed and i not in seen for i in ended):
            return None
        return self.rest(at + 1, begun, seen - ended)

    def end(self, begun: bool) -> Node | None:
        least = bool(self.schema.get("minProperties"))
        if self.extra is None:
            return None if least and not begun else _NOTHING
        if begun:
            return Rep(seq(_COMMA, self.extra), 0, None)
        some = seq(self.extra, Rep(seq(_COMMA, self.extra), 0, None))
        return some if least else maybe(some)


def _together(clause: Mapping[str, Any]) -> _Together:
    """A group rule read back from the keywords that ``export`` writes for it."""
    for needy, others in clause.get("dependentRequired", {}).items():
        return _Together(frozenset({needy, *others}), needed=False, many=True, needy=needy)
    pairs = clause["not"]["anyOf"] if "not" in clause else []
    options = pairs or clause.get("oneOf") or clause["anyOf"]
    keys = frozenset(key for option in options for key in option["required"])
    return _Together(keys, needed=not pairs, many="anyOf" in clause)


def _listed(start: Ref, item: Node, stop: Ref, some: bool) -> Node:
    items = seq(item, Rep(seq(_COMMA, item), 0, None))
    return seq(start, items if some else maybe(items), stop)


def _flat(*nodes: Node) -> Node:
    parts: list[Node] = []
    for node in nodes:
        parts.extend(node.parts if isinstance(node, Seq) else [node])
    return parts[0] if len(parts) == 1 else Seq(tuple(parts))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", "-", name).lower()
