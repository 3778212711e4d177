"""The reader: an utterance, its turns and a picture of the store in, a draft out.

Every model answers in the one contract of ``draft``. A tuned one is shown the request in the form
that it was trained on; any other the prompt with its examples, and the store where it can take that
in.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from text2mem.ir.diagnostic import Diagnostic, render
from text2mem.planner import picture
from text2mem.planner.ask import Ask, Example
from text2mem.planner.draft import draft_grammar, draft_schema
from text2mem.planner.lowering import strict
from text2mem.prompts import load
from text2mem.providers.base import Completion, Message, Request, Sampling, continued
from text2mem.providers.profiles import Adapter, Profile

_TURNS = 2
_OP = '"op":"'
_ONCE = "Once: "
_BOOLEAN = 'root ::= "true" | "false"'


def tuned_prompt(utterance: str, before: Sequence[str], once: Example | None = None) -> str:
    """What the tuned model is shown: the last turns and the request, a line each, and no more; with
    an earlier request that it may be like, what that one meant."""
    return f"{asked(utterance, before, once)}Draft: "


def second_prompt(
    utterance: str, before: Sequence[str], op: str, once: Example | None = None
) -> str:
    """What the tuned model is shown when it reads a request again: is this op asked for?"""
    return f"{asked(utterance, before, once)}Asks for {op}: "


def meant_prompt(
    text: str, utterance: str, before: Sequence[str], op: str, once: Example | None = None
) -> str:
    """What the tuned model is shown of a memory that a step may mean: is it this one?"""
    return f"{asked(utterance, before, once)}Memory: {_line(text)}\nMeant for {op}: "


def first(prompt: str, profile: Profile, sampling: Sampling) -> Request:
    """The question of a ``tuned_prompt``; its answer is a draft."""
    return continued(
        prompt, _adapter(prompt), profile, sampling, grammar=draft_grammar(), schema=draft_schema()
    )


def second(prompt: str, profile: Profile, sampling: Sampling) -> Request:
    """The question of a ``second_prompt`` or a ``meant_prompt``; its answer is a boolean."""
    return continued(
        prompt, _adapter(prompt), profile, sampling, grammar=_BOOLEAN, schema={"type": "boolean"}
    )


def _adapter(prompt: str) -> Adapter:
    """Who reads it: what is read with an example has an adapter of its own."""
    return "examples" if prompt.startswith(_ONCE) else "requests"


def certainty(answer: Completion) -> float:
    """How certain the model was of the ops that it wrote, the least of them; 1 where it is not
    told."""
    found, written = 1.0, ""
    for token, probability in answer.tokens:
        if written.endswith(_OP):
            found = min(found, probability)
        written += token
    return found


def agreement(answer: Completion) -> float:
    """How likely it is, by a second reading, that the op is asked for, or the memory meant."""
    sure = answer.tokens[0][1] if answer.tokens else 1.0
    return sure if answer.data is True else 1.0 - sure


def read(ask: Ask, profile: Profile, sampling: Sampling) -> Request:
    """The question to the model: what does this request ask for?"""
    if profile.tuned:
        return first(tuned_prompt(ask.utterance, ask.before, ask.once), profile, sampling)
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


def _request(turns: tuple[Message, ...], profile: Profile, sampling: Sampling) -> Request:
    grammar = draft_grammar() if profile.constraint == "grammar" else None
    schema = json.loads(_schema(profile.constraint == "strict"))
    return Request(turns, schema, grammar, sampling)


@cache
def _schema(closed: bool) -> str:
    return json.dumps(strict(draft_schema()) if closed else draft_schema())


def _said(ask: Ask, profile: Profile) -> str:
    local = ask.now.astimezone(ask.tz)
    zone = ask.tz.key if isinstance(ask.tz, ZoneInfo) else str(ask.tz)
    parts = [f"Now: {local:%A %Y-%m-%d %H:%M} ({zone})"]
    if profile.sees_store:
        parts.append(picture.show(ask, profile.picture))
    if ask.once is not None:
        parts.append(f"Once this person said: {_line(ask.once.request)}")
        parts.append(f"and meant: {ask.once.draft.dump()}")
    parts.append(picture.turns(ask))
    parts.append(f"Request: {_line(ask.utterance)}")
    return "\n".join(part for part in parts if part)


def asked(utterance: str, before: Sequence[str], once: Example | None = None) -> str:
    """The lines of a request, as every prompt of the tuned model has them."""
    like = f"{_ONCE}{_line(once.request)}\nMeant: {once.draft.dump()}\n" if once else ""
    turns = "".join(f"Before: {_line(turn)}\n" for turn in before[-_TURNS:])
    return f"{like}{turns}Request: {_line(utterance)}\n"


def _line(text: str) -> str:
    return " ".join(text.split())
