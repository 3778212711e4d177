"""Print the past for people: programs of the log, changes of a memory, effects of a tick."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from itertools import groupby

from text2mem.cli import show
from text2mem.executor import TickResult
from text2mem.executor.history import Logged
from text2mem.ir.effects import changes_in_words, named, short
from text2mem.ir.journal import Entry
from text2mem.ir.values import as_text
from text2mem.messages import message, moment
from text2mem.planner.effects import InWords


def show_log(programs: Sequence[Logged], tz: tzinfo) -> None:
    """Print programs as a table, without empty columns."""
    rows = [
        (
            program.trace_id, moment(program.at, "", tz), program.actor or "",
            ", ".join(_ops_of(program)), named(program.ids),
            f"'{' '.join(program.said.split())}'" if program.said else "",
        )
        for program in programs
    ]  # fmt: skip
    table = [("trace", "time", "who", "what", "memories", "words"), *rows] if rows else []
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    used = [at for at, width in enumerate(widths) if at < 2 or any(row[at] for row in rows)]
    for row in table:
        show.line("  ".join(f"{row[at]:<{widths[at]}}" for at in used).rstrip())


def _ops_of(program: Logged) -> Iterator[str]:
    """The ops of a program in words, neighbours of the same op as one."""
    undone = f" of {program.undoes}" if program.undoes else ""
    for op, steps in groupby(program.ops, key=lambda pair: pair[0]):
        count = len({id_ for _, ids in steps for id_ in ids})
        yield f"{op}{undone}" if count == 1 else f"{op}{undone} ({count} memories)"


def show_entries(entries: Iterable[Entry], tz: tzinfo) -> None:
    """Print the changes of a memory, each with its program and its fields before and after."""
    words = InWords(tz)
    for entry in entries:
        head, lines = entry.in_words(
            lambda name, value: as_text(words.value(name, value)), lambda at: moment(at, "", tz)
        )
        show.line(head)
        for line in lines:
            show.line(f"    {line}".replace("\n", "\n      "), "dim")


def show_tick(result: TickResult, tz: tzinfo, said: str = "") -> None:
    """Print the effects of a tick: expiries, memories that are back, reminders, warnings; in the
    language of ``said``."""
    words, dry = InWords(tz, said), message("dry", said) if result.dry_run else ""
    # The changes of a memory that is in both are shown once.
    back = set(result.resumed) - set(result.expired)
    for word, ids, told in (
        ("expired", result.expired, set(result.expired)), ("back", result.resumed, back),
    ):  # fmt: skip
        if ids:
            show.line(f"  ✓ {message(word, said, ids=words.ids(ids))}{dry}", "green")
            changes = (each for each in result.changes if each.id in told)
            for each in changes_in_words(changes, words):
                show.line(f"    {each}", "dim")
    for fired in result.fired:
        due, following = (at and moment(at, said, tz) for at in (fired.due, fired.following))
        text = short(fired.memory["text"])
        reminder = message("reminder-of", said, id=fired.memory["id"], text=text)
        show.line(f"  ✓ {reminder}{dry}", "green")
        name = "due-next" if following else "due-last"
        show.line(f"    {message(name, said, due=due, then=following)}", "dim")
    if not result.expired and not result.resumed and not result.fired:
        show.line(f"  ✓ {message('nothing-due', said)}{dry}", "green")
    for warning in result.warnings:
        show.line(f"    {words.note(warning)}", "yellow")
