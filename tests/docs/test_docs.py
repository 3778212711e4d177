"""The docs hold: links lead somewhere, examples run, commands and section titles exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.docs.pages import (
    GUIDE,
    HEADING,
    PAGES,
    ROOT,
    Block,
    anchors,
    blocks,
    commands,
    file_name,
    links,
    unknown,
)  # fmt: skip
from tests.postgres import server

SECTIONS = [
    "Program, context", "Target", "Search", "Ops", "Spellings, times", "Invariants", "Rights",
    "Locks", "Expiry and reminders", "Erasure, undo", "Ids, results",
]  # fmt: skip
INFOS = ("", "python", "python model", "console", "console no-run", "json", "toml", "sql", "ini")

_CITED = re.compile(r'language\.md["`)]*[,:]?\s*\(?((?:"[^"]+"(?:,\s*|\s+and\s+)?)+)')


def cited_sections() -> Iterator[tuple[str, str]]:
    """Every section of language.md that a docstring names, with the file that names it."""
    for path in sorted((ROOT / "text2mem").rglob("*.py")):
        for found in _CITED.finditer(path.read_text(encoding="utf-8")):
            for title in re.findall(r'"([^"]+)"', found[1]):
                yield " ".join(title.split()), path.relative_to(ROOT).as_posix()


def is_example(block: Block) -> bool:
    """Whether it is Python to run here; what is a file, the commands after it run."""
    return block.info == "python" and file_name(block) is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in links(page):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue  # somewhere else
        name, _, anchor = link.partition("#")
        aim = (page.parent / name).resolve() if name else page
        if not aim.exists() or (anchor and anchor not in anchors(aim)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize(
    "page",
    [page for page in GUIDE if any(is_example(block) for block in blocks(page))],
    ids=lambda page: page.name,
)
def test_the_python_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if page.name in ("postgres.md", "scale-out.md"):
        for name, value in server().environment().items():
            monkeypatch.setenv(name, value)
    namespace: dict[str, object] = {"__name__": "example"}
    for block in blocks(page):
        if is_example(block):
            # Empty lines in front, so that a traceback shows the line of the page.
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            exec(code, namespace)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.name)
def test_python_that_needs_a_model_compiles(page: Path) -> None:
    for block in blocks(page):
        assert block.info in INFOS
        if block.info == "python model":
            compile(block.text, f"{page}:{block.line}", "exec")


def test_the_table_of_embedders_is_that_of_the_profiles() -> None:
    from text2mem.services.embedding.profiles import PROFILES

    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    table = text.partition("| model | threshold |")[2].partition("\n\n")[0].splitlines()[2:]
    told = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in table]
    for (name, threshold, query, passage), (pattern, profile) in zip(told, PROFILES, strict=True):
        assert name == ("any other" if pattern == "*" else f"`{pattern}`")
        assert float(threshold) == profile.threshold
        for cell, prefix in ((query, profile.query), (passage, profile.passage)):
            shown = f"`{prefix.strip()}`" if prefix else ""
            assert cell.replace("\\|", "|") in (
                shown,
                "an instruction" if "\n" in prefix else shown,
            )


def test_language_has_its_sections() -> None:
    second_level = [
        found[2]
        for found in HEADING.finditer((ROOT / "docs/language.md").read_text(encoding="utf-8"))
        if found[1] == "##"
    ]
    assert second_level == SECTIONS


def test_sections_that_docstrings_name_are_in_language() -> None:
    cited = list(cited_sections())
    assert len({path for _, path in cited}) >= 8
    assert [pair for pair in cited if pair[0] not in SECTIONS] == []


@pytest.mark.parametrize(
    ("page", "words"),
    [
        pytest.param(page.name, words, id=f"{page.name}: {shlex.join(words)}")
        for page in GUIDE
        for block in blocks(page)
        if block.info == "console"
        for words in commands(block.text)
    ],
)
def test_a_command_of_the_docs_is_known(page: str, words: list[str]) -> None:
    from text2mem.cli.main import cli

    assert unknown(words, cli) == ""


def test_the_readers_of_this_test_read() -> None:
    text = "$ A=1 text2mem models pull x | text2mem exec - && echo text2mem no\ntext2mem printed\n"
    assert list(commands(text)) == [["models", "pull", "x"], ["exec", "-"]]

    group = click.Group("g", params=[click.Option(["--at"]), click.Option(["--dry"], is_flag=True)])
    group.add_command(click.Command("exec"))
    assert unknown(["--at", "x", "--dry", "exec", "whatever"], group) == ""
    assert unknown(["--at=x", "exce"], group) == "exce"
