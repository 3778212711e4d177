"""Runs as they are reported and compared: read, checked, named and summed up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem_bench.report.wording import NOTHING
from text2mem_bench.runs import read_run
from text2mem_bench.scores import UNSCORED, Row, summarise
from text2mem_bench.wild import figures as wild

_ROW = {
    "id": str, "lang": str, "instruction_type": str, "structure": str, "utterance": str,
    "gold": list, "gold_ops": list, "ops": list, "status": str, "scores": dict, "checks": list,
    "usage": dict, "seconds": int | float,
}  # fmt: skip
"""What every row of a planning run has, and of which type."""
_WILD_ROW = {
    "id": str, "lang": str, "kind": str, "store": str, "utterance": str, "meant": str,
    "ops": list, "status": str, "scores": dict, "usage": dict, "seconds": int | float,
}  # fmt: skip
"""And every row of a wild one."""
PLAN, WILD = "plan", "wild"
_CALLED = {PLAN: "planning runs", WILD: "wild runs"}
_FACTS = ("command", "model", "without", "seed", "attempts", "split", "limit")
_NOT_FACTS = frozenset({"kind", "data", "machine", "started", "finished", "resumed", *_FACTS})


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run, finished or not. ``name`` is its folder's, ``label`` tells it from the others."""

    name: str
    label: str
    config: Mapping[str, Any]
    rows: Sequence[Row]
    summary: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """Of what it is a run: ``plan``, or ``wild``."""
        return str(self.config.get("kind", PLAN))

    @property
    def data(self) -> Mapping[str, Any]:
        """Name, hash and rows of the data file."""
        found = self.config.get("data")
        return found if isinstance(found, dict) else {}

    @property
    def sha256(self) -> str:
        """The hash of the data file."""
        return str(self.data.get("sha256", ""))

    @property
    def scored(self) -> tuple[Row, ...]:
        """The rows whose service gave an answer."""
        return tuple(row for row in self.rows if row["status"] != UNSCORED)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What has to be known before its figures are believed."""
        found = []
        if self.config.get("finished") is None:
            found.append(f"{self.label} is not finished")
        down = len(self.rows) - len(self.scored)
        if down:
            found.append(f"rows of {self.label} without scores, because a service was down: {down}")
        return tuple(found)

    def facts(self) -> dict[str, str]:
        """What was run, on what, where, when, and how it ended, in words."""
        config = self.config
        machine = config.get("machine")
        machine = machine if isinstance(machine, dict) else {}
        place = [str(machine.get(key, "unknown")) for key in ("processor", "system")]
        versions = [f"{name} {machine[name.lower()]}" for name in ("Python", "SQLite")
                    if name.lower() in machine]  # fmt: skip
        others = {key: value for key, value in config.items() if key not in _NOT_FACTS}
        statuses = [f"{count} {name}" for name, count in self.summary["status"].items()]
        return {
            "outcome": ", ".join(statuses) or "no rows",
            **{key: _told(config.get(key)) for key in _FACTS},
            **{key.replace("_", " "): _told(value) for key, value in others.items()},
            "data": _told(self.data),
            "sha256": self.sha256 or "unknown",
            "machine": ", ".join([place[0], f"{machine.get('cores', '?')} cores", place[1]]),
            "versions": ", ".join(versions) or "unknown",
            "revision": str(machine.get("revision", "unknown")),
            "started": _told(config.get("started")),
            "finished": _told(config.get("finished")),
        }


def load(folders: Sequence[str | Path], kinds: Sequence[str] = (PLAN,)) -> list[ReportedRun]:
    """The runs in some folders or files. Raises ConfigurationError where one is of no such kind."""
    return [
        _load(Path(folder), label, kinds)
        for folder, label in zip(folders, labels(folders), strict=True)
    ]


def labels(folders: Sequence[str | Path]) -> list[str]:
    """A short name a run: the folder's, with as many of its parents as tell it from the others."""
    parts = [Path(folder).resolve().parts for folder in folders]
    depth = 1
    while len({p[-depth:] for p in parts}) < len(set(parts)):
        depth += 1
    return ["/".join(p[-depth:]) for p in parts]


def _load(folder: Path, label: str, kinds: Sequence[str]) -> ReportedRun:
    config, rows = read_run(folder)
    kind = str(config.get("kind"))
    if kind not in kinds:
        wanted = " and ".join(_CALLED[each] for each in kinds)
        raise ConfigurationError(
            f"{folder} holds a run of kind '{kind}', and this takes {wanted}",
            hint="text2mem bench plan DATA --out FOLDER makes one",
        )
    fields = _WILD_ROW if kind == WILD else _ROW
    for row in rows:
        wrong = next((key for key, of in fields.items() if not isinstance(row.get(key), of)), None)
        if wrong is not None:
            raise ConfigurationError(
                f"{folder}: row {row['id']!r} is not one of a {_CALLED[kind].removesuffix('s')}: "
                f"'{wrong}' is missing or of another type"
            )
    summary = wild.summarise(rows) if kind == WILD else summarise(rows)
    return ReportedRun(folder.resolve().name, label, config, rows, summary)


def _told(value: Any) -> str:
    """A value of a config in words; of a file its name and rows."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict) and "name" in value:
        return f"{value['name']}, {value.get('rows', '?')} rows"
    if isinstance(value, list):
        return f"{len(value)}: {', '.join(map(str, value))}" if value else NOTHING
    return NOTHING if value is None else str(value)
