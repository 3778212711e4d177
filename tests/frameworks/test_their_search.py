"""The cases of searches, with the framework's search in place of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.conformance.frameworks import FRAMEWORKS
from tests.conformance.playing import staged
from tests.conformance.test_exec import CASES, check

DIFFERING = {
    "the framework's vectors are not those of the case's embedder": [
        "search-by-vector-finds-other-words", "search-fuses-two-rankings",
        "search-by-vectors-alone", "search-with-a-share-of-vectors",
        "search-at-the-threshold-is-a-hit", "search-skips-what-has-no-vector",
        "search-with-context", "search-zh-by-vector",
    ],
    "the framework's scores and order are not BM25's": [
        "retrieve-search-zh", "retrieve-search-mixed-and-fields",
        "search-while-the-embedder-is-down", "search-scores-words-by-bm25",
        "search-prefers-the-newer", "search-prefers-the-heavier",
    ],
}  # fmt: skip
"""The cases that cannot hold, by the reason."""
FILES = ("exec/search.jsonl", "exec/retrieve.jsonl")
MAKERS = {name: make for name, make in FRAMEWORKS.items() if name != "letta"}


def searched() -> Iterator[Any]:
    """Every case whose reads search by words, and each framework."""
    for case in CASES.values():
        if case["file"] not in FILES or '"search"' not in json.dumps(case):
            continue
        reason = next((r for r, ids in DIFFERING.items() if case["id"] in ids), None)
        for name in MAKERS:
            marks = [] if reason is None else [pytest.mark.xfail(strict=True, reason=reason)]
            yield pytest.param(case, name, id=f"{case['id']}-{name}", marks=marks)


@pytest.mark.parametrize(("case", "name"), list(searched()))
def test_a_case_holds_with_the_frameworks_own_search(case: Any, name: str) -> None:
    opener = partial(MAKERS[name], search="framework")
    with staged(case, opener) as stage:
        for step in case["setup"]:
            stage.play(step, confirmed=True)
        check(case["expected"], stage.play(case["input"]), stage.dry)
        for each in case.get("then", ()):
            check(each["expected"], stage.play(each["step"]), stage.dry)
        assert [store.undelivered() for store in stage.stores.values()] == [None]
