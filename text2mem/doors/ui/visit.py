"""The input and output of a page's handler: Visit, and Page or Elsewhere. No web framework here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from text2mem.adapters.base import Scope
from text2mem.conversation.dialogue import Dialogue
from text2mem.conversation.reply import Reply
from text2mem.doors.agent.conversation import HOLDS, Conversation, Mint, Pending, TokenRefused, mint
from text2mem.doors.agent.store import Store
from text2mem.errors import Text2MemError
from text2mem.executor.history import as_ticked
from text2mem.ir.ops import ByFilter
from text2mem.ir.record import Record
from text2mem.markup import Markup, join
from text2mem.memory import Memory


class PageRefused(Text2MemError):
    """A request that is answered with an error. ``status`` is the HTTP status."""

    def __init__(self, status: int, message: str, *, hint: str = "") -> None:
        self.status = status
        super().__init__(message, hint=hint)


class NotFound(PageRefused):
    """There is no such thing, or the caller may not see it; the answer does not say which."""

    def __init__(self, what: str) -> None:
        super().__init__(404, f"there is no {what} to show")


@dataclass(frozen=True, slots=True)
class Notice:
    """The outcome of an action, shown once on the next page."""

    body: Markup
    failed: bool = False


@dataclass(slots=True)
class House:
    """The store, and the one conversation with it. It is only used while the store is locked.

    A request is compiled and shown under a token, and runs exactly as it was shown.
    """

    store: Store
    mint: Mint = mint
    talk: Conversation = field(default_factory=lambda: Conversation(""))
    notices: list[Notice] = field(default_factory=list)

    def told(self) -> list[Notice]:
        """The notices that have not been shown yet; they are taken off the list."""
        found, self.notices = self.notices, []
        return found

    def ask(self, request: str, answers: str = "") -> str:
        """Compile a request, or with ``answers`` the reply to that token's question.

        Returns the token under which the outcome is shown. Raises TokenRefused.
        """
        turns = None
        if answers:
            turns = self.shown(answers).question.turns
            self.talk.spend(answers)
        try:
            return self._wait(request, self._dialogue.request(request, turns))
        except Text2MemError as error:
            return self._wait(request, error=error)

    def shown(self, token: str) -> Pending:
        """What a token stands for. Raises TokenRefused."""
        return self.talk.waiting(token, self.store.context.clock.now())

    def choose(self, token: str, number: int) -> str:
        """Make a preview of one option; returns its token. Raises TokenRefused, NoSuchOption."""
        asked = self.shown(token).question
        asked.offer(number)
        self.talk.spend(token)
        return self._wait(asked.request, self._dialogue.choose(asked, number))

    def run(self, token: str) -> Reply | str:
        """Run exactly what a token shows, once. Where the store has changed since, run nothing, and
        return the token of the new preview. Raises TokenRefused, ExecutionError.
        """
        asked = self.shown(token).question
        if asked.asked is not None:
            raise TokenRefused("there is nothing to run here")
        self.talk.spend(token)
        reply = self._dialogue.choose(asked, 1)
        if reply.question is not None:
            return self._wait(asked.request, reply)
        if reply.program is not None and reply.result is not None:
            reply.result.checked()
        return reply

    @property
    def _dialogue(self) -> Dialogue:
        return self.store.dialogue(self.talk, "changes")

    def _wait(
        self, request: str, reply: Reply | None = None, error: Text2MemError | None = None
    ) -> str:
        """Keep the outcome of a request; returns its token."""
        token = self.mint()
        until = self.store.context.clock.now() + HOLDS
        self.talk.wait(token, Pending(until, request, reply, error))
        return token


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request that has passed the guard. ``csrf`` goes into every form."""

    house: House
    csrf: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        """The store, which is locked."""
        return self.house.store

    @property
    def memory(self) -> Memory:
        """The memory with the caller's rights; its writes are not confirmed."""
        return self.house.store.memory

    @property
    def now(self) -> datetime:
        """The instant of the caller's clock, to the second."""
        return self.house.store.context.clock.now().replace(microsecond=0)

    @property
    def tz(self) -> tzinfo:
        """The zone that instants are shown in."""
        return self.house.store.context.tz

    def select(self, target: ByFilter) -> tuple[Sequence[Record], int]:
        """The rows that the caller sees now, and how many there are without a limit."""
        adapter, context = self.memory.adapter, self.memory.context
        scope = Scope(context=context, now=self.now)
        found = as_ticked(adapter, context, lambda: adapter.resolve(target, scope))
        return found.rows, found.matched

    def number(self, name: str, *, most: int) -> int:
        """A number of the query, from 1 to ``most``; 1 where it is none."""
        given = self.query.get(name, "")
        if not (given.isascii() and given.isdecimal() and len(given) < 10):
            return 1
        return min(max(int(given), 1), most)

    def say(self, *parts: Markup | str, failed: bool = False) -> None:
        """Show a notice on the next page."""
        self.house.notices.append(Notice(join(*parts), failed))


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its title, which is its heading, the place in the navigation, and what is on it."""

    title: str
    here: str
    body: Markup
    status: int = 200


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A redirect to another page of this site."""

    path: str


Answer = Page | Elsewhere
Handler = Callable[[Visit], Answer]
