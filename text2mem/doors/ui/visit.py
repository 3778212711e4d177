"""The input of a page's handler, ``Visit``, and its output, ``Page`` or ``Elsewhere``.

No web framework is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from text2mem.adapters.base import Scope
from text2mem.conversation.answers import choice as chosen_by
from text2mem.conversation.dialogue import Dialogue
from text2mem.conversation.reply import DROP, Reply
from text2mem.doors.agent.shared_memory import SharedMemory
from text2mem.doors.agent.talk import KeptOutcome, Talk, TokenRefused
from text2mem.errors import ChoiceNeeded, Text2MemError
from text2mem.executor.frame import settled
from text2mem.ir.ops import ByFilter
from text2mem.ir.record import Record
from text2mem.markup import Markup, tag
from text2mem.memory import Memory


class PageRefused(Text2MemError):
    """A request that is answered with an error page. ``status`` is the HTTP status."""

    def __init__(self, status: int, message: str, *, hint: str = "") -> None:
        self.status = status
        super().__init__(message, hint=hint)


class NotFound(PageRefused):
    """What is asked for does not exist, or the caller may not see it: no answer says which."""

    def __init__(self, what: str) -> None:
        super().__init__(404, f"there is no {what} to show")


@dataclass(slots=True)
class Session:
    """The store of a page's server, and its one talk, used only while the store is locked.

    A request is compiled, and its outcome shown under a token. It then runs exactly as shown.
    """

    shared: SharedMemory
    talk: Talk = field(default_factory=Talk)
    notices: list[Markup] = field(default_factory=list)
    """The outcomes of actions, each shown once, on the next page."""

    def take_notices(self) -> list[Markup]:
        """Return the notices that have not been shown yet, and clear the list."""
        found, self.notices = self.notices, []
        return found

    def ask(self, request: str, answers: str = "") -> str:
        """Compile a request, or the reply to the question of the token ``answers``, and return the
        token under which the outcome is shown. Raises TokenRefused."""
        asked = self.outcome(answers).question if answers else None
        turns = asked.turns if asked is not None else None
        try:
            number = chosen_by(request, asked) if asked is not None else None
            if asked is not None and number == DROP:
                return self._keep(asked.request, self._dialogue.choose(asked, number))
            if number is not None:
                return self.choose(answers, number)
            return self._keep(request, self._dialogue.request(request, turns))
        except ChoiceNeeded:  # as in a conversation
            assert asked is not None
            return self._keep(asked.request, asked.again())
        except Text2MemError as error:
            return self._keep(request, error)

    def outcome(self, token: str) -> KeptOutcome:
        """Return the outcome that a token names. Raises TokenRefused."""
        return self.talk.outcome(token, self.shared.context.clock.now())

    def choose(self, token: str, number: int) -> str:
        """Look at an option of a question, which stays open, since nothing that changes anything
        has run; return the token of the outcome. Raises TokenRefused, NoSuchOption."""
        asked = self.outcome(token).question
        if asked.clarification is None:
            raise TokenRefused("there is nothing to choose here")
        program = asked.offer(number).program
        assert program is not None  # every option of a planner has one
        return self._keep(
            asked.request, self._dialogue.carry_out(program, asked.request, asked.turns)
        )

    def run(self, token: str) -> Reply | str:
        """Run exactly what a token shows, once, and return the reply; or, if the store has changed
        since, the token of the new question. Raises TokenRefused, ExecutionError."""
        asked = self.outcome(token).question
        if asked.clarification is not None:
            raise TokenRefused("there is nothing to run here")
        with self.talk.spending(token):
            reply = self._dialogue.choose(asked, 1)
        if reply.question is not None:
            return self._keep(asked.request, reply)
        if reply.program is not None and reply.result is not None:
            reply.result.checked()
        return reply

    @property
    def _dialogue(self) -> Dialogue:
        return self.shared.dialogue(self.talk, "changes")

    def _keep(self, request: str, outcome: Reply | Text2MemError) -> str:
        return self.talk.keep(request, outcome, self.shared.context.clock.now())


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request that has passed the guard: the parameters of its path, its query, its form."""

    session: Session
    csrf: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]

    @property
    def memory(self) -> Memory:
        """The memory, with the caller's rights. Its writes count as unconfirmed."""
        return self.session.shared.memory

    @property
    def now(self) -> datetime:
        """The instant of the caller's clock, to the second."""
        return self.memory.context.clock.now().replace(microsecond=0)

    @property
    def tz(self) -> tzinfo:
        return self.memory.context.tz

    def select(self, target: ByFilter) -> tuple[Sequence[Record], int]:
        """Return the rows that a filter finds now, and their number without its limit."""
        adapter, context = self.memory.adapter, self.memory.context
        scope = Scope(context=context, now=self.now)
        found = settled(adapter, context, lambda: adapter.resolve(target, scope))
        return found.rows, found.matched

    def page(self, most: int) -> int:
        """Return the page's number in the query, limited to 1 … ``most``; 1 if it is no number."""
        given = self.query.get("page", "")
        return min(max(int(given), 1), most) if re.fullmatch("[0-9]{1,9}", given) else 1

    def say(self, *parts: Markup | str, failed: bool = False) -> None:
        """Show a notice on the next page."""
        kind = "notice failed" if failed else "notice"
        self.session.notices.append(tag("div", *parts, class_=kind, role="status"))


@dataclass(frozen=True, slots=True)
class Page:
    """A page. ``here`` is the path of its entry in the navigation; empty for none."""

    title: str
    here: str
    body: Markup
    status: int = 200


class Elsewhere(str):
    """The path of another page of this site, to which the visitor is sent."""

    __slots__ = ()


Handler = Callable[[Visit], Page | Elsewhere]
