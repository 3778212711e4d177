"""A conversation with a memory: requests, answers to its questions, and undo."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from text2mem.conversation.answers import choice, spoken
from text2mem.conversation.dialogue import Asks, Dialogue, Transcript
from text2mem.conversation.reply import DROP, Question, Reply
from text2mem.errors import ChoiceNeeded, Text2MemError
from text2mem.ir.arguments import as_kind, as_words
from text2mem.memory import Memory

if TYPE_CHECKING:
    from text2mem.planner import Budget


class NoQuestion(Text2MemError):
    """There is no question to answer."""


class Conversation:
    """A conversation of one person with a memory. It is used by one thread at a time.

    ``asks`` says which programs need a yes before they run: those that delete or hide memories
    (``destroys``), those that change anything (``changes``), or none (``never``). Questions of the
    planner are asked in any case. Raises ConfigurationError for another value.
    """

    def __init__(
        self, memory: Memory, *, asks: Asks = "destroys", seed: int = 0,
        budget: Budget | None = None,
    ) -> None:  # fmt: skip
        as_kind(memory, Memory, "Memory", "a conversation is with an open Memory")
        self.transcript = Transcript()
        self.question: Question | None = None
        """The question that waits for an answer."""
        self._dialogue = Dialogue(memory, self.transcript, asks, seed, budget)

    def say(self, text: str) -> Reply:
        """Make a request, or answer the question that waits: yes, no, "the second one", other
        words.

        After a yes to several offers, or "what?", the question is asked again. Such words where no
        question waits ask for nothing. Raises what ``Memory.compile`` raises, and NoSuchOption; a
        question that waits then still does. A text that is no utterance (UnusableUtterance,
        ConfigurationError) does not become a turn.
        """
        question, words = self.question, as_words("the words", text)
        if question is None and spoken(words) in ("yes", "again"):
            return self._keep_question(Reply(status="nothing"))
        try:
            number = None if question is None else choice(words, question)
        except ChoiceNeeded:
            assert question is not None
            return self._keep_question(question.again())
        if number is not None:
            return self.answer(number)
        turns = None if question is None else question.turns
        return self._keep_question(self._dialogue.request(text, turns))

    def answer(self, number: int | str) -> Reply:
        """Choose an offer of the question that waits, by its number from 1, or answer in words.
        Raises NoQuestion if none waits, and NoSuchOption."""
        question = self.question
        if question is None:
            raise NoQuestion("no question waits for an answer", hint="say() makes a request")
        if isinstance(number, str):
            return self.say(number)
        if number != DROP:
            question.offer(number)
        return self._keep_question(self._dialogue.choose(question, number))

    def drop(self) -> Reply:
        """Drop the question that waits, so that nothing is run. Raises NoQuestion."""
        return self.answer(DROP)

    def undo(self) -> Reply:
        """Undo the last program of this conversation. Raises ExecutionError if there is none."""
        return self._keep_question(self._dialogue.undo())

    def _keep_question(self, reply: Reply) -> Reply:
        """Keep the question of a reply, if any. Return the reply with the memory's time zone and,
        if it has no request of its own, that of the last turn, in whose language it is told."""
        self.question = reply.question
        request = reply.request or self.transcript.latest
        return replace(reply, tz=self._dialogue.memory.context.tz, request=request)
