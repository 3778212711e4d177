"""What a model is shown of a turn, and the request that asks it what the turn states."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from text2mem.adapters.shipped import shipped_registry
from text2mem.ir.record import Record
from text2mem.ir.values import as_text
from text2mem.ir.words.likeness import Vector, dot
from text2mem.ir.words.mentions import ME, mine
from text2mem.ir.words.naming import find_name, is_pattern, name_key
from text2mem.ir.words.segment import HAN
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.known import Known
from text2mem.ledger.statements.contract import statements_grammar, statements_schema
from text2mem.ledger.statements.names import told_of
from text2mem.planner.lowering import strict
from text2mem.prompts import load
from text2mem.providers.base import Message, Request, Sampling, continued
from text2mem.providers.profiles import Profile

TURNS, OF_EACH = 2, 4
"""The most earlier turns that are shown, and the most facts of each subject."""
_KNOWN = 5
"""The most facts that the tuned reader is shown."""
NAMES, OWN = 14, 12
"""The most names of attributes that it is shown, and of the store's own among them."""
SUBJECTS = 6
"""The most subjects that it is shown."""
_LONG = 300
"""The most characters of an earlier turn that are shown."""
_NAMES = 120
"""The most names of attributes that are shown."""
_MOST_KNOWN, _MOST_TUNED = 40, 12
"""The most facts that are shown, and the most of which the tuned reader is shown some."""
_MOST_WAITING = 12
"""The most facts that are shown which wait, or have yet to begin."""
_GIVEN, _MARK = re.compile(r"\.{20,}"), "[text]"
"""What ``without_given`` leaves in place of a quoted text, and what the reader is shown for it."""
Triple = tuple[str, str, str]
"""Subject, attribute and value of a fact, in words."""


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as a reader is shown it."""

    turn: str
    before: tuple[tuple[str, str], ...] = ()
    """The turns before it, each with ``user`` or ``assistant``, the latest last."""
    known: tuple[Triple, ...] = ()
    """Facts of the ledger; the speaker is ``me``."""
    names: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    """Those of the shipped registry."""
    subjects: tuple[str, ...] = ()
    """The subjects of the conversation so far, without the speaker, the latest first."""
    waiting: tuple[Triple, ...] = ()
    """Facts that wait for a yes, and those of the conversation that have yet to begin."""

    @property
    def facts(self) -> tuple[Triple, ...]:
        """Every fact that is shown."""
        return (*self.known, *self.waiting)


def shown(episode: Episode, known: Known) -> Said:
    """What a reader is shown of an episode (docs/statements.md, "What code makes of it")."""
    before = tuple(
        ("assistant" if earlier.role == "assistant" else "user", earlier.text)
        for earlier, _ in known.before[-TURNS:]
        if earlier.message.structured is None
    )
    me = speaker(episode)
    turn = name_key(episode.text)
    every = (*known.facts(), *known.waiting())
    with_said_value = [f for f in every if _stands(f.value, turn)][:OF_EACH]
    words = name_key(" ".join((episode.text, *(text for _, text in before))))
    named = [s for s in known.subjects() if s != me and _named(s, me, words)]
    earlier = [s for s in told_of(known) if s != me]
    subjects = dict.fromkeys((*named, *earlier, me))
    of_subjects = {s: known.facts(subject=s) for s in subjects}
    first = [fact for facts in of_subjects.values() for fact in facts[:OF_EACH]]
    others = [fact for fact in every if fact.subject not in subjects]
    rest = [fact for facts in of_subjects.values() for fact in facts[OF_EACH:]]
    facts = {fact.id: fact for fact in (*with_said_value, *first, *others)}
    facts = dict(islice(facts.items(), _MOST_TUNED)) | {fact.id: fact for fact in rest} | facts
    stated = [fact for _, told in reversed(known.before) for fact in told]
    ahead = [fact for fact in stated if fact.begins > episode.at and _is_ahead(fact, known)]
    later = {fact.id: fact for fact in (*known.waiting(), *ahead)}.values()
    own_names, common = _names(known, chinese=bool(HAN.search(episode.text)))
    about = dict.fromkeys((*earlier, *(fact.subject for fact in every if fact.subject != me)))
    return Said(
        _GIVEN.sub(_MARK, episode.text), before,
        tuple(_triple(fact, me) for fact in islice(facts.values(), _MOST_KNOWN)),
        own_names, common, tuple(_spoken(subject, me) for subject in about if subject)[:SUBJECTS],
        tuple(_triple(fact, me) for fact in islice(later, _MOST_WAITING)),
    )  # fmt: skip


def _is_ahead(fact: Record, known: Known) -> bool:
    """Whether a fact is a version of its line that has yet to begin, and has not been given up."""
    line = known.not_now(fact.subject or "", fact.attribute or "")
    return fact.id in {version.id for version in line}


def _triple(fact: Record, me: str) -> Triple:
    name = (fact.attribute or "").replace("_", " ")
    return _spoken(fact.subject, me), name, as_text(fact.value)


def _names(known: Known, *, chinese: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of attributes that the store uses or has declared itself, and those of the shipped
    registry in the turn's script (Chinese or not); ``_NAMES`` together at most."""
    declared = [name for name in known.registry.attributes if not is_pattern(name)]
    shipped = shipped_registry().attributes
    used = (*known.attributes(), *(name for name in declared if name not in shipped))
    own = tuple(dict.fromkeys(used))[:_NAMES]
    others = (name for name in declared if name not in own and bool(HAN.search(name)) == chinese)
    return own, tuple(others)[: _NAMES - len(own)]


def _named(subject: str, me: str, words: str) -> bool:
    """Whether folded words contain a subject's name, or what the speaker ``me`` calls it."""
    return any(find_name(name, words) for name in (subject, name_key(_spoken(subject, me))))


def _stands(value: object, words: str) -> bool:
    """Whether folded words contain a value of two characters or more."""
    written = name_key(as_text(value))
    return len(written) > 1 and find_name(written, words) is not None


def _spoken(subject: str | None, me: str) -> str:
    """What the speaker (the folded name ``me``) calls a subject: ``me``, "my sister"."""
    if subject == me:
        return ME
    noun = (subject or "").removeprefix(f"{me}_")
    shown_as = noun.replace("_", " ")
    return shown_as if noun == subject or not noun else mine(shown_as)


def tuned_prompt(said: Said) -> str:
    """The prompt of the tuned model: one line for each kind of thing that it is shown.

    Of the known facts these are only the speaker's and those of subjects that are named, since
    others mislead the model. Other subjects are listed by name: "it closes on the 28th" may be
    about one of them.
    """
    words = name_key(" ".join(texts(said)))
    relevant = [
        triple for triple in said.known[:_MOST_TUNED]
        if triple[0] == ME or find_name(name_key(triple[0]), words)
    ]  # fmt: skip
    named = [f"Names: {' · '.join(map(_line, said.names))}"] if said.names else []
    known = [f"Known: {' · '.join(map(_line, triple))}" for triple in relevant[:_KNOWN]]
    before = [f"{by.capitalize()}: {_cut(text)}" for by, text in said.before[-TURNS:]]
    about = [f"About: {' · '.join(map(_line, said.subjects[:SUBJECTS]))}"] if said.subjects else []
    shown = (*named, *about, *known, *before, f"Turn: {_line(said.turn)}", "Facts: ")
    return "\n".join(shown)


def question(said: Said, profile: Profile, sampling: Sampling) -> Request:
    """The request that asks what a turn states: a prompt for the tuned model, else messages."""
    grammar, schema = statements_grammar(), statements_schema()
    if "statements" in profile.adapters:
        prompt = tuned_prompt(said)
        return continued(prompt, "statements", profile, sampling, grammar=grammar, schema=schema)
    turns = (*load("statements").turns, Message("user", _message(said)))
    schema = strict(schema) if profile.constraint == "strict" else schema
    return Request(turns, schema, grammar if profile.constraint == "grammar" else None, sampling)


def _message(said: Said) -> str:
    """The message for other models: JSON between marks, which no text in it can close."""
    shown = {
        "known": [list(triple) for triple in said.known if triple not in said.waiting],
        "waiting": [list(triple) for triple in said.waiting],
        "attributes": [*said.names, *said.common],
        "before": [{"by": by, "text": _cut(text)} for by, text in said.before],
        "turn": _line(said.turn),
    }
    data = json.dumps({key: value for key, value in shown.items() if value}, ensure_ascii=False)
    return f"<data>{data.replace('<', '‹')}</data>"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    """A text in one line, cut to ``_LONG`` characters."""
    line = _line(text)
    return line if len(line) <= _LONG else f"{line[:_LONG]}…"


def offered(said: Said, by_nearness: Callable[[Sequence[str]], Sequence[str]]) -> Said:
    """The turn with the ``NAMES`` names of attributes that the tuned reader is shown: the nearest
    of the store's own (``OWN`` at most), then the nearest of the shipped registry's.
    ``by_nearness`` orders names, the nearest to the turn first."""
    own = by_nearness(said.names)[:OWN]
    others = by_nearness([name for name in said.common if name not in own])
    names = (*own, *others[: NAMES - len(own)])
    return replace(said, names=tuple(name.replace("_", " ") for name in names), common=())


def nearest(names: Sequence[str], vectors: Sequence[Vector], turn: Vector) -> tuple[str, ...]:
    """The names in the order of the dot products of their vectors with the turn's."""
    likeness = [dot(turn, vector) for vector in vectors]
    return tuple(names[i] for i in sorted(range(len(names)), key=lambda i: -likeness[i]))


def texts(said: Said) -> Sequence[str]:
    """The texts that may contain the words of a fact: the turn, then earlier ones, latest first."""
    return (said.turn, *(text for _, text in reversed(said.before)))
