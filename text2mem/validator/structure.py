"""Check the structure of one instance.

The pydantic models decide whether it is legal, in microseconds where jsonschema takes milliseconds.
What they reject is checked again by jsonschema, which finds every violation and its place. Rules
across keys are invariants (``invariants.py``).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError as PydanticError

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import SELECTOR_ALIASES
from text2mem.ir.export import instance_schema
from text2mem.ir.pointers import escape, pointer_to
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
"""The diagnostic code of a keyword of JSON Schema. It is "bad-length" for the keywords that bound a
length, and "wrong-type" for any other."""
_COUNTED = {"Length": "character", "Items": "item", "Properties": "key"}
"""The unit of a length, by the end of the keyword that bounds it: maxLength, minItems."""
_TYPES = {
    "object": "an object", "array": "a list", "integer": "a whole number", "number": "a number",
    "string": "a string", "boolean": "true or false", "null": "null",
}  # fmt: skip
"""The types of JSON Schema in words."""
_KINDS = {
    NoneType: "null", bool: "a boolean", int: "a number", float: "a number", str: "a string",
    list: "a list", dict: "an object",
}  # fmt: skip
"""The types of JSON values in words."""
_PYDANTIC_CODES = {
    "extra_forbidden": "unknown-key",
    "missing": "missing-key",
    "literal_error": "not-allowed",
    "string_pattern_mismatch": "bad-pattern",
}
"""The diagnostic code of a pydantic error type; "wrong-type" for any other."""


def check_structure(instance: Any, at: str) -> Iterator[Diagnostic]:
    """Yield every structural violation of one canonical instance. ``at`` is its pointer."""
    if not isinstance(instance, dict):
        said = f"an instance is an object with stage, op, target and args, not {_kind(instance)}"
        yield Diagnostic("not-a-program", at, said)
        return
    op, known = instance.get("op"), f"one of {', '.join(INSTANCES)}"
    if op is None:
        yield Diagnostic("missing-key", at, "'op' is missing", known)
        return
    if not isinstance(op, str) or op not in INSTANCES:
        hint = _did_you_mean(str(op), INSTANCES) or known
        yield Diagnostic("unknown-op", f"{at}/op", f"{op!r} is not an op", hint)
        return
    # Only the invariants report a wrong stage, so the right one is put in its place here.
    stage = {"stage": STAGES[op]} if isinstance(instance.get("stage"), str) else {}
    probe = {**instance, **stage}
    try:
        INSTANCES[op].model_validate(probe)
    except PydanticError as rejection:
        errors = list(_schema_validator(op).iter_errors(probe))
        mistyped = {tuple(e.absolute_path) for e in errors if e.validator == "type"}
        explained = [
            diagnostic
            for error in errors
            # A value of the wrong type is reported once, not also for its enum or its bounds.
            if error.validator == "type" or tuple(error.absolute_path) not in mistyped
            for diagnostic in _explain(error, at, op)
        ]
        yield from explained or _from_pydantic(rejection, at)


@cache
def _schema_validator(op: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # takes 180 ms; needed for illegal input only

    return Draft202012Validator(instance_schema(op))


def _explain(error: SchemaError, at: str, op: str) -> Iterator[Diagnostic]:
    """Yield the diagnostics for one error of jsonschema: one for each unknown key, else one."""
    pointer = at + pointer_to(error.absolute_path)
    keyword = str(error.validator)
    schema: Any = error.schema
    bound: Any = error.validator_value
    if keyword == "anyOf" and error.context:
        # The only unions are "a value or null". The branch of the value has the error to report.
        for inner in error.context:
            if inner.validator_value != "null":
                yield from _explain(inner, at, op)
        return
    if keyword == "additionalProperties":
        known = list(schema.get("properties", {}))
        instance: Any = error.instance
        for key in map(str, instance):  # a dict made in Python may have keys of other types
            if key not in known and not (key in SELECTOR_ALIASES and "ids" in known):
                said = f"'{key}' is not a key here"
                hint = _did_you_mean(key, known) or f"known keys: {', '.join(known)}"
                yield Diagnostic("unknown-key", f"{pointer}/{escape(key)}", said, hint)
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
    """The message and the hint for one schema error."""
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
    wrong, may = ("too short", "at least") if keyword[:3] == "min" else ("too long", "at most")
    unit = _COUNTED[keyword[3:]]
    plural = "" if bound == 1 else "s"
    return f"{wrong}: {len(value)} {unit}s", f"{may} {bound} {unit}{plural}"


def _from_pydantic(rejection: PydanticError, at: str) -> Iterator[Diagnostic]:
    """Yield pydantic's own errors, where those of jsonschema give no diagnostic."""
    for error in rejection.errors(include_url=False, include_context=False, include_input=False):
        if error["loc"][-1] in SELECTOR_ALIASES:
            continue  # a second selector, which the invariants report
        pointer = at + pointer_to(error["loc"])
        yield Diagnostic(_PYDANTIC_CODES.get(error["type"], "wrong-type"), pointer, error["msg"])


def _did_you_mean(word: str, options: Iterable[str]) -> str:
    """The hint that names the option most similar to a word; "" if none is similar."""
    by_fold = {option.lower(): option for option in options}
    close = difflib.get_close_matches(word.lower(), list(by_fold), n=1, cutoff=0.6)
    return f"did you mean '{by_fold[close[0]]}'?" if close else ""


def _type_name(bound: Any) -> str:
    """The types of a schema's ``type`` keyword in words."""
    return " or ".join(_TYPES[name] for name in (bound if isinstance(bound, list) else [bound]))


def _kind(value: Any) -> str:
    """The JSON type of a value in words."""
    return _KINDS.get(type(value), type(value).__name__)
