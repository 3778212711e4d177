"""Whether what a request means is held, or only stands next to what is held."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from text2mem.ir.record import Record
from text2mem.planner.rank import NAMES, features_by_id, paired, there
from text2mem.planner.there_weights import BLIND, THERE

NOW = datetime(2026, 3, 4, tzinfo=UTC)
TEXTS = (
    "Dentist appointment on 3 June", "Invoice 3054 from Brightline, 120 euros",
    "Gate code of the allotment is 4471", "牙医预约在六月三号", "物业电话 6620",
)  # fmt: skip
POOL = [
    Record(id=str(n), text=text, created_at=NOW, updated_at=NOW) for n, text in enumerate(TEXTS, 1)
]


@pytest.mark.parametrize(
    ("id_", "held", "not_held"),
    [
        ("1", "bin the dentist appointment", "bin the appointment with the barber"),
        ("2", "put invoice 3054 away", "put the invoice from Larkfield away"),
        ("3", "change the gate code", "change the alarm code of the shed"),
        ("4", "把牙医的预约删了", "把理发的预约删了"),
        ("5", "物业电话改成 6621", "水电工电话改成 6621"),
    ],
)
def test_what_is_held_is_likelier_than_what_stands_next_to_it(
    id_: str, held: str, not_held: str
) -> None:
    one, other = (there(said, POOL, None, {})[id_] for said in (held, not_held))
    assert one > other


def test_every_product_has_its_weight() -> None:
    seen = features_by_id("the gate code", POOL, None, {})
    assert set(seen) == {record.id for record in POOL}
    row = paired(seen["3"])
    assert len(seen["3"]) == len(NAMES) + 1
    assert len(row) == len(THERE) == len(BLIND)
    assert row[: len(NAMES) + 1] == seen["3"]
    assert there("the gate code", [], None, {}) == {}
