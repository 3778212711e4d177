"""An agent's loop of one's own, with memory tools in the form of OpenAI's function calls.

    python examples/openai_loop.py [STORE]

``scripted`` stands in for a model, so that this runs without an account. With one:
``client.responses.create(model=…, instructions=toolbox.instructions, tools=tools, input=items)``.
What the request to forget means is read by text2mem's own local model.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from text2mem import Memory
from text2mem.doors.frameworks.openai_tools import carry_out, tool_list
from text2mem.doors.frameworks.toolbox import Toolbox

SAID = (
    "Remember that the ferry to Inishbofin leaves at 11:30 on Saturdays.",
    "When does the ferry leave?",
    "Delete the note about the ferry.",
    "Yes, do it.",
    "No, bring it back.",
)


def scripted(items: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """What a model would put out: a call for what the user said, then what the call came to."""
    last = items[-1]
    if last.get("type") == "function_call_output":
        return {"role": "assistant", "content": last["output"]}
    said = last["content"]
    tokens = re.findall(r'token="([^"]+)"', json.dumps(items).replace('\\"', '"'))
    name, arguments = {
        SAID[0]: ("remember", {"text": "The ferry to Inishbofin leaves at 11:30 on Saturdays."}),
        SAID[1]: ("recall", {"question": said}),
        SAID[2]: ("ask_memory", {"request": said}),
        SAID[3]: ("confirm", {"token": tokens[-1] if tokens else ""}),
        SAID[4]: ("undo", {}),
    }[said]
    assert name in [tool["name"] for tool in tools]
    call = {"call_id": f"call-{len(items)}", "name": name, "arguments": json.dumps(arguments)}
    return {"type": "function_call", **call}


def main(store: str) -> None:
    """Five turns."""
    with Memory(store) as memory:
        toolbox = Toolbox(memory)
        tools = tool_list(toolbox)
        items: list[dict[str, Any]] = []
        for said in SAID:
            print(f"› {said}")
            items.append({"role": "user", "content": said})
            while (item := scripted(items, tools)).get("type") == "function_call":
                told = carry_out(toolbox, item["name"], item["arguments"])
                output = {"type": "function_call_output", "call_id": item["call_id"]}
                items += [item, {**output, "output": told}]
            items.append(item)
            print(item["content"])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "memory:")
