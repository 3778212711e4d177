"""repl: the program and its effect are shown, and only who agrees has it run."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command_line import READ_ALL, Command, note, program


def texts(text2mem: Command) -> list[str]:
    """What the store holds, by reading it, the oldest first."""
    rows = text2mem("exec", stdin=json.dumps(READ_ALL)).json["results"][0]["rows"]
    return [row["text"] for row in sorted(rows, key=lambda row: int(row["id"]))]


def test_a_write_is_run_after_a_yes_alone(text2mem: Command) -> None:
    for refusal in ("n", "", "nein"):
        done = text2mem("repl", stdin=f"note one\n{refusal}\n")
        assert done.code == 0
        assert "would be kept as a new memory: note one" in done.out
        assert "✓" not in done.out and texts(text2mem) == []
    for count, consent in enumerate(("y", "YES", "是", "好"), 1):
        text2mem("repl", stdin=f"note one\n{consent}\n")
        assert len(texts(text2mem)) == count


def test_other_words_than_yes_and_no_are_the_next_request_of_a_pipe(text2mem: Command) -> None:
    done = text2mem("repl", stdin="note one\nnote two\ny\n")
    assert "› note two" in done.out
    assert texts(text2mem) == ["note two"]


def test_the_end_of_the_input_is_no_consent(text2mem: Command) -> None:
    assert text2mem("repl", stdin="note one\n").code == 0
    assert texts(text2mem) == []


def test_reading_is_not_asked_about(text2mem: Command) -> None:
    text2mem("run", "note one")
    done = text2mem("repl", stdin="what is there\n:quit\nnote two\ny\n")
    assert (done.code, done.err) == (0, "")
    assert "1: note one  #said" in done.out
    assert texts(text2mem) == ["note one"]


def test_who_has_seen_a_wide_write_and_agrees_has_confirmed_it(text2mem: Command) -> None:
    for _ in range(3):
        text2mem("run", "note one")
    done = text2mem("repl", stdin="forget everything\nno\n")
    assert "That would change all 3 memories. Should it?" in done.out
    assert "would be deleted: note one" in done.out
    assert len(texts(text2mem)) == 3  # what it would do was shown, and declined
    done = text2mem("repl", stdin="forget everything\nyes\n")
    assert done.code == 0
    assert "✗" not in done.out
    assert texts(text2mem) == []


def test_what_asks_for_nothing_is_said_and_asks_nothing(text2mem: Command) -> None:
    done = text2mem("repl", stdin="thanks\nthanks 谢谢\nnote one\ny\n")
    assert (done.code, done.out.splitlines()[:4]) == (
        0,
        ["› thanks", "Nothing to do.", "› thanks 谢谢", "没有要做的事。"],
    )
    assert texts(text2mem) == ["note one"]


def test_a_question_of_the_model_is_answered_in_words(text2mem: Command) -> None:
    done = text2mem("repl", stdin="tidy up\nnote one\ny\n")
    assert done.code == 0
    assert done.out.startswith("› tidy up\n? Which of them may go?\nanswer › note one\n")
    assert texts(text2mem) == ["note one"]


def test_an_undo_in_reply_to_a_question_drops_it(text2mem: Command) -> None:
    done = text2mem("repl", stdin="tidy up\nundo that\n")
    assert (done.code, done.err) == (0, "left as it was\n")


def test_yes_and_dry_run_do_not_ask(text2mem: Command) -> None:
    text2mem("repl", "--yes", stdin="note one\nnote two\n")
    assert texts(text2mem) == ["note one", "note two"]
    text2mem("repl", "--dry-run", stdin="forget everything\nnote three\n")
    assert texts(text2mem) == ["note one", "note two"]


def test_prompts_are_no_data(text2mem: Command) -> None:
    done = text2mem("repl", stdin="note one\nn\n")
    assert "run it? [y/N] " in done.err
    assert "run it?" not in done.out


@pytest.mark.parametrize("mark", ["/", ":"])
def test_commands(text2mem: Command, mark: str) -> None:
    said = "/tags\nnote one\ny\n/tags\n/help\n/wat\n/q\nnote two\ny\n".replace("/", mark)
    done = text2mem("repl", stdin=said)
    assert done.code == 0
    assert done.out.startswith("none yet\n")
    assert done.out.endswith("said\n")
    assert "/quit" in done.err
    assert "there is no command '/wat'" in done.err


@pytest.mark.parametrize("said", ["/etc/hosts is wrong", ":) thanks", "/2"])
def test_a_mark_without_a_command_is_said(text2mem: Command, said: str) -> None:
    done = text2mem("repl", stdin=f"{said}\n")
    assert "there is no command" not in done.err


def test_undo_takes_back_one_program_after_another_when_agreed(text2mem: Command) -> None:
    text2mem("run", "note before")
    notes = "note one\ny\nnote two\ny\nwhat is there\n"
    done = text2mem("repl", stdin=f"{notes}/undo\nn\n/undo\ny\n")
    assert done.code == 0
    assert "    would be gone for good: note two\n" in done.out
    assert done.out.count("✓ Undo: removed memory 3\n") == 1
    assert texts(text2mem) == ["note before", "note one"]

    done = text2mem("repl", stdin=f"{notes}/undo\ny\n/undo\ny\n/undo\ny\n")
    assert done.code == 1
    assert "nothing that could be taken back" in done.err
    assert texts(text2mem) == ["note before", "note one"]


def test_an_undo_in_words_is_the_command(text2mem: Command) -> None:
    text2mem("run", "note before")
    done = text2mem("repl", stdin="note one\ny\nundo that\nn\nundo that\ny\nundo that\n")
    assert done.code == 1
    assert "nothing that could be taken back" in done.err
    assert done.out.count("✓ Undo: removed memory 2\n") == 1
    assert texts(text2mem) == ["note before"]


def test_undo_does_not_ask_with_yes_and_keeps_nothing_in_a_dry_run(text2mem: Command) -> None:
    done = text2mem("repl", "--yes", stdin="note one\nnote two\n/undo\n")
    assert "dry run" not in done.out
    assert texts(text2mem) == ["note one"]
    done = text2mem("repl", "--dry-run", stdin="note two\n/undo\n/tick\n")
    assert "nothing that could be taken back" in done.err
    assert "nothing was due (dry run)" in done.out


def test_the_log_and_the_tick_of_a_conversation(text2mem: Command) -> None:
    done = text2mem("repl", "--yes", stdin="note one\n/log\n/tick\n")
    assert (done.code, done.err) == (0, "")
    day = r"[A-Z][a-z][a-z] \d{4}-\d\d-\d\d \d\d:\d\d"
    assert re.search(r"^trace {29}time {18}what    memories  words$", done.out, re.MULTILINE)
    said = rf"^[0-9a-f]{{32}}  {day}  Encode  1         'note one'$"
    assert re.search(said, done.out, re.MULTILINE)
    assert done.out.endswith("  ✓ nothing was due\n")


def test_a_failure_is_said_and_the_next_line_is_read(text2mem: Command) -> None:
    stdin = b"\xef\xbb\xbfnonsense\r\nsilence\r\nnote \xff\r\nnote one\r\ny\r\n"
    done = text2mem("repl", stdin=stdin)
    assert done.code == 1
    assert done.err.count("error: ") == 3
    assert "not UTF-8" in done.err
    assert texts(text2mem) == ["note one"]


def test_a_wrong_model_ends_a_pipe(text2mem: Command) -> None:
    done = text2mem("repl", "-m", "gpt", stdin="note one\nnote two\n")
    assert done.code == 2
    assert done.err.count("error: ") == 1


def test_a_memory_that_is_shown_cannot_steer_the_terminal(text2mem: Command) -> None:
    text2mem("exec", stdin=json.dumps(note("a\x1b[2Jb", tags=["t\x1b[2J"])))
    done = text2mem("repl", stdin="what is there\n:tags\n")
    assert "\x1b" not in done.out
    assert r"a\x1b[2Jb" in done.out


class Typist:
    """A person at a terminal: types, and reads until something stands there."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._seen = b""

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode("utf-8", "surrogateescape"))

    def read_until(self, wanted: str) -> str:
        """What came since the last time, up to and with ``wanted``."""
        while wanted.encode() not in self._seen:
            assert self._reads(60), f"{wanted!r} does not come after {self._seen!r}"
        found, _, self._seen = self._seen.partition(wanted.encode())
        return found.decode("utf-8", "replace") + wanted

    def interrupt(self, process: subprocess.Popen[bytes]) -> None:
        """Ctrl-C until something happens: readline misses one between the prompt and the wait."""
        process.send_signal(signal.SIGINT)
        while not self._reads(2):
            process.send_signal(signal.SIGINT)

    def _reads(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], seconds)
        if ready:
            self._seen += os.read(self._terminal, 65536)
        return bool(ready)


@pytest.fixture
def person(
    folder: Path, process_environment: dict[str, str]
) -> Iterator[tuple[Typist, subprocess.Popen[bytes]]]:
    """A repl on a pseudo-terminal, and the person before it."""
    ours, theirs = pty.openpty()
    repl = subprocess.Popen(
        [sys.executable, "-m", "text2mem", "repl"],
        env={**process_environment, "INPUTRC": os.devnull},
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    yield Typist(ours), repl
    repl.kill()
    repl.wait()
    os.close(ours)


def test_ctrl_c_at_the_prompts_and_ctrl_d_leave_the_store_as_it_is(
    person: tuple[Typist, subprocess.Popen[bytes]], text2mem: Command
) -> None:
    typist, repl = person
    assert "Ctrl-D" in typist.read_until("› ")
    typist.interrupt(repl)
    typist.read_until("› ")

    typist.type("note one\r")
    typist.read_until("run it? [y/N] ")
    typist.interrupt(repl)
    typist.read_until("› ")

    typist.type("nonsense\r")  # a person sees the error and goes on
    assert "error: " in typist.read_until("use a larger model")
    typist.read_until("› ")
    typist.type("note two\r")
    typist.read_until("run it? [y/N] ")
    typist.type("y\r")
    typist.read_until("✓ Encode: made memory 1\r\n")
    typist.read_until("› ")
    typist.type("\x04")
    assert repl.wait(60) == 0
    assert texts(text2mem) == ["note two"]


def test_other_words_than_yes_and_no_are_the_next_line(
    person: tuple[Typist, subprocess.Popen[bytes]], text2mem: Command
) -> None:
    typist, _ = person
    typist.read_until("› ")
    typist.type("note one\r")
    typist.read_until("run it? [y/N] ")
    typist.type("note two\r")
    typist.read_until("left as it was\r\n")
    typist.read_until("run it? [y/N] ")
    typist.type("y\r")
    typist.read_until("✓ Encode: made memory 1\r\n")
    assert texts(text2mem) == ["note two"]


def test_who_asks_what_was_asked_sees_it_again(text2mem: Command) -> None:
    done = text2mem("repl", stdin="note one\nwhat?\n什么？\ny\n")
    assert done.out.count("would be kept as a new memory: note one") == 3
    assert "left as it was" not in done.err and texts(text2mem) == ["note one"]


@pytest.mark.parametrize("asked", ["forget everything", "tidy up"])
def test_who_leaves_instead_of_an_answer_has_left(
    person: tuple[Typist, subprocess.Popen[bytes]], text2mem: Command, asked: str
) -> None:
    assert text2mem("exec", stdin=json.dumps(note("apples"))).code == 0
    typist, repl = person
    typist.read_until("› ")
    typist.type(f"{asked}\r")
    typist.read_until("run it? [y/N] " if asked == "forget everything" else "answer › ")
    typist.type("help\r")
    typist.read_until("/quit   leave")
    typist.read_until("› ")
    typist.type("quit\r")
    assert repl.wait(60) == 0
    assert texts(text2mem) == ["apples"]


@pytest.mark.parametrize("said", [b"/log", b":tags", b"\xff bad", b"/2 \xff", b"forget everything"])
def test_what_is_no_answer_leaves_no_question_waiting(
    person: tuple[Typist, subprocess.Popen[bytes]], text2mem: Command, said: bytes
) -> None:
    assert text2mem("exec", stdin=json.dumps(note("apples"))).code == 0
    typist, repl = person
    typist.read_until("› ")
    typist.type("forget everything\r")
    typist.read_until("run it? [y/N] ")
    typist.type(said.decode("utf-8", "surrogateescape") + "\r")
    typist.read_until("left as it was\r\n")
    if said == b"forget everything":  # it is shown once more
        typist.read_until("run it? [y/N] ")
        typist.type("n\r")
    typist.read_until("› ")
    typist.type("yes\r")
    typist.read_until("nothing waits for an answer")
    typist.read_until("› ")
    assert texts(text2mem) == ["apples"]
    typist.type("forget everything\r")
    typist.read_until("run it? [y/N] ")
    typist.type("/quit\r")
    assert repl.wait(60) == 0
    assert texts(text2mem) == ["apples"]


def test_ctrl_c_ends_what_reads_a_pipe(process_environment: dict[str, str], folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "text2mem", "repl"],
        env=process_environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, start_new_session=True,
    ) as repl:  # fmt: skip
        assert repl.stdin is not None and repl.stdout is not None
        repl.stdin.write(b"/tags\n")
        repl.stdin.flush()
        assert repl.stdout.readline() == b"none yet\n"
        repl.send_signal(signal.SIGINT)
        try:
            assert repl.wait(20) == 130
        finally:
            repl.kill()


def test_an_undo_that_is_refused_says_why(
    person: tuple[Typist, subprocess.Popen[bytes]], text2mem: Command
) -> None:
    typist, _ = person
    typist.read_until("› ")
    typist.type("note one\r")
    typist.read_until("run it? [y/N] ")
    typist.type("y\r")
    typist.read_until("  trace ")
    typist.read_until("› ")
    label = program("Label", target={"ids": ["1"]}, args={"tags": ["x"]})
    assert text2mem("exec", stdin=json.dumps(label)).code == 0  # by somebody else meanwhile
    typist.type("/undo\r")
    typist.read_until("✗ Undo: changed since\r\n      memory 1: Label of ")
    typist.read_until("› ")
    assert texts(text2mem) == ["note one"]


def test_a_conversation_in_chinese_is_told_in_chinese(text2mem: Command) -> None:
    done = text2mem("repl", stdin="记下这句话\n好\n另一句话\n不要\n/tick\ny\n")
    assert "执行吗？" in done.err + done.out and "run it?" not in done.err + done.out
    assert "保持原样，没有改动" in done.err and "left as it was" not in done.err
    assert "✓ 没有到期的内容" in done.out
    assert "现在没有要回答的问题" in done.err
