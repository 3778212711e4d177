"""The pages of the guide, and what stands on them: blocks, links, anchors, commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

ROOT = Path(__file__).resolve().parents[2]
GUIDE = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "how-to").glob("*.md")])
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *GUIDE]

_BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# ([\w-]+\.py)\n")
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$", re.MULTILINE)


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


def file_name(block: Block) -> str | None:
    """The name of the file that a block of Python is, by its first line."""
    found = _FILE.match(block.text)
    return found[1] if found else None


def prose(page: Path) -> str:
    """A page without its fenced blocks and code spans."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"`[^`\n]*`", "", text)


def headings(page: Path) -> list[str]:
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [found[2] for found in HEADING.finditer(text)]


def links(page: Path) -> list[str]:
    """Where the links of a page's prose lead, pictures apart."""
    return [found[1] for found in _LINK.finditer(prose(page))]


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
