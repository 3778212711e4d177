"""What takes minutes, or changes a whole process, is done in a process of its own.

A test that is marked ``apart("module:function", *arguments)`` finds what that function has
returned, as JSON, in its fixture ``done``. The function is also given a folder of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

_SHOWN = 2_000
_LEFT = "left.json"


def outcome(work: tuple[Any, ...], folder: Path, environment: dict[str, str]) -> Any:
    """What comes of a work. Fails the test where it cannot be done."""
    command = [sys.executable, "-m", __name__, str(folder), json.dumps(work)]
    ended = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    if ended.returncode:
        pytest.fail(f"{work[0]} ended with\n{ended.stdout[-_SHOWN:]}", pytrace=False)
    return json.loads((folder / _LEFT).read_text(encoding="utf-8"))


def main(folder: Path, work: str) -> None:
    """Does one work."""
    named, *arguments = json.loads(work)
    module, _, function = named.partition(":")
    own = folder / "own"
    own.mkdir()
    result = getattr(import_module(module), function)(own, *arguments)
    (folder / _LEFT).write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
