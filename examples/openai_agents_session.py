"""An agent of the OpenAI Agents SDK: memory tools, a session in the store, and a person's yes.

    python examples/openai_agents_session.py [STORE]

``Scripted`` stands in for a model, so that this runs without an account. With one, leave ``model``
out, or name it.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.items import TResponseOutputItem, TResponseStreamEvent
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from text2mem import Memory
from text2mem.doors.frameworks.openai_agents import Text2MemSession, function_tools
from text2mem.doors.frameworks.toolbox import Toolbox

Call = tuple[str, dict[str, Any]]
Said = str | Call | Callable[[Any], Call]

NOTE = "Ola's ferry leaves at 8:15."


class Scripted(Model):
    """Puts out texts and calls of tools in order, some made of what it was given."""

    def __init__(self, script: Sequence[Said]) -> None:
        self._script = list(script)
        self.given: list[Any] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *args: Any, **named: Any
    ) -> ModelResponse:
        """The next item."""
        self.given.append(input)
        said = self._script.pop(0)
        item = self._item(said(input) if callable(said) else said)
        return ModelResponse([item], Usage(), None)

    def stream_response(self, *args: Any, **named: Any) -> AsyncIterator[TResponseStreamEvent]:
        """Not asked for."""
        raise NotImplementedError

    def _item(self, said: str | Call) -> TResponseOutputItem:
        number = len(self.given)
        if isinstance(said, str):
            text = ResponseOutputText(text=said, type="output_text", annotations=[])
            return ResponseOutputMessage(
                id=f"message-{number}", content=[text], role="assistant", status="completed",
                type="message",
            )  # fmt: skip
        name, arguments = said
        return ResponseFunctionToolCall(
            call_id=f"call-{number}", name=name, arguments=json.dumps(arguments),
            type="function_call",
        )  # fmt: skip


def erasing(given: Any) -> Call:
    """A call that erases the memory that was recalled last."""
    told = [item["output"] for item in given if item.get("type") == "function_call_output"]
    target = {"ids": re.findall(r"\[m(\d+)\]", told[-1])[:1]}
    step = {"stage": "STO", "op": "Delete", "target": target, "args": {"soft": False}}
    return "run_program", {"program": [step]}


def confirming(given: Any) -> Call:
    """A call that confirms what the last question was about."""
    return "confirm", {"token": re.findall(r'token="([^"]+)"', given[-1]["output"])[-1]}


async def main(store: str) -> None:
    """Three turns: something is remembered, recalled, and erased when a person has agreed."""
    with Memory(store) as memory:
        toolbox = Toolbox(memory)
        model = Scripted([
            ("remember", {"text": NOTE}), "Noted.",
            ("recall", {"question": "When does Ola's ferry leave?"}), "At 8:15.",
            erasing, confirming, "It is gone.",
        ])  # fmt: skip
        agent = Agent(
            name="assistant", instructions=toolbox.instructions, model=model,
            tools=list(function_tools(toolbox, approve=True)),
        )  # fmt: skip
        session = Text2MemSession("monday", memory)
        private = RunConfig(tracing_disabled=True)
        for said in (NOTE, "When does it leave?", "Erase that for good."):
            print(f"› {said}")
            result = await Runner.run(agent, said, session=session, run_config=private)
            while result.interruptions:
                state = result.to_state()
                for asked in result.interruptions:
                    print(f"  a person is asked: {asked.name}")
                    state.approve(asked)
                result = await Runner.run(agent, state, session=session, run_config=private)
            print(result.final_output)
        print(f"items in the session: {len(await session.get_items())}")
        print(f"what is known: {toolbox.call('recall', {'question': 'Ola'}).text}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "memory:"))
