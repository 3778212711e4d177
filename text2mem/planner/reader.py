"""The reader: ask a model for a draft, given an utterance, its turns and a picture of the store.

Every model answers in the contract of ``draft``. A tuned one is shown the request in the form that
it was trained on; any other one the prompt with its examples, and the store if its profile says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any
from zoneinfo import ZoneInfo

from text2mem.ir.diagnostic import Diagnostic, render
from text2mem.ir.turn import Turn
from text2mem.planner import picture
from text2mem.planner.ask import Ask, Example
from text2mem.planner.draft import NAMED, Draft, draft_grammar, draft_schema, read_draft
from text2mem.planner.lowering import strict
from text2mem.planner.picture import View, listed, one_line
from text2mem.prompts import load
from text2mem.providers.base import Completion, Message, Request, Sampling, continued
from text2mem.providers.profiles import Profile

_TURNS = 2
_CAME = 8
"""The most memories that are shown for a turn."""
_OP = '"op":"'
_BEGUN, _STEPS, _UNDO = '{"', "s", "u"
"""How every answer begins, and how steps or an undo go on."""
BEGINNINGS = r"""root ::= "{\"" ("steps\":[]}" | "undo\":true}")"""
"""A grammar for the beginning of an answer, which shows how likely each kind of answer was. It
allows no question, since that would hide whether a step would have been written."""
_WITHIN_IDS = re.compile(rf'"(?:ids|{NAMED})":\["(?:[^"\\]|\\.|",")*?(?P<begun>(?:[^"\\]|\\.)*)$')
_WITHIN_WORDS = re.compile(r'"(old|new)":"(?:[^"\\]|\\.)*$')
_BOOLEAN = 'root ::= "true" | "false"'


def tuned_prompt(
    view: View | None, utterance: str, before: Sequence[Turn], once: Example | None = None,
    *, asks_for: str = "",
) -> str:  # fmt: skip
    """The prompt of the tuned model: the view of the store, a similar earlier request with its
    draft, the last turns, and the request, a line each. It asks for the draft or, in a second
    reading, whether the request ``asks_for`` an op."""
    held = listed(view) if view is not None else ""
    like = f"Once: {one_line(once.request)}\nMeant: {once.draft.dump()}\n" if once else ""
    turns = "".join(f"Before: {_turn(turn, view)}\n" for turn in before[-_TURNS:])
    asked = f"Asks for {asks_for}: " if asks_for else "Draft: "
    return f"{held}{like}{turns}Request: {one_line(utterance)}\n{asked}"


def named(answer: Any, view: View | None) -> Any:
    """A tuned model's answer with ids in place of names."""
    steps = answer.get("steps") if isinstance(answer, dict) else None
    if view is None or not isinstance(steps, list):
        return answer
    ids = {name: id_ for id_, name in view.names.items()}
    for step in steps:
        if isinstance(step, dict) and isinstance(step.get(NAMED), list):
            found = [ids[name] for name in step.pop(NAMED) if name in ids]
            step["ids"] = [*step.get("ids", ()), *found]
    return answer


def drafted(answer: Completion, view: View | None) -> Draft | list[Diagnostic]:
    """The draft in a model's answer, or what is wrong with it."""
    return read_draft(named(restored(answer.data), view))


def asking(
    view: View | None, utterance: str, before: Sequence[Turn], profile: Profile,
    sampling: Sampling, once: Example | None = None, *, steps: bool = False,
) -> Request:  # fmt: skip
    """The request to a tuned model for a draft. ``steps``: it may not ask back or undo."""
    prompt = tuned_prompt(view, utterance, before, once)
    names = [*view.names.values()] if view is not None else []
    grammar, schema = draft_grammar(names, steps=steps), draft_schema(names, steps=steps)
    return continued(prompt, "requests", profile, sampling, grammar=grammar, schema=schema)


def beginning(view: View, profile: Profile) -> Request:
    """The beginning of every prompt over a view, as a request whose answer is of no use."""
    return second(listed(view), profile, Sampling(max_tokens=1))


def beginning_of(
    view: View | None, utterance: str, profile: Profile, sampling: Sampling,
    once: Example | None = None, before: Sequence[Turn] = (),
) -> Request:  # fmt: skip
    """The request to a tuned model for the beginning of its answer to an utterance."""
    return continued(
        tuned_prompt(view, utterance, before, once), "requests", profile, sampling,
        grammar=BEGINNINGS, schema={"type": "object"},
    )  # fmt: skip


def second(prompt: str, profile: Profile, sampling: Sampling) -> Request:
    """The request for a second reading. Its answer is a boolean."""
    return continued(
        prompt, "requests", profile, sampling, grammar=_BOOLEAN, schema={"type": "boolean"}
    )


def certainty(answer: Completion) -> float:
    """The least probability of an op that the model wrote; 1 if the probabilities are not known."""
    return min(
        (sure for _, sure, written, _ in _walked(answer) if written.endswith(_OP)), default=1.0
    )


def undone(answer: Completion) -> float:
    """The probability that an answer is an undo; 1 or 0 by the answer if it is not known."""
    tokens = _continuations(answer, _BEGUN)
    if tokens is None:
        return float(isinstance(answer.data, dict) and "undo" in answer.data)
    return sum(likely for token, likely in tokens if token.startswith(_UNDO))


def idle(beginning: Completion) -> float:
    """The probability that nothing is asked for; 0 if it is not known."""
    tokens = _continuations(beginning, _BEGUN) or ()
    none = sum(likely for token, likely in tokens if token.startswith(_STEPS))
    for so_far in ('{"steps', '{"steps":'):  # here the first step would begin
        tokens = _continuations(beginning, so_far) or ()
        none *= 1.0 - sum(likely for token, likely in tokens if token.lstrip('":').startswith("[{"))
    return none


def _continuations(answer: Completion, so_far: str) -> Sequence[tuple[str, float]] | None:
    """What could have been written after ``so_far``, with probabilities; None if not known."""
    return next((instead for *_, written, instead in _walked(answer) if written == so_far), None)


def agreement(answer: Completion) -> float:
    """The probability, by a second reading, that the op is asked for."""
    sure = answer.tokens[0][1] if answer.tokens else 1.0
    return sure if answer.data is True else 1.0 - sure


def picked(answer: Completion, view: View | None = None) -> tuple[float, ...]:
    """For each step, the least probability of a memory that it picks; 1 if it picks none, or the
    probabilities are not known. In what order it picks them makes no difference."""
    shown = view.texts if view is not None else {}
    texts = [*shown.values()]
    draft = drafted(answer, view)
    steps = draft.steps if isinstance(draft, Draft) else ()
    chosen = [[shown[id_] for id_ in step.listed("ids") if id_ in shown] for step in steps]
    found: list[float] = []
    for token, probability, written, instead in _walked(answer):
        if written.endswith(_OP):
            found.append(1.0)
        within = _WITHIN_IDS.search(written)
        if found and within is not None:
            also = chosen[len(found) - 1] if len(found) <= len(chosen) else ()
            sure = _of_memory(within["begun"], token, probability, instead or (), texts, also)
            found[-1] = min(found[-1], sure)
    return tuple(found)


def worded(answer: Completion) -> tuple[tuple[float, float], ...]:
    """For each step, the least probability of its old and of its new words; 1 if not known."""
    found: list[tuple[float, float]] = []
    for _, probability, written, _ in _walked(answer):
        if written.endswith(_OP):
            found.append((1.0, 1.0))
        within = _WITHIN_WORDS.search(written)
        if found and within is not None:
            old, new = found[-1]
            go = within[1] == "old"
            found[-1] = (min(old, probability), new) if go else (old, min(new, probability))
    return tuple(found)


def _walked(
    answer: Completion,
) -> Iterator[tuple[str, float, str, Sequence[tuple[str, float]] | None]]:
    """Each token of an answer and its probability, what was written before it, and what could have
    been written in its place (None if that is not known)."""
    written, others = "", chain(answer.likeliest, repeat(None))
    for (token, probability), instead in zip(answer.tokens, others, strict=False):
        yield token, probability, written, instead
        written += token


def _of_memory(
    begun: str, token: str, probability: float, instead: Sequence[tuple[str, float]],
    texts: Sequence[str], chosen: Sequence[str],
) -> float:  # fmt: skip
    """The probability that the model goes on with this memory, or with another one of those that it
    has ``chosen``. A name may end within a token, so every continuation that names such a memory
    counts."""
    rest = [(other, likely) for other, likely in instead if other != token]
    if token.startswith('"'):  # the name is written; does another one follow?
        ends = sum(likely for other, likely in rest if other.startswith('"'))
        return probability / (probability + ends) if probability else 0.0
    if begun and sum(text.startswith(begun) for text in texts) == 1:
        return 1.0  # only one text begins like this: there is no choice left
    so_far = begun + token.partition('"')[0]
    meant = [*(text for text in texts if text.startswith(so_far)), *chosen]
    same = (likely for other, likely in rest
            if any(text.startswith(begun + other.partition('"')[0]) for text in meant))  # fmt: skip
    return min(1.0, probability + sum(same))


def read(ask: Ask, profile: Profile, sampling: Sampling, view: View | None = None) -> Request:
    """What does this utterance ask for? ``view`` is what a tuned model is shown of the store."""
    if profile.tuned:
        return asking(view, ask.utterance, ask.turns, profile, sampling, ask.once)
    turns = (*load("draft").turns, Message("user", _said(ask, profile)))
    return _request(turns, profile, sampling)


def reread(
    request: Request, answer: str, diagnostics: Sequence[Diagnostic], profile: Profile
) -> Request:
    """The same request with what was wrong with the answer."""
    complaint = load("repair").filled(diagnostics=render(diagnostics))
    turns = request.messages
    if profile.echo_answer:
        turns = (*turns, Message("assistant", answer))
    return _request((*turns, *complaint), profile, request.sampling)


def restored(answer: Any) -> Any:
    """An answer in the form of the contract, if a decoder forced it into another one."""
    if isinstance(answer, list):
        return {"steps": answer}
    if isinstance(answer, dict) and "op" in answer:
        return {"steps": [answer]}
    return answer


def _request(turns: tuple[Message, ...], profile: Profile, sampling: Sampling) -> Request:
    grammar = draft_grammar() if profile.constraint == "grammar" else None
    schema = strict(draft_schema()) if profile.constraint == "strict" else draft_schema()
    return Request(turns, schema, grammar, sampling)


def _said(ask: Ask, profile: Profile) -> str:
    """The user's turn of the prompt for models that are not tuned."""
    local = ask.now.astimezone(ask.tz)
    zone = ask.tz.key if isinstance(ask.tz, ZoneInfo) else str(ask.tz)
    parts = [f"Now: {local:%A %Y-%m-%d %H:%M} ({zone})"]
    if profile.sees_store:
        parts.append(picture.show(ask, profile.picture))
    if ask.once is not None:
        parts.append(f"Once this person said: {one_line(ask.once.request)}")
        parts.append(f"and meant: {ask.once.draft.dump()}")
    parts.append(picture.turns(ask))
    parts.append(f"Request: {one_line(ask.utterance)}")
    return "\n".join(part for part in parts if part)


def _turn(turn: Turn, view: View | None) -> str:
    """An earlier turn with the names of its memories."""
    names = view.names if view is not None else {}
    came = [names[id_] for id_ in turn.ids if id_ in names][:_CAME]
    return f"{one_line(turn.text)} [{'; '.join(came)}]" if came else one_line(turn.text)
