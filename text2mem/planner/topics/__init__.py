"""Topics: the words of a clause that say which memories it is about.

A clause that calls memories by name ("my notes about the choir", 关于合唱团的那条笔记) says where
its topic stands, and whether it means one memory or several. Of any other clause the topic is
what is left without the words for what is asked, what for and how.
"""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.ir.segment import HAN
from text2mem.planner.requests import Span, Step
from text2mem.planner.topics import chinese, english
from text2mem.planner.topics.model import Topic

__all__ = ["Topic", "clause_text", "topic", "topics"]


def clause_text(step: Step, spans: Sequence[Span]) -> str:
    """The clause with its asking words and some stretches of the utterance masked."""
    text = step.masked([step.request, *spans])
    # A head that ends inside of 关于 ("about") took a part of it for a verb.
    cut = step.request[1] - step.clause.start
    if 0 < cut < len(text) and step.words[cut - 1 : cut + 1] == "关于":
        text = f"{text[: cut - 1]}关{text[cut:]}"
    return text


def topics(text: str, types: Sequence[str] = ()) -> tuple[Topic, ...]:
    """The memories that a masked clause calls by name, in order.

    ``types`` are the store's types, by which memories can be called as well.
    """
    if HAN.search(text):
        return chinese.called(text, types)
    return english.called(text, types)


def topic(text: str, types: Sequence[str] = ()) -> Topic:
    """What a masked clause is about: the first memories that it calls by name, or the rest."""
    found = topics(text, types)
    if found:
        return found[0]
    if HAN.search(text):
        return Topic(chinese.left(text), end=len(text))
    words = english.left(text)
    return Topic(words, many=english.number(words), end=len(text))
