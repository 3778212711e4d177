"""Completion in a shell, as docs/which-command.md sets it up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "which-command.md"
ASKED = {
    "bash": (
        ["bash", "--norc", "-c"],
        'eval "$(_TEXT2MEM_COMPLETE=bash_source text2mem)"',
        "COMP_WORDS=(text2mem rec); COMP_CWORD=1; _text2mem_completion text2mem; echo $COMPREPLY",
        "recall",
    ),
    "zsh": (
        ["zsh", "-f", "-c"],
        'eval "$(_TEXT2MEM_COMPLETE=zsh_source text2mem)"',
        "echo $_comps[text2mem]",
        "_text2mem_completion",
    ),
    "fish": (
        ["fish", "--no-config", "-c"],
        "_TEXT2MEM_COMPLETE=fish_source text2mem | source",
        "complete -C 'text2mem rec'",
        "recall",
    ),
}


@pytest.mark.parametrize("shell", ASKED)
def test_a_shell_completes(shell: str, tmp_path: Path) -> None:
    start, line, asked, expected = ASKED[shell]
    assert line in PAGE.read_text("utf-8")
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    before = "autoload -U compinit; compinit -u -D; " if shell == "zsh" else ""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*start, f"{before}{line}; {asked}"],
        cwd=tmp_path, env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith(expected), done.stderr
