"""The parts of the page about wild runs: figures side by side, by group, and what went wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from text2mem.markup import Markup, join, tag
from text2mem_bench.report.charts import bars
from text2mem_bench.report.run import ReportedRun
from text2mem_bench.report.tables import by_run, letter, scrolling
from text2mem_bench.report.wording import NOTHING, WILD, percent
from text2mem_bench.scores import UNSCORED, Row

_GROUPS = {"kind": "kind of request", "lang": "language", "store": "store"}
_COUNTS = {
    "harm": ("Harm", "gone, to go, or short of words, though not meant"),
    "loss": ("Loss", "hidden, or short of words that were to stay"),
    "unmeant": ("Not meant", "a change or a new memory that nobody asked for"),
    "needless": ("Asked in vain", "asked back and need not"),
    "unasked": ("Did not ask", "and must"),
    "asked": ("Asked back", "rightly or not"),
    "refused": ("Refused", "the store took nothing of the program"),
    "no_program": ("No program", "the reader gave up"),
}
"""The counts of rows that a cell has."""
_IN_GROUPS = ("harm", "loss", "unmeant", "needless", "unasked")
Figure = Callable[[Mapping[str, Any] | None], str]


def overall(runs: Sequence[ReportedRun]) -> Markup:
    """Every figure over all requests: a row a figure, a column a run."""
    shares: list[tuple[str, str, Figure]] = [
        (name, f"%: {meaning}", _share(score)) for score, (name, meaning) in WILD.items()
    ]
    counts: list[tuple[str, str, Figure]] = [
        (name, f"requests: {meaning}", _count(key)) for key, (name, meaning) in _COUNTS.items()
    ]
    rest: list[tuple[str, str, Figure]] = [
        ("Requests", "scored", _count("n")),
        ("Latency p50", "seconds", lambda cell: _seconds(cell, "p50")),
        ("Latency p95", "seconds", lambda cell: _seconds(cell, "p95")),
        ("Prompt tokens", "sum", lambda cell: _tokens(cell, "prompt")),
        ("Output tokens", "sum", lambda cell: _tokens(cell, "output")),
    ]
    return by_run("Figures of the wild runs", (*shares, *counts, *rest), runs, "scores")


def chart(runs: Sequence[ReportedRun]) -> Markup:
    """The share of right effects by kind and by language."""
    labels = [run.label for run in runs]
    return join(
        bars(f"Right effects by {said}", [
            (key, [_cell(run, group, key).get("right") for run in runs])
            for key in _keys(runs, group)
        ], labels)
        for group, said in _GROUPS.items() if group != "store"
    )  # fmt: skip


def groups(runs: Sequence[ReportedRun]) -> Iterator[Markup]:
    """Right effects and what went wrong, by the values of each group."""
    for group, said in _GROUPS.items():
        yield tag("h3", f"By {said}")
        yield _breakdown(runs, group, said)


def failures(runs: Sequence[ReportedRun]) -> Iterator[Markup]:
    """Every request that went wrong in one of the runs, folded: what was meant and what it did."""
    rows: dict[str, dict[int, Row]] = {}
    for place, run in enumerate(runs):
        for row in run.rows:
            rows.setdefault(row["id"], {})[place] = row
    wrong = {id_: found for id_, found in rows.items() if any(map(_is_wrong, found.values()))}
    yield tag("p", f"{len(wrong)} of {len(rows)} requests.")
    items = [tag("li", _told(id_, found, runs)) for id_, found in wrong.items()]
    yield tag("ol", items, class_="cases")


def _breakdown(runs: Sequence[ReportedRun], group: str, said: str) -> Markup:
    heads = {"n": "requests", "right": "right, %", **{k: _COUNTS[k][0] for k in _IN_GROUPS}}
    several = len(runs) > 1
    top = tag(
        "tr", tag("th", said, scope="col", class_="what", rowspan=2 if several else None),
        [tag("th", head, colspan=len(runs) if several else None,
             scope="colgroup" if several else "col") for head in heads.values()],
    )  # fmt: skip
    letters = [tag("th", letter(n), scope="col", title=run.label) for n, run in enumerate(runs)]
    below = tag("tr", [letter_ for _ in heads for letter_ in letters]) if several else None
    body = [
        tag("tr", tag("th", key, scope="row"), [
            tag("td", _share("right")(cell) if head == "right" else _count(head)(cell),
                class_="count" if head == "n" else None)
            for head in heads
            for cell in (run.summary[group].get(key) for run in runs)
        ])
        for key in _keys(runs, group)
    ]  # fmt: skip
    table = tag("table", tag("thead", top, below), tag("tbody", body), class_="scores")
    return scrolling(f"Right effects by {said}", table)


def _told(id_: str, found: Mapping[int, Row], runs: Sequence[ReportedRun]) -> Markup:
    first = next(iter(found.values()))
    summary = tag(
        "summary", tag("span", id_, class_="id"),
        tag("span", ", ".join([first["kind"], *_marks(found, runs)]), class_="verdict"),
        tag("span", first["utterance"], class_="said", dir="auto"),
    )  # fmt: skip
    turns = [
        tag("p", tag("span", turn, class_="said", dir="auto"), class_="turn")
        for turn in first.get("context") or ()
    ]
    return tag("details", summary, tag(
        "div", turns, tag("p", f"Meant: {first['meant']}"),
        [_ran(row, runs[place].label if len(runs) > 1 else "") for place, row in found.items()],
        class_="case",
    ))  # fmt: skip


def _marks(found: Mapping[int, Row], runs: Sequence[ReportedRun]) -> list[str]:
    """Which of the runs got it wrong, where there are several."""
    if len(runs) < 2:
        return []
    return [f"{letter(place)} {'wrong' if _is_wrong(row) else 'right'}"
            for place, row in found.items()]  # fmt: skip


def _ran(row: Row, label: str) -> Markup:
    """What became of a request in one run."""
    said = [f"{label}: {row['status']}" if label else str(row["status"])]
    harm = [f"harm to {', '.join(row['harmed'])}"] if row.get("harmed") else []
    steps = [tag("li", tag("code", json.dumps(step, ensure_ascii=False)))
             for step in row.get("program") or ()]  # fmt: skip
    return join(
        tag("h4", "; ".join([*said, *harm])),
        tag("p", f"Asked back: {row['question']}") if row.get("question") else None,
        tag("p", str(row["error"])) if row.get("error") else None,
        tag("ol", steps) if steps else None,
        tag("ul", [tag("li", reason) for reason in row.get("reasons") or ()]),
    )


def _is_wrong(row: Row) -> bool:
    return row["status"] != UNSCORED and not row["scores"].get("right")


def _keys(runs: Sequence[ReportedRun], group: str) -> list[str]:
    return list(dict.fromkeys(key for run in runs for key in run.summary[group]))


def _cell(run: ReportedRun, group: str, key: str) -> Mapping[str, Any]:
    found = run.summary[group].get(key)
    return {} if found is None else found["scores"]


def _share(score: str) -> Figure:
    return lambda cell: percent(None if cell is None else cell["scores"].get(score))


def _count(key: str) -> Figure:
    return lambda cell: NOTHING if cell is None else f"{cell[key]:,}"


def _seconds(cell: Mapping[str, Any] | None, share: str) -> str:
    value = None if cell is None else cell["seconds"][share]
    return NOTHING if value is None else f"{value:.2f}"


def _tokens(cell: Mapping[str, Any] | None, what: str) -> str:
    return NOTHING if cell is None else f"{cell['tokens'][what]:,}"
