"""``text2mem bench generate``: synthetic cases in the published format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from text2mem.cli import show
from text2mem.cli.progress import with_progress
from text2mem.errors import ConfigurationError

if TYPE_CHECKING:
    from text2mem_bench.generate.model import Lang, Split


@click.command("generate")
@click.option("--n", "count", type=click.IntRange(1), default=300, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the cases.")
@click.option(
    "--lang", "langs", default="en,zh", show_default=True, metavar="LANG[,LANG]",
    help="In which languages, in turn.",
)  # fmt: skip
@click.option(
    "--split", type=click.Choice(["train", "dev", "test"]), help="The cases of one split alone."
)
@click.option("--out", type=click.Path(dir_okay=False), help="Write the rows here.  [stdout]")
def command(count: int, seed: int, langs: str, split: str | None, out: str | None) -> None:
    """Make synthetic cases: programs first, and requests from them.

    A row a case, as `bench replay` reads it, with `meta`: the family of the request, its template
    and split, the turns before it, and what its vague phrases stand for. Every program has run on
    its store, and every assertion is false before it and true after it. The same seed gives the
    same rows.
    """
    from text2mem_bench.generate.generator import generate

    wanted = _languages(langs)
    rows = generate(count, seed=seed, langs=wanted, split=cast("Split | None", split))
    if out is None:
        for row in with_progress(rows, "generating"):
            show.emit(row)
    else:
        _write(Path(out), rows)
        click.echo(f"{count} rows in {out}", err=True)


def _languages(said: str) -> list[Lang]:
    from text2mem_bench.generate.model import LANGS

    wanted = [lang for lang in LANGS if lang in said.split(",")]
    if not wanted or set(said.split(",")) - set(LANGS):
        raise click.UsageError(f"--lang takes {', '.join(LANGS)}, not '{said}'")
    return wanted


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for row in with_progress(rows, "generating"):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    except OSError as error:
        raise ConfigurationError(f"cannot write {path}: {error}") from error
