"""Console blocks of a page: their commands, what they are shown to print, and how they are run.

In a block fenced ``console``, a line with "$ " is a command, "> " goes on with it after a
backslash, and what follows is what a terminal shows, stderr included; of ``text2mem repl`` and
``forget`` also what is typed. ``console no-run`` is not run. A block of Python whose first line is
``# name.py`` is a file of that name for the commands after it.

``python -m tests.docs.consoles PAGE …`` writes anew what the commands of pages print: read it
before you keep it.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from tests.docs.pages import Block, blocks, file_name

_PROMPT = re.compile(r"^(?:› |answer › |run it\? \[y/N\] |Erase it for good\? \[y/N\] )")
_ASKING = ("text2mem repl", "text2mem forget")
_LEAVE = "/quit"
_SETTINGS = {f"TEXT2MEM_{name}" for name in ("DB", "EMBEDDER", "MODEL", "POLICY", "SUMMARISER")}
_TRACE = re.compile(r"\b[0-9a-f]{32}\b")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

# What no two runs have in common, and what stands in its place.
_VARIES = (
    (re.compile(r'("trace_id": )"[^"]*"'), r'\1"…"'),
    (re.compile(r'("duration_ms": )[\d.]+'), r"\1…"),
    (_TRACE, "…"),
    (re.compile(r'("(?:prompt|output|cached)": )\d+'), r"\1…"),
    # What the model wrote: another processor may round, and so choose, another word.
    (re.compile(r'"(text|query|about)": "[^"]*"'), r'"\1": "…"'),
    (re.compile(r'"tags": \[[^]]*\]'), '"tags": […]'),
    (re.compile(r"(\d+\.(?:text|tags|内容): ).*"), r"\1…"),
    (re.compile(r"^(    \d+: ).*", re.MULTILINE), r"\1…"),
    (re.compile(r"(would be kept as a new memory: ).*"), r"\1…"),
    (re.compile(r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?"
                r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"),
     "…"),
)  # fmt: skip


class Step(NamedTuple):
    """A command of a block, what it is shown to print, and the line on which it stands."""

    command: str
    output: str
    line: int


class Played(NamedTuple):
    """A step, its command with the traces of this run, what it printed, and its exit code."""

    step: Step
    command: str
    printed: str
    code: int


def is_run(block: Block) -> bool:
    """Whether the commands of a block are run."""
    return block.info == "console"


def steps(block: Block) -> Iterator[Step]:
    """The commands of a block, each with the lines after it; a backslash goes on to the next."""
    command, output, start = "", list[str](), 0
    for number, text in enumerate(block.text.splitlines(), block.line):
        if command.endswith("\\"):
            command = f"{command}\n{text.removeprefix('> ')}"
        elif text.startswith("$ "):
            if command:
                yield Step(command, "\n".join(output), start)
            command, output, start = text[2:], [], number
        else:
            assert command, f"line {number} is the output of no command"
            output.append(text)
    if command:
        yield Step(command, "\n".join(output), start)


def settled(printed: str) -> str:
    """Output without what varies from run to run."""
    for pattern, instead in _VARIES:
        printed = pattern.sub(instead, printed)
    return "\n".join(line.rstrip() for line in printed.strip().splitlines())


def play(page: Path, folder: Path) -> Iterator[Played]:
    """Run the commands of a page in order, in one folder, on a terminal without colours.

    A trace that a command of the page names stands for the one that this run gave in its place.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {name: value for name, value in os.environ.items() if name not in _SETTINGS}
    environment |= {"PATH": path, "NO_COLOR": "1", "TERM": "dumb", "TEXT2MEM_TZ": "UTC"}
    traces = dict[str, str]()
    for block in blocks(page):
        if name := file_name(block):
            (folder / name).write_text(block.text, "utf-8")
        for step in steps(block) if is_run(block) else ():
            command = _TRACE.sub(lambda found: traces.get(found[0], found[0]), step.command)
            printed, code = on_a_terminal(command, typed(step), folder, environment)
            traces.update(zip(_TRACE.findall(step.output), _TRACE.findall(printed), strict=False))
            yield Played(step, command, printed.removesuffix(f"› {_LEAVE}\n"), code)


def played(folder: Path, page: str) -> list[Played]:
    """All of a page, for a test that finds it done."""
    return [*play(Path(page), folder)]


def typed(step: Step) -> list[str]:
    """What a person types: where a command asks, what stands after its prompts."""
    if not step.command.startswith(_ASKING):
        return []
    lines = step.output.splitlines()
    return [_PROMPT.sub("", line) for line in lines if _PROMPT.match(line)]


def on_a_terminal(
    command: str, lines: list[str], folder: Path, environment: dict[str, str]
) -> tuple[str, int]:
    """What a command prints on a terminal, its exit code; the lines are typed, each at a prompt."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder, env=environment, stdin=theirs if lines else subprocess.DEVNULL,
        stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    waiting, printed = [*lines, _LEAVE] if lines else [], b""
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        while read := _read(terminal):
            printed += read
            if waiting and _PROMPT.fullmatch(_plain(printed).rpartition("\n")[2]):
                terminal.write(f"{waiting.pop(0)}\n".encode())
    return _plain(printed), process.wait()


def _read(terminal: FileIO) -> bytes:
    """What stands there, empty at the end; Linux says EIO where the other end is closed."""
    with suppress(OSError):
        return terminal.read(65536) or b""
    return b""


def _plain(printed: bytes) -> str:
    text = printed.decode("utf-8", "ignore").replace("\r\n", "\n").replace("\r", "")
    return _ESCAPES.sub("", text)


def refill(page: Path, folder: Path) -> None:
    """Write under each command of a page what it prints now."""
    lines = page.read_text("utf-8").splitlines()
    for one in reversed([*play(page, folder)]):
        step = one.step
        start, end = step.line - 1, step.line + step.command.count("\n")
        told = f"$ {one.command}".replace("\n", "\n> ").split("\n")
        shown = [line.rstrip() for line in one.printed.strip("\n").splitlines()]
        lines[start : end + len(step.output.splitlines())] = told + shown
    page.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as made:
            refill(Path(name), Path(made))
