"""Answers that are kept: asked once, told at no cost, and never mixed up."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from text2mem import pipeline
from text2mem.pipeline import compile
from text2mem.planner.draft import draft_grammar
from text2mem.program import Program
from text2mem.providers.base import Completion, Message, Named, Request, Sampling, Usage
from text2mem.providers.caching import Answers
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import TUNED

REQUEST = Request((), None, draft_grammar(), Sampling(), prompt="Request: note\nDraft: ")
ANSWER = Completion("{}", {"steps": []}, Usage(100, 7), "local:toy")


class Local(Named):
    """A model in this process that answers with an Encode, and counts."""

    def __init__(self, name: str = "local:toy") -> None:
        super().__init__(name, TUNED)
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        said = request.prompt.partition("Request: ")[2].partition("\n")[0]
        return replace(ANSWER, data={"steps": [{"op": "Encode", "text": said}]})

    async def acomplete(self, request: Request) -> Completion:
        return self.complete(request)

    def close(self) -> None:
        pass


def test_the_same_question_to_the_same_model_has_the_same_answer_at_no_cost() -> None:
    answers, model = Answers(), Local()
    assert answers.find(model, REQUEST) is None
    answers.keep(model, REQUEST, ANSWER)
    found = answers.find(model, replace(REQUEST))
    assert found is not None
    assert (found.text, found.data, found.model) == (ANSWER.text, ANSWER.data, ANSWER.model)
    assert found.usage == Usage(100, 0, 100)  # all of the prompt is known, and nothing was said


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, prompt="Request: notes\nDraft: "),
        replace(REQUEST, prompt="Before: x\nRequest: note\nDraft: "),
        replace(REQUEST, messages=(Message("user", "note"),)),
        replace(REQUEST, grammar=None),
        replace(REQUEST, sampling=Sampling(seed=1)),
        replace(REQUEST, sampling=Sampling(max_tokens=1)),
    ],
)
def test_another_question_has_another_answer(other: Request) -> None:
    answers, model = Answers(), Local()
    answers.keep(model, REQUEST, ANSWER)
    assert answers.find(model, other) is None


def test_another_model_has_another_answer() -> None:
    answers = Answers()
    answers.keep(Local(), REQUEST, ANSWER)
    assert answers.find(Local("local:other"), REQUEST) is None


def test_a_service_and_what_is_left_to_chance_are_always_asked() -> None:
    answers = Answers()
    warm = replace(REQUEST, sampling=Sampling(temperature=0.7))
    for model, request in (
        (Local("openai:gpt-5"), REQUEST), (Local("function:mine"), REQUEST), (Local(), warm),
    ):  # fmt: skip
        answers.keep(model, request, ANSWER)
        assert answers.find(model, request) is None


def test_what_was_not_used_for_longest_goes() -> None:
    answers, model = Answers(many=2), Local()
    one, two, three = (replace(REQUEST, prompt=str(number)) for number in range(3))
    answers.keep(model, one, ANSWER)
    answers.keep(model, two, ANSWER)
    assert answers.find(model, one) is not None  # used again
    answers.keep(model, three, ANSWER)
    assert answers.find(model, two) is None
    assert answers.find(model, one) is not None
    assert answers.find(model, three) is not None


def test_many_may_ask_at_once() -> None:
    answers, model = Answers(many=8), Local()
    failed: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for number in range(300):
                request = replace(REQUEST, prompt=str((start + number) % 20))
                answers.keep(model, request, ANSWER)
                answers.find(model, request)
        except BaseException as error:  # told in the test's own thread
            failed.append(error)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_compiling_the_same_again_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "ANSWERS", Answers())
    model = Local()
    first, again = (compile("note the milk", model=model) for _ in range(2))
    assert isinstance(first, Program) and isinstance(again, Program)
    assert first.to_list() == again.to_list()
    assert len(model.asked) == 1
    assert again.trace is not None and again.trace.usage.output == 0
    compile("note the eggs", model=model)
    assert len(model.asked) == 2


def test_a_function_is_asked_every_time() -> None:
    asked: list[Any] = []

    def answer(request: Request) -> Any:
        asked.append(request)
        return {"steps": []}

    for _ in range(2):
        compile("thanks", model=FunctionProvider(answer))
    assert len(asked) == 2
