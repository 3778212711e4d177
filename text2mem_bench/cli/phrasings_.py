"""``text2mem bench phrasings``: which verbs a model hears."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict

import click

from text2mem.cli import show


@click.command("phrasings")
@click.argument("path", type=click.Path(exists=True, dir_okay=False))
@click.option("--model", "-m", metavar="PROVIDER:MODEL", help="Which model plans.")
@click.option("--seed", type=int, default=0, help="Seed of the sampler.")
@click.option("--json", "form", flag_value="json", help="One JSON row a phrasing.")
def command(path: str, model: str | None, seed: int, form: str | None) -> None:
    """How many phrasings of PATH become the right verbs; every miss is printed."""
    from text2mem.cli.batch import tracked
    from text2mem.providers.registry import open_provider
    from text2mem.settings import Settings
    from text2mem_bench.machine import machine
    from text2mem_bench.phrasings import cases, listen

    spec = model or Settings.from_environment().model
    where = {**machine(), "model": spec, "seed": str(seed)}
    click.echo(
        json.dumps(where) if form == "json" else "  ".join(f"{k}={v}" for k, v in where.items())
    )
    heard = []
    for one in listen(tracked(cases(path), "compiling"), open_provider(spec), seed=seed):
        heard.append(one)
        if form == "json":
            show.emit({**asdict(one), "right": one.right})
        elif not one.right:
            got = ", ".join(one.got) or one.error.splitlines()[0]
            click.echo(f"miss {one.id}: {one.input} -> {got}; expected {', '.join(one.expected)}")
    right = sum(one.right for one in heard)
    seconds = sorted(one.seconds for one in heard)
    redrafts = sum(one.redrafts for one in heard)
    click.echo(
        f"{right} of {len(heard)} right, {redrafts} redrafts, "
        f"median {statistics.median(seconds):.1f} s a compile",
        err=form == "json",
    )
