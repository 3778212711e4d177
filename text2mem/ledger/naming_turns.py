"""Turns that name a subject although no fact about it was read out of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from text2mem.adapters.base import Scope
from text2mem.ir.ops import BySearch
from text2mem.ir.record import Record
from text2mem.ir.words.mentions import OWNS, speaks_of_another, speaks_of_self
from text2mem.ir.words.naming import find_name, find_names, name_key
from text2mem.ledger.about import ABOUT
from text2mem.ledger.episode import EPISODE, Episode, speaker
from text2mem.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class _Names:
    """How a subject is named: by its own name, or as somebody's relative.

    ``subject`` is folded; ``ties`` are pairs of a person and what the subject is to them, folded.
    ``asked`` are all these words, for a search.
    """

    subject: str
    ties: tuple[tuple[str, str], ...]
    asked: str

    def named_in(self, words: str, said_by: str) -> bool:
        """Whether words of a speaker name the subject."""
        text = name_key(words)
        return find_name(self.subject, text) is not None or any(
            find_name(tie, text) if who == said_by else _owns(who, tie, text)
            for who, tie in self.ties
        )


@dataclass(frozen=True, slots=True)
class Naming:
    """A turn that names a subject (``named``), or is its own.

    ``unread``: nothing at all was read out of it, so that it may state anything of the subject.
    """

    record: Record
    named: bool
    unread: bool
    _names: _Names
    _episode: Episode

    def may_tell(self, fact: Record) -> bool:
        """Whether another's fact may be the subject's.

        It was read out of words of the turn that name the subject, or say "she", or name nobody,
        not even whom the fact is said to be of.
        """
        if fact.source_episode_id != self.record.id:
            return False
        match fact.payload.get("span"):  # a program may write what it likes there
            case [int() as start, int() as end]:
                words = self._episode.text[start:end]
            case _:
                return False
        if (name_key(fact.subject or ""), name_key(fact.attribute or "")) in self._names.ties:
            return False  # it says who else that was
        who, said_by = name_key(fact.subject or ""), _said_by(self._episode)
        if self._names.named_in(words, said_by) or speaks_of_another(words):
            return True
        if who == said_by:
            return not speaks_of_self(words)
        folded = name_key(words)
        named = find_name(who, folded)
        if named is None:
            return True
        return who in dict(self._names.ties) and OWNS.match(folded, named.end()) is not None


def naming(
    ledger: Ledger, subject: str, pointing: Sequence[Record], known: Collection[str]
) -> Iterator[Naming]:
    """Every turn that names the subject or that it has said itself.

    ``pointing`` are the facts whose value the subject is, ``known`` ids that are no news. What an
    assistant says is not unread, it states nothing.
    """
    names = _names(subject, pointing)

    def look() -> Sequence[Record]:
        seen = Scope.of_all(ledger.context, ledger.now())
        return ledger.adapter.resolve(BySearch(query=names.asked, alpha=0.0), seen).rows

    for row in ledger.ticked(look):
        if row.type != EPISODE or row.id in known:
            continue
        episode = Episode.of(row, ledger.context.tz)
        named = names.named_in(episode.text, _said_by(episode))
        if named or _said_by(episode) == names.subject:
            unread = ABOUT not in row.facets and episode.role != "assistant"
            yield Naming(row, named, unread, names, episode)


def _owns(who: str, tie: str, text: str) -> bool:
    """Whether folded words say that somebody's relative is meant: "Priya's sister", 普里娅妹妹."""
    after = (text[named.end() :] for named in find_names(who, text))
    return any(
        rest.startswith(tie) or (OWNS.match(rest) and find_name(tie, rest)) for rest in after
    )


def _said_by(episode: Episode) -> str:
    """The person who says a turn; empty for a tool, an event or an assistant."""
    return speaker(episode) if episode.role == "user" else ""


def _names(subject: str, pointing: Sequence[Record]) -> _Names:
    name = name_key(subject)
    owner, _, relation = name.rpartition("_")
    ties = [(owner, relation)] if owner else []
    ties += [(name_key(fact.subject or ""), name_key(fact.attribute or "")) for fact in pointing]
    asked = (word.replace("_", " ") for word in (name, *(tie for _, tie in ties)))
    return _Names(name, tuple(ties), " ".join(asked))
