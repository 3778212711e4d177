"""A model for the command line's tests: ``function:tests.cli.scripted:answer``."""

from __future__ import annotations

from typing import Any

from text2mem.providers.base import Request

MODEL = "function:tests.cli.scripted:answer"


def answer(request: Request) -> Any:
    """The program for the utterance that was asked last, by its first word.

    ``forget`` deletes everything, ``what`` reads everything, ``note`` and any other word encode the
    whole utterance. ``nonsense`` is never answered with a legal program, ``silence`` with none at
    all, and ``crash`` is a bug in the model's code.
    """
    said = next(m.content for m in reversed(request.messages) if "Request: " in m.content)
    utterance = said.rpartition("Request: ")[2].strip()
    match utterance.split()[0]:
        case "forget":
            return {"ops": [{"op": "Delete", "target": {"all": True}}]}
        case "what":
            return {"ops": [{"op": "Retrieve", "target": {"all": True}}]}
        case "nonsense":
            return {"ops": [{"op": "Delete", "target": {}}]}
        case "silence":
            return None
        case "crash":
            raise RuntimeError("a bug of the model's code")
    args = {"payload": {"text": utterance}, "tags": ["said"]}
    return {"ops": [{"op": "Encode", "args": args}]}
