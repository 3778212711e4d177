"""The tables of the page: what was run, the scores overall, and by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from text2mem.markup import Markup, join, tag
from text2mem_bench.published import NOTE, PUBLISHED
from text2mem_bench.report.failures import reasons
from text2mem_bench.report.matrix import OPS
from text2mem_bench.report.run import ReportedRun
from text2mem_bench.report.wording import COLOURS, GROUPS, MAIN, NOTHING, SCORES, percent, title

_CODE = frozenset({"command", "sha256", "revision"})
_BY_ASSERTION = {"emr": ("held", "total"), "effective": ("effective_held", "effective")}
"""Scores that are also counted over the assertions of all rows; the published EMR is."""
_EVERY = {
    "emr": "of all assertions, the share that holds after the programs",
    "effective": "of those that are false before and true after the gold program",
}
_CAUSES = 15
"""How many reasons are named."""
Figure = Callable[[Mapping[str, Any]], float | None]
"""How to get a figure out of a summary."""


def head(runs: Sequence[ReportedRun]) -> Markup:
    """What was run, where and when: a row a fact, a column a run."""
    facts = [run.facts() for run in runs]
    names = dict.fromkeys(name for told in facts for name in told)
    body = [
        tag(
            "tr", tag("th", name, scope="row"),
            [tag("td", told.get(name, NOTHING)) for told in facts],
            class_="code" if name in _CODE else None,
        )
        for name in names
        if any(told.get(name, NOTHING) != NOTHING for told in facts)
    ]  # fmt: skip
    columns = [tag("th", run.label, scope="col") for run in runs]
    top = tag("thead", tag("tr", tag("td"), columns))
    return scrolling("What was run", tag("table", top, tag("tbody", body), class_="facts"))


def beside_published(runs: Sequence[ReportedRun], floors: Sequence[ReportedRun]) -> Markup:
    """The scores that were published, over all rows: ours, the floors', and those models'."""
    rows = [
        ("SMA-lev", _mean("sma_lev"), "sma_lev"),
        ("ESR", _mean("esr"), "esr"),
        ("EMR, all assertions", _share("held", "total"), "emr"),
        ("EMR, assertions of English rows", _share("held", "total", "en"), "emr_en"),
    ]
    body = [
        _score_row(name, "", figure, (*runs, *floors),
                   [getattr(one, score) for one in PUBLISHED])
        for name, figure, score in rows
    ]  # fmt: skip
    return _scores("Scores beside those that were published", runs, floors, body, published=True)


def overall(runs: Sequence[ReportedRun], floors: Sequence[ReportedRun]) -> Markup:
    """Every score over all rows, with the floors beside it."""
    shown = (*runs, *floors)
    body = [
        _score_row(name, meaning, figure, shown, ()) for name, meaning, figure in _figures(shown)
    ]
    return _scores("Scores over all rows", runs, floors, body, published=False)


def answerable(runs: Sequence[ReportedRun], floors: Sequence[ReportedRun]) -> Markup | None:
    """The same without the Updates whose planner asked what to write; None where none did.

    A run in which none did is shown as it is.
    """
    if all(run.summary["answerable"] is None for run in (*runs, *floors)):
        return None
    rest = [_without_these(run) for run in runs]
    aside = [_without_these(run) for run in floors]
    shown = (*rest, *aside)
    left_out = [run.summary["overall"]["n"] - kept.summary["overall"]["n"]
                for run, kept in zip((*runs, *floors), shown, strict=True)]  # fmt: skip
    counts = tag(
        "tr", tag("th", "Rows left out", tag("small", "a count"), scope="row"),
        [tag("td", count) for count in left_out],
    )  # fmt: skip
    body = [
        _score_row(name, meaning, figure, shown, ()) for name, meaning, figure in _figures(shown)
    ]
    name = "Without the Updates that asked what to write"
    table = _scores(name, rest, aside, [counts, *body], published=False)
    return join(tag("h3", name), table)


def _without_these(run: ReportedRun) -> ReportedRun:
    kept = run.summary["answerable"] or run.summary["overall"]
    return replace(run, summary={**run.summary, "overall": kept})


def _scores(
    name: str, runs: Sequence[ReportedRun], floors: Sequence[ReportedRun], body: Sequence[Markup],
    *, published: bool,
) -> Markup:  # fmt: skip
    groups: list[tuple[str, int, str | None]] = [
        ("this run" if len(runs) == 1 else "these runs", len(runs), None)
    ]
    groups += [("floors", len(floors), None)] if floors else []
    groups += [(NOTE, len(PUBLISHED), "elsewhere")] if published else []
    top = tag(
        "tr", tag("td"),
        [tag("th", said, colspan=span, scope="colgroup", class_=kind)
         for said, span, kind in groups],
    )  # fmt: skip
    models = PUBLISHED if published else ()
    names = tag(
        "tr", tag("th", "%", scope="col", class_="what"),
        [tag("th", run.label, scope="col") for run in (*runs, *floors)],
        [tag("th", one.model, scope="col", class_="elsewhere") for one in models],
    )  # fmt: skip
    table = tag(
        "table",
        tag("thead", top if len(groups) > 1 else None, names),
        tag("tbody", body),
        class_="scores",
    )
    return scrolling(name, table)


def breakdown(runs: Sequence[ReportedRun], group: str) -> Markup:
    """The scores by the values of one group; a score is a column, under it a letter a run."""
    keys = dict.fromkeys(key for run in runs for key in run.summary[group])
    if group == "op":
        keys = dict.fromkeys([*(op for op in OPS if op in keys), *keys])
    scores = [s for s in SCORES if any(_has(run, group, s) for run in runs)]
    several = len(runs) > 1
    top = tag(
        "tr", tag("th", GROUPS[group], scope="col", class_="what", rowspan=2 if several else None),
        tag("th", "rows", colspan=len(runs), scope="colgroup" if several else "col"),
        [_heading(score, len(runs)) for score in scores],
    )  # fmt: skip
    below = tag(
        "tr",
        [tag("th", letter(n), scope="col", title=run.label) for n, run in enumerate(runs)],
        [
            tag("th", letter(n), scope="col", title=run.label, data_score=s)
            for s in scores
            for n, run in enumerate(runs)
        ],
    )
    body = [_group_row(key, [run.summary[group].get(key) for run in runs], scores) for key in keys]
    return scrolling(
        f"Scores by {GROUPS[group]}",
        tag("table", tag("thead", top, below if several else None), tag("tbody", body),
            class_="scores"),
    )  # fmt: skip


def chooser(runs: Sequence[ReportedRun]) -> Markup:
    """Which scores the tables by group show; without scripts they show all."""
    known = [s for s in SCORES if any(_has(run, "op", s) for run in runs)]
    main = " ".join(score for score in MAIN if score in known)
    options = [
        tag("option", "the main ones", value=main),
        tag("option", "all", value=" ".join(known)),
        [tag("option", title(score), value=score) for score in known],
    ]
    return tag(
        "p", tag("label", "Scores shown ", tag("select", *options, id="scores-shown")),
        class_="chooser", hidden=True,
    )  # fmt: skip


def scrolling(name: str, table: Markup) -> Markup:
    """A table that scrolls by itself where it is wider than the page."""
    return tag("div", table, class_="wide", tabindex=0, role="region", aria_label=name)


def _figures(runs: Sequence[ReportedRun]) -> Iterator[tuple[str, str, Figure]]:
    """Of each row of the overall table: name, meaning, and how to get it."""
    for name, (called, meaning) in SCORES.items():
        if not any(name in run.summary["overall"]["scores"] for run in runs):
            continue
        if name in _BY_ASSERTION:
            yield f"{called}, all assertions", _EVERY[name], _share(*_BY_ASSERTION[name])
            yield f"{called}, mean of rows", meaning, _mean(name)
        else:
            yield called, meaning, _mean(name)


def _mean(score: str) -> Figure:
    return lambda summary: summary["overall"]["scores"].get(score)


def _share(held: str, total: str, lang: str = "") -> Figure:
    """The share of assertions, each counting as much as every other."""

    def of(summary: Mapping[str, Any]) -> float | None:
        cell = summary["lang"].get(lang) if lang else summary["overall"]
        counts = {} if cell is None else cell["assertions"]
        return counts[held] / counts[total] if counts.get(total) else None

    return of


def _score_row(
    name: str, meaning: str, figure: Figure, runs: Sequence[ReportedRun], published: Sequence[float]
) -> Markup:
    return tag(
        "tr",
        tag("th", name, tag("small", meaning) if meaning else None, scope="row"),
        [tag("td", percent(figure(run.summary))) for run in runs],
        [tag("td", percent(value), class_="elsewhere") for value in published],
    )


def _heading(score: str, runs: int) -> Markup:
    return tag(
        "th", tag("abbr", title(score), title=SCORES[score][1]), data_score=score,
        colspan=runs if runs > 1 else None, scope="colgroup" if runs > 1 else "col",
    )  # fmt: skip


def _group_row(
    key: str, cells: Sequence[Mapping[str, Any] | None], scores: Sequence[str]
) -> Markup:
    return tag(
        "tr",
        tag("th", key, scope="row"),
        [tag("td", 0 if cell is None else int(cell["n"]), class_="count") for cell in cells],
        [
            tag("td", percent(None if cell is None else cell["scores"].get(score)),
                data_score=score)
            for score in scores
            for cell in cells
        ],
    )  # fmt: skip


def _has(run: ReportedRun, group: str, score: str) -> bool:
    return any(score in cell["scores"] for cell in run.summary[group].values())


def notes(lines: Sequence[str]) -> Markup | None:
    """What a reader has to know before believing the figures."""
    return tag("ul", [tag("li", line) for line in lines], class_="warnings") if lines else None


def causes(runs: Sequence[ReportedRun]) -> Markup | None:
    """How many cases failed for which reason, the commonest first; a case may have several."""
    counts = [Counter(reason for row in run.rows for reason in reasons(row)) for run in runs]
    total = sum(counts, Counter[str]())
    if not total:
        return None
    order = sorted(total, key=lambda reason: (-total[reason], reason))
    body = [
        tag("tr", tag("th", reason, scope="row"), [tag("td", each[reason]) for each in counts])
        for reason in order[:_CAUSES]
    ]
    top = tag(
        "tr",
        tag("th", "reason, cases", scope="col", class_="what"),
        [tag("th", run.label, scope="col") for run in runs],
    )
    table = scrolling("Reasons", tag("table", tag("thead", top), tag("tbody", body)))
    more = len(order) - _CAUSES
    return join(table, tag("p", f"Reasons that are rarer: {more}.") if more > 0 else None)


def key(runs: Sequence[ReportedRun]) -> Markup | None:
    """Which letter and which colour is which run; one run needs none."""
    if len(runs) < 2:
        return None
    swatches = [
        tag("li", tag("svg", tag("rect", width="100%", height="100%", class_=f"run{n % COLOURS}"),
                      aria_hidden="true"), tag("b", letter(n)), " ", run.label)
        for n, run in enumerate(runs)
    ]  # fmt: skip
    return tag("ul", swatches, class_="key")


def letter(place: int) -> str:
    """What a run is called where there is no room for its name."""
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def cost(runs: Sequence[ReportedRun]) -> Markup:
    """Latency, tokens, redrafts and questions over all rows."""
    rows: list[tuple[str, str, Callable[[Any], str]]] = [
        ("Latency p50", "seconds", lambda cell: _plain(cell["seconds"]["p50"])),
        ("Latency p95", "seconds", lambda cell: _plain(cell["seconds"]["p95"])),
        ("Prompt tokens", "sum", lambda cell: f"{cell['tokens']['prompt']:,}"),
        ("of them cached", "sum", lambda cell: f"{cell['tokens']['cached']:,}"),
        ("Output tokens", "sum", lambda cell: f"{cell['tokens']['output']:,}"),
        ("Redrafts", "mean of rows", lambda cell: _plain(cell["redrafts"])),
        ("Legal without a redraft", "% of rows", lambda cell: percent(cell["unaided"])),
        ("Asked back", "rows", lambda cell: f"{cell['asked']:,}"),
    ]
    return by_run("Latency, tokens and redrafts", rows, runs)


def by_run(
    name: str, rows: Sequence[tuple[str, str, Callable[[Any], str]]], runs: Sequence[ReportedRun],
    kind: str | None = None,
) -> Markup:  # fmt: skip
    """What some functions say of all rows: a row a figure with its meaning, a column a run."""
    body = [
        tag("tr", tag("th", figure, tag("small", meaning), scope="row"),
            [tag("td", of(run.summary["overall"])) for run in runs])
        for figure, meaning, of in rows
    ]  # fmt: skip
    top = tag("tr", tag("td"), [tag("th", run.label, scope="col") for run in runs])
    return scrolling(name, tag("table", tag("thead", top), tag("tbody", body), class_=kind))


def _plain(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"
