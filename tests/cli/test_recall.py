"""``text2mem recall``: for people and as JSON, from arguments and from a pipe."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.cli.command_line import Command, note, program, run

NOW = ("--now", "2026-06-05T08:00:00Z")
Told = Callable[..., None]


def fact(subject: str, attribute: str, value: str, **args: str) -> dict[str, object]:
    """The Encode of a fact."""
    structured = {"subject": subject, "attribute": attribute, "value": value}
    what = {"payload": {"structured": structured}, "type": "fact", **args}
    return program("Encode", args=what)


@pytest.fixture
def mira(text2mem: Command) -> Command:
    """A store with Mira's passport."""
    run(
        text2mem,
        note("My passport is to be renewed by 15 July.", type="episode"),
        note("The passport office wants it by 30 June.", type="episode"),
        fact("mira", "passport_deadline", "2026-07-15", valid_from="2026-06-01T00:00:00Z",
             source_episode_id="1"),
        fact("mira", "passport_deadline", "2026-06-30", valid_from="2026-06-03T00:00:00Z",
             source_episode_id="2"),
        fact("mira", "sister", "Noor"), fact("noor", "city", "Ghent"),
        options=NOW,
    )  # fmt: skip
    return text2mem


def test_a_question_for_people(mira: Command) -> None:
    done = mira("recall", "When does Mira have to renew her passport?", *NOW, "--text")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "› When does Mira have to renew her passport?",
        "  [e2] mira.passport_deadline = 2026-06-30 (since 2026-06-03)",
    ]


def test_lines_that_do_not_answer_say_so(mira: Command) -> None:
    done = mira("recall", "What is Mira's shoe size?", *NOW, "--text")
    assert done.out.splitlines()[1].startswith("  no exact answer; ")
    done = mira("recall", "What did Mira have for breakfast?", *NOW, "--text")
    assert done.out.splitlines()[1].startswith("  no exact answer; ")


def test_what_does_not_fit_is_not_called_unknown(mira: Command) -> None:
    done = mira("recall", "What is the city of Mira's sister?", *NOW, "--text", "--budget", "1")
    assert done.out.splitlines()[1:] == ["  nothing fits into --budget"]


def test_a_question_as_json(mira: Command) -> None:
    done = mira("recall", "What is the city of Mira's sister?", *NOW)
    assert done.code == 0, done.err
    told = done.json
    assert (told["ok"], told["subject"], told["via"], told["attribute"], told["values"]) == (
        True, "mira", ["sister"], "city", ["Ghent"],
    )  # fmt: skip


def test_questions_from_a_pipe(mira: Command) -> None:
    asked = "What is the city of Mira's sister?\n\n乐乐住在哪里？\n"
    done = mira("recall", *NOW, stdin=asked)
    assert done.code == 0, done.err
    assert [(row["found"], row["values"]) for row in done.rows] == [
        ("exact", ["Ghent"]), ("related", []),
    ]  # fmt: skip


@pytest.mark.parametrize("words", ["2 June", "2026-06-02", "6月2日"])
def test_what_is_named(words: str, mira: Command) -> None:
    named = ("--subject", "Mira", "--attribute", "passport_deadline", "--as-of", words)
    done = mira("recall", *named, *NOW)
    assert done.code == 0, done.err
    assert (done.json["mode"], done.json["values"]) == ("point-in-time", ["2026-07-15"])


def test_relations_are_named_before_the_attribute(mira: Command) -> None:
    path = ("--attribute", "sister", "--attribute", "city")
    done = mira("recall", "--subject", "mira", *path, *NOW)
    assert done.json["values"] == ["Ghent"]


def test_an_answer_by_code(mira: Command) -> None:
    asks = ("recall", "Which city does Noor live in?", "--answer", "--model", "none", *NOW)
    done = mira(*asks, "--text")
    assert done.code == 0, done.err
    assert done.out.splitlines()[1] == "  The city of Noor is Ghent.  [m6]"
    assert json.loads(mira(*asks).out)["answer"]["by"] == "code"


def test_nothing_known_is_no_failure(mira: Command) -> None:
    assert mira("forget", "--subject", "mira", "--yes").code == 0
    assert mira("forget", "--subject", "noor", "--yes").code == 0
    done = mira("recall", "Where does Zenobia live?", *NOW, "--text")
    assert (done.code, done.out.splitlines()[1:]) == (0, ["  nothing is known"])
    assert "text2mem run" in done.err


def test_a_small_budget(mira: Command) -> None:
    done = mira("recall", "Which city does Noor live in?", "--budget", "2", *NOW)
    assert (done.json["values"], done.json["lines"]) == (["Ghent"], [])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("x", "--as-of", "some day"), "--as-of: cannot read 'some day' as a time"),
        (("x", "--known-at", "once"), "--known-at"),
        (("x", "--budget", "0"), "budget"),
        (("x", "--db", "none.db"), "there is no store none.db"),
        ((" ",), "no words are given"),
    ],
)
def test_what_cannot_be_asked(arguments: tuple[str, ...], says: str, mira: Command) -> None:
    done = mira("recall", *arguments)
    assert done.code == 2
    assert says in done.err
    assert done.out == ""


def test_what_is_not_known_is_told_in_the_language_of_the_question(text2mem: Command) -> None:
    assert text2mem("repl", stdin="note one\ny\n").code == 0
    done = text2mem("recall", "--text", "飞船在哪里")
    assert "没有相关内容" in done.out and "nothing is known" not in done.out
