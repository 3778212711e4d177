"""The state of one session: its last turns, what it changed, and the questions that wait.

A client knows it as a conversation, by a handle or by its session.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from text2mem.conversation.dialogue import Transcript
from text2mem.conversation.reply import Question, Reply
from text2mem.errors import Text2MemError

HOLDS = timedelta(minutes=10)
"""How long a token is valid."""
TOKENS = 8
"""The most questions of one talk that wait at once. The oldest is dropped first."""
TALKS = 1024
"""The most talks that are kept at once."""
Mint = Callable[[], str]
"""A function that returns a new secret, for a token or a handle."""


class TokenRefused(Text2MemError):
    """The token is unknown, used or expired, or belongs to another conversation."""


class NoSuchConversation(Text2MemError):
    """No conversation has this handle. It was dropped, or never existed."""


def mint() -> str:
    """A random secret of 192 bits, as text for a URL."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class KeptOutcome:
    """The outcome of a request, which a token names: its reply, or the error that it raised."""

    until: datetime
    request: str
    outcome: Reply | Text2MemError

    @property
    def question(self) -> Question:
        """The question of the reply. Raises TokenRefused if there is none."""
        question = self.outcome.question if isinstance(self.outcome, Reply) else None
        if question is None:
            raise TokenRefused("this token is of no question", hint="ask again")
        return question


@dataclass(slots=True)
class Talk(Transcript):
    """The state of one session, used only while the store is locked, by one thread at a time."""

    handle: str = ""
    """The secret by which a client names it; empty for that of a session."""
    mint: Mint = mint
    outcomes: OrderedDict[str, KeptOutcome] = field(default_factory=OrderedDict)
    """The outcomes that wait, by token, oldest first."""

    def keep(self, request: str, outcome: Reply | Text2MemError, now: datetime) -> str:
        """Keep the outcome of a request under a new token, which is returned."""
        token = self.mint()
        self._keep(token, KeptOutcome(now + HOLDS, request, outcome))
        return token

    def _keep(self, token: str, kept: KeptOutcome) -> None:
        """Beyond TOKENS outcomes, the oldest is dropped."""
        while len(self.outcomes) >= TOKENS:
            self.outcomes.popitem(last=False)
        self.outcomes[token] = kept

    def outcome(self, token: str, now: datetime) -> KeptOutcome:
        """Return the outcome of a token, which stays valid. Raises TokenRefused."""
        kept = self.outcomes.get(token)
        if kept is None:
            raise TokenRefused(
                "this token confirms nothing here: it is spent, unknown, or another conversation's",
                hint="ask again, and use the token of that answer",
            )
        if now >= kept.until:
            del self.outcomes[token]
            raise TokenRefused(
                "this token has expired: nothing was run",
                hint="ask again, and use the token of that answer within ten minutes",
            )
        return kept

    @contextmanager
    def spending(self, token: str) -> Iterator[None]:
        """Make a token invalid, unless the block raises: then it may be tried again."""
        kept = self.outcomes.pop(token)
        try:
            yield
        except BaseException:
            self._keep(token, kept)
            raise


class Talks:
    """The last ``most`` talks of a door, by session or handle, for its event loop only."""

    def __init__(self, mint: Mint = mint, most: int = TALKS) -> None:
        self._mint = mint
        self._most = most
        self._talks: OrderedDict[tuple[str, str], Talk] = OrderedDict()

    def of_session(self, session: str) -> Talk:
        """Return the talk of a transport's session, and make it at the first call."""
        return self._talk(("session", session))

    def of_handle(self, handle: str | None) -> Talk:
        """Return the talk of a handle, a new one for None. Raises NoSuchConversation."""
        if handle is None:
            handle = self._mint()
        elif ("handle", handle) not in self._talks:
            raise NoSuchConversation(
                "there is no such conversation: it has ended, or never was",
                hint="leave `conversation` out to begin a new one",
            )
        return self._talk(("handle", handle), handle)

    def _talk(self, key: tuple[str, str], handle: str = "") -> Talk:
        """The talk of a key, perhaps a new one, as the last one used."""
        found = self._talks.setdefault(key, Talk(handle, self._mint))
        self._talks.move_to_end(key)
        while len(self._talks) > self._most:
            self._talks.popitem(last=False)
        return found
