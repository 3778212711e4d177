"""The page of the queue: episodes that wait to be read, and those that were given up."""

from __future__ import annotations

from collections.abc import Mapping

from text2mem.adapters.queue import Task
from text2mem.doors.ui import layout
from text2mem.doors.ui.visit import Elsewhere, NotFound, Page, Visit
from text2mem.ir.record import Record
from text2mem.ledger.working import retry as try_again
from text2mem.ledger.working import tasks
from text2mem.markup import Markup, join, tag

_ALL = "all"
"""The id by which a form means all episodes that were given up."""


def queue(visit: Visit) -> Page:
    """The page of the episodes that wait, and of those given up, with their last errors."""
    ledger = visit.memory.ledger
    waiting, dead = tasks(ledger, dead=False), tasks(ledger, dead=True)
    episodes = ledger.find([task.episode for task in (*waiting, *dead)])
    again = layout.form(visit, "/queue/retry", {"id": _ALL}, layout.button("Try all of them again"))
    return Page("Queue", "/queue", join(
        layout.section("Waiting", layout.listed(
            (_task(visit, each, episodes) for each in waiting), empty="Nothing waits to be read.",
        ), layout.capped(len(waiting))),
        layout.section("Given up", layout.listed(
            (_task(visit, each, episodes) for each in dead), empty="Nothing was given up.",
        ), layout.capped(len(dead)), again if len(dead) > 1 else None),
        layout.soft("text2mem worker reads what waits."),
    ))  # fmt: skip


def _task(visit: Visit, task: Task, episodes: Mapping[str, Record]) -> Markup:
    """A task of the queue, with a button that tries it again if it was given up."""
    record = episodes.get(task.episode)
    meta = layout.meta(
        layout.memory_link(task.episode, "e"),
        join("since ", layout.moment(task.queued_at, visit.tz)),
        layout.counted(task.attempts, "try", "tries"),
        None if task.dead else join("due ", layout.moment(task.due_at, visit.tz)),
        tag("span", layout.short(task.error, 200), class_="warning") if task.error else None,
    )
    again = layout.button("Try again", about=f"episode {task.episode}")
    return join(
        tag("p", layout.short(record.text, 400) if record else "(not there any more)",
            class_="text"),
        meta,
        layout.form(visit, "/queue/retry", {"id": task.episode}, again) if task.dead else None,
    )  # fmt: skip


def retry(visit: Visit) -> Elsewhere:
    """Queue one episode that was given up, or all of them, once more. Raises NotFound."""
    wanted = visit.form.get("id", "")
    count = try_again(visit.memory.ledger, None if wanted == _ALL else [wanted])
    if not count:
        raise NotFound("episode of this number that was given up")
    visit.say(f"{count} to be tried again: text2mem worker reads what waits.")
    return Elsewhere("/queue")
