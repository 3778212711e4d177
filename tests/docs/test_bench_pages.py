"""The commands that the pages of docs/bench name are there, with the options they are given."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.docs.pages import ROOT
from text2mem.cli.main import cli

PAGES = sorted((ROOT / "docs" / "bench").glob("*.md"))
_SAID = re.compile(r"`(text2mem [^`\n]+)`")
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]+)")


def said() -> Iterator[tuple[Path, str]]:
    """Every command in a code span, brackets of what may be left out taken away."""
    for page in PAGES:
        for found in _SAID.findall(page.read_text("utf-8")):
            yield page, re.sub(r"[\[\]…]", " ", found)


def test_there_are_commands() -> None:
    assert len(list(said())) >= 10


@pytest.mark.parametrize(
    "line", [pytest.param(line, id=f"{page.stem}: {line}") for page, line in said()]
)
def test_a_command_of_a_page_is_known(line: str) -> None:
    command: click.Command = cli
    words = shlex.split(line)[1:]
    with click.Context(cli) as ctx:
        while words and isinstance(command, click.Group):
            found = command.get_command(ctx, words[0])
            assert found is not None, words[0]
            command, words = found, words[1:]
    known = {name for one in command.params for name in one.opts}
    assert [word for word in words if word.startswith("-") and word not in known] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = _LINK.findall(page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
