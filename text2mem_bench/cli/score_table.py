"""The scores of a run of the planning layer as a table, the published ones below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from text2mem_bench.metrics import CHARACTERS
from text2mem_bench.published import NOTE, PUBLISHED

_SCORES = {
    "esr": "ESR", "op_exact": "ops", "op_f1": "op F1", "slots": "slots", "kv_f1": "KV F1",
    "sma_lev": "lev", "sma_cos": "cos", "emr": "EMR", "effective": "effec", "row": "row",
    "adjudicated": "judge",
}  # fmt: skip
_LABEL = 18
_GROUPS = (
    ("lang", "language"), ("instruction_type", "instruction"), ("structure", "structure"),
    ("op", "op of the gold"),
)  # fmt: skip
_REST = "not Updates asked"
_KEY = """\
ops: exact sequence of ops; slots: of the gold's, with its values; lev, cos: SMA, cos by {cos};
EMR: assertions that hold; effec: of those that only the gold program makes true; row: rows whose
every assertion and ranking holds; p50, p95: seconds; in, out: tokens; draft: redrafts a row;
asked: rows that got a question in place of a program, which score 0"""
_REST_KEY = f"""\
{_REST}: all, without the Updates whose planner asked what to write (missing-content)"""


def table(config: dict[str, Any], summary: dict[str, Any]) -> str:
    """The run in words, its scores by group, and the published table marked as what it is."""
    return "\n".join([*_head(config, summary), *_body(config, summary), *_published()])


def _head(config: dict[str, Any], summary: dict[str, Any]) -> Iterator[str]:
    data, where = config["data"], config["machine"]
    off = f" without {', '.join(config['without'])}" if config.get("without") else ""
    yield f"{config['model']}{off} on {data['name']} ({data['rows']} rows), {config['command']}"
    yield "  ".join(f"{key}={value}" for key, value in where.items())
    statuses = ", ".join(f"{n} {status}" for status, n in summary["status"].items())
    left = config.get("left_out") or []
    if summary["asked"]:
        reasons = ", ".join(f"{n} {reason}" for reason, n in summary["asked"].items())
        statuses += f"; asked: {reasons}"
    yield statuses + (f"; {len(left)} left out: {', '.join(left)}" if left else "")
    if summary["status"].get("service"):
        yield "what got no answer is not scored; repeat the command to ask again"
    if config.get("adjudicator"):
        yield f"judge: the opinion of {config['adjudicator']}, no measurement"
    yield ""


def _body(config: dict[str, Any], summary: dict[str, Any]) -> Iterator[str]:
    names = [name for name in _SCORES if name != "adjudicated" or config.get("adjudicator")]
    titles = [*(_SCORES[name] for name in names), "p50", "p95", "in", "out", "draft", "asked"]
    yield f"{'':<{_LABEL}}{'n':>5}" + "".join(f"{title:>7}" for title in titles)
    yield _line("all", summary["overall"], names)
    if summary["answerable"] is not None:
        yield _line(_REST, summary["answerable"], names)
    for key, title in _GROUPS:
        yield f"{title}:"
        for value, cell in summary[key].items():
            yield _line(f"  {value}", cell, names)
    yield _KEY.format(cos=config.get("embedder") or CHARACTERS)
    if summary["answerable"] is not None:
        yield _REST_KEY


def _line(label: str, cell: dict[str, Any], names: list[str]) -> str:
    n = cell["n"]
    figures = [_share(cell["scores"].get(name)) for name in names]
    for share in ("p50", "p95"):
        seconds = cell["seconds"][share]
        figures.append("-" if seconds is None else f"{seconds:.2f}")
    figures += [f"{cell['tokens'][key] / n:.0f}" if n else "-" for key in ("prompt", "output")]
    figures.append("-" if cell["redrafts"] is None else f"{cell['redrafts']:.2f}")
    figures.append(str(cell["asked"]))
    return f"{label[:_LABEL]:<{_LABEL}}{n:>5}" + "".join(f"{figure:>7}" for figure in figures)


def _published() -> Iterator[str]:
    yield f"\n{NOTE}:"
    yield f"{'':<{_LABEL}}{'ESR':>7}{'lev':>7}{'EMR':>7}{'EMR, English rows':>20}"
    for row in PUBLISHED:
        scores = "".join(f"{_share(score):>7}" for score in (row.esr, row.sma_lev, row.emr))
        yield f"{row.model:<{_LABEL}}{scores}{_share(row.emr_en):>20}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
