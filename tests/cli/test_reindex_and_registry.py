"""reindex and registry: the store's indexes, and what it knows of attributes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import Command, note, program, run
from tests.conformance.toys import Outage, WordVectors
from text2mem import opening
from text2mem.errors import ContextOverflow, MalformedOutput


def toy(model: str, outage: Outage) -> WordVectors:
    """An embedder that knows that 花生 are peanuts."""
    words = {"peanut": (1.0, 0.0), "花生": (1.0, 0.0), "car": (0.0, 1.0)}
    return WordVectors(words, (0.6, 0.8), 0.9, outage, f"toy:{model}")


@pytest.fixture
def outage(monkeypatch: pytest.MonkeyPatch) -> Outage:
    """What is down of the toy embedders ``toy:…``, which stand for those of the entry points."""
    state = Outage()

    def open_toy(spec: str, **options: Any) -> WordVectors | None:
        return None if spec == "none" else toy(spec.partition(":")[2], state)

    monkeypatch.setattr(opening, "open_embedder", open_toy)
    return state


def search(query: str) -> dict[str, Any]:
    """A Retrieve by search."""
    return program("Retrieve", target={"search": {"intent": {"query": query}}})


def found(text2mem: Command, query: str, *options: str) -> list[str]:
    """The ids that a search finds."""
    (row,) = run(text2mem, search(query), options=options)
    return [hit["id"] for hit in row["results"][0]["rows"]]


# --- reindex -------------------------------------------------------------------------------


@pytest.mark.usefixtures("outage")
def test_memories_of_before_get_vectors(text2mem: Command) -> None:
    run(text2mem, note("我对花生过敏"), note("the car is red"))
    embedder = ("--embedder", "toy:a")
    assert found(text2mem, "peanut", *embedder) == []
    done = text2mem("reindex", *embedder)
    assert (done.code, done.err) == (0, "")
    assert done.json == {"words": True, "embedder": "toy:a", "vectors": 2, "left": 0}
    assert found(text2mem, "peanut", *embedder) == ["1"]
    assert text2mem("reindex", *embedder).json["vectors"] == 0
    assert text2mem("reindex", *embedder, "--text").out == (
        "words indexed, 0 vectors of toy:a made\n"
    )


@pytest.mark.usefixtures("outage")
def test_without_an_embedder_the_words_are_indexed(text2mem: Command) -> None:
    run(text2mem, note("the car is red"))
    assert text2mem("reindex").json == {
        "words": True, "embedder": None, "vectors": 0, "left": 0,
    }  # fmt: skip
    assert text2mem("reindex", terminal=True).out == "words indexed\n"
    assert found(text2mem, "car") == ["1"]


@pytest.mark.usefixtures("outage")
def test_the_embedder_of_the_environment(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXT2MEM_EMBEDDER", "toy:a")
    run(text2mem, note("我对花生过敏"))
    assert found(text2mem, "peanut") == ["1"]
    assert found(text2mem, "peanut", "--embedder", "none") == []


@pytest.mark.usefixtures("outage")
def test_another_embedder_is_refused_until_all_is_made_afresh(text2mem: Command) -> None:
    run(text2mem, note("我对花生过敏"), options=("--embedder", "toy:a"))
    for arguments in (["reindex"], ["exec"]):
        done = text2mem(*arguments, "--embedder", "toy:b", stdin=json.dumps(note("peanut butter")))
        assert (done.code, done.out) == (2, "")
        assert "text2mem reindex --afresh" in done.err
    assert text2mem("reindex", "--embedder", "toy:b", "--afresh").json["vectors"] == 1
    assert found(text2mem, "peanut", "--embedder", "toy:b") == ["1"]


@pytest.mark.usefixtures("outage")
def test_vectors_are_not_forgotten_by_accident(text2mem: Command) -> None:
    run(text2mem, note("我对花生过敏"), options=("--embedder", "toy:a"))
    refused = text2mem("reindex", "--afresh")
    assert (refused.code, refused.out) == (2, "")
    assert "--embedder none --afresh" in refused.err
    assert found(text2mem, "peanut", "--embedder", "toy:a") == ["1"]
    assert text2mem("reindex", "--afresh", "--embedder", "none").code == 0
    assert found(text2mem, "peanut", "--embedder", "toy:b") == []


def test_a_service_that_is_down_costs_no_vectors(text2mem: Command, outage: Outage) -> None:
    run(text2mem, note("我对花生过敏"), options=("--embedder", "toy:a"))
    outage.down = frozenset({"embedder"})
    down = text2mem("reindex", "--afresh", "--embedder", "toy:a")
    assert (down.code, down.out) == (3, "")
    assert "does not answer" in down.err
    outage.down = frozenset()
    assert found(text2mem, "peanut", "--embedder", "toy:a") == ["1"]


def test_a_service_that_is_down_leaves_a_memory_without_and_says_so(
    text2mem: Command, outage: Outage
) -> None:
    outage.down = frozenset({"embedder"})
    embedder = ("--embedder", "toy:a")
    (row,) = run(text2mem, note("我对花生过敏"), options=embedder)
    assert "no vector for memory 1" in row["results"][0]["warnings"][0]
    outage.down = frozenset()
    assert text2mem("reindex", *embedder).json["vectors"] == 1


class Choosy:
    """An embedder that takes short texts, and none at all that say ``odd``."""

    model, dimension, threshold = "toy:choosy", 2, 0.5

    def embed(self, texts: list[str], *, kind: str) -> list[tuple[float, float]]:
        if any(len(text) > 20 for text in texts):
            raise ContextOverflow("too long")
        if any("odd" in text for text in texts):
            raise MalformedOutput("no vectors")
        return [(1.0, 0.0)] * len(texts)


def test_a_text_that_the_model_cannot_take_stays_without(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(text2mem, note("one"), note("太长了" * 10), note("three"))
    monkeypatch.setattr(opening, "open_embedder", lambda spec, **options: Choosy())
    for vectors in (2, 0):
        done = text2mem("reindex", "--embedder", "toy:choosy")
        assert done.code == 0
        assert (done.json["vectors"], done.json["left"]) == (vectors, 1)
        assert "note: no vector for 1" in done.err
    run(text2mem, note("odd"), options=("--embedder", "none"))
    assert text2mem("reindex", "--embedder", "toy:choosy").json["left"] == 2


def test_a_model_that_makes_no_vector_at_all_is_an_error(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(text2mem, note("odd"), note("odd, too"))
    monkeypatch.setattr(opening, "open_embedder", lambda spec, **options: Choosy())
    done = text2mem("reindex", "--embedder", "toy:choosy")
    assert (done.code, done.out) == (1, "")
    assert "no vectors" in done.err


_INTERRUPTED = """
import os, signal, sys, text2mem.opening as opening
from tests.cli.test_reindex_and_registry import Slow
from text2mem.cli.main import main
opening.open_embedder = lambda spec, **options: Slow()
main(sys.argv[1:])
"""


class Slow:
    """An embedder whose second batch is interrupted by Ctrl-C."""

    model, dimension, threshold = "toy:slow", 2, 0.5

    def __init__(self) -> None:
        self.batches = 0

    def embed(self, texts: list[str], *, kind: str) -> list[tuple[float, float]]:
        self.batches += 1
        if self.batches > 1:
            os.kill(os.getpid(), signal.SIGINT)
        return [(1.0, 0.0)] * len(texts)


@pytest.mark.usefixtures("outage")
def test_what_was_made_before_an_interruption_is_kept(
    text2mem: Command, process_environment: dict[str, str]
) -> None:
    run(text2mem, *(note(f"note {n}") for n in range(300)))
    stopped = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED, "reindex", "--embedder", "toy:slow"],
        env=process_environment, capture_output=True, check=False,
    )  # fmt: skip
    assert (stopped.returncode, stopped.stdout) == (130, b"")
    assert b"256 vectors are made and kept" in stopped.stderr
    assert b"Traceback" not in stopped.stderr
    assert text2mem("reindex", "--embedder", "toy:slow").json["vectors"] == 44


# --- registry ------------------------------------------------------------------------------

HOBBIES = {"version": 2, "attributes": {"爱好": {"cardinality": "many"}, "*_mail": {}}}


def fact(value: str) -> dict[str, Any]:
    """Encodes a hobby of Tom's."""
    told = {"subject": "Tom", "attribute": "爱好", "value": value}
    return program("Encode", args={"payload": {"structured": told}})


def test_a_registry_is_shown_set_and_shown_again(text2mem: Command, folder: Path) -> None:
    shipped = text2mem("registry", "show")
    assert (shipped.code, shipped.err) == (0, "")
    assert shipped.json["version"] == 1
    assert list(folder.iterdir()) == []  # looking makes no store

    path = folder / "hobbies.json"
    path.write_text(json.dumps(HOBBIES, ensure_ascii=False), "utf-8")
    done = text2mem("registry", "set", path)
    assert (done.code, done.json) == (0, {"ok": True, "version": 2, "before": 1})
    shown = text2mem("registry", "show")
    assert "爱好" in shown.out
    assert shown.json["attributes"]["爱好"] == {"cardinality": "many"}
    run(text2mem, fact("chess"), fact("rowing"))
    assert text2mem("show", "1").json["valid_to"] is None
    assert text2mem("registry", "show", "--tenant", "other").json == shipped.json
    again = text2mem("registry", "set", "-", stdin=json.dumps({**shown.json, "version": 3}))
    assert again.json == {"ok": True, "version": 3, "before": 2}
    said = text2mem("registry", "set", "--text", stdin=json.dumps({**shown.json, "version": 9}))
    assert said.out == "version 9 in place of 3\n"


def test_an_older_registry_is_rejected(text2mem: Command) -> None:
    for version in (1, 0, -1):
        done = text2mem("registry", "set", stdin=json.dumps({"version": version}))
        assert (done.code, done.json["ok"]) == (1, False)
        assert done.err.startswith("error: ")
    assert text2mem("registry", "set", stdin=json.dumps({"version": 1}), terminal=True).out == ""


BAD = {
    "version": 2,
    "attributes": {"mail": {"normaliser": "lower", "value_type": "number", "cardinaliy": "one"}},
    "types": {"note": {"retention": "nowhere"}},
}


def test_check_says_everything_that_is_wrong(text2mem: Command, folder: Path) -> None:
    done = text2mem("registry", "check", stdin=json.dumps(BAD))
    assert (done.code, done.err, done.json["ok"]) == (1, "", False)
    for said in (
        "/attributes/mail/cardinaliy: 'cardinaliy' is not a key here; did you mean 'cardinality'?",
        "/attributes/mail/normaliser: 'lower' is for text",
        "/types/note/retention: there is no retention class 'nowhere'",
    ):
        assert said in done.json["error"]["message"]
        assert said in text2mem("registry", "check", "--text", stdin=json.dumps(BAD)).out
    assert text2mem("registry", "set", stdin=json.dumps(BAD)).code == 1
    assert list(folder.iterdir()) == []

    good = text2mem("registry", "check", stdin=json.dumps(HOBBIES))
    assert (good.code, good.json) == (0, {"ok": True, "version": 2})
    assert text2mem("registry", "check", "--text", stdin=json.dumps(HOBBIES)).out == "legal\n"


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "7", '"x"', "[" * 100_000, "\x00"])
def test_what_is_no_registry_is_rejected(text2mem: Command, text: str) -> None:
    for verb in ("check", "set"):
        done = text2mem("registry", verb, stdin=text)
        assert (done.code, done.json["ok"]) == (1, False)
    assert text2mem("registry", "check", stdin=b"\xff").code == 1


def test_the_schema_of_registries_is_printed(text2mem: Command) -> None:
    schema = text2mem("schema", "registry").json
    assert schema["$id"] == "urn:text2mem:registry:v1"
