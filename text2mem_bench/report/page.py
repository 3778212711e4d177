"""The report: one HTML page that needs nothing else, no network, no font and no other file.

Its policy lets only its own style and its own script through, by their hashes.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from importlib import resources
from string import Template
from typing import Any

from text2mem import __version__
from text2mem.markup import Markup, join, tag, text
from text2mem_bench.report import tables
from text2mem_bench.report import wild as wild_parts
from text2mem_bench.report.charts import bars, histogram, reach
from text2mem_bench.report.failures import listed
from text2mem_bench.report.matrix import OPS, matrix
from text2mem_bench.report.run import ReportedRun
from text2mem_bench.report.wording import GROUPS, title
from text2mem_bench.scores import Row, quantile

_PLANNING = {
    "scores": "Scores", "ops": "Ops", "confusion": "Confusion", "cost": "Cost",
    "failures": "Failures",
}  # fmt: skip
_WILD = {"wild": "Requests", "wild-failures": "Requests gone wrong"}
"""The parts of the page and how they are led to."""
_LEFT_OUT = tag("p", "The cases are left out of this report.")
_NOT_IN_SCRIPT = re.compile(r"[<>&\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_BARS = ("op_exact", "esr", "emr")
_COSTS: dict[str, tuple[str, Callable[[Row], float]]] = {
    "Latency": ("seconds", lambda row: float(row["seconds"])),
    "Prompt": ("tokens", lambda row: float(row["usage"].get("prompt_tokens") or 0)),
    "Output": ("tokens", lambda row: float(row["usage"].get("output_tokens") or 0)),
}


def page(
    runs: Sequence[ReportedRun],
    floors: Sequence[ReportedRun] = (),
    wild: Sequence[ReportedRun] = (),
    *,
    cases: bool = True,
) -> str:
    """The report of some planning runs side by side; of ``floors`` only the scores are shown.

    ``wild`` runs have parts of their own. Without ``cases`` it holds figures alone: no row of the
    data, no utterance and no program.
    """
    style, script = _part("page.css"), _part("page.js")
    policy = {
        "default-src": "'none'", "script-src": _hashed(script), "style-src": _hashed(style),
        "base-uri": "'none'", "form-action": "'none'",
    }  # fmt: skip
    block = {
        "runs": [run.label for run in runs],
        "cases": listed([run.rows for run in runs]) if cases and runs else None,
    }
    nav = {"run": "Run", **(_PLANNING if runs else {}), **(_WILD if wild else {})}
    return Template(_part("page.html")).substitute(
        policy=text("; ".join(f"{key} {value}" for key, value in policy.items())),
        title=text(f"Text2Mem Bench: {', '.join(run.label for run in (*runs, *wild))}"),
        nav=" ".join(tag("a", said, href=f"#{part}") for part, said in nav.items()),
        skip=list(nav)[-1],
        style=style,
        script=script,
        data=json_block(block),
        cautions=join(tables.notes([*_cautions([*runs, *floors]), *_cautions(wild)])),
        facts=tables.head([*runs, *floors, *wild]),
        parts=join(
            _planning(runs, floors, cases=cases) if runs else None,
            _wild(wild, cases=cases) if wild else None,
        ),
        footer=text(f"Written by text2mem {__version__}."),
    )


def json_block(value: Any) -> Markup:
    """JSON for a ``<script type="application/json">``: nothing in it can end the element.

    Every character that HTML or an old script engine would take for its own is written as an
    escape of JSON, so that the reader gets back exactly what was put in.
    """
    said = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(_NOT_IN_SCRIPT.sub(lambda found: f"\\u{ord(found[0]):04x}", said))


def _planning(runs: Sequence[ReportedRun], floors: Sequence[ReportedRun], *, cases: bool) -> Markup:
    said = Template(_part("planning.html")).substitute(
        published=tables.beside_published(runs, floors),
        overall=join(tables.overall(runs, floors), tables.answerable(runs, floors)),
        chooser=tables.chooser(runs),
        others=join(_by_group(runs)),
        key=join(tables.key(runs)),
        bars=join(_bars(runs)),
        by_op=tables.breakdown(runs, "op"),
        matrices=join(_matrices(runs, leading=cases)),
        cost=tables.cost(runs),
        histograms=join(_histograms(runs)),
        causes=join(tables.causes(runs)),
        cases=_part("cases.html") if cases else _LEFT_OUT,
    )
    return Markup(said)


def _wild(runs: Sequence[ReportedRun], *, cases: bool) -> Markup:
    said = Template(_part("wild.html")).substitute(
        overall=wild_parts.overall(runs),
        key=join(tables.key(runs)),
        bars=wild_parts.chart(runs),
        groups=join(wild_parts.groups(runs)),
        cases=join(wild_parts.failures(runs)) if cases else _LEFT_OUT,
    )
    return Markup(said)


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hashed(inline: str) -> str:
    digest = base64.b64encode(sha256(inline.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _cautions(runs: Sequence[ReportedRun]) -> list[str]:
    data = list(dict.fromkeys(run.sha256 for run in runs))
    different = ["The runs are of different data: their scores are not comparable."]
    return [*(different if len(data) > 1 else []), *(c for run in runs for c in run.cautions)]


def _by_group(runs: Sequence[ReportedRun]) -> Iterator[Markup]:
    for group, said in GROUPS.items():
        if group != "op":
            yield tag("h3", f"By {said}")
            yield tables.breakdown(runs, group)


def _bars(runs: Sequence[ReportedRun]) -> Iterator[Markup]:
    ops = [op for op in OPS if any(op in run.summary["op"] for run in runs)]
    for score in _BARS:
        groups = [
            (op, [run.summary["op"].get(op, {"scores": {}})["scores"].get(score) for run in runs])
            for op in ops
        ]
        yield bars(f"{title(score)} by op", groups, [run.label for run in runs])


def _matrices(runs: Sequence[ReportedRun], *, leading: bool) -> Iterator[Markup]:
    """A matrix a run; its cells lead to the cases where those are on the page."""
    for place, run in enumerate(runs):
        drawn = matrix(run.label, run.rows, place if leading else None)
        yield tag("p", f"{run.label} has no row whose gold is one op.") if drawn is None else drawn


def _histograms(runs: Sequence[ReportedRun]) -> Iterator[Markup]:
    """What a row costs: a column each for time and tokens, below each other the runs."""
    for what, (unit, value) in _COSTS.items():
        measured = [[value(row) for row in run.scored] for run in runs]
        known = [cost for values in measured for cost in values]
        if not any(known):
            continue
        end = reach(known, quantile(known, 0.95) or 0.0)
        drawn = []
        for place, (run, values) in enumerate(zip(runs, measured, strict=True)):
            if values:
                p50, p95 = (quantile(values, share) or 0.0 for share in (0.5, 0.95))
                caption = f"{what}, {unit}" + (f": {run.label}" if len(runs) > 1 else "")
                drawn.append(histogram(caption, values, p50, p95, end=end, unit=unit, run=place))
        yield tag("div", drawn)
