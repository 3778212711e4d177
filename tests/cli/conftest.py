"""The command line in this process, and as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command_line import ROOT, Command, Outcome, Shell, Stdin, Terminal
from tests.cli.scripted import MODEL
from text2mem.cli.main import main
from text2mem.providers import registry


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, the scripted model, and a terminal that cannot do colours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEXT2MEM_MODEL", MODEL)
    monkeypatch.setenv("TEXT2MEM_TZ", "UTC")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "40")
    # Providers that other tests opened know other servers.
    monkeypatch.setattr(registry, "_open", {})
    return tmp_path


@pytest.fixture
def text2mem(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs the command line in this process."""

    def call(
        *arguments: str | Path, stdin: str | bytes | None = None, terminal: bool = False,
        typed: str | None = None,
    ) -> Outcome:  # fmt: skip
        data = stdin.encode() if isinstance(stdin, str) else stdin
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", Stdin(data, typed))
            patch.setattr(sys.stdout, "isatty", lambda: terminal or typed is not None)
            with pytest.raises(SystemExit) as exit_:
                main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Outcome(int(exit_.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture
def process_environment() -> dict[str, str]:
    """The environment of a process that finds the scripted model."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def terminal(folder: Path, process_environment: dict[str, str]) -> Terminal:
    def call(*arguments: str | Path, stdout: int | None = None) -> tuple[int, bytes]:
        import pty  # POSIX only

        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "text2mem", *map(str, arguments)], cwd=folder, stderr=theirs,
            stdin=subprocess.DEVNULL, stdout=theirs if stdout is None else stdout,
            env={**process_environment, "TERM": "xterm", "COLUMNS": "120"},
        )  # fmt: skip
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:
            pass  # what Linux says at the end of a terminal
        finally:
            os.close(ours)
        return process.wait(timeout=60), shown

    return call


@pytest.fixture
def shell(process_environment: dict[str, str]) -> Shell:
    """Runs a line of bash, in which ``text2mem`` is the command line of this interpreter."""

    def call(line: str, **environment: str) -> Outcome:
        setup = f'set -o pipefail; text2mem() {{ "{sys.executable}" -m text2mem "$@"; }}\n'
        done = subprocess.run(
            ["bash", "-c", setup + line],
            env={**process_environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_can_be_pressed() -> None:
    """A shell that runs tests in the background has them, and their children, ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
