"""What one session said last, what it changed, and which questions wait for its yes."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from text2mem.conversation.dialogue import Transcript
from text2mem.conversation.reply import Question, Reply
from text2mem.errors import Text2MemError

HOLDS = timedelta(minutes=10)
"""How long a token is good."""
TOKENS = 8
"""How many questions of one conversation wait at once; the oldest goes first."""
CONVERSATIONS = 1024
Mint = Callable[[], str]
"""Makes a secret that cannot be guessed."""


class TokenRefused(Text2MemError):
    """The token is unknown, spent or expired, or belongs to another conversation."""


class NoSuchConversation(Text2MemError):
    """No conversation has this handle: it has been dropped, or never existed."""


def mint() -> str:
    """A random secret of 192 bits, as text for a URL."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Pending:
    """What a token stands for until it expires: the reply to a request, or its error."""

    until: datetime
    request: str
    reply: Reply | None = None
    error: Text2MemError | None = None

    @property
    def question(self) -> Question:
        """The question that the reply asks. Raises TokenRefused where it asks none."""
        if self.reply is None or self.reply.question is None:
            raise TokenRefused("this token is of no question", hint="ask again")
        return self.reply.question


@dataclass(slots=True)
class Conversation(Transcript):
    """The state of one session. Only used while the store is locked, so by one thread at a time."""

    handle: str
    pending: OrderedDict[str, Pending] = field(default_factory=OrderedDict)

    def wait(self, token: str, pending: Pending) -> None:
        """Keep what a token stands for; where there are TOKENS already, the oldest is dropped."""
        while len(self.pending) >= TOKENS:
            self.pending.popitem(last=False)
        self.pending[token] = pending

    def waiting(self, token: str, now: datetime) -> Pending:
        """What a token stands for; the token stays valid. Raises TokenRefused."""
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
        """Make a token invalid."""
        self.pending.pop(token, None)


class Conversations:
    """The conversations of a door, by session or handle. The least recent go beyond ``most``."""

    def __init__(self, mint: Mint = mint, most: int = CONVERSATIONS) -> None:
        self._mint = mint
        self._most = most
        self._lock = Lock()
        self._held: OrderedDict[tuple[str, str], Conversation] = OrderedDict()

    def of_session(self, session: str) -> Conversation:
        """The conversation of a transport's session; a new one the first time."""
        with self._lock:
            return self._kept(("session", session), Conversation(""))

    def of_handle(self, handle: str | None) -> Conversation:
        """The conversation of a handle; a new one without a handle. Raises NoSuchConversation."""
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
