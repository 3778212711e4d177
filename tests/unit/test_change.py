"""What an Update of a fact comes to: a fact says its value, and nothing else."""

from __future__ import annotations

import pytest

from tests.planning import CONTEXT, Raw, draft, opened, planned, step
from text2mem.pipeline import execute

CITY = {"subject": "Ann", "attribute": "city", "value": "Bern"}
STORE = [step("Encode", payload={"structured": CITY})]


@pytest.mark.parametrize(
    ("said", "slots", "wanted"),
    [
        ("Change Ann's city to Chur", {"text": "Chur"},
         step("Update", {"ids": ["1"]}, set={"value": "Chur"})),
        ("Add to Ann's city: the old town", {"add": "the old town"},
         step("Encode", payload={"text": "the old town"}, lineage_parents=["1"])),
    ],
)  # fmt: skip
def test_a_fact_has_another_value_or_a_memory_beside_it(
    said: str, slots: dict[str, str], wanted: Raw
) -> None:
    store = opened("sqlite", STORE)
    made = planned(said, draft("Update", about="Ann's city", **slots), store=store)
    assert made.program == [wanted]
    done = execute(made.program, store, context=CONTEXT)
    assert done.ok, done.error
