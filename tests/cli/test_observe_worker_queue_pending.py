"""observe, worker, queue and pending: for people and as JSON, and what they are not given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import Command, Shell
from tests.reading import me, turn_of
from text2mem.errors import ConfigurationError, ServiceUnreachable
from text2mem.providers.base import Request

NOW = ("--now", "2026-05-20T09:00:00Z")
ALONE = (*NOW, "--model", "none")
READ = (*NOW, "--model", "function:tests.cli.test_observe_worker_queue_pending:reads")


def reads(request: Request) -> Any:
    """A model that reads three turns."""
    return {"facts": FACTS.get(turn_of(request), [])}


FACTS = {
    "I have lived in Lisbon since March 2024.": [me("city", "Lisbon", when="since March 2024")],
    "I live in Oslo.": [me("city", "Oslo")],
    "My passport number is X1234567.": [me("passport number", "X1234567")],
}


def test_what_was_read_for_people(text2mem: Command) -> None:
    said = "I have lived in Lisbon since March 2024.\nIf I lived in Rome I would eat ice cream.\n"
    done = text2mem("observe", "--read", *READ, "--text", stdin=said)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "› I have lived in Lisbon since March 2024.",
        "  episode 1",
        "  new       user.city = Lisbon (since 2024-03-01) [2]",
        "› If I lived in Rome I would eat ice cream.",
        "  episode 3: nothing to remember (nothing stated)",
    ]


def test_what_waits_is_read_by_a_worker(text2mem: Command) -> None:
    assert text2mem("observe", *READ, "--text", "I live in Oslo.").out.splitlines()[1:] == [
        "  episode 1, queued"
    ]
    assert text2mem("queue", *NOW).json["episode"] == "1"
    assert text2mem("worker", "--once", *READ, "--text").out.splitlines() == [
        "episode 1: read", "  new       user.city = Oslo [2]",
    ]  # fmt: skip
    assert text2mem("queue", *NOW, "--text").out == "nothing waits\n"


def test_without_a_model_a_text_waits_and_that_is_said(text2mem: Command) -> None:
    done = text2mem("observe", *ALONE, "--text", "I live in Oslo.")
    assert (done.code, done.out.splitlines()[1:]) == (
        0, ["  episode 1, queued: no model is there that reads what is said"]
    )  # fmt: skip
    read = text2mem("observe", "--read", *ALONE, "--text", "I live in Oslo.")
    assert read.code == 1
    assert "episode 2 was stored and not read: no model is there that reads what" in read.err
    event = '{"role": "event", "structured": {"ticket": "T-1", "status": "open"}}'
    done = text2mem("observe", "--read", *ALONE, "--text", event)
    assert done.out.splitlines()[-1] == "  new       t_1.status = open [4]"
    assert text2mem("worker", "--once", *ALONE, "--text").out.splitlines() == ["episode 1: failed"]
    assert len(text2mem("queue", "--jsonl", *NOW).rows) == 2


def test_what_waits_for_a_yes_names_its_episode_and_the_way_out(text2mem: Command) -> None:
    text2mem("observe", "--read", *READ, "My passport number is X1234567.")
    shown = text2mem("pending", *NOW, "--text").out.splitlines()
    assert shown[0].startswith("[2] user.passport_number = X1234567 (heard in e1): the policy asks")
    assert "--approve ID" in shown[1] and "--reject ID" in shown[1]
    assert text2mem("pending", "--approve", "2", *NOW).code == 0
    assert text2mem("pending", *NOW, "--text").out == "nothing waits\n"
    refused = text2mem("pending", "--approve", "2", *NOW)
    assert (refused.code, refused.out) == (1, "")
    assert "no fact 2 waits" in refused.err
    told = text2mem("pending", "--approve", "2", *NOW, "--json")
    assert (told.code, told.json["ok"]) == (1, False)
    assert told.json["error"]["message"] == "no fact 2 waits"


def test_a_policy_may_begin_with_a_byte_order_mark(text2mem: Command, folder: Path) -> None:
    (folder / "mine.json").write_text('{"deny": ["city"]}', "utf-8-sig")
    done = text2mem("observe", "--policy", "mine.json", *READ, "--read", "I live in Oslo.")
    assert [(each["became"], each["reason"]) for each in done.json["outcomes"]] == [
        ("ignored", "the policy denies city")
    ]


def test_a_message_that_says_a_thing_twice_is_refused(text2mem: Command) -> None:
    done = text2mem("observe", *ALONE, stdin='{"text": "I live in Oslo.", "text": "Yes."}\n')
    assert (done.code, done.json["ok"]) == (1, False)
    assert "the key 'text' stands twice" in done.json["error"]["message"]


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('{"deny": "city", "colour": 1}', "/deny: must be a list; /colour: there is no such field"),
        ("[]", "must be an object of fields"),
        ('{"deny": ', "mine.json is no JSON"),
        ('{"deny": ["city"], "deny": ["team"]}', "the key 'deny' stands twice"),
        ('{"deny": ' + "[" * 100_000, "nested too deeply"),
        (None, "there is no file 'mine.json'"),
    ],
)
def test_a_broken_policy_is_told_once_and_nothing_is_stored(
    written: str | None, says: str, text2mem: Command, folder: Path
) -> None:
    if written is not None:
        Path("mine.json").write_text(written)
    done = text2mem("observe", "--policy", "mine.json", *ALONE, stdin="I live in Oslo.\nYes.\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("error:") == 1 and says in done.err
    assert not (folder / "memory.db").exists()


def test_a_wrong_model_is_told_once(text2mem: Command) -> None:
    done = text2mem("observe", "--model", "nosuch:x", stdin="I live in Oslo.\nYes.\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("there is no provider 'nosuch'") == 1


def test_a_line_that_is_no_message_leaves_the_others_alone(text2mem: Command) -> None:
    lines = ['{"role": "king", "text": "x"}', '{"role":', json.dumps({"text": "I live in Oslo."})]
    done = text2mem("observe", "--read", *READ, stdin="\n".join(lines))
    assert done.code == 1
    assert [row["ok"] for row in done.rows] == [False, False, True]
    assert "write one of user, assistant" in done.err and "write one JSON object" in done.err


def test_a_reader_that_goes_is_no_failure(shell: Shell, text2mem: Command) -> None:
    many = "seq 400 | sed 's/.*/I live in town &./'"
    done = shell(f"{many} | text2mem observe --model none --text | head -1")
    assert (done.code, done.out, done.err) == (0, "› I live in town 1.\n", "")
    assert text2mem("stats").json["episodes"]["total"] == 400


def test_a_line_that_is_nested_too_deeply_leaves_the_others_alone(text2mem: Command) -> None:
    deep = '{"text": ' + "[" * 100_000
    done = text2mem("observe", "--model", "none", stdin=f"{deep}\nI live in Oslo.\n")
    assert done.code == 1
    assert [row["ok"] for row in done.rows] == [False, True]


ASKS = "Remember that the cellar key hangs behind the door."


def test_a_model_that_is_down_is_said_and_has_a_code_of_its_own(text2mem: Command) -> None:
    model = ("--model", "function:tests.cli.test_observe_worker_queue_pending:down")
    done = text2mem("observe", "--read", *NOW, *model, ASKS)
    assert done.code == 3 and done.json["error"] == "ServiceUnreachable"
    assert "episode 1 was stored and not read: the model cannot be reached\n  a worker" in done.err
    for day in range(1, 9):
        done = text2mem("worker", "--once", "--now", f"2026-06-0{day}", *model, "--text")
        assert (done.code, done.out) == (3, "episode 1: failed\n")
    assert text2mem("queue", "--dead", "--text").out == "nothing was given up\n"
    assert text2mem("queue", "--json").json["attempts"] == 0
    assert text2mem("queue", "--dead", "--retry", "all", *NOW).code == 1


def test_a_key_that_is_not_accepted_is_said_to_be_that(text2mem: Command) -> None:
    model = ("--model", "function:tests.cli.test_observe_worker_queue_pending:refuses")
    done = text2mem("observe", "--read", *NOW, *model, ASKS)
    assert (done.code, done.json["error"]) == (1, "ConfigurationError")
    assert "ConfigurationError" not in done.err
    assert "the model cannot be used as it is set up" in done.err
    assert "text2mem doctor" in done.err


def refuses(_: Request) -> Any:
    """A service that does not know the key."""
    raise ConfigurationError("it does not accept the key (status 401)")


def down(_: Request) -> Any:
    """A model that nobody answers for."""
    raise ServiceUnreachable("nobody is there", service="scripted")


def test_the_end_of_the_calendar_is_no_instant_to_work_at(text2mem: Command) -> None:
    done = text2mem("observe", "--now", "9999-12-31T23:59:59Z", "--model", "none", "I live here.")
    assert (done.code, done.out) == (2, "")
    assert "name an instant from 2 to 9998" in done.err
