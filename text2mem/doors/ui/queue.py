"""The queue: episodes that wait to be read, and those that were given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from text2mem.adapters.queue import Task
from text2mem.doors.ui import layout
from text2mem.doors.ui.visit import Elsewhere, NotFound, Page, Visit
from text2mem.ir.record import Record
from text2mem.ledger.working import retry as try_again
from text2mem.ledger.working import tasks
from text2mem.markup import Markup, join, tag

_ALL = "all"


def queue(visit: Visit) -> Page:
    """What waits, and what was given up with its last error."""
    ledger = visit.memory.ledger
    waiting, dead = tasks(ledger, dead=False), tasks(ledger, dead=True)
    found = ledger.find([task.episode for task in (*waiting, *dead)])
    again = layout.form(visit, "/queue/retry", layout.hidden(id=_ALL),
                        layout.button("Try all of them again"))  # fmt: skip
    return Page("Queue", "/queue", join(
        layout.section("Waiting", _listed(visit, waiting, found, retrying=False) if waiting
                       else layout.nothing("Nothing waits to be read.")),
        layout.section(
            "Given up",
            join(_listed(visit, dead, found, retrying=True), again if len(dead) > 1 else None)
            if dead else layout.nothing("Nothing was given up."),
        ),
        tag("p", "text2mem worker reads what waits.", class_="soft"),
    ))  # fmt: skip


def _listed(
    visit: Visit, listed: Sequence[Task], found: Mapping[str, Record], *, retrying: bool
) -> Markup:
    return tag("ul", *(tag("li", _task(visit, each, found, retrying)) for each in listed),
               class_="cards")  # fmt: skip


def _task(visit: Visit, task: Task, found: Mapping[str, Record], retrying: bool) -> Markup:
    record = found.get(task.episode)
    tries = f"{task.attempts} {'try' if task.attempts == 1 else 'tries'}"
    parts = [
        layout.memory_link(task.episode, f"e{task.episode}"),
        join("since ", layout.moment(task.queued_at, visit.tz)), tries,
        None if task.dead else join("due ", layout.moment(task.due_at, visit.tz)),
        tag("span", layout.short(task.error, 200), class_="warning") if task.error else None,
    ]  # fmt: skip
    shown = [tag("span", part) for part in parts if part]
    answer = layout.form(visit, "/queue/retry", layout.hidden(id=task.episode),
                         layout.button("Try again", about=f"episode {task.episode}"))  # fmt: skip
    return join(
        tag("p", layout.short(record.text, 400) if record else "(not there any more)",
            class_="text"),
        tag("p", *shown, class_="meta"),
        answer if retrying else None,
    )  # fmt: skip


def retry(visit: Visit) -> Elsewhere:
    """Give episodes that were given up another run of attempts."""
    wanted = visit.form.get("id", "")
    count = try_again(visit.memory.ledger, None if wanted == _ALL else [wanted])
    if not count:
        raise NotFound("episode of this number that was given up")
    visit.say(f"{count} to be tried again: text2mem worker reads what waits.")
    return Elsewhere("/queue")
