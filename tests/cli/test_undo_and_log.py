"""undo and log: what programs changed, who may see it, and how it is taken back."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command_line import READ_ALL, Command, Shell, note, program, run, trace, update


def shown(text2mem: Command, id_: str, *options: str) -> dict[str, object]:
    """A memory with all of its fields."""
    found: dict[str, object] = text2mem("show", id_, *options).json
    return found


# --- undo ----------------------------------------------------------------------------------


def test_a_program_is_taken_back_and_so_is_the_undo(text2mem: Command) -> None:
    run(text2mem, note("one", tags=["a"]))
    changing = trace(text2mem, [update("1", text="two"), note("three")])
    undone = text2mem("undo", changing)
    assert (undone.code, undone.err) == (0, "")
    assert undone.json["ok"] is True
    assert [step["op"] for step in undone.json["results"]] == ["Undo"]
    assert shown(text2mem, "1")["text"] == "one"
    assert text2mem("show", "2").code == 1

    assert text2mem("undo", undone.json["trace_id"]).code == 0
    assert shown(text2mem, "1")["text"] == "two"
    assert shown(text2mem, "2")["text"] == "three"
    (_, last, *_) = text2mem("log", "--text").out.splitlines()
    assert f"Undo of {undone.json['trace_id']}" in last


def test_the_trace_to_undo_stands_below_what_was_changed(text2mem: Command) -> None:
    said = text2mem("exec", "-", stdin=json.dumps(note("记住牛奶")), terminal=True).out
    *_, last = said.splitlines()
    assert last.startswith("  trace ")
    undone = text2mem("undo", last.split()[1], terminal=True)
    assert undone.code == 0
    assert "✓ Undo: removed memory 1\n    1 was: 记住牛奶\n  trace " in undone.out
    told = {"subject": "ann", "attribute": "city", "value": "Ghent"}
    made = trace(
        text2mem, [{"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": told}}}]
    )
    assert "2 was: ann.city = Ghent\n" in text2mem("undo", made, "--text").out
    for nothing in (READ_ALL, program("Delete", target={"filter": {"has_tags": ["none"]}})):
        assert "trace" not in text2mem("exec", "--text", stdin=json.dumps(nothing)).out
    dry = text2mem("exec", "--text", "--dry-run", stdin=json.dumps(note("one")))
    assert "trace" not in dry.out


def test_a_dry_undo_shows_and_keeps_nothing(text2mem: Command) -> None:
    made = trace(text2mem, note("one"))
    dry = text2mem("undo", made, "--dry-run")
    assert (dry.code, dry.json["dry_run"]) == (0, True)
    assert shown(text2mem, "1")["text"] == "one"
    assert "removed memory 1 (dry run)" in text2mem("undo", made, "--dry-run", "--text").out


def test_every_conflict_is_told_and_force_restores_the_rest(text2mem: Command) -> None:
    run(text2mem, note("one"), note("two"))
    both = trace(text2mem, update("1", "2", topic="old"))
    later = trace(text2mem, update("1", "2", topic="new", location="Oslo"))
    label = program("Label", target={"ids": ["2"]}, args={"tags": ["x"]})
    latest = trace(text2mem, label)

    refused = text2mem("undo", both)
    assert refused.code == 1
    assert refused.json["results"][0]["error"]["code"] == "undo-conflict"
    assert refused.err.splitlines()[:3] == [
        "error: changed since",
        f"  memory 1: Update of {later} changed location, topic",
        f"  memory 2: Update of {later} changed location, topic; Label of {latest} changed tags"
        " [undo-conflict]",
    ]
    said = text2mem("undo", both, terminal=True)
    assert (said.code, said.err) == (1, "")
    assert f"      memory 2: Update of {later} changed" in said.out

    forced = text2mem("undo", both, "--force")
    assert forced.code == 0
    assert shown(text2mem, "1")["topic"] == "new"
    assert text2mem("undo", latest).code == 0
    assert shown(text2mem, "2")["tags"] == []


def test_what_was_erased_stays_so(text2mem: Command) -> None:
    run(text2mem, note("one"))
    erase = program("Delete", target={"ids": ["1"]}, args={"soft": False})
    refused = text2mem("exec", stdin=json.dumps(erase))
    assert (refused.code, refused.json["results"][0]["error"]["code"]) == (1, "needs-confirmation")
    erased = trace(text2mem, erase, "--yes")
    refused = text2mem("undo", erased)
    assert refused.code == 1
    assert "[undo-erased]" in refused.err


def test_an_unknown_trace_is_refused(text2mem: Command) -> None:
    run(text2mem, note("one"))
    for unknown in ("0", "no such trace", "；DROP", "\x1b[2J"):
        refused = text2mem("undo", unknown)
        assert refused.code == 1
        assert refused.json["results"][0]["error"]["code"] == "no-such-trace"
        assert "text2mem log" in refused.err
        assert "\x1b" not in refused.err + text2mem("undo", unknown, terminal=True).out


def test_what_was_done_before_1970_is_undone(text2mem: Command) -> None:
    made = trace(text2mem, note("one"), "--now", "1950-05-05")
    assert text2mem("undo", made).code == 0


def test_an_undo_needs_the_rights_of_a_write(text2mem: Command) -> None:
    made = trace(text2mem, note("one", read_perm_level="public"), "--actor", "ann")
    refused = text2mem("undo", made, "--actor", "bob")
    assert refused.code == 1
    assert "[not-writable]" in refused.err
    secret = trace(text2mem, note("two"), "--actor", "ann")
    assert "[no-such-trace]" in text2mem("undo", secret, "--actor", "bob").err
    assert text2mem("undo", made, "--actor", "ann").code == 0
    assert text2mem("undo", secret, "--tenant", "other").code == 1


def test_the_documents_own_trace_can_be_undone(text2mem: Command) -> None:
    run(text2mem, {**note("one"), "meta": {"trace_id": "mine-1"}})
    assert text2mem("undo", "mine-1").code == 0
    assert text2mem("show", "1").code == 1


# --- log -----------------------------------------------------------------------------------


def test_the_log_is_a_row_a_program_newest_first(text2mem: Command) -> None:
    first = trace(text2mem, [note("one"), note("two")], "--now", "2026-03-04T10:00:00Z")
    run(text2mem, READ_ALL)
    second = trace(text2mem, update("1", "2", topic="x"), "--now", "2026-03-05T10:00:00Z")
    done = text2mem("log")
    assert (done.code, done.err) == (0, "")
    assert done.rows == [
        {"trace_id": second, "at": "2026-03-05T10:00:00Z", "actor": None,
         "ops": [{"op": "Update", "memories": 2}], "ids": ["1", "2"]},
        {"trace_id": first, "at": "2026-03-04T10:00:00Z", "actor": None,
         "ops": [{"op": "Encode", "memories": 1}, {"op": "Encode", "memories": 1}],
         "ids": ["1", "2"]},
    ]  # fmt: skip
    assert text2mem("log", "--json", terminal=True).rows == done.rows
    assert text2mem("log", "--limit", "1").rows == done.rows[:1]
    shown = text2mem("log", "--tz", "Asia/Taipei", terminal=True).out.splitlines()
    assert [line.split("  ") for line in shown if not line.startswith("trace")] == [
        [second, "Thu 2026-03-05 18:00", "Update (2 memories)", "1, 2"],
        [first, "Wed 2026-03-04 18:00", "Encode (2 memories)", "1, 2"],
    ]
    assert shown[0].split() == ["trace", "time", "what", "memories"]


def test_the_log_counts_a_memory_that_two_steps_changed_once(text2mem: Command) -> None:
    run(text2mem, [note("one"), update("1", topic="x"), update("1", topic="y")])
    assert "  Encode, Update  1" in text2mem("log", "--text").out


def test_the_log_tells_an_actor_of_what_may_be_read(text2mem: Command) -> None:
    run(text2mem, note("hers"), options=("--actor", "ann"))
    run(text2mem, note("for all", read_perm_level="public"), options=("--actor", "ann"))
    assert len(text2mem("log").rows) == 2
    assert len(text2mem("log", "--actor", "bob").rows) == 1
    assert "  ann  Encode" in text2mem("log", "--text", "--actor", "bob").out
    assert text2mem("log", "--tenant", "other").out == ""
    assert text2mem("log", "--id", "1", "--actor", "ann").code == 0
    hidden = text2mem("log", "--id", "1", "--actor", "bob")
    unknown = text2mem("log", "--id", "77", "--actor", "bob")
    assert (hidden.code, hidden.out) == (unknown.code, unknown.out) == (1, "")
    assert hidden.err.replace("1", "77") == unknown.err


def test_the_changes_of_one_memory(text2mem: Command) -> None:
    made = trace(text2mem, note("牛奶", tags=["买"]), "--now", "2026-03-04T10:00:00Z")
    run(text2mem, note("another"))
    changed = trace(text2mem, update("1", text="豆奶"), "--now", "2026-03-05T10:00:00Z")
    last, first = text2mem("log", "--id", "1").rows
    assert (first["trace_id"], first["op"], first["kind"]) == (made, "Encode", "created")
    assert last == {
        "trace_id": changed, "at": "2026-03-05T10:00:00Z", "actor": None, "step": 1, "op": "Update",
        "id": "1", "kind": "changed", "forgotten": False,
        "changes": [
            {"field": "text", "before": "牛奶", "after": "豆奶"},
            {"field": "payload", "before": {"text": "牛奶"}, "after": {"text": "豆奶"}},
        ],
    }  # fmt: skip
    assert text2mem("log", "--id", "1", "--limit", "1").rows == [last]
    said = text2mem("log", "--id", "1", terminal=True).out
    assert f"Thu 2026-03-05 10:00  Update  trace {changed}\n    text: 牛奶 → 豆奶\n" in said
    assert "    text: 牛奶\n" in said


def test_of_what_was_erased_the_log_says_that_and_no_more(text2mem: Command) -> None:
    erase = program("Delete", target={"ids": ["1"]}, args={"soft": False})
    run(text2mem, note("secret"), erase, options=("--yes",))
    rows = text2mem("log", "--id", "1").rows
    assert [(row["op"], row["forgotten"], row["changes"]) for row in rows] == [
        ("Delete", True, []), ("Encode", True, []),
    ]  # fmt: skip
    assert "secret" not in text2mem("log", "--id", "1", "--text").out
    assert "text2mem log --id 1" in text2mem("show", "1").err


def test_the_log_shows_a_request_as_it_was_said(text2mem: Command) -> None:
    said = "کلید را می\u200cخواهم 👩\u200d👧　Nora's C:\\keys"
    row = {"utterance": f"{said}\n\x1b[2J", "status": "ok", "program": note("keys")}
    run(text2mem, row)
    (_, line) = text2mem("log", "--text").out.splitlines()
    assert line.endswith(f"'{said.replace('　', ' ')} \\x1b[2J'")


def test_a_limit_may_be_of_any_size(text2mem: Command) -> None:
    run(text2mem, note("one"))
    found = text2mem("log", "--limit", str(10**30))
    assert (found.code, found.err, len(found.rows)) == (0, "", 1)


def test_what_is_no_id_is_the_id_of_no_memory(text2mem: Command) -> None:
    run(text2mem, note("one"))
    for unknown in ("abc", "007", "１", "0", "-1", "9" * 40, ""):
        for arguments in (["log", "--id", unknown], ["show", "--", unknown]):
            done = text2mem(*arguments)
            assert (done.code, done.out) == (1, ""), unknown
            assert "there is no memory" in done.err
    for arguments in (["log", "--id", "9"], ["show", "9"]):
        told = text2mem(*arguments, "--json")
        assert (told.code, told.json["ok"]) == (1, False)
        assert told.json["error"]["message"] == "there is no memory 9"


def test_looking_at_a_store_that_is_not_there_makes_none(text2mem: Command, folder: Path) -> None:
    for arguments in (["log"], ["show", "1"], ["undo", "x"], ["tick"], ["reindex"],
                      ["sync"], ["compile", "buy milk"]):  # fmt: skip
        for store in ("typo.db", "sqlite:typo.db"):
            done = text2mem(*arguments, "--db", store)
            assert (done.code, done.out) == (2, "")
            assert f"there is no store {store}" in done.err
    assert list(folder.iterdir()) == []
    assert text2mem("log", "--db", "memory:").out == ""


def test_the_log_feeds_undo_in_a_pipe(shell: Shell, text2mem: Command) -> None:
    run(text2mem, note("one"), note("two"))
    done = shell("text2mem log | head -1 | cut -d'\"' -f4")
    assert text2mem("undo", done.out.strip()).code == 0
    assert text2mem("show", "2").code == 1
    assert text2mem("show", "1").code == 0


def test_a_reader_of_the_log_that_has_seen_enough_is_no_failure(
    shell: Shell, text2mem: Command
) -> None:
    run(text2mem, *(note(f"note {n}") for n in range(300)))
    done = shell("text2mem log --limit 300 | head -1; exit ${PIPESTATUS[0]}")
    assert (done.code, done.err) == (0, "")
