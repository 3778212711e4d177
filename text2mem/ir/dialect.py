"""The dialect step: any known spelling becomes the canonical surface form.

``canonicalise`` returns the instances and a map of pointers, so that what the validator says about
the canonical form is addressed to the document as it was written. It never judges: what it does not
know it leaves for the validator to see.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from text2mem.ir.surface import STAGES

_OPS = {name.lower(): name for name in STAGES}
_UNITS = {
    "minute": "minutes", "min": "minutes", "hour": "hours", "day": "days", "week": "weeks",
    "month": "months", "year": "years",
}  # fmt: skip
SELECTOR_ALIASES = ("by_ids", "by_id", "by_tags", "by_query")
"""The paper's selectors; one that stands beside its canonical twin is left where it is."""
_LONGEST_ID = 64  # bits
_NULL_MEANS_CANCEL = ("expire_at", "remind")


@dataclass(slots=True)
class PointerMap:
    """From canonical JSON Pointers to those of the document as it was written."""

    moved: dict[str, str] = field(default_factory=dict)

    def original(self, pointer: str) -> str:
        """The pointer of the document as written; the longest known prefix decides."""
        prefix = pointer
        while True:
            if prefix in self.moved:
                return self.moved[prefix] + pointer[len(prefix) :]
            if not prefix:
                return pointer
            prefix = prefix.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Canonical:
    """The instances in the surface form, and where each part of them came from."""

    instances: list[Any]
    pointers: PointerMap
    too_deep: bool = False
    """Nested so deeply that it could not be walked; then nothing is rewritten."""


def escape(key: str) -> str:
    """A key as a token of a JSON Pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def canonicalise(document: Any) -> Canonical:
    """One instance, a list of them, or ``{"ops": [...]}`` as a list of canonical instances.

    The document is not changed. Anything that is not an object is passed on as it is.
    """
    try:
        return _canonicalise(document)
    except RecursionError:
        return Canonical([document], PointerMap(), too_deep=True)


def _canonicalise(document: Any) -> Canonical:
    pointers = PointerMap()
    wrapper = _wrapper(document) if isinstance(document, dict) else ""
    root, key = (document[wrapper], f"/{wrapper}") if wrapper else (document, "")
    if isinstance(root, list):
        pointers.moved[""] = key
    else:
        pointers.moved["/0"] = key
        root = [root]
    instances = []
    for index, item in enumerate(root):
        at = f"/{index}"
        instances.append(_Instance(at, pointers).rewrite(item) if isinstance(item, dict) else item)
    return Canonical(instances, pointers)


def _wrapper(document: dict[str, Any]) -> str:
    return next((k for k in ("ops", "program", "schema_list") if list(document) == [k]), "")


class _Instance:
    """Rewrites one instance; ``at`` is its canonical pointer."""

    def __init__(self, at: str, pointers: PointerMap) -> None:
        self.at = at
        self.pointers = pointers

    def rewrite(self, raw: dict[str, Any]) -> dict[str, Any]:
        out = _without_nulls(raw)
        if isinstance(out.get("op"), str):
            out["op"] = _OPS.get(out["op"].strip().lower(), out["op"])
        if isinstance(out.get("stage"), str):
            stage = out["stage"].strip().upper()
            out["stage"] = "STO" if stage == "ST0" else stage
        if isinstance(out.get("target"), dict):
            out["target"] = self._target(out["target"])
        if isinstance(out.get("args"), dict):
            out["args"] = self._args(out["args"])
        if isinstance(out.get("meta"), dict):
            out["meta"] = _without_nulls(out["meta"])
        return out

    def _move(self, source: str, destination: str) -> None:
        instance = self.pointers.original(self.at)
        self.pointers.moved[f"{self.at}/{destination}"] = f"{instance}/{source}"

    def _target(self, raw: dict[str, Any]) -> dict[str, Any]:
        out = _without_nulls(raw)
        self._selectors(out)
        if isinstance(out.get("ids"), list):
            # Ids are decimal strings; a JSON number is the same id, spelled as a number.
            out["ids"] = [_id(item) for item in out["ids"]]
        if "limit" in out and len(out) == 2:
            (selector,) = out.keys() - {"limit"}
            inner = out[selector] if selector in ("filter", "search") else None
            if isinstance(inner, dict) and "limit" not in inner:
                out[selector] = {**inner, "limit": out.pop("limit")}
                self._move("target/limit", f"target/{selector}/limit")
        for selector in ("filter", "search"):
            if isinstance(out.get(selector), dict):
                out[selector] = _deep_without_nulls(out[selector])
        held = out.get("filter")
        if isinstance(held, dict) and held.get("include") == []:
            del held["include"]
        if isinstance(held, dict) and isinstance(held.get("time_range"), dict):
            held["time_range"] = _units(held["time_range"])
        return out

    def _selectors(self, out: dict[str, Any]) -> None:
        """The paper's selectors as canonical ones, each where its canonical one is not there."""
        alias = next((key for key in ("by_ids", "by_id") if key in out), "")
        if alias and "ids" not in out:
            self._move(f"target/{alias}", "target/ids")
            ids = out.pop(alias)
            out["ids"] = ids if isinstance(ids, list) else [ids]
            if not isinstance(ids, list):
                self._move(f"target/{alias}", "target/ids/0")
        if "by_tags" in out and "filter" not in out:
            out["filter"] = {"has_tags": out.pop("by_tags")}
            self._move("target", "target/filter")
            self._move("target/by_tags", "target/filter/has_tags")
            if "match" in out:
                out["filter"]["match"] = out.pop("match")
                self._move("target/match", "target/filter/match")
        if "by_query" in out and "search" not in out:
            out["search"] = {"intent": {"query": out.pop("by_query")}}
            self._move("target", "target/search")
            self._move("target/by_query", "target/search/intent/query")
            if "k" in out:
                out["search"]["overrides"] = {"k": out.pop("k")}
                self._move("target/k", "target/search/overrides/k")

    def _args(self, raw: dict[str, Any]) -> dict[str, Any]:
        out = _without_nulls(raw)
        self._flip(out, "args")
        if isinstance(out.get("payload"), dict):
            content = ("text", "url", "structured")
            out["payload"] = {
                k: v for k, v in out["payload"].items() if not (v is None and k in content)
            }
        if isinstance(out.get("set"), dict):
            out["set"] = {
                k: v
                for k, v in out["set"].items()
                if v is not None or k in _NULL_MEANS_CANCEL or k == "value"
            }
            if isinstance(out["set"].get("remind"), dict):
                out["set"]["remind"] = _without_nulls(out["set"]["remind"])
            self._flip(out["set"], "args/set")
        for key in ("params", "policy", "remind", "replace", "time_range"):
            if isinstance(out.get(key), dict):
                out[key] = _units(_without_nulls(out[key]))
        if "primary_id" in out:
            out["primary_id"] = _id(out["primary_id"])
        if isinstance(out.get("lineage_parents"), list):
            out["lineage_parents"] = [_id(item) for item in out["lineage_parents"]]
        return out

    def _flip(self, container: dict[str, Any], where: str) -> None:
        if "use_embedding" in container and "skip_embedding" not in container:
            wanted = container.pop("use_embedding")
            container["skip_embedding"] = not wanted if isinstance(wanted, bool) else wanted
            self._move(f"{where}/use_embedding", f"{where}/skip_embedding")


def _without_nulls(raw: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if value is not None}


def _deep_without_nulls(raw: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _deep_without_nulls(value) if isinstance(value, dict) and key != "facets" else value
        for key, value in raw.items()
        if value is not None
    }


def _units(raw: dict[str, Any]) -> dict[str, Any]:
    unit = raw.get("unit")
    return {**raw, "unit": _UNITS.get(unit, unit)} if isinstance(unit, str) else raw


def _id(value: Any) -> Any:
    """A number as the id that it spells; a longer one than any id is left for the validator."""
    plain = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if plain and value.bit_length() <= _LONGEST_ID else value
