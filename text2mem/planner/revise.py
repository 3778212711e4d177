"""Revise: how a memory reads after a request, read with the memory in view.

A tuned model reads a request without the store, so that it cannot tell which words of a memory are
to go. Once the memory is found it is asked once more, by another prompt: which stretches of it
become what. Code sees to it that each stretch stands there once and that no word is written that
neither the request nor the memory says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from text2mem.ir.folding import fold
from text2mem.ir.record import Record
from text2mem.planner.draft import Step
from text2mem.planner.edit import Exchange, Revision, revised
from text2mem.planner.link import Link
from text2mem.planner.reader import asked
from text2mem.providers.base import Completion, Request, Sampling, continued
from text2mem.providers.profiles import Profile

_MOST = 8
"""How many stretches one reading may change."""
_LONGEST = 600
"""Of longer memories, in characters, the request itself has to say what is to go."""
_AT_ONCE = 4
"""How many memories one step may have read."""
_PIECES = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_\u3400-\u9fff]+|[\u3400-\u9fff]")
_JOINTS, _JOINT = 0.34, 3
"""The share of what is new that may be nobody's words ("and", "by"), and the letters of one."""
_GRAMMAR = rf"""root ::= "[" (edit ("," edit){{0,{_MOST - 1}}})? "]"
edit ::= "[\"" char{{0,{_LONGEST}}} "\",\"" char{{0,{_LONGEST}}} "\"]"
char ::= [^"\\\x00-\x1F] | "\\" ["\\/nt]
"""
_PAIR = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
_SCHEMA = {"type": "array", "items": _PAIR, "maxItems": _MOST}


def revised_prompt(text: str, utterance: str, before: Sequence[str]) -> str:
    """What the tuned model is shown: the memory and the request, a line each, and no more."""
    return f"Memory: {' '.join(text.split())}\n{asked(utterance, before)}Edits: "


def revise(prompt: str, profile: Profile, sampling: Sampling) -> Request:
    """The question of a ``revised_prompt``; its answer is a list of pairs."""
    return continued(prompt, "requests", profile, sampling, grammar=_GRAMMAR, schema=_SCHEMA)


def revisable(step: Step, link: Link) -> tuple[Record, ...]:
    """The memories that an Update may mean and whose texts are to be read: those that it is linked
    to with those that are as likely, or where it is linked to none, the nearest.

    None where the request gives the whole text; no memory that may only be added to.
    """
    said = step.words("new") or step.words("add") or step.words("old")
    records = (*link.records, *link.rivals) or link.near
    if step.op != "Update" or step.words("text") or not said or link.everything:
        return ()
    if len(records) > _AT_ONCE:
        return ()
    return tuple(
        record for record in records
        if 0 < len(record.text) <= _LONGEST and record.lock_mode is None
    )  # fmt: skip


def revision(text: str, answer: Completion, said: str) -> Revision | None:
    """The text after the edits of an answer; None where they do not fit the text, or say what
    nobody said."""
    found = _edits(answer.data)
    made = revised(text, found) if found is not None else None
    held = fold(f"{said} {text}")
    if made is None or any(_unsaid(_changed(edit), held) for edit in made.edits):
        return None
    least = min((probability for _, probability in answer.tokens), default=1.0)
    return replace(made, certainty=least)


def _unsaid(words: str, held: str) -> bool:
    """Whether a value, or more than the joints of what is new, is nobody's."""
    pieces = _PIECES.findall(fold(words))
    fresh = [piece for piece in pieces if piece not in held]
    if any(piece[0].isdecimal() for piece in fresh):
        return True
    joint = len(fresh) == 1 and len(fresh[0]) <= _JOINT
    return len(fresh) > _JOINTS * len(pieces) and not joint


def _changed(edit: Exchange) -> str:
    """What is new in a new side: without what both sides begin and end with."""
    old, new = edit.old, edit.new
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    if head is None:
        return new[len(old) :]
    old, new = old[head:], new[head:]
    back = zip(reversed(old), reversed(new), strict=False)
    tail = next((i for i, (a, b) in enumerate(back) if a != b), min(len(old), len(new)))
    return new[: len(new) - tail]


def _edits(data: Any) -> tuple[Exchange, ...] | None:
    if not isinstance(data, list):
        return None
    pairs = [each for each in data if isinstance(each, list) and len(each) == 2]
    if len(pairs) != len(data) or not all(isinstance(part, str) for pair in pairs for part in pair):
        return None
    return tuple(Exchange(old, new) for old, new in pairs)
