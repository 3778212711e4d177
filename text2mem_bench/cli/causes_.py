"""``text2mem bench causes``: what the failed rows of a planning run are made of."""

from __future__ import annotations

from typing import Any

import click

from text2mem.cli import show

_NAMED = 5


@click.command("causes")
@click.argument("folder", metavar="RUN", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--data", type=click.Path(exists=True, dir_okay=False),
    help="The corpus of a run whose rows do not say what the gold invents.",
)  # fmt: skip
@click.option("--markdown", "form", flag_value="markdown", help="As a table of Markdown.")
@click.option("--json", "form", flag_value="json", help="JSON, on a terminal too.")
@click.option("--text", "form", flag_value="text", help="As on a terminal.")
def command(folder: str, data: str | None, form: str | None) -> None:
    """Count the failed rows of RUN, a folder that `bench plan` wrote, by cause.

    Each row has one cause: the first that explains it, from no program over wrong ops and wrong
    targets to other arguments. A row is missed where the store or a ranking is not as expected.
    """
    from text2mem_bench.causes import causes, table
    from text2mem_bench.corpus import read_corpus
    from text2mem_bench.report.run import load

    (run,) = load([folder])
    cases = {} if data is None else {case.id: case for case in read_corpus(data)}
    found = causes(run.rows, cases)
    told = {
        "run": run.name, "model": run.config.get("model"), "data": run.data.get("name"),
        "rows": len(run.scored), "failed": len(found), "missed": sum(one.missed for one in found),
        "causes": table(found),
    }  # fmt: skip
    if form == "json" or (form is None and not show.on_terminal()):
        show.emit(told)
        return
    lines = _markdown(told) if form == "markdown" else _lines(told)
    click.echo(show.visible("\n".join(lines)))


def _lines(told: dict[str, Any]) -> list[str]:
    """The causes, and below each what it comes in."""
    lines = [_head(told), f"{'rows':>5}{'missed':>8}  cause"]
    for cause in told["causes"]:
        lines.append(f"{cause['rows']:>5}{cause['missed']:>8}  {cause['title']}")
        for part in cause["details"]:
            lines.append(
                f"{part['rows']:>5}{part['missed']:>8}    {part['detail']}: {_some(part['ids'])}"
            )
    return lines


def _markdown(told: dict[str, Any]) -> list[str]:
    """One row a cause, with its commonest forms."""
    lines = [f"{_head(told)}:", "", "| cause | rows | missed | of them |", "| --- " * 4 + "|"]
    for cause in told["causes"]:
        parts = [f"{part['rows']} {part['detail']}" for part in cause["details"][:_NAMED]]
        more = ["…"] if len(cause["details"]) > _NAMED else []
        cells = [cause["title"], cause["rows"], cause["missed"], "; ".join([*parts, *more])]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def _head(told: dict[str, Any]) -> str:
    return (
        f"{told['run']}: {told['failed']} of {told['rows']} rows of {told['data']} failed with "
        f"{told['model']}, {told['missed']} of them missed"
    )


def _some(ids: list[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more
