"""The main job on the real small model: the right verb, a mended draft, an effect on a store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fixtures import cases
from text2mem import Clarification, ExecutionContext, FixedClock, Memory, Program, compile
from text2mem.bench.phrasings import listen
from text2mem.planner.aids import Aids
from text2mem.providers.base import Provider

pytestmark = pytest.mark.model
CLOCK = FixedClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
BLIND = Aids.without(["evidence"])
"""Nothing is read from the utterance by code, so that the model is asked for all of it."""
# Two of the six phrasings of each verb; all of them are `text2mem bench phrasings`.
SAMPLE = [row for row in cases("plan", "phrasings") if row["id"].endswith(("en-1", "zh-3"))]


def test_phrasings_become_the_right_verbs(local_model: Provider) -> None:
    heard = list(listen(SAMPLE, local_model))
    misses = [f"{one.input} -> {one.got or one.error}" for one in heard if not one.right]
    assert len(SAMPLE) == 24
    assert len(misses) <= 4, "\n".join(misses)


def test_the_model_alone_hears_most_of_them_too(local_model: Provider) -> None:
    heard = list(listen(SAMPLE[::2], local_model, aids=BLIND))
    misses = [f"{one.input} -> {one.got or one.error}" for one in heard if not one.right]
    assert len(misses) <= 3, "\n".join(misses)


def test_a_draft_that_breaks_an_invariant_is_mended(local_model: Provider) -> None:
    said = "Let the skating pass expire at the end of winter."
    program = compile(said, model=local_model, clock=CLOCK, aids=BLIND)
    assert isinstance(program, Program)
    assert program.trace is not None
    first, *_, last = program.trace.attempts
    assert [d.code for d in first.diagnostics] == ["unreadable-time"]
    assert last.diagnostics == ()
    (expire,) = program.to_list()
    assert expire["op"] == "Expire"
    assert "skating" in expire["target"]["search"]["intent"]["query"]
    assert expire["args"]["until"] > "2026-11-21"


def test_what_is_said_changes_the_store(local_model: Provider, tmp_path: Path) -> None:
    with Memory(
        tmp_path / "notes.db", model=local_model, context=ExecutionContext(clock=CLOCK)
    ) as memory:
        _, stored = memory.run("Remember that the spare key is under the blue pot.")
        assert stored.ok
        assert stored.results[0].created == ("1",)
        program, found = memory.run("What do I know about the spare key?")
        assert [op.name for op in program.ops] == ["Retrieve"]
        assert [row["id"] for row in found.results[0].rows] == ["1"]
        forget = memory.compile("Forget the spare key.")
        assert isinstance(forget, Program)
        assert memory.preview(forget).results[0].affected == ("1",)
        assert memory.execute(forget).results[0].changes[0].field == "deleted"
        _, gone = memory.run("What do I know about the spare key?")
        assert gone.results[0].rows == ()


@pytest.fixture
def kept(local_model: Provider, tmp_path: Path) -> Memory:
    """A store with three memories."""
    memory = Memory(
        tmp_path / "kept.db", model=local_model, context=ExecutionContext(clock=CLOCK)
    )  # fmt: skip
    for text in ("The spare key is under the blue pot.", "The boiler man comes in June.",
                 "小波周五搬家。"):  # fmt: skip
        memory.execute({"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}}})
    return memory


@pytest.mark.parametrize(
    ("said", "id_"), [("Tag the boiler note.", "2"), ("给小波那条打标签。", "3")]
)
def test_the_model_is_asked_for_what_is_open_alone(said: str, id_: str, kept: Memory) -> None:
    with kept:
        program = kept.compile(said)
    assert isinstance(program, Program), program.question
    (label,) = program.to_list()
    assert (label["op"], label["target"]) == ("Label", {"ids": [id_]})
    assert label["args"]["tags"]
    assert program.trace is not None
    for request, _ in program.trace.questions:
        assert request.schema is not None
        assert list(request.schema["properties"]) == ["add"]
    assert program.trace.questions


def test_what_the_model_writes_anew_says_nothing_that_nobody_said(kept: Memory) -> None:
    with kept:
        said = "Update the boiler note with July as the new month."
        found = kept.compile(said)
    assert found.trace is not None and found.trace.questions
    if isinstance(found, Clarification):
        assert found.reason == "missing-content"
        return
    (update,) = found.to_list()
    assert update["target"] == {"ids": ["2"]}
    words = update["args"]["set"]["text"].rstrip(".").lower().split()
    assert set(words) <= set(f"the boiler man comes in june {said}".rstrip(".").lower().split())
