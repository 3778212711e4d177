"""The tools in LangChain: invoked by themselves, and by a message's calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from tests.doors.frameworks import opened
from tests.doors.scripted import FORGET, NOTE
from text2mem.doors.agent.tools import TOOLS
from text2mem.doors.frameworks.langchain import langchain_tools
from text2mem.doors.frameworks.toolbox import Toolbox
from text2mem.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "agent.db") as memory:
        yield memory


@pytest.fixture
def tools(memory: Memory) -> dict[str, BaseTool]:
    return {tool.name: tool for tool in langchain_tools(Toolbox(memory))}


def test_a_model_is_told_what_the_tools_say_of_themselves(tools: dict[str, BaseTool]) -> None:
    assert list(tools) == list(TOOLS)
    for name, tool in tools.items():
        function = convert_to_openai_tool(tool)["function"]
        assert function["description"] == TOOLS[name].description
        assert function["parameters"]["properties"].keys() == TOOLS[name].takes.keys()
        assert function["parameters"].get("required", []) == list(TOOLS[name].required)
    assert tools["recall"].metadata == {"read_only": True, "destructive": False}
    assert tools["confirm"].metadata == {"read_only": False, "destructive": True}


def test_a_call_becomes_a_message_with_the_data_beside_it(tools: dict[str, BaseTool]) -> None:
    tools["remember"].invoke({"text": NOTE})
    told = tools["recall"].invoke(tool_call(name="recall", args={"question": "ferry"}, id="c1"))
    assert isinstance(told, ToolMessage) and told.status == "success"
    assert NOTE in told.text and told.tool_call_id == "c1"
    assert told.artifact["known"] is True

    asked = tools["ask_memory"].invoke(
        tool_call(name="ask_memory", args={"request": FORGET}, id="c")
    )
    done = tools["confirm"].invoke({"token": asked.artifact["token"]})
    assert "deleted: false → true" in done


def test_what_is_wrong_is_a_message_of_an_error(tools: dict[str, BaseTool]) -> None:
    told = tools["recall"].invoke(tool_call(name="recall", args={"k": 3}, id="c2"))
    assert told.status == "error" and "'question' is a required property" in told.text


def test_tools_are_awaited(tools: dict[str, BaseTool], memory: Memory) -> None:
    async def main() -> None:
        calls = [tools["remember"].ainvoke({"text": f"note {n}"}) for n in range(8)]
        assert all("Encode: made" in told for told in await asyncio.gather(*calls))
        told = await tools["recall"].ainvoke(tool_call(name="recall", args={"k": 1}, id="c3"))
        assert told.status == "error"

    asyncio.run(main())
    assert len(memory.log()) == 8
