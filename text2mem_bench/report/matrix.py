"""The confusion matrix of the ops as a table: which verb was taken for which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from text2mem.ir.surface import STAGES
from text2mem.markup import Markup, tag
from text2mem_bench.metrics import NONE
from text2mem_bench.scores import UNSCORED, Row, confusion

OPS = tuple(STAGES)
_SHADES = 6


def matrix(title: str, rows: Sequence[Row], run: int | None) -> Markup | None:
    """Gold op by predicted op over the rows whose gold is one op; None where there are none.

    A step beyond the one that was asked for stands in the row "none", a missing one in the column
    "none". The shade is the share of the gold op's steps; a wrong cell leads to its
    failures among those of the run, which is a place in the page's list; or to nothing, for None.
    """
    single = [r for r in rows if len(r["gold_ops"]) == 1 and r["status"] != UNSCORED]
    if not single:
        return None
    counts = confusion(single)
    seen = {*counts, *(op for got in counts.values() for op in got)}
    order = [op for op in (*OPS, *sorted(seen - {*OPS, NONE}), NONE) if op in seen]
    head = tag(
        "tr", tag("th", "gold \N{DOWNWARDS ARROW}", class_="corner"),
        [tag("th", tag("span", op, class_="turned"), scope="col") for op in order],
    )  # fmt: skip
    body = [_line(gold, order, counts[gold], run) for gold in order if gold in counts]
    return tag(
        "figure",
        tag("figcaption", title),
        tag("div", tag("table", tag("thead", head), tag("tbody", body), class_="matrix"),
            class_="wide", tabindex=0, role="region", aria_label=title),
        class_="matrix",
    )  # fmt: skip


def _line(gold: str, order: Sequence[str], counts: Mapping[str, int], run: int | None) -> Markup:
    total = sum(counts.values())
    return tag(
        "tr",
        tag("th", gold, scope="row"),
        [_cell(gold, op, counts.get(op, 0), total, run) for op in order],
    )


def _cell(gold: str, predicted: str, count: int, total: int, run: int | None) -> Markup:
    if not count:
        return tag("td", "\N{MIDDLE DOT}", class_="zero")
    shade = min(_SHADES, 1 + int(_SHADES * count / total))
    kind = "right" if gold == predicted else "wrong"
    said: Markup | int = count
    if kind == "wrong" and gold != NONE and run is not None:
        got = "no program" if predicted == NONE else predicted
        asked = {"run": str(run), "op": gold, "got": got, "steps": "one op"}
        said = tag("a", count, href="#" + urlencode(asked, errors="replace"))
    return tag(
        "td", said, class_=f"{kind} s{shade}",
        title=f"{gold} predicted as {predicted}: {count} of {total}",
    )  # fmt: skip
