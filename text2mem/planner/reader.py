"""The reader: an utterance, its turns and a picture of the store in, a draft out.

Every model answers in the one contract of ``draft``. A tuned one is shown the request and the few
memories nearest to it, in the form that it was trained on; any other the prompt with its examples,
and the store where it can take that in.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from text2mem.ir.diagnostic import Diagnostic, render
from text2mem.ir.record import Record
from text2mem.planner import picture
from text2mem.planner.ask import Ask
from text2mem.planner.draft import draft_grammar, draft_schema
from text2mem.planner.lowering import strict
from text2mem.planner.near import LETTERS
from text2mem.prompts import load
from text2mem.providers.base import Completion, Message, Request, Sampling
from text2mem.providers.profiles import Profile

_TURNS = 2
_WIDTH = 72
"""How much of a memory the tuned model is shown, in columns."""
_OP = '"op":"'
_DEADLINE = 120.0


def tuned_prompt(utterance: str, before: Sequence[str], near: Sequence[str] = ()) -> str:
    """What the tuned model is shown: memories under letters, the last turns, the request.

    ``near`` are the texts of the memories, the nearest first. A line each, and no more.
    """
    held = "".join(f"{letter}: {_cut(text)}\n" for letter, text in zip(LETTERS, near, strict=False))
    turns = "".join(f"Before: {_line(turn)}\n" for turn in before[-_TURNS:])
    return f"{held}{turns}Request: {_line(utterance)}\nDraft: "


def read(ask: Ask, profile: Profile, sampling: Sampling, shown: Sequence[Record] = ()) -> Request:
    """The question to the model: what does this request ask for?

    ``shown`` are the memories that a tuned model sees beside it.
    """
    if profile.tuned:
        prompt = tuned_prompt(ask.utterance, ask.before, [record.text for record in shown])
        if profile.constraint == "grammar":
            return Request(
                (), None, draft_grammar(), sampling, _DEADLINE, prompt=prompt, adapter="requests"
            )
        return Request(
            (), draft_schema(), None, sampling, _DEADLINE, prompt=prompt, adapter="requests"
        )
    turns = (*load("draft").turns, Message("user", _said(ask, profile)))
    return _request(turns, profile, sampling)


def reread(
    request: Request, answer: str, diagnostics: Sequence[Diagnostic], profile: Profile
) -> Request:
    """The same question once more, with what was wrong with the answer."""
    complaint = load("repair").filled(diagnostics=render(diagnostics))
    turns = request.messages
    if profile.echo_answer:
        turns = (*turns, Message("assistant", answer))
    return _request((*turns, *complaint), profile, request.sampling)


def restored(answer: Any) -> Any:
    """An answer as the contract has it, whatever shape a decoder forced it into."""
    if isinstance(answer, list):
        return {"steps": answer}
    if isinstance(answer, dict) and "op" in answer:
        return {"steps": [answer]}
    return answer


def certainties(answer: Completion) -> tuple[float, ...]:
    """How certain the model was of the op of each step; empty where the provider does not tell."""
    found, written = [], ""
    for token, probability in answer.tokens:
        if written.endswith(_OP):
            found.append(probability)
        written += token
    return tuple(found)


def _request(turns: tuple[Message, ...], profile: Profile, sampling: Sampling) -> Request:
    grammar = draft_grammar() if profile.constraint == "grammar" else None
    schema = json.loads(_schema(profile.constraint == "strict"))
    return Request(turns, schema, grammar, sampling, _DEADLINE)


@cache
def _schema(closed: bool) -> str:
    return json.dumps(strict(draft_schema()) if closed else draft_schema())


def _said(ask: Ask, profile: Profile) -> str:
    local = ask.now.astimezone(ask.tz)
    zone = ask.tz.key if isinstance(ask.tz, ZoneInfo) else str(ask.tz)
    parts = [f"Now: {local:%A %Y-%m-%d %H:%M} ({zone})"]
    if profile.sees_store:
        parts.append(picture.show(ask, profile.picture))
    parts.append(picture.turns(ask))
    parts.append(f"Request: {_line(ask.utterance)}")
    return "\n".join(part for part in parts if part)


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    """The beginning of a text: a letter of CJK counts for two, as it does in tokens and width."""
    line, room = _line(text), _WIDTH
    for at, letter in enumerate(line):
        room -= 1 + (letter > "\u2e7f")
        if room < 0:
            return f"{line[:at]}…"
    return line
