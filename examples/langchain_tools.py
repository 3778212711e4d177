"""A LangChain chat model with memory tools.

    python examples/langchain_tools.py [STORE]

``Scripted`` stands in for a chat model, so that this runs without an account. With any other one:
``init_chat_model(…).bind_tools(tools)``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.tool import tool_call
from langchain_core.runnables import Runnable

from text2mem import Memory
from text2mem.doors.frameworks.langchain import langchain_tools
from text2mem.doors.frameworks.toolbox import Toolbox

SAID = ("The boat shed key is in the blue bowl.", "Where is the key of the boat shed?")


class Scripted(GenericFakeChatModel):
    """Puts out messages in order, whatever it is given."""

    def bind_tools(self, tools: Sequence[Any], **named: Any) -> Runnable[Any, AIMessage]:
        """Itself: it knows by its script which tools there are."""
        return self


def calling(name: str, **arguments: Any) -> AIMessage:
    """A message that calls a tool."""
    return AIMessage("", tool_calls=[tool_call(name=name, args=arguments, id=f"call of {name}")])


def main(store: str) -> None:
    """Two turns."""
    with Memory(store) as memory:
        toolbox = Toolbox(memory, only=["remember", "recall"])
        tools = {tool.name: tool for tool in langchain_tools(toolbox)}
        script: list[AIMessage | str] = [
            calling("remember", text=SAID[0], tags=["boat"]), "I will remember that.",
            calling("recall", question=SAID[1]), "In the blue bowl.",
        ]  # fmt: skip
        model = Scripted(messages=iter(script)).bind_tools(list(tools.values()))
        messages: list[BaseMessage] = [SystemMessage(toolbox.instructions)]
        for said in SAID:
            print(f"› {said}")
            messages.append(HumanMessage(said))
            answer = model.invoke(messages)
            while answer.tool_calls:
                messages.append(answer)
                for call in answer.tool_calls:
                    told = tools[call["name"]].invoke(call)
                    print(f"  {call['name']}: {told.content.splitlines()[-1]}")
                    messages.append(told)
                answer = model.invoke(messages)
            messages.append(answer)
            print(answer.content)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "memory:")
