"""Programs made from the exported schema of the language, most of them legal."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from text2mem.ir.export import definitions
from text2mem.ir.ops import READS
from text2mem.ir.surface import INSTANCES
from text2mem_bench.fuzz import values
from text2mem_bench.fuzz.tree import mutated

_FEW = 0.18
"""The probability of a key that may be left out."""
_TIMES = frozenset({
    "time", "start", "end", "at", "until", "expires", "expire_at", "expire_before", "expire_after",
    "as_of", "known_at", "valid_from", "valid_to", "ttl", "older_than",
})  # fmt: skip
_NAMED = {
    "subject": "names", "attribute": "attributes", "topic": "tags", "priority": "priorities",
    "actor": "names",
}  # fmt: skip
_PLAIN_TIMES = ("2026-03-05", "tomorrow", "2026-03-04T11:00:00Z", "2030-01-01", "9998-12-31")
_PLAIN_RULES = ("FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29")
_RULES = {"oneOf": "exactly", "anyOf": "least", "not": "most"}


def program(random: Random, *, most: int = 4) -> list[dict[str, Any]]:
    """A program of one to ``most`` steps."""
    return [step(random, number) for number in range(1, random.randint(1, most) + 1)]


def document(random: Random) -> Any:
    """A program in some spelling, with nothing to four things wrong with it."""
    steps: Any = program(random)
    shape = random.random()
    if shape < 0.4:
        steps = steps[0]
    elif shape < 0.5:
        steps = {random.choice(("ops", "program", "schema_list")): steps}
    return mutated(random, steps, random.choice((0, 0, 1, 1, 2, 4)))


def step(random: Random, number: int = 1) -> dict[str, Any]:
    """An instance of any op, as the step of this number (from 1) of a program."""
    op = random.choice(sorted(INSTANCES))
    made: dict[str, Any] = _Maker(random, number).make(definitions(groups=True)[op], "")
    search = made.get("target", {}).get("search")
    if search is not None and op not in READS:
        search["limit"] = random.choice((1, 5, 100_000))  # a write that searches needs one
    if random.random() < 0.9:
        made.pop("meta", None)
    return made


class _Maker:
    """Makes values of a schema; ``number`` is the step, whose references point before it."""

    def __init__(self, random: Random, number: int) -> None:
        self._random = random
        self._number = number

    def make(self, schema: Mapping[str, Any], name: str) -> Any:
        """A value of a schema, for a field of this name."""
        random = self._random
        if "$ref" in schema:
            return self.make(definitions(groups=True)[schema["$ref"].rpartition("/")[2]], name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return random.choice(schema["enum"])
        kind = schema.get("type")
        if kind is None and "anyOf" in schema:
            return self.make(random.choice(schema["anyOf"]), name)
        if kind == "object":
            return self._object(schema, name)
        if kind == "array":
            least = schema.get("minItems", 0)
            count = max(least, random.choice((0, 1, 1, 2, 3)))
            return [self.make(schema["items"], name) for _ in range(count)]
        if kind in ("integer", "number"):
            return self._number_of(schema, kind)
        if kind == "boolean":
            return random.random() < 0.5
        if kind == "string":
            return self._string(schema, name)
        return None if kind == "null" else values.tree(random)

    def _object(self, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        random = self._random
        properties = schema.get("properties", {})
        if not properties:
            made = values.tree(random, 2)
            if name == "structured" and random.random() < 0.6:
                made = {"subject": self._string({}, "subject"), "value": values.scalar(random),
                        "attribute": self._string({}, "attribute")}  # fmt: skip
            return made if isinstance(made, dict) and made else {"a": made}
        required = schema.get("required", [])
        keys = [key for key in properties if key in required or random.random() < _FEW]
        keys = self._ruled(keys, schema.get("allOf", []))
        if schema.get("minProperties") and not keys:
            keys = [random.choice(list(properties))]
        return {key: self.make(properties[key], key) for key in properties if key in keys}

    def _ruled(self, keys: list[str], rules: list[Mapping[str, Any]]) -> list[str]:
        """The keys, as the rules on which may stand together have it."""
        random = self._random
        for rule in rules:
            ((kind, held),) = rule.items()
            if kind == "dependentRequired":
                given = {key for key, needed in held.items() if not {*needed} <= {*keys}}
                keys = [key for key in keys if key not in given]
                continue
            options = held["anyOf"] if kind == "not" else held
            among = sorted({key for option in options for key in option["required"]})
            there = [key for key in among if key in keys]
            if _RULES[kind] in ("exactly", "most") and len(there) > 1:
                kept = random.choice(there)
                keys = [key for key in keys if key not in there or key == kept]
            elif _RULES[kind] in ("exactly", "least") and not there:
                keys = [*keys, random.choice(among)]
        return keys

    def _number_of(self, schema: Mapping[str, Any], kind: str) -> float:
        least, most = float(schema.get("minimum", -2)), float(schema.get("maximum", 2))
        if kind == "integer":
            return self._random.choice((int(least), 1, 2, 3, 20, int(most)))
        return self._random.choice((least, most, least + (most - least) * self._random.random()))

    def _string(self, schema: Mapping[str, Any], name: str) -> str:
        random = self._random
        pattern = schema.get("pattern", "")
        if "0-9" in pattern and "$" in pattern and name in ("ids", "primary_id", "lineage_parents"):
            if self._number > 1 and random.random() < 0.3:
                return f"${random.randint(1, self._number - 1)}"
            return str(random.choice((1, 2, 3, 4, 5, 6, random.randint(0, 99), 10**18 - 1)))
        if name == "url":
            return f"https://example.org/{random.choice(values.words()['tags'])}".replace(" ", "")
        if name == "rrule":
            return random.choice(_PLAIN_RULES) if random.random() < 0.4 else values.rule(random)
        if name in _TIMES and random.random() < 0.9:
            return self._time(name)
        if "tags" in name and random.random() < 0.8:
            return random.choice(values.words()["tags"])
        if name in _NAMED and random.random() < 0.8:
            return random.choice(values.words()[_NAMED[name]]) or "x"
        return values.text(random, strange=0.15) or "x"

    def _time(self, name: str) -> str:
        random = self._random
        if random.random() < 0.2:
            return values.moment(random) or "now"
        if name in ("ttl", "older_than"):
            return random.choice(("P1D", "PT1H", "3 weeks", "P10Y"))
        return random.choice(_PLAIN_TIMES)


def encode(random: Random) -> dict[str, Any]:
    """An Encode."""
    maker = _Maker(random, 1)
    made: dict[str, Any] = maker.make(definitions(groups=True)["Encode"], "")
    made.pop("meta", None)
    return made
