"""What one session said last, what it changed, and which questions wait for its yes."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from text2mem.errors import Text2MemError
from text2mem.ir.ports import Clock
from text2mem.ir.turn import Turn
from text2mem.program import Program

HOLDS = timedelta(minutes=10)
"""How long a token is good."""
TOKENS = 8
"""How many questions of one conversation wait at once; the oldest goes first."""
REMEMBERED = 4
"""How many turns a request is read with."""
TRACES = 64
"""How many programs of a conversation an undo without a trace goes back over."""
CONVERSATIONS = 1024
Mint = Callable[[], str]
"""Makes a secret that cannot be guessed."""


class TokenRefused(Text2MemError):
    """A token that confirms nothing here: spent, expired, unknown or of another conversation."""


class NoSuchConversation(Text2MemError):
    """A handle of no conversation: it has ended, or never was."""


def mint() -> str:
    """A secret of 192 bits."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Offer:
    """A program that may be confirmed. ``basis`` is that of the dry run that showed its effect;
    None where that was refused."""

    label: str
    program: Program
    basis: str | None
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that waits: its offers, and the turns with which an answer in words is read."""

    question: str
    offers: tuple[Offer, ...]
    request: str
    turns: tuple[Turn, ...]
    until: datetime


@dataclass(slots=True)
class Conversation:
    """One session's. Used by whoever holds the store, so by one thread at a time."""

    handle: str
    said: list[Turn] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    pending: OrderedDict[str, Pending] = field(default_factory=OrderedDict)

    def say(self, text: str, ids: tuple[str, ...] = ()) -> None:
        """Something was said, and these memories came of it, now or in the end."""
        if self.said and self.said[-1] == Turn(text):
            self.said = self.said[:-1]
        self.said = [*self.said, Turn(text, ids)][-REMEMBERED:]

    def changed(self, trace_id: str) -> None:
        """A program changed something."""
        self.traces = [*self.traces, trace_id][-TRACES:]

    def wait(self, token: str, pending: Pending) -> None:
        """Keep a question; the oldest one goes where there are too many."""
        while len(self.pending) >= TOKENS:
            self.pending.popitem(last=False)
        self.pending[token] = pending

    def waiting(self, token: str, now: datetime) -> Pending:
        """The question of a token, which stays good. Raises TokenRefused."""
        found = self.pending.get(token)
        if found is None:
            raise TokenRefused(
                "this token confirms nothing here: it is spent, unknown, or another conversation's",
                hint="ask again, and use the token of that answer",
            )
        if now >= found.until:
            del self.pending[token]
            raise TokenRefused(
                "this token has expired: nothing was run",
                hint="ask again, and use the token of that answer within ten minutes",
            )
        return found

    def spend(self, token: str) -> None:
        """The token is good no longer."""
        self.pending.pop(token, None)


class Conversations:
    """The conversations of a server, by session or handle; the one that was silent longest goes."""

    def __init__(self, mint: Mint = mint, most: int = CONVERSATIONS) -> None:
        self._mint = mint
        self._most = most
        self._lock = Lock()
        self._held: OrderedDict[tuple[str, str], Conversation] = OrderedDict()

    def of_session(self, session: str) -> Conversation:
        """That of a session of the transport, begun where there is none."""
        with self._lock:
            return self._kept(("session", session), Conversation(""))

    def of_handle(self, handle: str | None) -> Conversation:
        """That of a handle, or a new one. Raises NoSuchConversation."""
        with self._lock:
            if handle is None:
                made = Conversation(self._mint())
                return self._kept(("handle", made.handle), made)
            found = self._held.get(("handle", handle))
            if found is None:
                raise NoSuchConversation(
                    "there is no such conversation: it has ended, or never was",
                    hint="leave `conversation` out to begin a new one",
                )
            return self._kept(("handle", handle), found)

    def _kept(self, key: tuple[str, str], new: Conversation) -> Conversation:
        found = self._held.setdefault(key, new)
        self._held.move_to_end(key)
        while len(self._held) > self._most:
            self._held.popitem(last=False)
        return found


def until(clock: Clock) -> datetime:
    """When a token that is given out now expires."""
    return clock.now() + HOLDS
