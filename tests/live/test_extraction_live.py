"""The passport of the article: two turns read with the real small model, and three answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.episodes import CASES, at, turns
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.providers.base import Provider

pytestmark = pytest.mark.model


def test_what_is_so_what_was_so_and_what_a_search_would_say(local_model: Provider) -> None:
    case = CASES["mira"]
    clock = SetClock(at(case["now"]))
    context = ExecutionContext(clock=clock)
    with Memory("memory:", model=local_model, context=context, policy={"floor": 0.5}) as memory:
        heard: dict[str, str] = {}
        asked = 0
        for turn in turns(case):
            clock.at = at(turn["at"])
            said = {key: turn[key] for key in ("text", "role", "speaker", "at")}
            (seen,) = memory.observe(said, session="s", extract=True)
            assert seen.reading is not None
            asked += (seen.reading.counts or {}).get("asked", 0)
            heard[turn["episode"]] = seen.episode
        clock.at = at(case["now"])
        found, now, then = case["questions"]
        # Words alone find the turn that is out of date.
        (first, _), *_ = memory.ledger.search(found["asks"])
        hit = first.source_episode_id or first.id
        assert hit in (heard["e1"], heard["e2"])
        assert answer(memory, now["asks"]) == (("2026-06-30",), f"e{heard['e2']}")
        # What the attribute is called is the model's choice: the registry declares none.
        (fact,) = memory.recall(now["asks"]).facts
        on_june_2nd = datetime.fromisoformat(then["as_of"])
        asked_then = memory.recall(subject="mira", attribute=fact.attribute, as_of=on_june_2nd)
        assert asked_then.values == ("2026-07-15",)
        # In words this question finds the turn; that "by which day" asks for the attribute under
        # the model's name for it, the reader of questions does not know.
        assert answer(memory, then["asks"])[1] == f"e{heard['e1']}"
    assert asked >= 1


def answer(memory: Memory, question: str) -> tuple[Any, str]:
    """The values that a question recalls, and the first citation."""
    recalled = memory.recall(question)
    return recalled.values, recalled.lines[0].citations[0]
