"""A real small model decodes under the grammar: what comes out is a program, whatever it means."""

from __future__ import annotations

import json
from typing import Any

import pytest

from text2mem import weights
from text2mem.ir.surface import INSTANCES
from text2mem.resources import read_text

MODEL = "qwen2.5-coder-0.5b"

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def server() -> Any:
    path = weights.find(MODEL)
    if path is None:
        pytest.fail(
            f"the weights of {MODEL} are not here; fetch them: text2mem models pull {MODEL}"
        )
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    return xllamacpp.Server(params)


def test_what_the_model_decodes_is_an_instance(server: Any) -> None:
    answer = server.handle_chat_completions(
        {
            "messages": [
                {
                    "role": "system",
                    "content": "You write a request about memory as one JSON instance "
                    "with stage, op, target and args.",
                },
                {"role": "user", "content": "forget everything about lunch"},
            ],
            "grammar": read_text("grammars", "ir.v1.gbnf"),
            "max_tokens": 300,
            "temperature": 0,
            "seed": 1,
        }
    )
    assert "error" not in answer
    choice = answer["choices"][0]
    assert choice["finish_reason"] == "stop"
    document = json.loads(choice["message"]["content"])
    for instance in document if isinstance(document, list) else [document]:
        INSTANCES[instance["op"]].model_validate(instance)


def test_a_grammar_that_cannot_be_read_is_refused(server: Any) -> None:
    answer = server.handle_chat_completions(
        {
            "messages": [{"role": "user", "content": "hello"}],
            "grammar": read_text("grammars", "ir.v1.gbnf") + "broken ::= (\n",
            "max_tokens": 5,
        }
    )
    assert "error" in answer
