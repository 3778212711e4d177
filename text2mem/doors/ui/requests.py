"""Requests in words: compiled and shown, and run exactly as they were shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from text2mem.conversation.dialogue import Dialogue
from text2mem.conversation.reply import Reply
from text2mem.doors.agent.conversation import Pending, TokenRefused, until
from text2mem.doors.ui.visit import House
from text2mem.errors import Text2MemError


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of one conversation, each with a token under which it is shown. The store must
    be held."""

    house: House

    def ask(self, request: str, answers: str = "") -> str:
        """Compile a request, or the answer to the question of a token; the token of what it shows.

        Raises TokenRefused.
        """
        turns = None
        if answers:
            turns = self.shown(answers).question.turns
            self.house.talk.spend(answers)
        try:
            return self._keep(self._dialogue.request(request, turns))
        except Text2MemError as error:
            return self._wait(Pending(self._until, request, error=error))

    def shown(self, token: str) -> Pending:
        """What a token stands for. Raises TokenRefused."""
        return self.house.talk.waiting(token, self.house.store.context.clock.now())

    def choose(self, token: str, number: int) -> str:
        """Show an option of a question by itself; its token. Raises TokenRefused, NoSuchOption."""
        asked = self.shown(token).question
        asked.offer(number)
        self.house.talk.spend(token)
        return self._keep(self._dialogue.choose(asked, number))

    def run(self, token: str) -> Reply | str:
        """Run exactly what a token shows, once; the token of what it would do now where the store
        has moved. Raises TokenRefused, ExecutionError.
        """
        asked = self.shown(token).question
        if asked.asked is not None:
            raise TokenRefused("there is nothing to run here")
        self.house.talk.spend(token)
        reply = self._dialogue.choose(asked, 1)
        if reply.question is not None:
            return self._keep(reply)
        if reply.program is not None and reply.result is not None:
            reply.result.checked()
        return reply

    @property
    def _dialogue(self) -> Dialogue:
        return self.house.store.dialogue(self.house.talk, "changes")

    @property
    def _until(self) -> datetime:
        return until(self.house.store.context.clock)

    def _keep(self, reply: Reply) -> str:
        return self._wait(Pending(self._until, reply.request, reply))

    def _wait(self, pending: Pending) -> str:
        token = self.house.mint()
        self.house.talk.wait(token, pending)
        return token
