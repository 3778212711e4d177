"""``text2mem stats``: count what a store holds, and how old it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from text2mem.cli import options, show
from text2mem.cli.options import Caller

_SHOWN = 12
"""The most attributes that are listed for people."""


@click.command("stats")
@options.caller_options()
@options.output_options
def command(caller: Caller) -> None:
    """Count what a store holds: facts, episodes, what waits, what falls due, the queue.

    Facts are counted by type and attribute, versions superseded by day, ages in seconds.
    """
    with caller.of_existing_store().memory() as memory:
        counted = memory.stats()
    show.row(counted, "\n".join(_lines(counted)))


def _lines(counted: Mapping[str, Any]) -> Iterator[str]:
    facts, episodes, pending = counted["facts"], counted["episodes"], counted["pending"]
    yield f"facts        {_states(facts['total'])}"
    for name, states in facts["by_type"].items():
        yield f"  type {name}: {_states(states)}"
    order = sorted(facts["by_attribute"].items(), key=lambda pair: (-sum(pair[1].values()), pair))
    for name, states in order[:_SHOWN]:
        yield f"  {name}: {_states(states)}"
    if len(order) > _SHOWN:
        yield f"  and {len(order) - _SHOWN} more attributes"
    roles = ", ".join(f"{count} {role}" for role, count in episodes["by_role"].items())
    yield f"episodes     {episodes['total']}{f' ({roles})' if roles else ''}"
    if episodes["oldest"]:
        yield f"  from {episodes['oldest']} to {episodes['newest']}"
    others = ", ".join(f"{count} {name}" for name, count in counted["memories"].items())
    yield f"others       {others or 0}; {counted['deleted']} deleted"
    days = counted["superseded"]
    listed = ", ".join(f"{count} on {day[5:]}" for day, count in days.items() if count)
    within = f"{sum(days.values())} in the last {len(days)} days"
    yield f"superseded   {within}{f' ({listed})' if listed else ''}"
    waits = f", the oldest for {_age(pending['oldest_seconds'])}" if pending["count"] else ""
    yield f"pending      {pending['count']}{waits}"
    for each in counted["retention"]:
        ends = f"the first on {each['next'][:10]} ({each['on_expire']})"
        yield f"retention    {each['class']}: {each['count']} to end, {ends}"
    if counted["queue"] is not None:
        queue = dict(counted["queue"])
        lag = queue.pop("lag_seconds")
        listed = ", ".join(f"{name} {value}" for name, value in queue.items())
        yield f"queue        {listed}{'' if lag is None else f', the oldest for {_age(lag)}'}"
    if counted["bytes"] is not None:
        yield f"file         {counted['bytes'] / 2**20:.1f} MiB"


def _states(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in states.items() if count) or "0"


def _age(seconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    return f"{days} d {hours} h" if days else f"{hours} h {rest // 60} min"
