"""A conversation with a memory: requests, answers to its questions, undo."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from text2mem.conversation.answers import choice
from text2mem.conversation.dialogue import Asks, Dialogue, Transcript
from text2mem.conversation.reply import DROP, Question, Reply
from text2mem.errors import ChoiceNeeded, Text2MemError
from text2mem.ir.record import as_words

if TYPE_CHECKING:
    from text2mem.memory import Memory
    from text2mem.planner import Budget


class NoQuestion(Text2MemError):
    """There is no question to answer."""


class Conversation:
    """Turns of one person with a memory.

    ``asks`` says what is asked about before it runs: what puts memories out of sight
    (``destroys``), every change (``changes``), or nothing (``never``). What the planner asks back
    is asked in any case. One thread at a time. Raises ConfigurationError for other words.
    """

    def __init__(
        self, memory: Memory, *, asks: Asks = "destroys", seed: int = 0,
        budget: Budget | None = None,
    ) -> None:  # fmt: skip
        self.transcript = Transcript()
        self.pending: Question | None = None
        self._dialogue = Dialogue(memory, self.transcript, asks, seed, budget)

    def say(self, text: str) -> Reply:
        """A request; where a question waits, its answer: yes, no, "the second one", other words.

        A yes to several offers puts the question again. Raises what ``Memory.compile`` raises, and
        NoSuchOption: then a question still waits. What is no utterance (UnusableUtterance,
        ConfigurationError) has not been said.
        """
        question = self.pending
        try:
            number = None if question is None else choice(as_words("the answer", text), question)
        except ChoiceNeeded:
            assert question is not None
            return self._settled(question.again())
        if number is not None:
            return self.answer(number)
        turns = None if question is None else question.turns
        return self._settled(self._dialogue.request(text, turns))

    def answer(self, number: int | str) -> Reply:
        """Choose an offer of the question that waits, from 1, or answer it in words.

        Raises NoQuestion where none waits, NoSuchOption.
        """
        question = self.pending
        if question is None:
            raise NoQuestion("no question waits for an answer", hint="say() makes a request")
        if isinstance(number, str):
            return self.say(number)
        if number != DROP:
            question.offer(number)
        return self._settled(self._dialogue.choose(question, number))

    def drop(self) -> Reply:
        """Drop the question: nothing is run. Raises NoQuestion."""
        return self.answer(DROP)

    def undo(self) -> Reply:
        """Take back the last program of this conversation. Raises ExecutionError without one."""
        return self._settled(self._dialogue.undo())

    def _settled(self, reply: Reply) -> Reply:
        self.pending = reply.question
        return replace(reply, tz=self._dialogue.memory.context.tz)
