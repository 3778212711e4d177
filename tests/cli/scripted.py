"""A model for the command line's tests: ``function:tests.cli.scripted:answer``."""

from __future__ import annotations

from time import sleep
from typing import Any

from text2mem.errors import ServiceUnreachable
from text2mem.providers.base import Request

MODEL = "function:tests.cli.scripted:answer"


def answer(request: Request) -> Any:
    """The draft for the utterance that was asked last, by its first word.

    ``forget`` deletes everything, ``what`` reads and ``sum`` sums up everything, ``note`` and any
    other word encode the whole utterance. ``thanks`` asks for nothing, ``undo`` takes back, and
    ``tidy`` is asked back. ``slowly`` takes a second. ``nonsense`` is never answered with a draft,
    ``silence`` with nothing at all, and ``crash`` is a bug in the model's code. No turn states a
    fact.
    """
    if {"summary", "parts"} & set((request.schema or {}).get("properties", {})):
        return write(request)
    if "facts" in (request.schema or {}).get("properties", {}):
        return {"facts": []}
    said = next(m.content for m in reversed(request.messages) if "Request: " in m.content)
    utterance = said.rpartition("Request: ")[2].strip()
    match utterance.split()[0]:
        case "slowly":
            sleep(1)
        case "forget":
            return {"steps": [{"op": "Delete", "which": "all"}]}
        case "sum":
            return {"steps": [{"op": "Summarize", "which": "all"}]}
        case "what":
            return {"steps": [{"op": "Retrieve", "which": "all"}]}
        case "thanks":
            return {"steps": []}
        case "undo":
            return {"undo": True}
        case "tidy":
            return {"ask": "Which of them may go?"}
        case "nonsense":
            return {"steps": [{"op": "Delete", "target": {}}]}
        case "silence":
            return None
        case "crash":
            raise RuntimeError("a bug of the model's code")
    return {"steps": [{"op": "Encode", "text": utterance, "tags": ["said"]}]}


WRITER = "function:tests.cli.scripted:write"


def write(request: Request) -> Any:
    """What a model for digests and splits says.

    A digest is the memories in capitals. A split is at semicolons; under the
    instruction ``invent`` it has words of its own, and under ``unreachable`` the service is down.
    """
    said = request.messages[-1].content
    if "summary" in (request.schema or {}).get("properties", {}):
        numbered = said.partition("<memories>\n")[2].partition("\n</memories>")[0].splitlines()
        return {"summary": " ".join(line.partition(": ")[2] for line in numbered).upper()}
    instruction, _, rest = said.partition("\n")
    if "unreachable" in instruction:
        raise ServiceUnreachable("nobody is there", service="scripted")
    if "invent" in instruction:
        return {"parts": ["words", "of its own"]}
    return {"parts": rest.removeprefix("<text>\n").partition("\n</text>")[0].split(";")}
