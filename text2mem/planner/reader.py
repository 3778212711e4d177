"""The reader: an utterance, its turns and a picture of the store in, a draft out."""

from __future__ import annotations

from collections.abc import Sequence

_TURNS = 2


def tuned_prompt(utterance: str, before: Sequence[str]) -> str:
    """What the tuned model is shown: the last turns and the request, a line each, and no more."""
    turns = "".join(f"Before: {_line(turn)}\n" for turn in before[-_TURNS:])
    return f"{turns}Request: {_line(utterance)}\nDraft: "


def _line(text: str) -> str:
    return " ".join(text.split())
