"""The dialogues of ``fixtures/episodes`` say one thing throughout.

The ledgers, answers and deletions that they expect are what the store holds once their candidates
have been encoded as facts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.episodes import (
    CASES,
    FOLDER,
    LOCOMO,
    Json,
    as_fact,
    candidates,
    covered,
    ledgers,
    played,
    questions,
    read,
    registry,
    said,
    turns,
)
from text2mem import Memory
from text2mem.ir.words.naming import name_key
from text2mem_bench.episodes.comparing import plain

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def in_order(facts: list[Json]) -> list[str]:
    return sorted(json.dumps(fact, sort_keys=True, ensure_ascii=False) for fact in facts)


# --- the files -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_a_file_keeps_its_schema(path: Path) -> None:
    if path.name.endswith(".schema.json"):
        Draft202012Validator.check_schema(read(path))
        return
    schema = FOLDER / ("locomo.schema.json" if path == LOCOMO else "case.schema.json")
    faults = Draft202012Validator(read(schema)).iter_errors(read(path))
    assert [f"{fault.json_path}: {fault.message}" for fault in faults] == []


@every_case
def test_ids_are_unique_and_instants_rise(case: Json) -> None:
    assert CASES[case["id"]] is case
    for ids in (
        [turn["episode"] for turn in turns(case)],
        [turn["at"] for turn in turns(case)],
        [session["id"] for session in case["sessions"]],
        [question["id"] for question in case["questions"]],
        [order["id"] for order in case["forget"]],
        [look["after"] for look in case["ledger"]],
    ):
        assert len(set(ids)) == len(ids)
    for session in case["sessions"]:
        instants = [turn["at"] for turn in session["turns"]]
        assert instants == sorted(instants)
    after = [turns(case)[-1]["at"], case["now"], *(order["at"] for order in case["forget"])]
    assert after == sorted(set(after))
    belong = chain(case["sessions"], case["ledger"], case["questions"], case["forget"])
    assert {each["tenant"] for each in belong} == set(case["tenants"])


@every_case
def test_candidates_rest_on_what_was_said(case: Json) -> None:
    place = {turn["episode"]: turn for turn in turns(case)}
    for turn, gold in candidates(case):
        assert gold["quote"] in said(turn), gold
        for episode in {
            *gold.get("needs", ()),
            *([gold["concerns"]] if "concerns" in gold else ()),
        }:
            assert place[episode]["tenant"] == turn["tenant"], gold
            assert place[episode]["at"] < turn["at"], gold
        starts, ends = gold.get("valid_from"), gold.get("valid_to")
        assert starts is None or ends is None or starts < ends, gold


@every_case
def test_expectations_name_episodes_that_exist(case: Json) -> None:
    place = {turn["episode"]: turn for turn in turns(case)}
    for each in chain(case["ledger"], case["questions"], case["forget"]):
        named = [each[key] for key in ("after", "finds", "episode") if key in each]
        named += each.get("evidence", []) + each.get("gone", {"episodes": []})["episodes"]
        assert {place[episode]["tenant"] for episode in named} <= {each["tenant"]}
        if "after" in each:
            heard = chain(*(fact["sources"] for fact in each["facts"] + each.get("pending", [])))
            assert all(place[e]["at"] <= place[each["after"]]["at"] for e in heard)
        assert each.get("known_at", "") < case["now"]


def stated(case: Json, tenant: str) -> Iterator[Json]:
    """Everything of a tenant that has a subject, an attribute and a value."""
    yield from (gold for turn, gold in candidates(case) if turn["tenant"] == tenant)
    for each in chain(case["ledger"], case["forget"]):
        if each["tenant"] == tenant:
            yield from chain(each["facts"], each.get("pending", ()))
            yield from each.get("gone", {"facts": ()})["facts"]


@every_case
def test_names_and_values_are_spelled_as_they_are_stored(case: Json) -> None:
    known = registry(case)
    for tenant in case["tenants"]:
        spelled: dict[tuple[str, str, str], str] = {}
        for each in stated(case, tenant):
            attribute = known.attribute(each["attribute"])
            assert name_key(each["subject"]) == each["subject"]
            assert attribute.name == each["attribute"]
            assert known.normalise(attribute, each["value"]) == each["value"]
            # Two values that a comparison takes for one would hide a stale answer.
            line = (each["subject"], attribute.name, plain(attribute, each["value"], known))
            assert spelled.setdefault(line, str(each["value"])) == str(each["value"])
    assert {gold["type"] for _, gold in candidates(case)} <= set(known.types)


@every_case
def test_an_alias_stands_for_one_thing(case: Json) -> None:
    gold = [gold for _, gold in candidates(case)]
    for kind, spellings in case.get("aliases", {}).items():
        used = {str(each[kind.removesuffix("s")]) for each in gold}
        assert set(spellings) <= used
        names = Counter(name_key(each) for each in used)
        names.update(name_key(other) for others in spellings.values() for other in others)
        assert [name for name, times in names.items() if times > 1] == []


# --- what follows from the candidates ------------------------------------------------------


@every_case
def test_every_candidate_becomes_what_it_is_said_to(case: Json) -> None:
    written = [gold for _, gold in candidates(case) if "optional" not in gold]
    assert played(case["id"]).outcomes == [gold["outcome"] for gold in written]
    for gold in written:
        waits = covered(gold["attribute"], case.get("policy", {}).get("confirm", ()))
        assert (gold.get("because") == "sensitive") == (waits and gold["outcome"] == "pending")
        assert not waits or gold["outcome"] in ("pending", "retract") or "concerns" in gold


@every_case
def test_the_ledgers_follow(case: Json) -> None:
    for look, (facts, waiting) in zip(ledgers(case), played(case["id"]).ledgers, strict=True):
        assert in_order(facts) == in_order(look["facts"]), look["after"]
        assert in_order(waiting) == in_order(look.get("pending", [])), look["after"]
    last = {turn["tenant"]: turn["episode"] for turn in turns(case)}
    assert set(last.values()) <= {look["after"] for look in case["ledger"]}


@every_case
def test_the_answers_follow(case: Json) -> None:
    answers = played(case["id"]).answers
    for question, (values, led) in zip(questions(case), answers, strict=True):
        assert values == {json.dumps(value) for value in question["answer"] or ()}, question["id"]
        if question["answer"] is not None:
            evidence = set(question["evidence"])
            assert all(evidence & heard for heard in led), question["id"]
            assert evidence <= set(chain(*led)), question["id"]


@every_case
def test_words_alone_find_what_they_find(case: Json) -> None:
    for question in (each for each in case["questions"] if "finds" in each):
        with Memory("memory:") as texts:
            for turn in turns(case):
                args = {"payload": {"text": said(turn)}, "source": turn["episode"]}
                texts.execute([{"stage": "ENC", "op": "Encode", "args": args}])
            target = {"search": {"intent": {"query": question["asks"]}, "limit": 1}}
            asked = {"stage": "RET", "op": "Retrieve", "args": {"include": ["source"]}}
            (row,) = texts.execute([{**asked, "target": target}]).results[0].rows
        assert row["source"] == question["finds"]


@every_case
def test_what_is_forgotten_is_gone_and_nothing_else(case: Json) -> None:
    play = played(case["id"])
    heard = turns(case)
    for order, erased, left in zip(case["forget"], play.erased, play.left, strict=True):
        tenant, gone = order["tenant"], order["gone"]
        here = [turn for turn in heard if turn["tenant"] == tenant]
        assert set(gone["episodes"]) == stating(here, order)
        assert erased == {as_fact(fact) for fact in gone["facts"]}
        assert in_order(left[tenant]) == in_order(order["facts"])
        heard = [turn for turn in heard if turn["episode"] not in gone["episodes"]]
        stays = [said(turn) for turn in heard if turn in here] + in_order(order["facts"])
        went = [said(turn) for turn in here if turn not in heard] + in_order(gone["facts"])
        for word in gone["words"]:
            assert not any(word in text for text in stays), word
            assert any(word in text for text in went), word


def stating(here: list[Json], order: Json) -> set[str]:
    """The turns that a deletion covers: one, or those that state something about the subject."""
    if "episode" in order:
        return {order["episode"]}
    found = set()
    for turn in here:
        written = [gold for gold in turn.get("gold", ()) if "optional" not in gold]
        about = {order["subject"] in (g["subject"], name_key(str(g["value"]))) for g in written}
        assert about != {True, False}, "a turn that states something about others, too"
        found |= {turn["episode"]} if True in about else set()
    return found


@every_case
def test_a_deletion_stays_within_its_tenant(case: Json) -> None:
    play = played(case["id"])
    before = {look["tenant"]: look["facts"] for look in ledgers(case)}
    for order, left in zip(case["forget"], play.left, strict=True):
        for other in set(case["tenants"]) - {order["tenant"]}:
            assert in_order(left[other]) == in_order(before[other])


# --- the collection ------------------------------------------------------------------------

OUTCOMES = {"new", "repeat", "supersede", "late", "correct", "retract", "pending", "ignored"}
NOTHING = {
    "joke", "hypothetical", "hearsay", "question", "plan", "negation", "quotation", "transient",
    "example", "injection",
}  # fmt: skip


@pytest.mark.parametrize("split", ["tune", "held-out"])
def test_both_parts_of_the_collection_hold_every_kind(split: str) -> None:
    part = [case for case in CASES.values() if case["split"] == split]
    assert len(part) * 3 == len(CASES) * {"tune": 2, "held-out": 1}[split]
    assert {case["language"] for case in part} == {"en", "zh"}
    assert {len(case["tenants"]) for case in part} == {1, 2}
    assert max(len(session["turns"]) for case in part for session in case["sessions"]) >= 25
    assert {gold["outcome"] for case in part for _, gold in candidates(case)} == OUTCOMES
    assert {turn.get("nothing") for case in part for turn in turns(case)} >= NOTHING
    asked = [question for case in part for question in questions(case)]
    assert any(question["answer"] is None for question in asked)
    assert all(any(key in question for question in asked) for key in ("as_of", "known_at", "via"))


def test_there_are_as_many_dialogues_as_the_article_and_both_languages_need() -> None:
    languages = Counter(case["language"] for id_, case in CASES.items() if id_ != "mira")
    assert min(languages["en"], languages["zh"]) >= 7
    mira = CASES["mira"]
    assert [("finds" in q, "as_of" in q) for q in mira["questions"]] == [
        (True, False), (False, False), (False, True),
    ]  # fmt: skip


def test_the_evidence_of_the_locomo_file_exists() -> None:
    (sample,) = read(LOCOMO)
    talk, asked = sample["conversation"], sample["qa"]
    sessions = [key for key in talk if re.fullmatch(r"session_\d+", key)]
    assert sessions == ["session_1", "session_2", "session_3"]
    heard = [turn for key in sessions for turn in talk[key]]
    assert [turn["dia_id"] for turn in heard] == [
        f"D{key.removeprefix('session_')}:{number}"
        for key in sessions
        for number in range(1, len(talk[key]) + 1)
    ]
    assert {turn["speaker"] for turn in heard} == {talk["speaker_a"], talk["speaker_b"]}
    assert all(f"{key}_date_time" in talk for key in sessions)
    assert len(asked) == 12 and {question["category"] for question in asked} == {1, 2, 3, 4, 5}
    evidence = set(chain(*(question["evidence"] for question in asked)))
    assert evidence <= {turn["dia_id"] for turn in heard}
