"""Find turns that name a subject, or were said by it, without being the source of its facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from text2mem.ir.journal import ABOUT
from text2mem.ir.ops import BySearch
from text2mem.ir.record import Record
from text2mem.ir.words.mentions import OWNS, speaks_of_another, speaks_of_self
from text2mem.ir.words.naming import find_name, find_names, name_key
from text2mem.ledger.episode import EPISODE, Episode, speaker
from text2mem.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class _Names:
    """How a subject may be named: by its own name, or by its relation to somebody."""

    subject: str
    """The folded name."""
    ties: tuple[tuple[str, str], ...]
    """Pairs of a person and the subject's relation to them, such as ("priya", "sister"), folded."""

    @property
    def query(self) -> str:
        """All these words, for a search."""
        return " ".join((self.subject, *(tie for _, tie in self.ties))).replace("_", " ")

    def named_in(self, words: str, said_by: str) -> bool:
        """Whether the words of the speaker ``said_by`` name the subject."""
        text = name_key(words)
        return find_name(self.subject, text) is not None or any(
            find_name(tie, text) if who == said_by else _owns(who, tie, text)
            for who, tie in self.ties
        )


@dataclass(frozen=True, slots=True)
class Naming:
    """A turn that names a subject, or was said by it."""

    record: Record
    named: bool
    """Whether its words name the subject."""
    unread: bool
    """Whether nothing was read out of it, so that it may state anything about the subject."""
    _names: _Names
    _episode: Episode

    def may_tell(self, fact: Record) -> bool:
        """Whether a fact about somebody else, read out of this turn, may be the subject's: its
        words name the subject, have a pronoun such as "she", or do not name the person whom the
        fact is said to be about, or only as one to whom the subject is related ("Priya's")."""
        who, _ = fact.line
        if fact.source_episode_id != self.record.id or fact.line in self._names.ties:
            return False  # not read here, or it says who the subject is to this person
        match fact.payload.get("span"):  # a program may have stored anything there
            case [int() as start, int() as end]:
                words = self._episode.text[start:end]
            case _:
                return False
        said_by = _said_by(self._episode)
        if self._names.named_in(words, said_by) or speaks_of_another(words):
            return True
        if who == said_by:
            return not speaks_of_self(words)
        folded = name_key(words)
        named = find_name(who, folded)
        related = who in dict(self._names.ties)
        return named is None or (related and OWNS.match(folded, named.end()) is not None)


def naming(
    ledger: Ledger, subject: str, pointing: Sequence[Record], known: Collection[str]
) -> Iterator[Naming]:
    """Yield the turns that name the subject or that it has said itself, but for those in ``known``,
    by their ids. ``pointing`` are the facts whose value is the subject."""
    name = name_key(subject)
    owner, _, relation = name.rpartition("_")
    ties = [(owner, relation)] if owner else []
    names = _Names(name, (*ties, *(fact.line for fact in pointing)))
    target = BySearch(query=names.query, alpha=0.0)
    for row in ledger.settled(lambda: ledger.resolve(target, archived=True, deleted=True).rows):
        if row.type != EPISODE or row.id in known:
            continue
        episode = Episode.of(row, ledger.context.tz)
        named = names.named_in(episode.text, _said_by(episode))
        if named or _said_by(episode) == names.subject:
            # An assistant's turn states nothing, so it is no unread one.
            unread = ABOUT not in row.facets and episode.role != "assistant"
            yield Naming(row, named, unread, names, episode)


def _owns(who: str, tie: str, text: str) -> bool:
    """Whether a folded text names the relation of a person: "Priya's sister", 普里娅妹妹."""
    after = (text[name.end() :] for name in find_names(who, text))
    return any(
        rest.startswith(tie) or (OWNS.match(rest) and find_name(tie, rest)) for rest in after
    )


def _said_by(episode: Episode) -> str:
    """The folded name of the person who says a turn; empty for a tool, an event or an assistant."""
    return speaker(episode) if episode.role == "user" else ""
