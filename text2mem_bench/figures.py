"""One thing measured at one size, and many of them drawn with matplotlib."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from text2mem.errors import MissingExtra

GROUPS = {
    "filters": ("filter by tag", "filter by two tags", "filter by tag and month", "filter by time",
                "as_of"),
    "searches": ("search by words, rare terms", "search by words, medium terms",
                 "search by words, common terms", "search by vectors, warm",
                 "hybrid search, warm"),
    "writes": ("encode, one transaction each", "label 100 rows"),
}  # fmt: skip
_STYLES = "-", "--", ":"  # a store each


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured at one size: median and 95th percentile in milliseconds.

    Of a rate ``p95`` is what nineteen of twenty measurements reach.
    """

    n: int
    what: str
    p50: float
    p95: float
    rounds: int
    unit: str = "ms"
    store: str = "sqlite"


def as_row(figure: Figure) -> dict[str, Any]:
    """A figure as JSON, rounded to what it is worth."""
    row = asdict(figure)
    return {**row, "p50": round(figure.p50, 3), "p95": round(figure.p95, 3)}


def timed(n: int, what: str, calls: Sequence[Callable[[], Any]]) -> Figure:
    """How long each call takes: median and 95th percentile in milliseconds."""
    return spread(n, what, [1000 * took(call) for call in calls])


def took(call: Callable[[], Any]) -> float:
    """How many seconds a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def spread(n: int, what: str, taken: Sequence[float]) -> Figure:
    """Median and 95th percentile of milliseconds."""
    return Figure(n, what, statistics.median(taken), p95(taken), len(taken))


def p95(taken: Sequence[float]) -> float:
    """What nineteen of twenty measurements do not exceed."""
    return sorted(taken)[min(len(taken) - 1, int(len(taken) * 0.95))]


def rates(n: int, what: str, measured: Sequence[float]) -> Figure:
    """The median, and what all but the slowest twentieth reach."""
    ordered = sorted(measured)
    least = ordered[len(ordered) // 20]
    return Figure(n, what, statistics.median(ordered), least, len(ordered), "a second")


# --- drawn ---------------------------------------------------------------------------------


def draw(figures: Sequence[Figure], path: Path, *, title: str) -> None:
    """Medians with the 95th percentile above them, by the number of memories, in panels."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise MissingExtra("drawing a figure", extra="bench") from error
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "text2mem"
    import matplotlib.pyplot as plt

    canvas, axes = plt.subplots(1, len(GROUPS), figsize=(13, 4.2), constrained_layout=True)
    stores = list(dict.fromkeys(figure.store for figure in figures))
    for axis, (group, names) in zip(axes, GROUPS.items(), strict=True):
        for store, style in zip(stores, _STYLES, strict=False):
            own = [figure for figure in figures if figure.store == store]
            _lines(axis, [_series(own, name) for name in names], style, store)
        _panel(axis, group)
    axes[0].set_ylabel("milliseconds (median; line up to the 95th percentile)")
    canvas.suptitle(title, fontsize=10)
    canvas.savefig(path, metadata={"Date": None})
    plt.close(canvas)


def _series(figures: Sequence[Figure], name: str) -> list[Figure]:
    return sorted((f for f in figures if f.what == name), key=lambda figure: figure.n)


def _lines(axis: Any, series: Sequence[Sequence[Figure]], style: str, store: str) -> None:
    axis.set_prop_cycle(None)  # the same colour for the same thing
    for line in series:
        if not line:
            axis.plot([], [])
            continue
        medians = [figure.p50 for figure in line]
        above = [figure.p95 - figure.p50 for figure in line]
        axis.errorbar(
            [figure.n for figure in line], medians, yerr=[[0] * len(above), above], marker="o",
            markersize=4, linewidth=1.4, elinewidth=0.8, capsize=2, linestyle=style,
            label=f"{line[0].what} ({store})",
        )  # fmt: skip


def _panel(axis: Any, title: str) -> None:
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_title(title, fontsize=10)
    axis.set_xlabel("memories")
    axis.grid(which="major", alpha=0.25)
    axis.margins(y=0.25)
    axis.legend(fontsize=7, frameon=False, loc="upper left")
