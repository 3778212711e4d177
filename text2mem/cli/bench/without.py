"""``--without AID``: which aids of planning a measurement switches off."""

from __future__ import annotations

from collections.abc import Iterable

import click

without_option = click.option(
    "--without", multiple=True, metavar="AID[,AID…]",
    help="Switch aids of planning off, such as examples, or all. Repeatable.",
)  # fmt: skip


def switched_off(said: Iterable[str]) -> list[str]:
    """The names in what was said, in the order in which the aids are defined, unknown ones last.

    "all" stands for every aid: the model by itself.
    """
    from text2mem.planner.aids import AID_NAMES

    off = {name.strip() for each in said for name in each.split(",")} - {""}
    named = [name for name in AID_NAMES if name in off or "all" in off]
    return [*named, *sorted(off - {*AID_NAMES, "all"})]
