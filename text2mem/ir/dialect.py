"""The dialect step: rewrite any known spelling of a program into the canonical surface form.

Its map of pointers lets the validator's diagnostics point into the document as it was written. This
step reports no violation: whatever it does not know it leaves as it is, for the validator.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from text2mem.ir.ops import CONTENTS, Unit
from text2mem.ir.surface import STAGES

_OPS = {name.lower(): name for name in STAGES}
_UNITS = {unit.removesuffix("s"): unit for unit in get_args(Unit)} | {"min": "minutes"}
SELECTOR_ALIASES = ("by_ids", "by_id", "by_tags", "by_query")
"""Other spellings of selectors. One is left as it is if its canonical form is there, too."""
_LONGEST_ID = 64  # bits
_NULL_IS_A_VALUE = ("expire_at", "remind", "value")
"""The keys of an Update's ``set`` whose null removes what is there, or is a fact's value."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """The instances in the surface form, and where their parts stand in the document."""

    instances: list[Any]
    moved: Mapping[str, str]
    """The pointer as written of each part that was moved, by its canonical pointer."""
    too_deep: bool = False
    """Whether the document was nested too deeply. It is then the only item of ``instances``."""

    def original(self, pointer: str) -> str:
        """The pointer in the document as written: the longest prefix in ``moved`` is replaced."""
        prefix = pointer
        while prefix and prefix not in self.moved:
            prefix = prefix.rpartition("/")[0]
        return self.moved.get(prefix, "") + pointer[len(prefix) :]


def canonicalise(document: Any) -> Canonical:
    """Return the canonical instances of a document: one instance, a list of them, or an object with
    such a list under the only key ``ops``, ``program`` or ``schema_list``.

    The document is not changed. An item that is not an object is returned as it is.
    """
    key, root = "", document
    if isinstance(document, dict) and list(document) in (["ops"], ["program"], ["schema_list"]):
        ((wrapper, root),) = document.items()
        key = f"/{wrapper}"
    items = root if isinstance(root, list) else [root]
    moved = {"" if items is root else "/0": key}
    written = [f"{key}/{index}" for index in range(len(items))] if items is root else [key]
    try:
        instances = [
            _Instance(f"/{index}", at, moved).rewrite(item) if isinstance(item, dict) else item
            for index, (item, at) in enumerate(zip(items, written, strict=True))
        ]
    except RecursionError:
        return Canonical([document], {}, too_deep=True)
    return Canonical(instances, moved)


@dataclass(frozen=True, slots=True)
class _Instance:
    at: str
    """Its canonical pointer."""
    written: str
    """Its pointer in the document."""
    moved: dict[str, str]

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
        """Record that a part moved. Both paths are relative to the instance."""
        self.moved[f"{self.at}/{destination}"] = f"{self.written}/{source}"

    def _target(self, raw: dict[str, Any]) -> dict[str, Any]:
        out = _without_nulls(raw)
        self._selectors(out)
        if isinstance(out.get("ids"), list):
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
        if isinstance(held, dict):
            if held.get("include") == []:
                del held["include"]
            if isinstance(held.get("time_range"), dict):
                held["time_range"] = _units(held["time_range"])
        return out

    def _selectors(self, out: dict[str, Any]) -> None:
        """Replace ``SELECTOR_ALIASES`` by canonical selectors, in place. One whose canonical form
        is there as well is left, so that the validator reports it."""
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
            out["payload"] = {
                k: v for k, v in out["payload"].items() if v is not None or k not in CONTENTS
            }
        if isinstance(out.get("set"), dict):
            out["set"] = _without_nulls(out["set"], but=_NULL_IS_A_VALUE)
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
        """Replace ``use_embedding`` by its negation ``skip_embedding``, in place."""
        if "use_embedding" in container and "skip_embedding" not in container:
            wanted = container.pop("use_embedding")
            container["skip_embedding"] = not wanted if isinstance(wanted, bool) else wanted
            self._move(f"{where}/use_embedding", f"{where}/skip_embedding")


def _without_nulls(raw: dict[str, Any], but: Collection[str] = ()) -> dict[str, Any]:
    """The object without keys whose value is null, other than those of ``but``."""
    return {key: value for key, value in raw.items() if value is not None or key in but}


def _deep_without_nulls(raw: dict[str, Any]) -> dict[str, Any]:
    """The object without keys whose value is null, at every level. ``facets`` is left as it is."""
    return {
        key: _deep_without_nulls(value) if isinstance(value, dict) and key != "facets" else value
        for key, value in raw.items()
        if value is not None
    }


def _units(raw: dict[str, Any]) -> dict[str, Any]:
    """The object with its ``unit``, if it has one, in the plural."""
    unit = raw.get("unit")
    return {**raw, "unit": _UNITS.get(unit, unit)} if isinstance(unit, str) else raw


def _id(value: Any) -> Any:
    """A whole number as the decimal string of an id, unless it is longer than any id."""
    plain = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if plain and value.bit_length() <= _LONGEST_ID else value
