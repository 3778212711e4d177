"""The docs hold: links lead somewhere, examples run, commands and section titles exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *GUIDE]
SECTIONS = [
    "Program, context", "Target", "Search", "Ops", "Spellings, times", "Invariants", "Rights",
    "Locks", "Expiry and reminders", "Erasure, undo", "Ids, results",
]  # fmt: skip

_BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$", re.MULTILINE)
_CITED = re.compile(r'language\.md["`)]*[,:]?\s*\(?((?:"[^"]+"(?:,\s*|\s+and\s+)?)+)')


class Block(NamedTuple):
    """A fenced block: what stands after the fence, its text, and the line on which that begins."""

    info: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1].strip(), found[2], text.count("\n", 0, found.start(2)) + 1)
        for found in _BLOCK.finditer(text)
    ]


def prose(page: Path) -> str:
    """A page without its fenced blocks and code spans."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"`[^`\n]*`", "", text)


def headings(page: Path) -> list[str]:
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [found[2] for found in _HEADING.finditer(text)]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as a forge makes them; a repeated one gets a number."""
    found: dict[str, int] = {}
    out = set()
    for heading in headings(page):
        kept = re.sub(r"[^\w\- ]", "", heading.lower())
        slug = kept.strip().replace(" ", "-")
        count = found.get(slug, 0)
        out.add(f"{slug}-{count}" if count else slug)
        found[slug] = count + 1
    return out


def cited_sections() -> Iterator[tuple[str, str]]:
    """Every section of language.md that a docstring names, with the file that names it."""
    for path in sorted((ROOT / "text2mem").rglob("*.py")):
        for found in _CITED.finditer(path.read_text(encoding="utf-8")):
            for title in re.findall(r'"([^"]+)"', found[1]):
                yield " ".join(title.split()), path.relative_to(ROOT).as_posix()


def commands(text: str) -> Iterator[list[str]]:
    """The words after every ``text2mem`` of a console block, pipes and continuations read."""
    for line in text.replace("\\\n", " ").splitlines():
        if not line.startswith("$ "):
            continue  # what a command printed
        lexer = shlex.shlex(line[2:], posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        words: list[str] = []
        for word in [*lexer, ";"]:
            if word and set(word) <= set("|&;"):
                while words and re.fullmatch(r"\w+=.*", words[0]):
                    words.pop(0)
                if words and words[0] == "text2mem":
                    yield words[1:]
                words = []
            else:
                words.append(word)


def unknown(words: list[str], group: click.Group) -> str:
    """The first word that names no subcommand where one is due; empty where all is well."""
    context = click.Context(group)
    while words:
        word, *words = words
        if word.startswith("-"):
            option = next((p for p in group.params if word.partition("=")[0] in p.opts), None)
            if isinstance(option, click.Option) and not option.is_flag and "=" not in word:
                words = words[1:]
            continue
        if word not in group.list_commands(context):
            return word
        command = group.get_command(context, word)
        if command is None:
            return word
        if not isinstance(command, click.Group):
            return ""
        group, context = command, click.Context(command, parent=context)
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in _LINK.findall(prose(page)):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue  # somewhere else
        name, _, anchor = link.partition("#")
        aim = (page.parent / name).resolve() if name else page
        if not aim.exists() or (anchor and anchor not in anchors(aim)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize(
    "page",
    [page for page in GUIDE if any(block.info == "python" for block in blocks(page))],
    ids=lambda page: page.name,
)
def test_the_python_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "example"}
    for block in blocks(page):
        if block.info == "python":
            # Empty lines in front, so that a traceback shows the line of the page.
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            exec(code, namespace)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.name)
def test_python_that_needs_a_model_compiles(page: Path) -> None:
    for block in blocks(page):
        assert block.info in ("", "python", "python model", "console", "json", "toml", "sql")
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
        for found in _HEADING.finditer((ROOT / "docs/language.md").read_text(encoding="utf-8"))
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
