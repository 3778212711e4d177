"""A run as a folder: ``config.json``, what was run, and ``rows.jsonl``, a row a case.

A row is written whole, in one call, as soon as its case is done. A run that was interrupted goes on
where it stood: cases that have a row are skipped, a torn last line is dropped, and cases whose
service gave no answer are asked again. A path that ends in ``.json`` is one document instead, the
config with its ``rows``, written anew after every case.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from text2mem.errors import ConfigurationError
from text2mem_bench.machine import machine
from text2mem_bench.scores import UNSCORED, Row

CONFIG, ROWS, DOCUMENT = "config.json", "rows.jsonl", ".json"


@dataclass(slots=True)
class Run:
    """A run that is being written; without a folder it is kept in memory and ends with it.

    ``folder`` may also be the one document that holds it.
    """

    config: dict[str, Any]
    folder: Path | None = None
    rows: list[Row] = field(default_factory=list)
    _file: BinaryIO | None = None

    @property
    def done(self) -> frozenset[str]:
        """The ids of the cases that have a row."""
        return frozenset(str(row["id"]) for row in self.rows)

    def append(self, row: Row) -> None:
        """Keep the row of one more case."""
        if self._file is not None:
            # One unbuffered write: a row is there as a whole, or was not written yet.
            self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        self.rows.append(row)
        if self.folder is not None and self._file is None:
            self._keep_document(self.folder)

    def finish(self, **facts: Any) -> None:
        """Note that every case is done, and what else is to be known of the run."""
        self.config |= {**facts, "finished": _now()}
        if self.folder is not None and self._file is None:
            self._keep_document(self.folder)
        elif self.folder is not None:
            _write(self.folder / CONFIG, json.dumps(self.config, ensure_ascii=False, indent=2))

    def _keep_document(self, path: Path) -> None:
        _write(path, json.dumps({**self.config, "rows": self.rows}, ensure_ascii=False, indent=1))


@contextmanager
def open_run(folder: Path | None, identity: Mapping[str, Any], command: str) -> Iterator[Run]:
    """A new run, or the one that the folder holds, to go on with.

    ``identity`` is what makes two runs the same: kind, model, data and every choice. Raises
    ConfigurationError where the folder holds another run, or something else.
    """
    begun = _now()
    config: dict[str, Any] = {
        **json.loads(json.dumps(identity)), "command": command, "machine": machine(),
        "started": begun, "finished": None, "resumed": [],
    }  # fmt: skip
    if folder is None:
        yield Run(config)
        return
    rows: list[Row] = []
    again = {"at": begun, "revision": config["machine"]["revision"]}
    if folder.suffix == DOCUMENT and not folder.is_dir():
        if folder.exists():
            known, rows = _document(folder)
            _require_same(folder, known, identity)
            rows = [row for row in rows if row["status"] != UNSCORED]
            config = {**known, "finished": None, "resumed": [*known.get("resumed", []), again]}
        yield Run(config, folder, rows)
        return
    if (folder / CONFIG).exists():
        known = _config(folder)
        _require_same(folder, known, identity)
        rows, torn = _rows(folder)
        answered = [row for row in rows if row["status"] != UNSCORED]
        if torn or len(answered) < len(rows):
            lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in answered]
            _write(folder / ROWS, "".join(lines))
        rows = answered
        config = {**known, "finished": None, "resumed": [*known.get("resumed", []), again]}
    elif folder.exists() and any(folder.iterdir()):
        raise ConfigurationError(
            f"{folder} is not empty, and holds no run", hint="name a new folder with --out"
        )
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / CONFIG, json.dumps(config, ensure_ascii=False, indent=2))
    with (folder / ROWS).open("ab", buffering=0) as file:
        yield Run(config, folder, rows, file)


def read_run(folder: str | Path) -> tuple[dict[str, Any], list[Row]]:
    """The config and the rows of a run, finished or not: of a folder, or of one document.

    Raises ConfigurationError where the folder holds none.
    """
    path = Path(folder)
    if path.is_file():
        return _document(path)
    config = _config(path)
    return config, _rows(path)[0]


def data_of(path: str | Path, rows: int) -> dict[str, Any]:
    """What a run was run on: the name of the file, its hash, and how many rows it has."""
    try:
        digest = sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from error
    return {"name": Path(path).name, "sha256": digest, "rows": rows}


def _document(path: Path) -> tuple[dict[str, Any], list[Row]]:
    """The config and the rows of a run that is one file."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        rows = config.pop("rows")
        return dict(config), [{**row, "id": str(row["id"])} for row in rows]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigurationError(
            f"{path} holds no run: {error!r}", hint="a run is what `bench … --out` wrote"
        ) from error


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{folder} holds no run: {error}", hint="a run is a folder that `bench … --out` wrote"
        ) from error
    if not isinstance(config, dict):
        raise ConfigurationError(f"{folder / CONFIG} is not an object")
    return config


def _rows(folder: Path) -> tuple[list[Row], bool]:
    """The rows, the first of each id, and whether the last line is torn."""
    path = folder / ROWS
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from error
    rows: dict[str, Row] = {}
    for number, line in enumerate(lines[:-1], 1):
        try:
            row = json.loads(line)
            rows.setdefault(str(row["id"]), row)
        except (ValueError, TypeError, KeyError) as error:
            raise ConfigurationError(f"{path}, line {number}: not a row: {error!r}") from error
    return list(rows.values()), bool(lines[-1])


def _require_same(folder: Path, known: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    other = [key for key, value in identity.items() if known.get(key) != value]
    if other:
        said = "; ".join(f"{key} {known.get(key)!r}, not {identity[key]!r}" for key in other)
        raise ConfigurationError(
            f"{folder} holds another run: {said}",
            hint="name a new folder with --out, or repeat the options of that run",
        )


def _write(path: Path, text: str) -> None:
    """The whole file or the old one: never half of it."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
