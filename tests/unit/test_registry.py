"""The registry: what a document may say, how attributes are found, how values are written."""

from __future__ import annotations

import json
import math
import re
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from text2mem.adapters.shipped import shipped_registry
from text2mem.errors import ConfigurationError
from text2mem.ir.registry import Attribute, Registry, Retention
from text2mem.ir.times.duration import Duration
from text2mem.ir.values import UnfitValue
from text2mem.ir.words.naming import matches, name_key
from text2mem.ledger.policy import Policy
from text2mem.resources import read_text

DOCUMENT: dict[str, Any] = {
    "version": 3,
    "confidence_floor": 0.4,
    "retention": {
        "Short": {"keep": "P30D", "on_expire": "soft_delete"},
        "long": {"keep": "P5Y", "on_expire": "demote"},
        "for ever": {"keep": None, "on_expire": "soft_delete"},
    },
    "types": {"note": {}, "Field report": {"retention": "short"}, "profile": {"retention": "long"}},
    "attributes": {
        "Job Title": {},
        "email": {"cardinality": "many", "normaliser": "email", "sensitivity": "personal"},
        "birthday": {"value_type": "date", "retention": "for ever"},
        "*_deadline": {"retention": "long"},
        "*_tax_deadline": {"value_type": "date"},
        "tax_*": {"value_type": "text"},
        "aa*": {"value_type": "text"},
        "*aa": {"value_type": "number"},
    },
}
REGISTRY = Registry.load(DOCUMENT)


def _of(value_type: str = "any", normaliser: str = "trim", cardinality: str = "one") -> Attribute:
    entry = {"value_type": value_type, "normaliser": normaliser, "cardinality": cardinality}
    return Registry.load({"version": 1, "attributes": {"it": entry}}).attribute("it")


def _faults(document: Any) -> list[str]:
    """The pointers of every fault, in order of mention."""
    with pytest.raises(ConfigurationError) as raised:
        Registry.load(document)
    return [
        line.split(":")[0].removeprefix("  - ") for line in raised.value.message.split("\n")[1:]
    ]


# --- documents -----------------------------------------------------------------------------


def test_a_document_survives_the_way_there_and_back() -> None:
    assert REGISTRY.to_document() == DOCUMENT
    assert Registry.load(json.loads(json.dumps(DOCUMENT, sort_keys=True))) == REGISTRY
    assert hash(Registry.load(DOCUMENT)) == hash(REGISTRY)


def test_the_least_document_has_the_defaults() -> None:
    least = Registry.load({"version": 1})
    assert (least.version, least.confidence_floor) == (1, 0.3)
    assert least.attribute("colour") == Attribute(name="colour", declared=False)
    assert Registry.load(least.to_document()) == least


def test_a_whole_number_is_a_confidence() -> None:
    assert Registry.load({"version": 1, "confidence_floor": 1}).confidence_floor == 1.0


def test_every_fault_is_named() -> None:
    faulty = {
        "version": True,
        "confidence_floor": math.nan,
        "retention": {
            "a": {},
            "b": {"keep": "PT0S"},
            "d": {"keep": "P1001Y"},
            "": {"keep": None},
            "C": {"keep": "a year"},
            "c": {"keep": "-P1Y", "on_expire": "burn"},
        },
        "types": {"x": {"retention": "zz", "foo": 1}, " x": {}},
        "attributes": {
            "a/b": {"cardnality": "many", "normaliser": "email", "value_type": "date"},
            "x~": {"sensitivity": 3, "retention": []},
            7: {},
            "y": [],
            "work phone": {},
            "Work-Phone": {},
            "   ": {},
        },
        "tags": 1,
    }
    assert sorted(_faults(faulty)) == sorted(
        [
            "/version",
            "/confidence_floor",
            "/retention/a/keep",
            "/retention/b/keep",
            "/retention/d/keep",
            "/retention/",
            "/retention/C/keep",
            "/retention/c",
            "/retention/c/keep",
            "/retention/c/on_expire",
            "/types/x/retention",
            "/types/x/foo",
            "/types/ x",
            "/types/ x",
            "/attributes/a~1b/cardnality",
            "/attributes/a~1b/normaliser",
            "/attributes/x~0/sensitivity",
            "/attributes/x~0/retention",
            "/attributes/7",
            "/attributes/y",
            "/attributes/Work-Phone",
            "/attributes/   ",
            "/tags",
        ]
    )


@pytest.mark.parametrize("document", [[], None, "x", 1])
def test_what_is_no_object_is_one_fault(document: Any) -> None:
    assert _faults(document) == ["/"]


def test_a_misspelt_key_has_a_hint() -> None:
    with pytest.raises(ConfigurationError, match="did you mean 'cardinality'"):
        Registry.load({"version": 1, "attributes": {"a": {"cardnality": "many"}}})
    with pytest.raises(ConfigurationError, match="known keys: retention"):
        Registry.load({"version": 1, "types": {"a": {"colour": "red"}}})


def test_the_schema_judges_as_loading_does() -> None:
    schema = Draft202012Validator(json.loads(read_text("schema", "registry.v1.schema.json")))
    Draft202012Validator.check_schema(schema.schema)
    schema.validate(DOCUMENT)
    for mutant in (
        {},
        {"version": 0},
        {"version": "1"},
        {"version": 1, "attributes": []},
        {"version": 1, "attributes": {"a": {"value_type": "date-time"}}},
        {"version": 1, "attributes": {"": {}}},
        {"version": 1, "types": {"a": {"retention": 1}}},
        {"version": 1, "retention": {"a": {"on_expire": "demote"}}},
        {"version": 1, "confidence_floor": 1.1},
        {"version": 1, "more": 1},
    ):
        assert not schema.is_valid(mutant)
        assert _faults(mutant)


# --- attributes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("Job Title", "Job Title"),
        ("job-title", "Job Title"),
        (" JOB_  TITLE ", "Job Title"),
        ("ｊｏｂ\u2011ｔｉｔｌｅ", "Job Title"),
        ("Thesis Deadline", "thesis_deadline"),
        ("_deadline", "_deadline"),
    ],
)
def test_a_declared_attribute_is_found_however_it_is_spelt(name: str, stored: str) -> None:
    found = REGISTRY.attribute(name)
    assert found.declared
    assert found.name == stored


@pytest.mark.parametrize("name", ["deadline", "thesis_deadlines", "jobtitle", "e-mail", "城市"])
def test_another_attribute_is_not_declared(name: str) -> None:
    assert REGISTRY.attribute(f" {name}\t") == Attribute(name=name, declared=False)


def test_a_name_beats_a_pattern_and_the_longest_pattern_wins() -> None:
    registry = Registry.load(
        DOCUMENT | {"attributes": DOCUMENT["attributes"] | {"my_deadline": {"value_type": "text"}}}
    )
    assert registry.attribute("My Deadline").value_type == "text"
    assert registry.attribute("tax_deadline").retention == "long"
    assert registry.attribute("tax_tax_deadline").value_type == "date"
    # Of two of one length the first by the alphabet: "*aa" before "aa*".
    assert registry.attribute("aa").value_type == "number"


def test_a_pattern_is_matched_from_end_to_end() -> None:
    assert matches("*", "")
    assert matches("a*b*c", "axxbxxc")
    assert matches("a**c", "ac")
    assert not matches("ab*bc", "abc")
    assert not matches("a*b*c", "acb")
    assert not matches("*x*", "abc")
    assert not matches("[ab]*", "abc")


@given(st.text("ab*", max_size=6).map("{}*".format), st.text("ab", max_size=8))
def test_a_star_matches_any_run_of_characters(pattern: str, name: str) -> None:
    source = re.escape(pattern).replace(r"\*", ".*")
    assert matches(pattern, name) == (re.fullmatch(source, name) is not None)


def test_a_new_name_is_compared_with_a_thousand_patterns_at_once() -> None:
    patterns = [f"*_kind{number}_*" for number in range(1000)]
    registry = Registry.load({"version": 2, "attributes": {name: {} for name in patterns}})
    policy = Policy.load({"deny": patterns})
    before = time.process_time()
    for number in range(20):
        assert policy.verdict(f"name {number}", "fact", registry)[0] == "keep"
    assert time.process_time() - before < 0.5  # with an expression compiled for each, 4 seconds


@given(st.text())
def test_a_stored_name_is_stored_under_itself(name: str) -> None:
    registry = Registry.load({"version": 1, "attributes": {"*a*": {}, "b": {}}})
    once = registry.attribute(name)
    assert registry.attribute(once.name) == once
    assert name_key(name_key(name)) == name_key(name)
    assert bool(once.name) == bool(name)


def test_finding_an_attribute_is_quick_and_its_memory_bounded() -> None:
    registry = shipped_registry()
    started = time.perf_counter()
    for number in range(5000):
        registry.attribute("Email")
        registry.attribute(f"attribute {number}")
    assert time.perf_counter() - started < 2.0
    assert registry.attribute.cache_info().currsize <= 1024  # type: ignore[attr-defined]


# --- values --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value_type", "given_", "stored"),
    [
        ("any", None, None),
        ("any", {"a": [1, " x "]}, {"a": [1, " x "]}),
        ("any", True, True),
        ("text", "  a\u3000 b\n", "a b"),
        ("text", "e\u0301", "é"),
        ("number", 3, 3),
        ("number", 3.0, 3),
        ("number", -0.0, 0),
        ("number", " -12.50 ", -12.5),
        ("number", "+7", 7),
        ("number", "1e3", 1000),
        ("number", "１２", 12),
        ("number", "12345678901234567890", 12345678901234567890),
        ("boolean", False, False),
        ("boolean", " Yes", True),
        ("boolean", "no", False),
        ("boolean", "TRUE", True),
        ("date", "2026-03-31", "2026-03-31"),
        ("date", " 2026/3/31 ", "2026-03-31"),
        ("date", "2026.03.31", "2026-03-31"),
        ("date", "2026-03-31T00:00:00+09:00", "2026-03-31"),
        ("date", "2026年3月31日", "2026-03-31"),
        ("date", "31 March 2026", "2026-03-31"),
        ("date", "the 31st of March, 2026", "2026-03-31"),
        ("date", "Mar. 3rd 2026", "2026-03-03"),
        ("date", "sept 1, 2026", "2026-09-01"),
        ("date", "31/03/2026", "2026-03-31"),
        ("date", "03-31-2026", "2026-03-31"),
        ("date", "3.3.2026", "2026-03-03"),
        ("date", "3-mar-2026", "2026-03-03"),
        ("date", "3 March 0001", "0001-03-03"),
        ("date", "2028-02-29", "2028-02-29"),
        ("instant", "2026-03-31T09:00:00+02:00", "2026-03-31T07:00:00Z"),
        ("instant", " 2026-03-31 09:00:00.75Z ", "2026-03-31T09:00:00Z"),
    ],
)
def test_a_value_that_fits_is_stored_in_one_way(value_type: str, given_: Any, stored: Any) -> None:
    attribute = _of(value_type)
    written = REGISTRY.normalise(attribute, given_)
    assert (written, type(written)) == (stored, type(stored))
    assert REGISTRY.normalise(attribute, written) == written


@pytest.mark.parametrize(
    ("value_type", "given_"),
    [
        ("any", math.nan),
        ("any", [1, {"a": -math.inf}]),
        ("text", 3),
        ("text", None),
        ("text", ["a"]),
        ("number", True),
        ("number", math.inf),
        ("number", "nan"),
        ("number", "1e999"),
        ("number", "9" * 400),
        ("number", 10**400),
        ("number", "1,200"),
        ("number", "ten"),
        ("number", ""),
        ("boolean", 1),
        ("boolean", "maybe"),
        ("date", "2026-02-29"),
        ("date", "2026-13-01"),
        ("date", "03/04/2026"),
        ("date", "3/4/26"),
        ("date", "31/02/2026"),
        ("date", "March 2026"),
        ("date", "31 March"),
        ("date", "tomorrow"),
        ("date", "31 foo 2026"),
        ("date", "3-foo-2026"),
        ("date", "31 March 0000"),
        ("date", "2026-03-31T09:00:00Z"),
        ("date", "0000-01-01"),
        ("date", "1" * 10_000),
        ("date", 20260331),
        ("instant", "2026-03-31"),
        ("instant", "2026-03-31T09:00:00"),
        ("instant", "0001-01-01T00:00:00+09:00"),
        ("instant", "soon"),
        ("instant", 0),
    ],
)
def test_another_value_is_refused_and_the_message_says_what_fits(
    value_type: str, given_: Any
) -> None:
    with pytest.raises(UnfitValue, match="'it' takes ") as raised:
        REGISTRY.normalise(_of(value_type), given_)
    assert isinstance(raised.value, ValueError)
    assert len(str(raised.value)) < 120


def test_a_message_does_not_repeat_the_value() -> None:
    with pytest.raises(UnfitValue, match=r"takes text, not a number$"):
        REGISTRY.normalise(_of("text"), 271828)
    with pytest.raises(UnfitValue) as raised:
        REGISTRY.normalise(_of("number"), "hunter2")
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("normaliser", "given_", "stored"),
    [
        ("none", " a  b ", " a  b "),
        ("trim", " a \t b\u00a0", "a b"),
        ("lower", " Ångström  ÉCOLE ", "ångström école"),
        ("email", " MailTo:Ann@Example.ORG ", "ann@example.org"),
        ("phone", " +44 (20) 7946-0958 ", "+442079460958"),
        ("phone", "tel:020.7946/0958", "02079460958"),
        ("phone", "＋４４ ２０", "+4420"),
        ("phone", "020 7946 ext. 5", "020 7946 ext. 5"),
        ("phone", "1+2", "1+2"),
        ("phone", "-", "-"),
        ("url", " HTTP://Example.ORG/ ", "http://example.org"),
        (
            "url",
            "https://Ann:Pw@Example.org:8080/A/?q=B#top",
            "https://Ann:Pw@example.org:8080/A/?q=B",
        ),
        ("url", "http://example.org/#a", "http://example.org"),
        ("url", "Example.org/Path", "Example.org/Path"),
        ("url", "Note: see #1", "Note: see #1"),
        ("url", "http://[::1", "http://[::1"),
    ],
)
def test_a_normaliser_writes_a_string_in_one_way(normaliser: str, given_: str, stored: str) -> None:
    for value_type in ("any", "text"):
        assert REGISTRY.normalise(_of(value_type, normaliser), given_) == stored


@pytest.mark.parametrize("normaliser", ["none", "trim", "lower", "email", "phone", "url"])
@pytest.mark.parametrize("value", [5, 2.5, True, None, [" A "], {"A": " B "}])
def test_a_normaliser_leaves_other_values_alone(normaliser: str, value: Any) -> None:
    assert REGISTRY.normalise(_of("any", normaliser), value) is value


@given(
    st.sampled_from(["none", "trim", "lower", "email", "phone", "url"]),
    st.text()
    | st.text("mailto: A@b")
    | st.text("tel:+12 ()-")
    | st.text("ht:/?#@A .").map("HTTP://".__add__),
)
def test_normalising_again_changes_nothing(normaliser: str, value: str) -> None:
    attribute = _of("text", normaliser)
    once = REGISTRY.normalise(attribute, value)
    assert REGISTRY.normalise(attribute, once) == once


@given(
    st.datetimes(
        timezones=st.just(UTC), min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)
    )
)
def test_every_instant_and_date_reads_back(instant: datetime) -> None:
    stored = REGISTRY.normalise(_of("instant"), instant.isoformat())
    assert REGISTRY.normalise(_of("instant"), stored) == stored
    day = instant.date()
    assert REGISTRY.normalise(_of("date"), day.isoformat()) == day.isoformat()
    if day.year >= 1000:
        assert REGISTRY.normalise(_of("date"), f"{day:%d %B %Y}") == day.isoformat()


# --- keys ----------------------------------------------------------------------------------


def test_an_attribute_of_one_value_has_one_key() -> None:
    assert REGISTRY.key(_of(), "Rome") == REGISTRY.key(_of(), math.nan) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann@example.org", " ann@EXAMPLE.org"), (1, 1.0), ({"a": 1, "b": [2.0]}, {"b": [2], "a": 1})],
)
def test_equal_values_have_one_key(one: Any, other: Any) -> None:
    attribute = _of("any", "email", "many")
    assert REGISTRY.key(attribute, one) == REGISTRY.key(attribute, other) != ""


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0, False), (1, "1"), (None, "null"), ("a", ["a"]), (0, None)]
)
def test_other_values_have_other_keys(one: Any, other: Any) -> None:
    attribute = _of("any", "trim", "many")
    assert REGISTRY.key(attribute, one) != REGISTRY.key(attribute, other)


def test_a_value_of_before_a_change_of_type_keeps_a_key() -> None:
    assert REGISTRY.key(_of("number", "trim", "many"), "ten") == '"ten"'
    assert REGISTRY.key(_of("number", "trim", "many"), "10") == "10"


# --- retention -----------------------------------------------------------------------------


def test_the_first_class_that_is_known_counts() -> None:
    short = Retention("Short", Duration(seconds=30 * 86_400), "soft_delete")
    long = Retention("long", Duration(months=60), "demote")
    ever = Retention("for ever", None, "soft_delete")
    birthday = REGISTRY.attribute("birthday")
    assert REGISTRY.retention("SHORT", birthday, "profile") == short
    assert REGISTRY.retention("one-year", birthday, "profile") == ever
    assert REGISTRY.retention(None, REGISTRY.attribute("my_deadline"), None) == long
    assert REGISTRY.retention(None, REGISTRY.attribute("colour"), "Profile") == long
    assert REGISTRY.retention(None, None, "field-report") == short
    assert REGISTRY.retention("unheard of", None, "note") is None
    assert REGISTRY.retention(None, None, None) is None
    assert REGISTRY.retention("", None, "no such type") is None


def test_a_policy_is_known_by_any_spelling() -> None:
    assert REGISTRY.knows_retention("For-Ever")
    assert not REGISTRY.knows_retention("P30D")


# --- shipped -------------------------------------------------------------------------------


def test_the_shipped_registry_is_written_as_it_prints() -> None:
    shipped = shipped_registry()
    text = read_text("schema", "registry.v1.json")
    assert json.dumps(shipped.to_document()) == json.dumps(json.loads(text))
    assert shipped is shipped_registry()
    assert (shipped.version, shipped.confidence_floor) == (1, 0.3)
    Draft202012Validator(json.loads(read_text("schema", "registry.v1.schema.json"))).validate(
        json.loads(text)
    )


def test_the_shipped_registry_knows_what_people_say() -> None:
    shipped = shipped_registry()
    assert shipped.attribute("E_Mail").declared is False
    assert shipped.attribute("Email").cardinality == "many"
    assert shipped.attribute("work phone").normaliser == "phone"
    assert shipped.attribute("thesis-deadline").name == "thesis_deadline"
    assert shipped.attribute("wifi密码").sensitivity == "secret"
    for name in ("password", "Wifi Password", "github_token", "OpenAI API-key"):
        found = shipped.attribute(name)
        assert (found.sensitivity, found.normaliser) == ("secret", "none")
    assert shipped.retention("session", None, None) == Retention(
        "session", Duration(seconds=86_400), "hard_delete"
    )
    # A memory is not to vanish because an everyday word was taken for its type.
    for type_ in ("note", "fact", "knowledge", "preference", "task", "event", "profile"):
        kept = shipped.retention(None, None, type_)
        assert kept is None or kept.keep is None
