"""validate: every diagnostic of every op with its pointer, and exit code 1 where there is one."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import READ_ALL, Command, note
from tests.fixtures import cases
from text2mem.ir.surface import STAGES

Case = dict[str, Any]


def batches(folder: str) -> list[Any]:
    """The cases of a folder that share a file, a clock and a zone, as parameters of a test."""

    def key(case: Case) -> tuple[str, str, str]:
        return (case["file"], case["now"], case["tz"])

    grouped = groupby(sorted(cases(folder), key=key), key=key)
    return [pytest.param(*where[1:], list(found), id=":".join(where)) for where, found in grouped]


def test_the_batches_hold_all_twelve_ops() -> None:
    for folder in ("ir/valid", "ir/invalid"):
        names = {Path(case["file"]).stem.title() for case in cases(folder)}
        assert names >= set(STAGES)
    assert len(STAGES) == 12


@pytest.mark.parametrize(("now", "tz", "found"), batches("ir/valid"))
def test_legal_programs_are_legal(text2mem: Command, now: str, tz: str, found: list[Case]) -> None:
    rows = "\n".join(json.dumps(case["input"]) for case in found)
    done = text2mem("validate", "--jsonl", "--now", now, "--tz", tz, stdin=rows)
    assert (done.code, done.err) == (0, "")
    assert [row["ok"] for row in done.rows] == [True] * len(found)


@pytest.mark.parametrize(("now", "tz", "found"), batches("ir/invalid"))
def test_every_diagnostic_comes_with_its_pointer(
    text2mem: Command, now: str, tz: str, found: list[Case]
) -> None:
    rows = "\n".join(json.dumps(case["input"]) for case in found)
    done = text2mem("validate", "--jsonl", "--now", now, "--tz", tz, stdin=rows)
    assert (done.code, done.err) == (1, "")
    for case, row in zip(found, done.rows, strict=True):
        expected = case["expected"]["diagnostics"]
        said = {(one["code"], one["pointer"]) for one in row["diagnostics"]}
        assert said >= {(one["code"], one["pointer"]) for one in expected}, case["id"]
        assert row["ok"] is False


def test_a_document_is_one_document(text2mem: Command, folder: Path) -> None:
    (folder / "program.json").write_text(json.dumps([note("a"), READ_ALL], indent=1))
    for arguments in (["program.json"], ["program.json", "--json"]):
        done = text2mem("validate", *arguments)
        assert (done.code, done.json) == (0, {"ok": True, "diagnostics": []})


def test_rows_name_their_lines(text2mem: Command) -> None:
    rows = f"{json.dumps(READ_ALL)}\n\n[\n{json.dumps(note('a'))}\n"
    done = text2mem("validate", "--jsonl", stdin=rows)
    assert done.code == 1
    assert [(row["line"], row["ok"]) for row in done.rows] == [(1, True), (3, False), (4, True)]
    assert done.rows[1]["diagnostics"][0]["code"] == "not-json"


def test_what_compile_prints_can_be_checked(text2mem: Command) -> None:
    compiled = text2mem("compile", stdin="note one\nnonsense\n")
    done = text2mem("validate", "--jsonl", stdin=compiled.out)
    assert [row["ok"] for row in done.rows] == [True, False]
    assert "did not write a usable draft" in done.rows[1]["diagnostics"][0]["message"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "not-json"),
        (b"{", "not-json"),
        (b"\xff", "not-json"),
        (b"[" * 200_000 + b"]" * 200_000, "not-json"),
        (b"[" * 500 + b"]" * 500, "too-deep"),
        (b"[" + b"1" * 10_000 + b"]", "not-json"),
        (b'{"op": "Encode", "op": "Delete"}', "not-json"),
        (b"[]", "not-a-program"),
        (b'[{"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "\\ud800"}}}]',
         "not-unicode"),
        (b'{"stage": "STO", "op": "Promote", "target": {"ids": ["1"]}, "args": {"weight": NaN}}',
         "wrong-type"),
        (b'{"stage": "STO", "op": "Promote", "target": {"ids": ["1"]}, "args": {"weight": 1e999}}',
         "out-of-range"),
    ],
    ids=["empty", "cut", "bytes", "deep", "nested", "digits", "twice", "none", "half", "nan",
         "infinite"],
)  # fmt: skip
def test_odd_texts_are_told_what_they_are(text2mem: Command, text: bytes, code: str) -> None:
    done = text2mem("validate", stdin=text)
    assert done.code == 1
    assert code in [found["code"] for found in done.json["diagnostics"]]


def test_a_byte_order_mark_is_no_part_of_the_json(text2mem: Command, folder: Path) -> None:
    text = b"\xef\xbb\xbf" + json.dumps(READ_ALL).encode() + b"\r\n"
    (folder / "program.json").write_bytes(text)
    assert text2mem("validate", "program.json").code == 0
    assert text2mem("validate", stdin=text).code == 0


def test_a_terminal_reads_lines_of_text(text2mem: Command) -> None:
    legal = text2mem("validate", "-", stdin=json.dumps(READ_ALL), terminal=True)
    assert (legal.code, legal.out) == (0, "legal\n")
    bad = json.dumps([READ_ALL, {"stage": "RET", "op": "Retrieve", "target": {"x\x1b": 1}}])
    done = text2mem("validate", "-", stdin=bad, terminal=True)
    assert done.code == 1
    assert done.out.startswith("/1/target/x\\x1b: ")
    assert done.out.rstrip().endswith("]")
    two = f"{json.dumps(READ_ALL)}\n{json.dumps(READ_ALL)}\n"
    several = text2mem("validate", "-", stdin=two, terminal=True)
    assert several.out == "line 1: legal\nline 2: legal\n"
