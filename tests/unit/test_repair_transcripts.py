"""One conversation for each class of diagnostic that a planner's draft can earn, word for word.

``fixtures/repair/<code>.json`` holds a draft that earns the code, the answer that mends it, and the
whole request of the redraft. ``python tools/snapshots.py`` rewrites the requests after a prompt
was changed; what is in its diff is what the model will read.

Four codes have no conversation:
``not-json``: an answer that is no JSON never becomes a draft; the provider raises MalformedOutput.
``actor-mismatch``: is found when a program runs; a draft's ``meta`` is dropped before that.
``too-deep``: how deep is too deep depends on the interpreter's stack; most such drafts are
malformed already. tests/unit/test_planner.py tries them without a transcript.
``no-change``: is a warning, which no redraft has to mend.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from text2mem.ir.diagnostic import CODES, Diagnostic, render

ROOT = Path(__file__).resolve().parents[2]
UNREACHABLE = {"not-json", "actor-mismatch", "too-deep", "no-change"}


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("snapshots", ROOT / "tools" / "snapshots.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks its own module up
    spec.loader.exec_module(module)
    return module


snapshots = _tool()
CASES: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in snapshots.files()
}


SLOTS = {
    "bad-rrule": "rrule", "blank-tag": "add", "empty-selection": "about", "horizon-past": "when",
    "merge-one-memory": "ids", "rrule-exhausted": "rrule", "unreadable-duration": "older_than",
    "unreadable-time": "when",
}  # fmt: skip
"""The slot that a staged draft's diagnostic is about: it stands for the pointer."""


def test_every_staged_conversation_is_about_a_slot() -> None:
    assert set(SLOTS) == {code for code, case in CASES.items() if case["profile"] == "staged"}


@pytest.mark.parametrize("code", CASES)
def test_a_decoder_would_let_the_answer_that_mends_pass(code: str) -> None:
    case = CASES[code]
    request, answer = snapshots.replay(case).program.trace.questions[-1]
    assert list(Draft202012Validator(request.schema).iter_errors(answer.data)) == []
    if code in SLOTS:
        kept = {k: s["const"] for k, s in request.schema["properties"].items() if "const" in s}
        draft = case["answers"][-2]
        assert kept == {key: value for key, value in draft.items() if key != SLOTS[code]}


def test_every_class_of_diagnostic_has_a_conversation() -> None:
    assert set(CASES) == set(CODES) - UNREACHABLE


@pytest.mark.parametrize("code", CASES)
def test_a_case_has_the_form_of_a_case(code: str) -> None:
    schema = json.loads((snapshots.FOLDER / "case.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert list(Draft202012Validator(schema).iter_errors(CASES[code])) == []


@pytest.mark.parametrize("code", CASES)
def test_the_draft_earns_its_code_and_the_redraft_mends_it(code: str) -> None:
    case = CASES[code]
    program = snapshots.replay(case).program
    found = [
        [{"code": d.code, "pointer": d.pointer} for d in attempt.diagnostics]
        for attempt in program.trace.attempts
    ]
    assert found == case["expected"]["diagnostics"]
    assert code in {d["code"] for d in found[0]}
    assert found[-1] == []
    assert program.to_list() == case["expected"]["program"]


@pytest.mark.parametrize("code", CASES)
def test_the_conversation_is_the_one_on_record(code: str) -> None:
    assert snapshots.transcript(CASES[code]) == CASES[code]["transcript"]


@pytest.mark.parametrize("code", CASES)
def test_the_conversation_says_all_that_is_wrong_as_it_is_printed_everywhere(code: str) -> None:
    case = CASES[code]
    found: tuple[Diagnostic, ...] = snapshots.replay(case).program.trace.attempts[0].diagnostics
    [redraft] = case["transcript"]
    if case["profile"] == "staged":
        found = tuple(replace(d, pointer=SLOTS[code]) for d in found)
        assert "/0/" not in redraft[-1]["content"]
    assert f"\n{render(found)}\n" in redraft[-1]["content"]
    redraft[-1]["content"].encode()  # nothing in it that cannot be sent


@pytest.mark.parametrize("code", CASES)
def test_the_bad_answer_is_shown_to_large_models_alone(code: str) -> None:
    case = CASES[code]
    [redraft] = case["transcript"]
    bad = snapshots.as_json(case["answers"][-2])
    shown = [m for m in redraft if m["role"] == "assistant" and m["content"] == bad]
    assert len(shown) == (1 if case["profile"] == "whole" else 0)


# --- the tool ------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repair"
    folder.mkdir()
    for name in ("delta-sign.json", "not-unicode.json", "case.schema.json"):
        shutil.copy(snapshots.FOLDER / name, folder)
    monkeypatch.setattr(snapshots, "FOLDER", folder)
    monkeypatch.setattr(snapshots, "ROOT", tmp_path)
    return folder


def test_the_cases_are_written_as_the_tool_writes_them(copied: Path) -> None:
    before = {path: path.read_bytes() for path in copied.iterdir()}
    assert snapshots.main([]) == 0
    assert {path: path.read_bytes() for path in copied.iterdir()} == before


def test_the_tool_rewrites_the_transcript_and_nothing_else(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied / "delta-sign.json"
    fresh = path.read_bytes()
    case = {**CASES["delta-sign"], "transcript": []}
    case["expected"] = {**case["expected"], "program": [{"stage": "STO", "op": "Delete"}]}
    path.write_text(json.dumps(case), "utf-8")

    assert snapshots.main(["--check"]) == 1
    assert json.loads(path.read_text("utf-8")) == case
    assert "stale: repair/delta-sign.json" in capsys.readouterr().err

    assert snapshots.main([]) == 0
    written = json.loads(path.read_text("utf-8"))
    assert written == {**case, "transcript": CASES["delta-sign"]["transcript"]}
    assert snapshots.main(["--check"]) == 0
    path.write_bytes(fresh)
    assert snapshots.main(["--check"]) == 0
