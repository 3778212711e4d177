"""The measures of the planning layer against values worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2mem_bench import metrics
from text2mem_bench.metrics import Shares

NOTE = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "tea"}, "tags": ["a", "b"]}}
RAISE = {"stage": "STO", "op": "Promote", "target": {"ids": ["1", "2"]},
         "args": {"weight_delta": 0.3}}  # fmt: skip
READ = {"stage": "RET", "op": "Retrieve", "target": {"filter": {"has_tags": ["a"], "limit": 3}}}


# --- ops -----------------------------------------------------------------------------------


def test_precision_recall_and_f1() -> None:
    # 2 of 4 wanted are among the 3 given: 2/3, 2/4, and 2·2 / (4 + 3).
    assert metrics.shares(2, 4, 3) == Shares(2 / 3, 0.5, 4 / 7)
    assert metrics.shares(0, 0, 0) == Shares(1.0, 1.0, 1.0)
    assert metrics.shares(0, 2, 0) == metrics.shares(0, 0, 2) == Shares(0.0, 0.0, 0.0)


def test_ops_in_order_and_whatever_their_order() -> None:
    assert metrics.ops_of([NOTE, {"stage": "STO"}, "no object"]) == ["Encode", "?", "?"]
    assert metrics.op_f1(["Encode", "Label"], ["Label", "Encode"]) == 1.0
    # One Encode of two is there, and nothing is superfluous: 2·1 / (2 + 1).
    assert metrics.op_f1(["Encode", "Encode"], ["Encode"]) == pytest.approx(2 / 3)
    assert metrics.op_f1(["Encode"], []) == 0.0


@pytest.mark.parametrize(
    ("gold", "predicted", "pairs"),
    [
        ("AB", "AB", [(0, 0), (1, 1)]),
        # A keeps its place, though an earlier A is free for none.
        ("AA", "BA", [(0, None), (1, 1), (None, 0)]),
        # By position nothing fits; by op, in order.
        ("AB", "BA", [(0, 1), (1, 0)]),
        ("ABA", "BAA", [(0, 1), (1, 0), (2, 2)]),
        ("AB", "A", [(0, 0), (1, None)]),
        ("A", "", [(0, None)]),
        ("", "A", [(None, 0)]),
        ("", "", []),
    ],
)
def test_steps_are_aligned_by_position_then_by_op(
    gold: str, predicted: str, pairs: list[tuple[int | None, int | None]]
) -> None:
    assert metrics.aligned(gold, predicted) == pairs


def test_what_is_left_on_both_sides_was_mistaken_for_each_other() -> None:
    assert metrics.step_pairs("ABC", "AXB") == [(0, 0), (1, 2), (2, 1)]
    assert metrics.step_pairs("AB", "X") == [(0, 0), (1, None)]
    assert metrics.step_pairs("A", "XY") == [(0, 0), (None, 1)]


# --- slots ---------------------------------------------------------------------------------


def test_slots_are_key_paths_of_target_and_args() -> None:
    assert metrics.slots(RAISE) == {"/target/ids": ('"1"', '"2"'), "/args/weight_delta": "0.3"}
    odd = {"set": {"facets": {}}, "to": [{"a/b": 1}, {"a": None}]}
    assert metrics.slots({"op": "X", "args": odd}) == {
        "/args/set/facets": "{}", "/args/to/0/a~1b": "1", "/args/to/1/a": "null",
    }  # fmt: skip
    assert metrics.slots("no object") == metrics.slots({"op": "X", "args": {}}) == {}


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"tags": ["b", "a"]}, {"tags": ["a", "b"]}, True),
        ({"tags": ["a", "a"]}, {"tags": ["a"]}, False),
        ({"weight": 1}, {"weight": 1.0}, True),
        ({"soft": True}, {"soft": 1}, False),
        ({"k": 5}, {"k": "5"}, False),
        ({"ids": [7]}, {"ids": ["7"]}, True),
    ],
)
def test_values_are_equal_where_they_mean_the_same(
    one: dict[str, Any], other: dict[str, Any], equal: bool
) -> None:
    gold, predicted = [{"op": "X", "args": one}], [{"op": "X", "args": other}]
    assert metrics.slot_accuracy(gold, predicted) == float(equal)


def test_slot_accuracy_is_the_share_of_the_golds_slots() -> None:
    half = {**RAISE, "target": {"ids": ["2"]}, "args": {"weight_delta": 0.3, "reason": "x"}}
    assert metrics.slot_accuracy([RAISE], [half]) == 0.5
    # Two slots of RAISE are right; the two of READ have no step that answers them.
    assert metrics.slot_accuracy([RAISE, READ], [RAISE]) == 0.5
    assert metrics.slot_accuracy([RAISE], [{**RAISE, "op": "Demote"}]) == 0.0
    assert metrics.slot_accuracy([{"op": "X"}], [RAISE]) is None


def test_key_values_count_the_items_of_a_list_one_by_one() -> None:
    half = {**RAISE, "target": {"ids": ["2"]}, "args": {"weight_delta": 0.3, "reason": "x"}}
    # Gold: op, two ids, delta. Predicted: op, one id, delta, reason. In common: op, id, delta.
    assert metrics.key_values([RAISE], [half]) == Shares(0.75, 0.75, 0.75)
    # NOTE is op, text, two tags; only the op is there.
    bare = {"op": "Encode"}
    assert metrics.key_values([NOTE], [bare]) == Shares(1.0, 0.25, 0.4)
    # Another op shares nothing, not even its target: 0 of 4 and 0 of 4.
    assert metrics.key_values([RAISE], [{**RAISE, "op": "Demote"}]) == Shares(0.0, 0.0, 0.0)
    assert metrics.key_values([], []) == Shares(1.0, 1.0, 1.0)
    assert metrics.key_values([NOTE], []) == Shares(0.0, 0.0, 0.0)


def test_key_values_go_by_the_aligned_steps() -> None:
    # In the other order, every pair is still found.
    assert metrics.key_values([NOTE, RAISE], [RAISE, NOTE]) == Shares(1.0, 1.0, 1.0)
    # NOTE has 4 pairs, RAISE has 4: half of the wanted ones are there.
    assert metrics.key_values([NOTE, RAISE], [RAISE]) == Shares(1.0, 0.5, pytest.approx(2 / 3))


# --- whole programs as text ----------------------------------------------------------------


def test_the_text_of_a_program_has_one_form() -> None:
    assert metrics.canonical_json([{"op": "茶", "args": {"b": 1, "a": [True]}}]) == (
        '[{"args":{"a":[true],"b":1},"op":"茶"}]'
    )


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("", "abc", 3), ("abc", "", 3), ("", "", 0),
        ("abc", "abc", 0), ("abc", "xyz", 3), ("茶壶", "茶杯", 1), ("intention", "execution", 5),
    ],
)  # fmt: skip
def test_the_edit_distance_of_known_words(left: str, right: str, distance: int) -> None:
    assert metrics.levenshtein(left, right) == distance


def by_the_matrix(left: str, right: str) -> int:
    """The edit distance, a cell at a time (Wagner & Fischer 1974)."""
    row = list(range(len(right) + 1))
    for place, character in enumerate(left, 1):
        before, row = row, [place]
        for other, candidate in enumerate(right, 1):
            replaced = before[other - 1] + (character != candidate)
            row.append(min(before[other] + 1, row[-1] + 1, replaced))
    return row[-1]


@given(st.text("abc茶", max_size=80), st.text("abc茶", max_size=80))
def test_the_edit_distance_is_that_of_the_matrix(left: str, right: str) -> None:
    assert metrics.levenshtein(left, right) == by_the_matrix(left, right)
    assert metrics.levenshtein(left, right) == metrics.levenshtein(right, left)


def test_sma_lev_is_the_distance_by_the_longer_text() -> None:
    # [{"op":"A"}] has 12 characters, of which one differs.
    assert metrics.sma_lev([{"op": "A"}], [{"op": "B"}]) == pytest.approx(11 / 12)
    assert metrics.sma_lev([NOTE], [NOTE]) == 1.0
    # Of [{"op":"A"}] the two brackets stay: 10 of 12 are to be deleted.
    assert metrics.sma_lev([{"op": "A"}], []) == pytest.approx(2 / 12)


def test_sma_cos_by_runs_of_characters() -> None:
    assert metrics.grams("abcab", [2]) == {"ab": 2, "bc": 1, "ca": 1}
    assert metrics.grams("ab") == {"ab": 1}
    # abc, bcd against abc, bce: one of two in common, both of length √2.
    assert metrics.cosine(metrics.grams("abcd"), metrics.grams("abce")) == pytest.approx(0.5)
    assert metrics.cosine({"a": 3, "b": 4}, {"a": 1}) == pytest.approx(0.6)
    assert metrics.cosine({}, {"a": 1}) == 0.0
    # [{"op":"A"}] and [{"op":"B"}] have ten runs of three, of which three hold the letter.
    assert metrics.sma_cos([{"op": "A"}], [{"op": "B"}], None) == pytest.approx(0.7)
    assert metrics.sma_cos([NOTE], [NOTE], None) == pytest.approx(1.0)


class Compass:
    """An embedder that knows two directions, 60 degrees apart, and one that is opposite."""

    model = "tests:compass"
    dimension = 2
    threshold = 0.5

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        angles = {"A": 0.0, "B": math.pi / 3, "C": math.pi}
        found = [next(angle for name, angle in angles.items() if name in text) for text in texts]
        return [(math.cos(angle), math.sin(angle)) for angle in found]


def test_sma_cos_by_an_embedder() -> None:
    assert metrics.sma_cos([{"op": "A"}], [{"op": "B"}], Compass()) == pytest.approx(0.5)
    assert metrics.sma_cos([{"op": "A"}], [{"op": "C"}], Compass()) == 0.0


# --- what the program brought about --------------------------------------------------------


def test_the_effect_counts_where_something_ran_or_nothing_had_to() -> None:
    assert metrics.ran("executed", [NOTE])
    assert metrics.ran("illegal", [])
    assert not metrics.ran("illegal", [NOTE])
    assert not metrics.ran("refused", [NOTE])
    assert not metrics.ran("no-program", None)


def test_the_share_that_holds() -> None:
    assert metrics.share([True, False, True, True]) == 0.75
    assert metrics.share([]) is None
