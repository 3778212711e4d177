"""The scene of a text: who speaks, who and what has been named, and how things are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property

from text2mem.ir.naming import fold, stands_in
from text2mem.ir.record import Record
from text2mem.ir.written_dates import read_date
from text2mem.ledger.candidate import Candidate, Known, Turn
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.extraction.english.people import People
from text2mem.ledger.extraction.english.text import plain
from text2mem.ledger.extraction.english.times import Times
from text2mem.ledger.extraction.english.vocabulary import Vocabulary

_ORDINAL = re.compile(r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)")
_PROJECTS = ("repository", "repo", "project", "workspace", "package", "module")


@dataclass(slots=True)
class Topic:
    """What "it" is: a thing of somebody's, "the release" of a project."""

    owner: str
    noun: str
    since: datetime | None = None


@dataclass
class Scene:
    """Everything that the reading of one text goes by."""

    episode: Episode
    known: Known
    topic: Topic | None = None
    stated: list[Candidate] = field(default_factory=list)
    """What this text has stated so far."""

    @cached_property
    def text(self) -> str:
        """The text with what is quoted hidden."""
        return plain(self.episode.text)

    @cached_property
    def speaker(self) -> str:
        """Who says "I"."""
        return speaker(self.episode)

    @cached_property
    def times(self) -> Times:
        """The reader of times."""
        return Times(self.episode)

    @cached_property
    def words(self) -> Vocabulary:
        """The names of attributes."""
        return Vocabulary(self.known)

    @cached_property
    def before(self) -> Sequence[Turn]:
        """The turns before."""
        return self.known.before()

    @cached_property
    def people(self) -> People:
        """Who has been named."""
        people = People.of(self.episode, self.known)
        people.named = [one for one in people.named if one[0] not in self.projects]
        return people

    @cached_property
    def projects(self) -> tuple[str, ...]:
        """Repositories and projects, the one spoken of last at the end."""
        found: list[str] = []
        for record in reversed(self.known.facts()):
            if record.type == "project" and record.subject:
                found.append(record.subject)
        for turn in self.before:
            said = turn.episode.message.structured or {}
            for key, value in said.items():
                if fold(str(key)) in _PROJECTS and isinstance(value, str):
                    found.append(fold(value))
            found += [r.subject for r in turn.facts if r.type == "project" and r.subject]
        return tuple(dict.fromkeys(reversed(found)))[::-1]

    def project(self, clause: str) -> str | None:
        """The project that a clause is about: named in it, else the one spoken of last."""
        lower = fold(clause)
        for name in reversed(self.projects):
            if stands_in(name, lower):
                return name
        return self.projects[-1] if self.projects else None

    def holder(self, clause: str) -> str | None:
        """The subject of facts that a clause names by "for", "of", "on", "in" or "at"."""
        lower = fold(clause)
        for name in self.known.subjects():
            if name != self.speaker and re.search(
                rf"(?:^|_)(?:for|of|on|in|at)_(?:the_|our_|my_)?{re.escape(name)}(?![^\W_])", lower
            ):
                return name
        return None

    @cached_property
    def asked(self) -> str | None:
        """What the assistant asked right before, in lower case; None where it asked nothing."""
        if not self.before or self.before[-1].episode.role != "assistant":
            return None
        text = plain(self.before[-1].episode.text)
        questions = re.findall(r"[^.!?\n]+\?", text)
        return questions[-1].strip() if questions else None

    @cached_property
    def offered(self) -> bool:
        """Whether the assistant asked right before whether to keep something."""
        asked = (self.asked or "").lower()
        return bool(
            re.search(
                r"\b(?:keep|remember|save|store|note|record|write|hold on|retain|memori[sz]e|"
                r"confirm|shall i|should i|may i|do you want me|would you like me|is (?:that|it) "
                r"(?:right|correct|ok|okay))\b",
                asked,
            )
        )

    @cached_property
    def lately(self) -> tuple[Record, ...]:
        """The facts of the latest turns of the conversation, the latest first."""
        return tuple(r for turn in reversed(self.before[-6:]) for r in reversed(turn.facts))

    def day(self, words: str) -> str | None:
        """A day as YYYY-MM-DD; a bare "the 18th" is the one near the last day named."""
        only = _ORDINAL.fullmatch(words.strip(" .,").lower())
        anchor = self._anchor() if only else None
        if only is None or anchor is None:
            return self.times.date(words)
        today = self.episode.at.astimezone(self.episode.tz).date()
        for months in range(3):
            year, month = divmod(anchor.year * 12 + anchor.month - 1 + months, 12)
            try:
                found = date(year, month + 1, int(only["day"]))
            except ValueError:
                continue
            if found >= today and (found >= anchor or (anchor - found).days <= 10):
                return found.isoformat()
        return None

    def _anchor(self) -> date | None:
        """The last day to come that this conversation has named."""
        today = self.episode.at.astimezone(self.episode.tz).date()
        for value in (*(c.value for c in reversed(self.stated)), *(r.value for r in self.lately)):
            named = read_date(value) if isinstance(value, str) else None
            if named is not None and named >= today:
                return named
        return None

    def facts(self, subject: str) -> Sequence[Record]:
        """What holds of somebody."""
        return self.known.facts(subject=subject)
