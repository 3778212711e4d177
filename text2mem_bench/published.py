"""Scores that were published with the benchmark, to stand beside ours.

Averages over all twelve ops, from Table 2 of the paper that the benchmark comes from. They were
measured by its authors, elsewhere and on another split, so that they give an order of magnitude
and no ranking. EMR is at the level of assertions; ``emr_en`` is that of the English rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

NOTE = "published elsewhere, on another split"


@dataclass(frozen=True, slots=True)
class Published:
    """One row of the published table; every score is 0 to 1."""

    model: str
    sma_lev: float
    esr: float
    emr: float
    emr_en: float

    def as_dict(self) -> dict[str, str | float]:
        """The row as JSON, marked as published elsewhere."""
        return {**asdict(self), "note": NOTE}


PUBLISHED = (
    Published("GPT-4o", 0.678, 0.948, 0.253, 0.323),
    Published("Qwen2.5-72B", 0.620, 0.951, 0.254, 0.318),
    Published("Claude-4-Sonnet", 0.623, 0.959, 0.313, 0.391),
    Published("Gemini-2.5-Pro", 0.649, 0.948, 0.290, 0.348),
    Published("GPT-5", 0.612, 0.966, 0.283, 0.346),
)
