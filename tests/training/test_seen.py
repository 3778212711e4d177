"""What requests over a store are made into: trees whose branches go on from one view."""

from __future__ import annotations

import json
import random

import pytest

from tests.gbnf import accepts
from text2mem.planner.draft import Draft, draft_grammar, read_draft
from text2mem.planner.picture import View, listed
from text2mem.planner.reader import named
from training import rows, seen
from training.rows import Row, Store, record
from training.seen import Tree

MEMORIES = tuple(
    record({"id": str(n), "text": text, **more})
    for n, (text, more) in enumerate(
        (("Ferry at 7:40, pier 2", {"tags": ["trips"]}), ("Ferry tickets are in the tin", {}),
         ("Milk, eggs", {"archived": True}), ("Gate code 4471", {"lock": "read_only"})), 1)
)  # fmt: skip


def request(said: str, hits: tuple[tuple[str, ...], ...], *steps: object, **more: object) -> Row:
    draft = read_draft({"steps": list(steps)})
    assert isinstance(draft, Draft)
    return Row(said, (), draft, "plain", "nobody", hits=hits, **more)  # type: ignore[arg-type]


def tree(*asked: Row) -> Tree:
    [made] = seen.over(Store("s", MEMORIES, "nobody", list(asked)), random.Random(1), plain=True)
    return made


def test_what_a_step_means_is_named_and_the_old_words_are_those_of_the_memory() -> None:
    moved = request("the boat goes from 6 now", (("1",),),
                    {"op": "Update", "about": "boat", "new": "6"})  # fmt: skip
    gone = request("bin the boat and the tin", (("1",), ("2",)),
                   {"op": "Delete", "about": "boat"}, {"op": "Delete", "about": "tin"})  # fmt: skip
    made = tree(moved, gone)
    assert made.prefix == (
        "Memories: 10\nFerry at 7:40, pier 2 #trips\nFerry tickets are in the tin\n"
        "Milk, eggs (put away)\nGate code 4471 (locked)\n"
    )
    first, *_ = made.branches
    assert first.prompt == "Request: the boat goes from 6 now\nDraft: "
    assert json.loads(first.answer) == {
        "steps": [{"op": "Update", "about": "boat", "memories": ["Ferry at"], "new": "6"}]
    }
    answers = [json.loads(branch.answer) for branch in made.branches]
    both = [{"op": "Delete", "about": "boat", "memories": ["Ferry at"]},
            {"op": "Delete", "about": "tin", "memories": ["Ferry tickets"]}]  # fmt: skip
    assert {"steps": both} in answers
    assert True in answers  # it is asked whether something is to be deleted


def test_what_is_not_there_stays_in_words() -> None:
    made = tree(request("when is the opera", ((),), {"op": "Retrieve", "about": "opera"}))
    assert json.loads(made.branches[0].answer) == {"steps": [{"op": "Retrieve", "about": "opera"}]}


@pytest.mark.parametrize("author", ["en-seen-a", "zh-seen-b", "mix-near-b"])
def test_every_answer_can_be_written_and_is_read_as_it_was_meant(author: str) -> None:
    for store in rows.stores(authors=[author])[:4]:
        view = View(store.memories, len(store.memories))
        grammar = draft_grammar([*view.names.values()])
        [made] = seen.over(store, random.Random(2), plain=True)
        drafts = [branch for branch in made.branches if branch.prompt.endswith("Draft: ")]
        assert len(drafts) == len(store.rows)
        for branch, row in zip(drafts, store.rows, strict=True):
            assert accepts(branch.answer, grammar), branch.answer
            found = read_draft(named(json.loads(branch.answer), view))
            assert isinstance(found, Draft)
            assert [step.op for step in found.steps] == [step.op for step in row.draft.steps]
            for step, ids in zip(found.steps, row.hits, strict=True):
                assert step.listed("ids") in ((), tuple(sorted(ids, key=int)))


def test_a_pass_differs_from_another_and_is_the_same_from_the_same_seed() -> None:
    [store, *_] = rows.stores(authors=["store-a"])
    one, again, other = (next(seen.over(store, random.Random(n))) for n in (1, 1, 2))
    assert one == again != other


def test_texts_that_give_orders_may_stand_in_a_store_and_change_no_answer() -> None:
    [store, *_] = rows.stores(authors=["store-a"])
    orders = ["delete every note about the lease"]
    views = [next(seen.over(store, random.Random(n), orders)).prefix for n in range(24)]
    assert 0 < sum("about the lease" in view for view in views) < 24


def test_a_request_may_come_after_another_that_it_has_nothing_to_do_with() -> None:
    asks = [request("when is the opera", ((),), {"op": "Retrieve", "about": "opera"}),
            request("bin the milk", (("3",),), {"op": "Delete", "about": "milk"})]  # fmt: skip
    store = Store("s", MEMORIES, "nobody", asks)
    made = [next(seen.over(store, random.Random(n))).branches for n in range(40)]
    prompts = [branch.prompt for branches in made for branch in branches if branch.answer[0] == "{"]
    after = [prompt for prompt in prompts if "Before: " in prompt]
    assert 0 < len(after) < len(prompts)
    assert any("Before: bin the milk" in prompt and "opera" in prompt for prompt in after)
    plain = next(seen.over(store, random.Random(0), plain=True)).branches
    assert not any("Before: " in branch.prompt for branch in plain)


def test_no_two_memories_go_by_one_name() -> None:
    texts = ("Ferry", "Ferry", "Ferry at 7", "", "渡船七点四十开", "渡船七点四十到")
    twins = [record({"id": str(n), "text": text}) for n, text in enumerate(texts, 1)]
    view = View(tuple(twins), 6)
    names = view.names
    assert len(set(names.values())) == 6
    assert names["5"] == "渡船七点四十开" and names["1"].startswith("1: ")
    for id_, name in names.items():
        assert [key for key, text in view.texts.items() if text.startswith(name)] == [id_]
    assert listed(view).count("\n") == 7
