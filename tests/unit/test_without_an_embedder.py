"""An embedder that is down ends nothing: what is asked goes on by words alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import pytest

from tests.every_call import CALLS, EVERYTHING, NOTE, Local
from tests.planning import CONTEXT
from tests.reading import me
from tests.store.programs import WordHashes
from text2mem import Memory, Program
from text2mem.errors import ContextOverflow, ServiceUnreachable, Text2MemError
from text2mem.experience.bank import bank_of
from text2mem.experience.episode import Episode
from text2mem.ir.ops import Content, Encode
from text2mem.planner import Budget
from text2mem.planner.draft import Draft, read_draft
from text2mem.providers.profiles import TUNED


class Failing(WordHashes):
    """An embedder that fails once it is told to."""

    error: Exception | None = None

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        if self.error is not None:
            raise self.error
        return super().embed(texts, kind=kind)


DOWN = ServiceUnreachable("nobody is there", service="toy", hint="start it")
LONG = ContextOverflow("the text is too long", hint="say less")


@pytest.mark.parametrize("error", [DOWN, LONG], ids=["down", "too long"])
@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"reindex"}))
def test_no_call_fails_with_the_embedder(name: str, error: Exception) -> None:
    embedder = Failing()
    opening: Any = {
        "model": Local(lambda _: EVERYTHING, profile=TUNED), "context": CONTEXT,
        "summariser": "extractive", "experience": True,
    }  # fmt: skip
    with (
        Memory(embedder=embedder, **opening) as memory,
        Memory(embedder="none", **opening) as other,
    ):
        memory.add(NOTE)
        other.add(NOTE)
        embedder.error = error
        try:
            getattr(other, name)(**CALLS[name])
        except Text2MemError as refused:
            with pytest.raises(type(refused), match=re.escape(str(refused))):
                getattr(memory, name)(**CALLS[name])
        else:
            getattr(memory, name)(**CALLS[name])


@pytest.fixture
def embedder() -> Failing:
    return Failing()


def test_a_reader_is_shown_what_is_nearest_by_words(embedder: Failing) -> None:
    shown: list[str] = []

    def answer(request: Any) -> Any:
        shown.append(request.prompt)
        return EVERYTHING

    model = Local(answer, profile=TUNED)
    with Memory(embedder=embedder, model=model, reader="none", context=CONTEXT) as memory:
        for text in (NOTE, *(f"Note {n} is about the weather" for n in range(40))):
            memory.add(text)
        embedder.error = DOWN
        assert isinstance(memory.compile("the ferry?", budget=Budget(picture=30)), Program)
    assert NOTE in shown[0] and "of 50\n" in shown[0]


def test_an_episode_of_experience_is_found_by_words(embedder: Failing) -> None:
    bank = bank_of("memory:", CONTEXT, embedder)
    meant = read_draft(EVERYTHING)
    assert isinstance(meant, Draft)
    assert bank.keep(Episode(request="the whole lot, please", draft=meant, outcome="chosen"))
    embedder.error = DOWN
    (found,) = bank.candidates("the whole lot")
    assert (found.episode.request, found.cosine, found.told) == ("the whole lot, please", 0, 0)
    assert not bank.alike("the whole lot", "everything")
    bank.close()


def test_a_conversation_is_read(embedder: Failing) -> None:
    reads = Local(lambda _: {"facts": [me("city", "Bergen")]}, profile=TUNED)
    with Memory(embedder=embedder, reader=reads, context=CONTEXT) as memory:
        embedder.error = DOWN
        (seen,) = memory.observe("I live in Bergen.", extract=True)
        assert [each.became for each in seen.outcomes] == ["new"] and seen.error is None


def test_a_memory_without_a_vector_is_told_of_once_a_call(
    embedder: Failing, caplog: pytest.LogCaptureFixture
) -> None:
    with Memory(embedder=embedder, context=CONTEXT) as memory:
        embedder.error = DOWN
        memory.add(NOTE)
        many = [Encode(content=Content("text", f"note {n}")) for n in range(300)]
        assert len(memory.encode_many(many)) == 300
    assert [each.message for each in caplog.records] == [
        "no vector for memory 1: the embedding service did not answer",
        "no vector for memory 2: the embedding service did not answer, and 299 more warnings",
    ]
