"""The structure of one instance: pydantic judges, jsonschema explains.

pydantic takes microseconds where jsonschema takes milliseconds, and nearly every instance is
legal; so the models decide, and only a rejected instance is walked again by jsonschema, which finds
every violation and says where. Rules that tie keys together are the invariants' business.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError as PydanticError

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import SELECTOR_ALIASES, escape
from text2mem.ir.export import instance_schema
from text2mem.ir.surface import INSTANCES, STAGES

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError as SchemaError

_CODES = {
    "type": "wrong-type",
    "enum": "not-allowed",
    "const": "not-allowed",
    "minimum": "out-of-range",
    "maximum": "out-of-range",
    "pattern": "bad-pattern",
}
_COUNTED = {"Length": "character", "Items": "item", "Properties": "key"}
"""What a length counts, by the end of the keyword that bounds it."""
_PYDANTIC_CODES = {
    "extra_forbidden": "unknown-key",
    "missing": "missing-key",
    "literal_error": "not-allowed",
    "string_pattern_mismatch": "bad-pattern",
}


def check_structure(instance: Any, at: str) -> Iterator[Diagnostic]:
    """Every structural violation of one canonical instance; ``at`` is its pointer."""
    if not isinstance(instance, dict):
        yield Diagnostic(
            "not-a-program",
            at,
            f"an instance is an object with stage, op, target and args, not {_kind(instance)}",
        )
        return
    op = instance.get("op")
    if op is None:
        yield Diagnostic("missing-key", at, "'op' is missing", f"one of {', '.join(INSTANCES)}")
        return
    if not isinstance(op, str) or op not in INSTANCES:
        yield Diagnostic(
            "unknown-op",
            f"{at}/op",
            f"{op!r} is not an op",
            _did_you_mean(str(op), list(INSTANCES)) or f"one of {', '.join(INSTANCES)}",
        )
        return
    # A stage that does not fit is said once, by the invariants; here any of them will do.
    probe = (
        {**instance, "stage": STAGES[op]} if isinstance(instance.get("stage"), str) else instance
    )
    try:
        INSTANCES[op].model_validate(probe)
    except PydanticError as rejection:
        errors = list(_schema_validator(op).iter_errors(probe))
        mistyped = {tuple(e.absolute_path) for e in errors if e.validator == "type"}
        told = [
            diagnostic
            for error in errors
            # A number where a word belongs is not also a wrong word.
            if error.validator == "type" or tuple(error.absolute_path) not in mistyped
            for diagnostic in _explain(error, at, op)
        ]
        yield from told or _from_pydantic(rejection, at)


@cache
def _schema_validator(op: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # 180 ms to import: only bad input pays it

    return Draft202012Validator(instance_schema(op))


def _explain(error: SchemaError, at: str, op: str) -> Iterator[Diagnostic]:
    pointer = at + "".join(f"/{escape(str(part))}" for part in error.absolute_path)
    keyword = str(error.validator)
    schema: Any = error.schema
    bound: Any = error.validator_value
    if keyword == "anyOf" and error.context:
        # The only unions are "a value or null": the branch that is not null has the explanation.
        for inner in error.context:
            if inner.validator_value != "null":
                yield from _explain(inner, at, op)
        return
    if keyword == "additionalProperties":
        known = list(schema.get("properties", {}))
        instance: Any = error.instance
        for key in map(str, instance):  # a key of Python may be no text
            if key not in known and not (key in SELECTOR_ALIASES and "ids" in known):
                yield Diagnostic(
                    "unknown-key",
                    f"{pointer}/{escape(key)}",
                    f"'{key}' is not a key here",
                    _did_you_mean(key, known) or f"known keys: {', '.join(known)}",
                )
        return
    if keyword == "required":
        key = next(k for k in bound if f"'{k}'" in error.message)
        hint = f"the stage of {op} is '{STAGES[op]}'" if key == "stage" else ""
        yield Diagnostic("missing-key", pointer, f"'{key}' is missing", hint)
        return
    if keyword == "pattern" and bound == r"\S":
        yield Diagnostic("blank-tag", pointer, "a tag must have a visible character")
        return
    code = "bad-length" if keyword[3:] in _COUNTED else _CODES.get(keyword, "wrong-type")
    yield Diagnostic(code, pointer, *_words(keyword, error))


def _words(keyword: str, error: SchemaError) -> tuple[str, str]:
    """Message and hint of one schema error, in the language of someone who writes a program."""
    value: Any = error.instance
    bound: Any = error.validator_value
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
    if keyword == "type":
        return f"{shown} is {_kind(value)}, expected {_type_name(bound)}", ""
    if keyword in ("enum", "const"):
        given = bound if keyword == "enum" else [bound]
        options = [str(each).lower() if isinstance(each, bool) else str(each) for each in given]
        hint = _did_you_mean(str(value), options) if keyword == "enum" else ""
        return f"{shown} is not allowed here", hint or f"allowed: {', '.join(options)}"
    if keyword in ("minimum", "maximum"):
        return f"{shown} is out of range", f"{keyword} {bound}"
    if keyword == "pattern":
        ids = r"\$" in str(bound)
        hint = 'an id is a decimal string such as "12", or a step reference such as "$1"'
        return f"{shown} does not have the right form", hint if ids else "a URL, scheme included"
    few = keyword.startswith("min")
    unit = _COUNTED[keyword[3:]]
    return (
        f"{'too short' if few else 'too long'}: {len(value)} {unit}s",
        f"{'at least' if few else 'at most'} {bound} {unit}{'' if bound == 1 else 's'}",
    )


def _from_pydantic(rejection: PydanticError, at: str) -> Iterator[Diagnostic]:
    for error in rejection.errors(include_url=False, include_context=False, include_input=False):
        if error["loc"][-1] in SELECTOR_ALIASES:
            continue  # a second selector: the invariants say so
        pointer = at + "".join(f"/{escape(str(part))}" for part in error["loc"])
        yield Diagnostic(_PYDANTIC_CODES.get(error["type"], "wrong-type"), pointer, error["msg"])


def _did_you_mean(word: str, options: list[str]) -> str:
    by_fold = {option.lower(): option for option in options}
    close = difflib.get_close_matches(word.lower(), list(by_fold), n=1, cutoff=0.6)
    return f"did you mean '{by_fold[close[0]]}'?" if close else ""


def _type_name(bound: Any) -> str:
    names = bound if isinstance(bound, list) else [bound]
    return " or ".join({"object": "an object", "array": "a list", "integer": "a whole number",
                        "number": "a number", "string": "a string", "boolean": "true or false",
                        "null": "null"}[name] for name in names)  # fmt: skip


def _kind(value: Any) -> str:
    return {
        type(None): "null",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }.get(type(value), type(value).__name__)
