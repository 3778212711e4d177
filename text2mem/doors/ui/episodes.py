"""The page of episodes, with the facts that rest on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from text2mem.adapters.queue import Task
from text2mem.doors.ui import layout
from text2mem.doors.ui.memories import fact_line
from text2mem.doors.ui.visit import Page, Visit
from text2mem.ir.journal import WITHHELD
from text2mem.ir.ops import ByFilter
from text2mem.ir.record import Record
from text2mem.ledger.episode import EPISODE, Episode
from text2mem.markup import Markup, join, tag

A_PAGE, _FURTHEST = 20, 400
"""The most episodes on a page, and the number of the last page."""


def episodes(visit: Visit) -> Page:
    """The page of the episodes, the newest first."""
    number = visit.page(_FURTHEST)
    rows, total = visit.select(ByFilter(type=EPISODE, include=("archived",), limit=number * A_PAGE))
    here = rows[(number - 1) * A_PAGE :]
    facts = visit.memory.ledger.heard_in([each.id for each in here])
    queue = visit.memory.adapter.queue
    tasks = {
        task.episode: task for dead in (False, True) for task in queue.tasks(dead=dead, limit=None)
    }
    items = (_episode(visit, each, facts[each.id], tasks) for each in here)
    nothing = "Nothing has been observed yet: text2mem observe stores what is said."
    return Page("Episodes", "/episodes", join(
        layout.soft(layout.counted(total, "episode", "episodes")),
        layout.listed(items, empty=nothing, page=number),
        layout.pages("/episodes", number, more=total > number * A_PAGE, most=_FURTHEST),
    ))  # fmt: skip


def _episode(
    visit: Visit, record: Record, facts: Sequence[Record], tasks: Mapping[str, Task]
) -> Markup:
    """An episode in the list: its text, its speaker, time and session, and what it led to."""
    episode = Episode.of(record, visit.tz)
    who = episode.message.speaker or episode.role
    meta = layout.meta(
        layout.memory_link(record.id, "e"), layout.short(who, 60),
        layout.moment(record.when, visit.tz),
        f"in {layout.short(episode.session, 40)}" if episode.session else None,
        layout.mark(layout.state(record, visit.now)),
    )  # fmt: skip
    return join(
        tag("p", layout.short(episode.text, 1000), class_="text"),
        meta,
        _became(visit, record, facts, tasks.get(record.id)),
    )


def _became(visit: Visit, record: Record, facts: Sequence[Record], task: Task | None) -> Markup:
    """The facts that rest on an episode, and whether it waits in the queue or was given up."""
    items = [tag("li", fact_line(visit, each)) for each in facts]
    if task is not None:
        word = "given up" if task.dead else "waits to be read"
        items.append(tag("li", tag("a", word, href="/queue")))
    if record.facets.get(WITHHELD):
        items.append(tag("li", "the policy keeps some of it back", class_="soft"))
    if not items:
        return layout.soft("no fact rests on it")
    return tag("ul", *items, class_="plain became")
