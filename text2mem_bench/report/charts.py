"""Bar charts and histograms as inline SVG: geometry in attributes, colours by class.

The page's policy lets no ``style`` attribute through. Every chart is drawn 320 units wide, so that
its text keeps its size on a page that is as narrow as a telephone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from text2mem.markup import Markup, join, tag, text
from text2mem_bench.report.wording import COLOURS, NOTHING

WIDTH = 320
_LABEL, _VALUE = 92, 36
_BAR, _GAP = 9, 8
_PLOT = 96
_BINS = 24


def bars(
    title: str, groups: Sequence[tuple[str, Sequence[float | None]]], names: Sequence[str]
) -> Markup:
    """Horizontal bars, one a run (``names``) in each group; a value is 0 to 1, None has no bar."""
    each = _BAR * len(names) + _GAP
    height = each * len(groups) + 18
    parts = [_grid(each * len(groups))]
    for place, (label, values) in enumerate(groups):
        top = place * each + _GAP // 2
        middle = top + _BAR * len(names) / 2 + 4
        parts.append(tag("text", label, class_="label", x=_LABEL - 8, y=_n(middle)))
        for run, value in enumerate(values):
            parts.append(_bar(value, top + run * _BAR, run, f"{names[run]}: {label}"))
    return _figure(title, height, parts)


def _bar(value: float | None, top: float, run: int, what: str) -> Markup:
    room = WIDTH - _LABEL - _VALUE
    length = room * (value or 0)
    said = "no rows" if value is None else f"{value:.1%}"
    return tag(
        "g",
        tag("title", f"{what}: {said}"),
        tag(
            "rect", class_=f"run{run % COLOURS}",
            x=_LABEL, y=_n(top), width=_n(length), height=_BAR - 1,
        ),
        tag("text", NOTHING if value is None else f"{value * 100:.0f}", class_="value",
            x=_n(_LABEL + length + 4), y=_n(top + _BAR - 1)),
    )  # fmt: skip


def _grid(height: float) -> Markup:
    room = WIDTH - _LABEL - _VALUE
    lines = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        at = _n(_LABEL + room * share)
        lines.append(tag("line", class_="grid", x1=at, x2=at, y1=0, y2=_n(height)))
        if share in (0, 0.5, 1):
            percent = f"{share * 100:.0f}{'%' if share == 1 else ''}"
            lines.append(tag("text", percent, class_="tick", x=at, y=_n(height + 13)))
    return join(lines)


def histogram(
    title: str, values: Sequence[float], p50: float, p95: float, *, end: float, unit: str, run: int
) -> Markup:
    """How often which value occurs from 0 to ``end``, with the median and the 95th percentile.

    What lies beyond ``end`` is counted in the last bin.
    """
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(value / end * _BINS))] += 1
    left, right, most = 8.0, WIDTH - 8.0, max(counts)
    scale = (right - left) / _BINS
    parts = []
    for place, count in enumerate(counts):
        if count:
            tall = _PLOT * count / most
            span = f"{_amount(end * place / _BINS)} to {_amount(end * (place + 1) / _BINS)} {unit}"
            said = f"{span}: {count}"
            if place == _BINS - 1 and any(value > end for value in values):
                said = f"{_amount(end * place / _BINS)} {unit} and more: {count}"
            parts.append(
                tag("g", tag("title", said),
                    tag("rect", class_=f"run{run % COLOURS}", x=_n(left + place * scale),
                        y=_n(18 + _PLOT - tall), width=_n(scale - 1), height=_n(tall)))
            )  # fmt: skip
    parts.append(tag("line", class_="axis", x1=left, x2=right, y1=18 + _PLOT, y2=18 + _PLOT))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        at = _n(left + (right - left) * share)
        anchor = "start" if share == 0 else "end" if share == 1 else None
        parts.append(tag("text", _amount(end * share), class_="tick", x=at, y=18 + _PLOT + 14,
                         text_anchor=anchor))  # fmt: skip
    parts += _marks(p50, p95, left, right, end)
    return _figure(title, 18 + _PLOT + 20, parts)


def _marks(p50: float, p95: float, left: float, right: float, end: float) -> list[Markup]:
    """The two percentiles as lines through the plot; their labels keep apart."""
    spots = [left + (right - left) * min(1.0, value / end) for value in (p50, p95)]
    parts = []
    for name, value, at, side in (
        ("p50", p50, spots[0], "end" if spots[0] > 60 else "start"),
        ("p95", p95, spots[1], "start" if spots[1] < right - 60 else "end"),
    ):
        parts.append(tag("line", class_="mark", x1=_n(at), x2=_n(at), y1=4, y2=18 + _PLOT))
        near = at + (3 if side == "start" else -3)
        lift = 22 if name == "p95" and spots[1] - spots[0] < 120 else 11
        parts.append(tag("text", f"{name} {_amount(value)}", class_="marked", x=_n(near), y=lift,
                         text_anchor=side))  # fmt: skip
    return parts


def reach(values: Sequence[float], p95: float) -> float:
    """Where an axis from 0 ends: a round number that holds the values, or most of them.

    A few far outliers would press everything else into one bin: beyond twice the 95th percentile
    they share the last one.
    """
    most = max(values, default=0)
    wanted = min(most, 2 * p95) or 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    for low, high in pairwise((1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10)):
        if low * power >= wanted:
            return low * power
        if high * power >= wanted:
            return high * power
    return 10 * power


def _figure(title: str, height: float, parts: Sequence[Markup]) -> Markup:
    drawing = tag(
        "svg", tag("title", title), *parts,
        class_="chart", role="img", viewBox=f"0 0 {WIDTH} {_n(height)}",
    )  # fmt: skip
    return tag("figure", tag("figcaption", title), drawing)


def _amount(value: float) -> str:
    """A number for people, three digits of it."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.2f}" if value < 1 else f"{value:.1f}"


def _n(value: float) -> str:
    """A coordinate."""
    return text(round(value, 2))
