"""The tools without a framework, and in the form of OpenAI's function calls."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam
from pydantic import TypeAdapter

from tests.doors.frameworks import opened
from tests.doors.scripted import CORRECT, ERASE, FORGET, NOTE
from text2mem.doors.agent.tools import TOOLS
from text2mem.doors.frameworks.openai_tools import carry_out, tool_list
from text2mem.doors.frameworks.toolbox import Toolbox, lock_of
from text2mem.errors import ConfigurationError
from text2mem.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "agent.db") as memory:
        yield memory


def test_the_tools_are_those_of_the_mcp_server(memory: Memory) -> None:
    assert [tool.name for tool in Toolbox(memory).tools] == list(TOOLS)
    assert [tool.name for tool in Toolbox(memory, only=["recall"]).tools] == ["recall"]
    assert Toolbox(memory, only=[]).tools == ()
    with pytest.raises(ConfigurationError, match="recal"):
        Toolbox(memory, only=["recal"])


def test_openai_takes_the_lists(memory: Memory) -> None:
    responses = tool_list(Toolbox(memory))
    for given, tool in zip(responses, TOOLS.values(), strict=True):
        taken = TypeAdapter(FunctionToolParam).validate_python(given)
        assert (taken["name"], taken["parameters"]) == (tool.name, tool.schema(handles=False))
    chat = tool_list(Toolbox(memory), api="chat")
    for given in chat:
        TypeAdapter(ChatCompletionFunctionToolParam).validate_python(given)
    assert chat[0]["function"]["name"] == responses[0]["name"] == "remember"
    assert json.loads(json.dumps(responses)) == responses


def test_a_call_is_carried_out_as_a_model_writes_it(memory: Memory) -> None:
    toolbox = Toolbox(memory)
    assert "made memory 1" in carry_out(
        toolbox, "remember", json.dumps({"text": NOTE, "tags": None})
    )
    assert NOTE in carry_out(toolbox, "recall", '{"question": "When does the ferry leave?"}')
    assert "taken back" in carry_out(toolbox, "undo", "")
    assert "Nothing is known" in carry_out(toolbox, "recall", '{"question": "the ferry"}')


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("remembr", "{}", "there is no tool remembr"),
        ("remember", "{", "are no JSON"),
        ("remember", "[" * 100_000, "are no JSON"),
        ("remember", "[]", "no JSON object"),
        ("remember", "{}", "'text' is a required property"),
        ("remember", '{"text": "x", "tenant": "other"}', "tenant"),
        ("remember", r'{"text": "\ud800"}', "half of a character"),
        ("remember", r'{"text": "x", "tags": ["\ud800"]}', "tags/0: a text holds half of a char"),
        ("run_program", r'{"program": [{"stage": "\ud800"}]}', "half of a character"),
        ("run_program", r'{"program": [{"\ud800": 1}]}', "half of a character"),
        ("remember", {"text": "x" * 100_001}, "text: does not meet maxLength: 100000"),
        ("remember", None, "no JSON object"),
        ("remember", 5, "no JSON object"),
        ("remember", {5: "x"}, "no JSON object"),
        ("remember", b"\xff", "are no JSON"),
        (["remember"], "{}", "there is no tool"),
        (None, "{}", "there is no tool"),
        ("recall", {"question": "x", "k": 2.5}, "k: 2.5"),
        ("recall", {"question": "x", "k": float("inf")}, "k: "),
        ("confirm", '{"token": "guessed"}', "confirms nothing here"),
        ("confirm", '{"token": "guessed", "choice": 1.0}', "confirms nothing here"),
        ("history", '{"id": "77"}', "no memory 77"),
    ],
)
def test_what_is_wrong_with_a_call_is_told_to_the_model(
    memory: Memory, name: Any, arguments: Any, told: str
) -> None:
    answer = Toolbox(memory).call(name, arguments)
    assert answer.failed and told in answer.text
    assert "Traceback" not in answer.text
    assert answer.text.encode() and json.dumps(answer.data, ensure_ascii=False).encode()
    assert memory.log() == []


def test_a_whole_number_may_be_written_as_a_float(memory: Memory) -> None:
    memory.add(NOTE)
    answer = Toolbox(memory).call("recall", '{"question": "When does the ferry leave?", "k": 2.0}')
    assert not answer.failed and NOTE in answer.text


def test_a_tool_that_was_not_given_is_not_there(memory: Memory) -> None:
    assert Toolbox(memory, only=["recall"]).call("remember", {"text": "x"}).failed


def test_a_yes_holds_for_its_own_conversation_and_for_what_was_shown(memory: Memory) -> None:
    asking, other = Toolbox(memory), Toolbox(memory)
    asking.call("remember", {"text": NOTE})
    token = asking.call("ask_memory", {"request": FORGET}).data["token"]
    assert other.call("confirm", {"token": token}).failed

    # Something else is stored in between: what was shown is still what would happen.
    other.call("remember", {"text": "Something else."})
    assert asking.call("confirm", {"token": token}).data["status"] == "done"
    deleted = [record.deleted for id_ in "12" if (record := memory.show(id_)) is not None]
    assert deleted == [True, False]
    assert asking.call("confirm", {"token": token}).failed


def test_a_question_with_options_shows_its_effect_before_a_yes_holds(memory: Memory) -> None:
    toolbox = Toolbox(memory)
    toolbox.call("remember", {"text": NOTE})
    token = toolbox.call("ask_memory", {"request": ERASE}).data["token"]
    for _ in range(2):
        assert memory.show("1") is not None
        Toolbox(memory).call("remember", {"text": "Something else."})
        answer = toolbox.call("confirm", {"token": token, "choice": 1})
        token = answer.data.get("token")
    assert answer.data["status"] == "done" and memory.show("1") is None


@pytest.mark.parametrize("verb", ["confirm", "ask_memory"])
def test_a_yes_does_not_hold_once_something_else_would_happen(memory: Memory, verb: str) -> None:
    toolbox = Toolbox(memory)
    toolbox.call("remember", {"text": NOTE})
    token = toolbox.call("ask_memory", {"request": FORGET}).data["token"]
    yes = {"confirm": {"token": token}, "ask_memory": {"request": "yes", "confirm_token": token}}
    edit = {"set": {"text": "The ferry is mine to keep."}}
    memory.execute({"stage": "STO", "op": "Update", "target": {"ids": ["1"]}, "args": edit})
    again = toolbox.call(verb, yes[verb])
    assert again.data["moved"] is True and "mine to keep" in again.text
    assert (kept := memory.show("1")) is not None and not kept.deleted
    assert toolbox.call("confirm", {"token": again.data["token"]}).data["status"] == "done"
    assert (gone := memory.show("1")) is not None and gone.deleted


def test_an_agent_without_confirm_cannot_say_yes_in_words(memory: Memory) -> None:
    toolbox = Toolbox(memory, only=["remember", "ask_memory", "run_program", "preview"])
    toolbox.call("remember", {"text": NOTE})
    erase = {"stage": "STO", "op": "Delete", "target": {"ids": ["1"]}, "args": {"soft": False}}
    for name, given in [
        ("ask_memory", {"request": FORGET}), ("ask_memory", {"request": ERASE}),
        ("run_program", {"program": [erase]}), ("preview", {"request": FORGET}),
    ]:  # fmt: skip
        asked = toolbox.call(name, given)
        token = asked.data["token"]
        assert "confirm" not in asked.text and "the user's to decide" in asked.text
        for yes in ("yes", "1", FORGET):
            answer = toolbox.call("ask_memory", {"request": yes, "confirm_token": token})
            assert "status" not in answer.data or answer.data["status"].startswith("needs_")
        toolbox.call("ask_memory", {"request": "no", "confirm_token": token})
    assert [(note.id, note.text) for note in memory.list()] == [("1", NOTE)]


def test_calls_of_many_threads_lose_nothing(memory: Memory) -> None:
    boxes = [Toolbox(memory) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        calls = [
            pool.submit(boxes[n % 4].call, "remember", {"text": f"note {n}"}) for n in range(40)
        ]
        assert not [call.result() for call in calls if call.result().failed]

    async def later() -> None:
        answers = [boxes[0].acall("recall", {"question": f"note {n}"}) for n in range(5)]
        assert all("note" in answer.text for answer in await asyncio.gather(*answers))

    asyncio.run(later())
    assert len(memory.log(limit=100)) == 40


@pytest.mark.parametrize("name", ["ask_memory", "remember", "confirm", "undo", "run_program"])
def test_a_call_that_is_cancelled_before_it_writes_changes_nothing(
    memory: Memory, name: str
) -> None:
    toolbox = Toolbox(memory)
    told = toolbox.call("remember", {"text": NOTE}).data["result"]["trace_id"]
    token = toolbox.call("ask_memory", {"request": FORGET}).data["token"]
    label = {"stage": "STO", "op": "Label", "target": {"ids": ["1"]}, "args": {"tags": ["x"]}}
    given = {
        "ask_memory": {"request": CORRECT}, "remember": {"text": "Tea is at five."},
        "confirm": {"token": token}, "undo": {"trace_id": told},
        "run_program": {"program": [label]},
    }  # fmt: skip

    async def main() -> None:
        with lock_of(memory):
            called = asyncio.ensure_future(toolbox.acall(name, given[name]))
            await asyncio.sleep(0.05)
            called.cancel()
            await asyncio.wait([called])
        assert called.cancelled()

    asyncio.run(main())
    assert [each.trace_id for each in memory.log()] == [told]
    assert toolbox.call("confirm", {"token": token}).data["status"] == "done"


def test_tenants_and_actors_come_from_the_context(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    with (
        opened(path, tenant="acme", actor="ann") as ann,
        opened(path, tenant="acme", actor="bob") as bob,
        opened(path, tenant="other") as other,
    ):
        Toolbox(ann).call("remember", {"text": NOTE})
        assert NOTE in Toolbox(ann).call("recall", {"question": "ferry"}).text
        for stranger in (bob, other):
            assert NOTE not in Toolbox(stranger).call("recall", {"question": "ferry"}).text
            assert Toolbox(stranger).call("history", {"id": "1"}).failed


_LAZY = """
import sys
import text2mem
import text2mem.doors.frameworks.toolbox, text2mem.doors.frameworks.openai_tools
found = {"agents", "langchain_core", "langgraph", "openai", "mcp"} & set(sys.modules)
assert not found, found
"""
_ABSENT = """
import importlib, sys
sys.modules.update(dict.fromkeys(["agents", "langchain_core", "langgraph.store.base"]))
from text2mem.errors import MissingExtra
for name, extra in [
    ("langchain", "langchain"), ("langgraph", "langgraph"), ("openai_agents", "openai-agents"),
]:
    try:
        importlib.import_module(f"text2mem.doors.frameworks.{name}")
    except MissingExtra as error:
        assert error.extra == extra, error
    else:
        raise AssertionError(name)
"""


@pytest.mark.parametrize("program", [_LAZY, _ABSENT], ids=["nothing is imported", "an extra lacks"])
def test_frameworks_are_imported_by_their_own_modules_alone(program: str) -> None:
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
