"""The file of a saved index of vectors: what usearch writes, and a stamp that says whose it is."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import sqlite3
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_MAGIC = b"t2mv0001"


@dataclass(frozen=True, slots=True)
class Stamp:
    """Of which vectors an index is: model, length, how many, the last id, the file's counters."""

    model: str
    dimension: int
    count: int
    last: int
    made: int
    changed: int


class GraphFile:
    """``store.db-vectors-1`` of tenant 1 beside ``store.db``; nothing beside ``:memory:``."""

    def __init__(self, database: str, number: int) -> None:
        self._database = database
        self.path = Path(f"{database}-vectors-{number}") if database else None
        self._unfinished = Path(f"{database}-vectors-{number}.new")
        self.distrusted = False
        """Whether what is there is loaded no more: it is about to be made anew."""

    def save(self, index: Any, stamp: Stamp) -> None:
        """Write it beside and put it in place; where that cannot be, there is none."""
        if self.path is None:
            return
        unfinished = self._unfinished
        try:
            unfinished.unlink(missing_ok=True)
            # Made first, so that nobody reads it who may not read the database.
            mode = Path(self._database).stat().st_mode & 0o777
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
            index.save(unfinished)
            with unfinished.open("r+b") as file:
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
                    said = {**asdict(stamp), "crc": zlib.crc32(whole)}
                file.seek(0, os.SEEK_END)
                trailer = json.dumps(said).encode()
                file.write(trailer + len(trailer).to_bytes(8, "little") + _MAGIC)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self.path)
            self.distrusted = False
        except (OSError, RuntimeError):
            self.discard()

    def load(self, index: Any, model: str, dimension: int) -> Stamp | None:
        """Fill an index; the stamp. None where there is none, of this model, and whole."""
        if self.path is None or self.distrusted:
            return None
        try:
            with (
                self.path.open("rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole,
            ):
                if whole[-8:] != _MAGIC:
                    return None
                length = int.from_bytes(whole[-16:-8], "little")
                body = len(whole) - 16 - length
                if body <= 0:
                    return None
                said = json.loads(whole[body:-16])
                crc = said.pop("crc")
                stamp = Stamp(**said)
                if (stamp.model, stamp.dimension) != (model, dimension):
                    return None
                with memoryview(whole) as view, view[:body] as own:
                    if zlib.crc32(own) != crc:
                        return None
                    index.load(own)
                return stamp
        except (OSError, ValueError, TypeError, KeyError, RuntimeError):
            return None

    def discard(self) -> bool:
        """Delete it, half-written ones too; whether there is none any more."""
        if self.path is None:
            return True
        written = self._unfinished, self.path
        for path in written:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        return not any(path.exists() for path in written)


def database_file(connection: sqlite3.Connection) -> str:
    """The file of a connection's database; empty where it is in memory."""
    named = "SELECT CAST(file AS BLOB) FROM pragma_database_list WHERE name = 'main'"
    (path,) = connection.execute(named).fetchone()
    return os.fsdecode(path or b"")  # a name of Linux need not be UTF-8
