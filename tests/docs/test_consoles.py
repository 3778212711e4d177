"""The commands that the README, the tutorial and the how-to pages show do what they show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.docs.consoles import Step, is_run, settled, steps, typed
from tests.docs.pages import GUIDE, ROOT, Block, blocks, commands, unknown
from text2mem.cli.main import cli

SHOWN = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", ROOT / "docs" / "which-command.md"]
SHOWN += [page for page in GUIDE if page.parent.name == "how-to"]
SHELL = [(page, b) for page in SHOWN for b in blocks(page) if b.info.split()[:1] == ["console"]]
NOT_OF_A_READER = ("make", "pip", "git", "sudo", "systemctl")


def programs(command: str) -> set[str]:
    """The first word of each command of a line."""
    words = shlex.split(re.sub(r"\|\||&&|[|;&]", "\n;\n", command), posix=False)
    first = [word for word, before in zip(words, [";", *words], strict=False) if before == ";"]
    return {Path(word).name for word in first}


@pytest.mark.model
@pytest.mark.timeout(1200)  # a command loads the model anew
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, id=page.stem, marks=pytest.mark.apart("tests.docs.consoles:played", str(page))
        )
        for page in SHOWN
        if any(is_run(block) for block in blocks(page))
    ],
)
def test_the_commands_of_a_page_do_what_they_show(page: Path, done: list[Any]) -> None:
    assert done
    for command, _, printed, code in done:
        step = Step(*command)
        where = f"{page.name}:{step.line}: {step.command}"
        assert settled(printed) == settled(step.output), where
        assert code in (0, 1), f"{where}\n{printed}"  # 1: refused or asked back, as is shown


def test_there_is_something_to_run() -> None:
    run = [step for page, block in SHELL if is_run(block) for step in steps(block)]
    assert len(run) >= 30


@pytest.mark.parametrize(
    "block", [pytest.param(b, id=f"{page.stem}: line {b.line}") for page, b in SHELL]
)
def test_every_command_is_known_and_every_fence_too(block: Block) -> None:
    assert block.info in ("console", "console no-run")
    for words in commands(block.text):
        assert unknown(words, cli) == ""


def test_what_installs_or_builds_is_not_run() -> None:
    for _, block in SHELL:
        for step in steps(block) if is_run(block) else ():
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


def test_what_is_typed_stands_after_a_prompt() -> None:
    talk = "› Where is it?\n  ✓ Retrieve\n› Delete it.\nrun it? [y/N] y\n› Thanks\nanswer › 2\n"
    said = ["Where is it?", "Delete it.", "y", "Thanks", "2"]
    assert typed(Step("text2mem repl", talk, 1)) == said
    assert typed(Step("text2mem run 'Where is it?'", talk, 1)) == []
