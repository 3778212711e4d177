"""What the scores are called on the page and in a comparison, and what they mean."""

from __future__ import annotations

from typing import Any

SCORES: dict[str, tuple[str, str]] = {
    "valid": ("Valid", "the prediction is a legal program"),
    "op_exact": ("Op accuracy", "exactly the gold's ops in their order"),
    "op_f1": ("Op F1", "ops in common with the gold, whatever their order"),
    "slots": ("Slots", "share of the gold's slots that are filled alike"),
    "kv_precision": ("KV precision", "share of the predicted keys and values that are the gold's"),
    "kv_recall": ("KV recall", "share of the gold's keys and values that are predicted"),
    "kv_f1": ("KV F1", "harmonic mean of KV precision and recall"),
    "sma_lev": ("SMA-lev", "similarity to the gold's JSON by edit distance"),
    "sma_cos": ("SMA-cos", "similarity to the gold's JSON by cosine"),
    "esr": ("ESR", "the program is legal and runs without error"),
    "emr": ("EMR", "share of a row's assertions that hold after the program"),
    "effective": (
        "Effective EMR",
        "the same, only over assertions that are false before and true after the gold program",
    ),
    "row": ("Row", "every assertion of the row holds, and its ranking"),
    "adjudicated": ("Adjudicated", "a model's judgement: optional, and no measurement"),
}
"""Title and meaning of each score, in the order in which they are shown; each is 0 to 1."""
WILD: dict[str, tuple[str, str]] = {
    "right": ("Right effect", "what was meant happened and nothing else, or it asked where it may"),
    "unharmed": ("No harm", "no memory is gone, is to go, or lost words without being meant"),
    "unhidden": ("No loss", "none is hidden, or short of words that were to stay"),
    "only_meant": ("Only meant", "no other memory changed, and none was made besides"),
    "asks_well": ("Asks well", "it asked where it must, and not where it need not"),
    "ops_right": ("Ops", "an acceptable sequence of ops, of the rows that name some"),
}
"""The same of the scores of wild runs."""
MAIN = ("op_exact", "esr", "emr", "effective", "row", "kv_f1", "sma_lev")
"""The scores that the tables show until others are asked for."""
GROUPS = {
    "op": "op of the gold",
    "lang": "language",
    "instruction_type": "instruction type",
    "structure": "structure",
}
"""The parts of a summary that have a cell a group, and by what they group."""


COLOURS = 6
"""How many runs have a colour of their own; then they begin anew."""
NOTHING = "\N{EN DASH}"
"""Stands where there is no value."""


def title(score: str) -> str:
    """What a score is called."""
    return {**SCORES, **WILD}.get(score, (score,))[0]


def percent(value: Any) -> str:
    """A share as a percentage with one digit; a dash where there is none."""
    return NOTHING if value is None else f"{100 * value:.1f}"
