"""Policies: the shipped profiles, documents of one's own, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from text2mem import Memory
from text2mem.adapters.shipped import shipped_registry
from text2mem.errors import ConfigurationError
from text2mem.ledger.policy import PROFILES, Policy

REGISTRY = shipped_registry()


@pytest.mark.parametrize(
    ("profile", "attribute", "type_", "verdict"),
    [
        ("assistant", "city", "profile", "keep"),
        ("assistant", "medication", "profile", "confirm"),
        ("assistant", "Medication", "profile", "confirm"),
        ("assistant", "deploy_password", "fact", "deny"),
        ("assistant", "用药", "profile", "confirm"),
        ("support-desk", "plan", "fact", "keep"),
        ("support-desk", "allergies", "profile", "deny"),
        ("support-desk", "line_length", "project", "deny"),
        ("coding-agent", "package_manager", "project", "keep"),
        ("coding-agent", "phone", "contact", "deny"),
        ("coding-agent", "api_key", "project", "deny"),
    ],
)
def test_profiles(profile: str, attribute: str, type_: str, verdict: str) -> None:
    found, why = Policy.load(profile).verdict(attribute, type_, REGISTRY)
    assert found == verdict
    assert bool(why) == (verdict != "keep")


@pytest.mark.parametrize("policy", ["nonesuch", {"alow": []}])
def test_a_wrong_policy_is_refused_before_a_store_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: Any
) -> None:
    path = tmp_path / "notes.db"
    with pytest.raises(ConfigurationError, match="policy"):
        Memory(path, policy=policy)
    monkeypatch.setenv("TEXT2MEM_POLICY", "nonesuch")
    with pytest.raises(ConfigurationError, match="policy"):
        Memory(path)
    assert not path.exists()


def test_an_empty_name_is_no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXT2MEM_POLICY", "support-desk")
    with Memory(":memory:", policy="", embedder="none") as memory:
        assert memory.ledger.policy.name == "support-desk"


def test_a_policy_that_says_nothing_is_not_the_default() -> None:
    with Memory("memory:", policy={}, embedder="none") as memory:
        assert memory.ledger.policy == Policy()


def test_the_default_is_the_assistant() -> None:
    assert Policy.load(None) == Policy.load("assistant")
    assert {Policy.load(name).name for name in PROFILES} == set(PROFILES)


def test_what_is_not_allowed_is_denied() -> None:
    policy = Policy.load({"allow": ["city", "*_deadline"]})
    found = {name: policy.verdict(name, "fact", REGISTRY)[0] for name in ("city", "tax_deadline")}
    assert found == {"city": "keep", "tax_deadline": "keep"}
    assert policy.verdict("employer", "fact", REGISTRY) == ("deny", "the policy does not list it")


def test_sensitivity_is_the_registrys_word() -> None:
    policy = Policy.load({"confirm_sensitivity": ["personal"], "deny_sensitivity": ["secret"]})
    assert policy.verdict("phone", "contact", REGISTRY)[0] == "confirm"
    assert policy.verdict("password", "fact", REGISTRY)[0] == "deny"
    assert policy.verdict("city", "profile", REGISTRY)[0] == "keep"


def test_trust_retention_and_recurrence_go_by_source_and_attribute() -> None:
    policy = Policy.load(
        {"trust": {"tool": 0.5}, "retention": {"status": "short"}, "recurrence": {"likes": 3}}
    )
    assert (policy.trusted(0.8, "tool"), policy.trusted(0.8, "user")) == (0.4, 0.8)
    assert (policy.kept_for("Status"), policy.kept_for("city")) == ("short", None)
    assert (policy.needed("likes"), policy.needed("city")) == (3, 1)


def test_a_policy_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text(json.dumps({"name": "mine", "deny": ["city"]}), "utf-8")
    assert Policy.load(path).verdict("city", "fact", REGISTRY)[0] == "deny"


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"denied": []}, "/denied"),
        ({"floor": 2}, "/floor"),
        ({"trust": {"robot": 1}}, "/trust/robot"),
        ({"recurrence": {"likes": 0}}, "/recurrence/likes"),
        ({"recurrence": {"likes/loves": 0}}, "/recurrence/likes~1loves"),
        ({"retention": {"": "year"}}, "/retention/: "),
        ([], "no policy"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(document: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(ConfigurationError, match=said):
        Policy.load(path)


def test_an_unknown_profile_and_a_broken_file_are_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no policy 'butler'.*assistant"):
        Policy.load("butler")
    path = tmp_path / "policy.json"
    path.write_text("{", "utf-8")
    with pytest.raises(ConfigurationError, match="no JSON"):
        Policy.load(path)
