"""The README's console blocks: those that are marked runnable do what they show.

In a block fenced ``console``, a line with "$ " is a command, and what follows is its output as it
goes into a pipe, stderr included. In ``console no-run`` only the subcommands are looked at.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.test_docs import Block, blocks, commands, unknown
from text2mem.cli.main import cli

README = Path(__file__).resolve().parents[2] / "README.md"
SHELL = [block for block in blocks(README) if block.info.split()[:1] == ["console"]]
RUNNABLE = [block for block in SHELL if block.info == "console"]
NOT_OF_A_READER = ("make", "pip", "git")

# What no two runs have in common, and what stands in its place.
_VARIES = (
    (re.compile(r'("trace_id": )"[^"]*"'), r'\1"…"'),
    (re.compile(r'("duration_ms": )[\d.]+'), r"\1…"),
    (re.compile(r"^(  trace ).*", re.MULTILINE), r"\1…"),
    (re.compile(r'("(?:prompt|output|cached)": )\d+'), r"\1…"),
    # What the model wrote: another processor may round, and so choose, another word.
    (re.compile(r'"(text|query|about)": "[^"]*"'), r'"\1": "…"'),
    (re.compile(r'"tags": \[[^]]*\]'), '"tags": […]'),
    (re.compile(r"(\d+\.(?:text|tags): ).*"), r"\1…"),
    (re.compile(r"^(    \d+: ).*", re.MULTILINE), r"\1…"),
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"), "…"),
)


class Step(NamedTuple):
    """A command of a block, what it is shown to print, and the line on which it stands."""

    command: str
    output: str
    line: int


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


def programs(command: str) -> set[str]:
    """The first word of each command of a line."""
    words = shlex.split(re.sub(r"\|\||&&|[|;&]", "\n;\n", command), posix=False)
    first = [word for word, before in zip(words, [";", *words], strict=False) if before == ";"]
    return {Path(word).name for word in first}


@pytest.mark.model
def test_the_runnable_commands_do_what_they_show(tmp_path: Path) -> None:
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    for block in RUNNABLE:
        for step in steps(block):
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", step.command],
                cwd=tmp_path, env=environment, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            printed = done.stdout.decode()
            where = f"README.md:{step.line}: {step.command}"
            assert done.returncode == 0, f"{where}\n{printed}"
            assert settled(printed) == settled(step.output), where


def test_there_is_something_to_run() -> None:
    assert sum(1 for block in RUNNABLE for _ in steps(block)) >= 2


@pytest.mark.parametrize("block", SHELL, ids=lambda block: f"line {block.line}")
def test_every_command_is_known_and_every_fence_too(block: Block) -> None:
    assert block.info in ("console", "console no-run")
    for words in commands(block.text):
        assert unknown(words, cli) == ""


def test_what_installs_or_builds_is_not_run() -> None:
    for block in RUNNABLE:
        for step in steps(block):
            assert not programs(step.command) & set(NOT_OF_A_READER), step


def test_the_reader_of_this_test_reads() -> None:
    text = "$ text2mem one \\\n> --two\nprinted\n\nmore\n$ A=1 text2mem three | make x\n"
    first, second = steps(Block("console", text, 7))
    assert first == Step("text2mem one \\\n--two", "printed\n\nmore", 7)
    assert (second.output, second.line) == ("", 12)
    assert programs("make x && git y | wc; /usr/bin/pip z") == {"make", "git", "wc", "pip"}
    row = '{"trace_id": "%s", "duration_ms": %s, "prompt": %d, "at": "2026-%02d-04T10:30:00Z"}'
    assert settled(row % ("ab12", "1.25", 7, 3)) == settled(row % ("cd", "30", 912, 11) + " \n")
    assert settled('{"op": "Encode"}') != settled('{"op": "Delete"}')
