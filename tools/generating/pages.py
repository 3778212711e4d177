"""The reference pages of the docs, rendered in Markdown from the surface models and the codes.

One section a verb or object; its table has one row a key. The text is deterministic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from text2mem.ir.diagnostic import CODES, REFUSALS
from text2mem.ir.export import definitions, submodels
from text2mem.ir.surface import INSTANCES, STAGES, Group, Meta, Surface, Target

_OPS_INTRO = """\
# Ops

A program is one instance or a non-empty list of instances; an instance is an object with `stage`,
`op`, and, as the verb takes them, `target` and `args`. The stage follows from the verb. A key that
is not listed here is rejected, except inside `payload`, `facets` and `structured`; an absent key is
absent, and null stands only where the table says so.
"""
_TARGET_INTRO = """\
## Target

Every verb but Encode has a target: the memories that it is about.
"""
_META_INTRO = """\
## Meta

Every instance may carry `meta`, notes of the document's author. None of them grants a right.
"""
_CODES_INTRO = """\
# Error codes

The validator reports every violation at once, each with one of these codes, a JSON Pointer
(RFC 6901) into the document as it was written, a message and often a hint. Codes are part of the
API: their meaning does not change within a major version. The table is made from `CODES` in
`text2mem/ir/diagnostic.py`, which refuses a diagnostic with any other code.
"""
_PATTERN_WORDS = {
    r"\S": "has a visible character",
    r"^(0|[1-9][0-9]{0,17}|\$[1-9][0-9]{0,3})$": (
        "an id such as `12`, of at most 18 digits, or a step reference such as `$1`, of at most 4"
    ),
    r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$": "a URL, scheme included, no blanks",
}
_TARGET_HEADINGS = {
    "Target": "Selectors",
    "Filter": "`filter`",
    "TimeRange": "`time_range`",
    "Search": "`search`",
    "Intent": "`search.intent`",
    "Overrides": "`search.overrides`",
}


def ops_page() -> str:
    """``docs/ops.md``: the twelve verbs with their args, then the target's selectors."""
    parts = [_OPS_INTRO]
    for name, instance in INSTANCES.items():
        parts.append(f"## {name}\n\n{_doc(instance)}\n\n{op_summary(name)}\n")
        if args := submodels(instance).get("args"):
            parts += _tables(args, "args", skip=set(_TARGET_HEADINGS))
    parts.append(_TARGET_INTRO)
    for name, heading in _TARGET_HEADINGS.items():
        model = _reachable(Target)[name]
        parts.append(f"### {heading}\n\n{_doc(model)}\n\n{_table(name)}{_groups(model)}")
    parts.append(f"{_META_INTRO}\n{_table(Meta.__name__)}")
    return "\n".join(parts)


def op_summary(op: str) -> str:
    """A verb's stage and what its instance takes, in one line."""
    schema = definitions(groups=False)[op]
    takes = []
    for key in ("target", "args"):
        if key in schema["properties"]:
            takes.append(f"`{key}` {'required' if key in schema['required'] else 'optional'}")
        else:
            takes.append(f"no `{key}`")
    return f"Stage `{STAGES[op]}`; {', '.join(takes)}."


def error_codes_page() -> str:
    """``docs/error-codes.md``: every diagnostic code and its meaning."""
    return (
        f"{_CODES_INTRO}\n{_codes_table(CODES)}\n## Refusals\n\n"
        "A legal program can still be refused by the store. The code then stands in the failed\n"
        "step's `error.code`, the program is rolled back, and the exit code is 1.\n\n"
        f"{_codes_table(REFUSALS)}"
    )


def _codes_table(codes: dict[str, str]) -> str:
    rows = "".join(f"| `{code}` | {_cell(meaning)} |\n" for code, meaning in codes.items())
    return f"| code | meaning |\n| --- | --- |\n{rows}"


# --- tables --------------------------------------------------------------------------------


def _tables(model: type[Surface], path: str, skip: set[str]) -> list[str]:
    """The table of an object and, after it, those of the objects inside."""
    parts = [_table(model.__name__, path) + _groups(model)]
    for key, inner in submodels(model).items():
        if inner.__name__ not in skip:
            parts.append(f"`{path}.{key}`: {_doc(inner)}\n")
            parts += _tables(inner, f"{path}.{key}", skip)
    return parts


def _table(name: str, path: str = "key") -> str:
    schema = definitions(groups=True)[name]
    rows = []
    for key, sub in schema["properties"].items():
        required = "yes" if key in schema.get("required", ()) else ""
        rows.append(f"| `{key}` | {_kind(sub)} | {required} | {_cell(_constraint(sub))} |\n")
    if schema.get("additionalProperties"):
        rows.append("| any other | any JSON |  | kept as it is |\n")
    head = f"| {path if path == 'key' else f'`{path}`'} | type | required | constraint |\n"
    return head + "| --- | --- | --- | --- |\n" + "".join(rows)


def _groups(model: type[Surface]) -> str:
    rules = [_group(rule) for rule in model.groups]
    if definitions(groups=True)[model.__name__].get("minProperties"):
        rules.append("At least one key (`update-empty`).")
    return "".join(f"\n{rule}\n" for rule in rules)


def _group(rule: Group) -> str:
    keys = ", ".join(f"`{key}`" for key in rule.keys)
    if rule.kind == "needs":
        return f"`{rule.keys[0]}` only with `{rule.keys[1]}` (`{rule.code}`)."
    return f"{rule.kind.replace('_', ' ').capitalize()} of {keys} (`{rule.code}`)."


def _kind(schema: Mapping[str, Any]) -> str:
    """The type of a key in words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        heading = _TARGET_HEADINGS.get(name)
        return f"object (see {heading})" if heading else "object (see below)"
    if "anyOf" in schema:
        return " or ".join(_kind(option) for option in schema["anyOf"])
    match schema.get("type"):
        case None:
            return "any JSON"
        case "array":
            return f"list of {_plural(_kind(schema['items']))}"
        case "object":
            return "open object"
        case "integer":
            return "whole number"
        case "boolean":
            return "true or false" if "const" not in schema else "boolean"
        case other:
            return str(other)


def _plural(noun: str) -> str:
    return noun if noun.endswith("s") else f"{noun}s"


def _constraint(schema: Mapping[str, Any]) -> str:
    """The bounds of a key's value in words, none where there are none."""
    if "anyOf" in schema:
        return "; ".join(filter(None, map(_constraint, schema["anyOf"])))
    words = []
    if "const" in schema:
        value = schema["const"]
        words.append(f"only `{str(value).lower() if isinstance(value, bool) else value}`")
    if "enum" in schema:
        words.append("one of " + ", ".join(f"`{value}`" for value in schema["enum"]))
    if "pattern" in schema:
        words.append(_PATTERN_WORDS.get(schema["pattern"], f"matches `{schema['pattern']}`"))
    words += _bounds(schema, "minimum", "maximum", "", "")
    if schema.get("pattern") not in _PATTERN_WORDS:
        words += _bounds(schema, "minLength", "maxLength", " character", "not empty")
    words += _bounds(schema, "minItems", "maxItems", " item", "not empty")
    words += _bounds(schema, "minProperties", "maxProperties", " key", "not empty")
    if "items" in schema and (each := _constraint(schema["items"])):
        words.append(f"each {each}")
    return "; ".join(words)


def _bounds(schema: Mapping[str, Any], least: str, most: str, unit: str, one: str) -> list[str]:
    low, high = schema.get(least), schema.get(most)
    if low is not None and high is not None:
        return [f"{low} to {high}{unit and unit + 's'}"]
    if low is not None:
        return [one if one and low == 1 else f"at least {low}{unit and unit + 's'}"]
    return [] if high is None else [f"at most {high}{unit and unit + 's'}"]


def _reachable(model: type[Surface]) -> dict[str, type[Surface]]:
    found = {model.__name__: model}
    for inner in submodels(model).values():
        found |= _reachable(inner)
    return found


def _doc(model: type[Surface]) -> str:
    return " ".join((model.__doc__ or "").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
