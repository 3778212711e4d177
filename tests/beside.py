"""What takes minutes in processes of its own is done beside the other tests, one after another.

A test that is marked ``beside("module:function", *arguments)`` is moved to the end, and finds what
that function has returned, as JSON, in its fixture ``done``. ``python -m tests.beside FOLDER`` does
what stdin names, a JSON array a line; every function is also given a folder of its own.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

_LOOK = 0.2
_SHOWN = 2_000


class Beside:
    """A process that does what the tests will ask for, and where it leaves it."""

    def __init__(self, works: list[tuple[Any, ...]], environment: dict[str, str]) -> None:
        self._folder = TemporaryDirectory()
        self._numbers = {work: number for number, work in enumerate(dict.fromkeys(works))}
        self._said = Path(self._folder.name) / "said.txt"
        with self._said.open("w") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, self._folder.name], stdin=subprocess.PIPE,
                stdout=said, stderr=said, env=environment, text=True, start_new_session=True,
            )  # fmt: skip
        assert self._process.stdin is not None
        with self._process.stdin as told:
            told.writelines(f"{json.dumps(work)}\n" for work in self._numbers)

    def result(self, work: tuple[Any, ...]) -> Any:
        """What came of a work; waits for it. Fails the test where it could not be done."""
        path = _left(Path(self._folder.name), self._numbers[work])
        while not path.exists() and self._process.poll() is None:
            time.sleep(_LOOK)
        if not path.exists():
            said = self._said.read_text(encoding="utf-8", errors="replace")
            pytest.fail(f"{work[0]} was not done; it ended with\n{said[-_SHOWN:]}", pytrace=False)
        return json.loads(path.read_text(encoding="utf-8"))

    def close(self) -> None:
        """Ends the process, done or not."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait()
        self._folder.cleanup()


def work_of(item: pytest.Item) -> tuple[Any, ...] | None:
    """What is to be done for a test; None where nothing is."""
    marker = item.get_closest_marker("beside")
    return None if marker is None else marker.args


def _left(folder: Path, number: int) -> Path:
    return folder / f"{number}.json"


def main(folder: Path) -> None:
    """Does what stdin names."""
    if sys.platform == "linux":
        last = sorted(os.sched_getaffinity(0))[-1]
        os.sched_setaffinity(0, {last})  # the tests have the others
    for number, line in enumerate(sys.stdin):
        named, *arguments = json.loads(line)
        module, _, function = named.partition(":")
        own = folder / str(number)
        own.mkdir()
        result = getattr(import_module(module), function)(own, *arguments)
        partial = _left(folder, number).with_suffix(".partial")
        partial.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
        partial.replace(_left(folder, number))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
