"""The file of a saved index of vectors: usearch's data, and a stamp that says what it holds."""

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
    """Which vectors a saved index holds: how many, up to which id, and as of which counters of the
    database (vectors made, and vectors changed or removed)."""

    model: str
    dimension: int
    count: int
    last: int
    made: int
    changed: int


class GraphFile:
    """The file ``store.db-vectors-1`` of tenant 1 beside ``store.db``. A database in memory has
    none; then nothing is saved or loaded."""

    def __init__(self, database: str, number: int) -> None:
        self._database = database
        self.path = Path(f"{database}-vectors-{number}") if database else None
        self._unfinished = Path(f"{database}-vectors-{number}.new")
        self.distrusted = False
        """Whether the present file is not to be loaded, because the index is being rebuilt."""

    def save(self, index: Any, stamp: Stamp) -> None:
        """Write the file under another name and rename it. If that fails, delete it."""
        if self.path is None:
            return
        unfinished = self._unfinished
        try:
            unfinished.unlink(missing_ok=True)
            # Created first with the database's mode, so that nobody else can read it.
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
        """Load the file into an index; its stamp. None if there is no file, it is broken, or it is
        of another model or length."""
        if self.path is None or self.distrusted:
            return None
        try:
            with (
                self.path.open("rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole,
            ):
                body = len(whole) - 16 - int.from_bytes(whole[-16:-8], "little")
                if whole[-8:] != _MAGIC or body <= 0:
                    return None
                said = json.loads(whole[body:-16])
                crc, stamp = said.pop("crc"), Stamp(**said)
                with memoryview(whole) as view, view[:body] as own:
                    other = (stamp.model, stamp.dimension) != (model, dimension)
                    if other or zlib.crc32(own) != crc:
                        return None
                    index.load(own)
                return stamp
        except (OSError, ValueError, TypeError, KeyError, RuntimeError):
            return None

    def discard(self) -> bool:
        """Delete the file and any unfinished one; whether none is left."""
        if self.path is None:
            return True
        written = self._unfinished, self.path
        for path in written:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        return not any(path.exists() for path in written)


def database_file(connection: sqlite3.Connection) -> str:
    """The path of a connection's database; empty if it is in memory."""
    named = "SELECT CAST(file AS BLOB) FROM pragma_database_list WHERE name = 'main'"
    (path,) = connection.execute(named).fetchone()
    return os.fsdecode(path or b"")  # on Linux, a path need not be UTF-8
