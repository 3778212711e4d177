"""A model for the tests of ``bench plan``: ``function:tests.cli.scripted_planner:answer``."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

from text2mem.errors import ServiceUnreachable
from text2mem.providers.base import Completion, Request, Usage

MODEL = "function:tests.cli.scripted_planner:answer"
JUDGE = "function:tests.cli.scripted_planner:judge"
_asked = 0
_counting = threading.Lock()


def answer(request: Request) -> Any:
    """The right draft for two of the fixture's rows, else a Retrieve of everything.

    The environment changes that. PLAN_STOPS_AT=N: the N-th question gets no answer for a minute,
    and the file PLAN_STOPPED appears. PLAN_IS_DOWN: the service is unreachable. PLAN_CRASHES: a bug
    in the model's code.
    """
    global _asked
    with _counting:
        _asked += 1
    if os.environ.get("PLAN_IS_DOWN"):
        raise ServiceUnreachable("nobody is there", service="scripted")
    if os.environ.get("PLAN_CRASHES"):
        raise RuntimeError("a bug of the model's code")
    if str(_asked) == os.environ.get("PLAN_STOPS_AT"):
        Path(os.environ["PLAN_STOPPED"]).touch()
        time.sleep(60)
    said = request.messages[-1].content
    data: Any = {"steps": [{"op": "Retrieve", "which": "all"}]}
    if "Request: The shopping list" in said:
        data = {"steps": [{"op": "Delete", "tags": ["list"], "many": True}]}
    if "Request: Note that the cello" in said:
        data = {"steps": [{"op": "Encode", "text": "The cello lesson moved to Tuesdays."}]}
    return Completion("{}", data, Usage(prompt=200, output=20), MODEL)


def judge(request: Request) -> Any:
    """A judge that likes everything half."""
    return {"reason": "half of it", "score": 2}
