"""Evidence: what the fixture pairs say is read from each utterance, and nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from jsonschema import Draft202012Validator

from tests.fixtures import ROOT
from text2mem.planner.evidence import Evidence, Kind, read_evidence

NOW, BERLIN = datetime(2026, 3, 4, 10, 30, tzinfo=UTC), ZoneInfo("Europe/Berlin")
FILES = sorted(path for path in (ROOT / "evidence").glob("*.json") if "schema" not in path.name)
PAIRS = [
    pytest.param(pair, id=f"{path.stem}-{number}")
    for path in FILES
    for number, pair in enumerate(json.loads(path.read_text("utf-8")), 1)
]


def read(utterance: str) -> Evidence:
    return read_evidence(utterance, now=NOW, tz=BERLIN)


@pytest.mark.parametrize("pair", PAIRS)
def test_an_utterance_says_what_its_fixture_says(pair: dict[str, Any]) -> None:
    evidence = read(pair["utterance"])
    found = [{"kind": m.kind, "value": m.value, "words": m.words} for m in evidence.mentions]
    assert found == pair["mentions"]
    whole = [pair["utterance"].rstrip(" ,;，；、")]
    assert [clause.words for clause in evidence.clauses] == pair.get("clauses", whole)


def test_the_fixtures_fit_their_schema_and_name_each_utterance_once() -> None:
    schema = json.loads((ROOT / "evidence" / "case.schema.json").read_text("utf-8"))
    for path in FILES:
        Draft202012Validator(schema).validate(json.loads(path.read_text("utf-8")))
    utterances = [pair.values[0]["utterance"] for pair in PAIRS]
    assert len(set(utterances)) == len(utterances)


def test_the_fixtures_show_every_kind_in_both_languages() -> None:
    for language in ("en", "zh"):
        shown = {
            mention["kind"]
            for path in FILES
            if path.stem.endswith(language)
            for pair in json.loads(path.read_text("utf-8"))
            for mention in pair["mentions"]
        }
        assert shown == set(get_args(Kind))


def test_mentions_are_picked_by_kind_and_by_clause() -> None:
    evidence = read('Find my notes tagged "roof" and then tag them as "done".')
    first, second = evidence.clauses
    assert [m.value["name"] for m in evidence.of("tag")] == ["roof", "done"]
    assert [m.value["name"] for m in evidence.of("tag", within=first)] == ["roof"]
    assert [m.kind for m in evidence.of(within=second)] == ["pronoun", "quote", "tag"]
    assert evidence.of("moment", "window") == ()


def test_days_are_those_of_the_zone() -> None:
    late = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
    for tz, start in (("UTC", "2026-03-03T00:00:00Z"), ("Asia/Shanghai", "2026-03-03T16:00:00Z")):
        (mention,) = read_evidence("from yesterday", now=late, tz=ZoneInfo(tz)).of("window")
        assert mention.value["start"] == start


@pytest.mark.parametrize("utterance", ["", " ", "。", "\n\n", "?!", "\ue000\ue001\ue002", "\ud800"])
def test_an_utterance_without_words_is_one_clause_that_says_nothing(utterance: str) -> None:
    evidence = read(utterance)
    assert evidence.mentions == ()
    assert len(evidence.clauses) == 1
