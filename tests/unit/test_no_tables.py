"""The check that refuses code which decides by the words of a language."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools import tables

ROOT = Path(__file__).parents[2]


def test_the_package_holds_none() -> None:
    done = subprocess.run(
        [sys.executable, "tools/tables.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("code", "many"),
    [
        ('VERBS = re.compile("delete|remove|drop")', 1),
        ('WORD = re.compile(r"\\bforget")', 1),
        ('WORDS = ("删除", "去掉")', 2),
        ('"""A docstring may say 删除 or delete|remove|drop."""', 0),
        ('name = "delete"', 0),
        ('KEYS = ("has_tags", "a|b")', 0),
    ],
)
def test_what_decides_by_words_is_found(tmp_path: Path, code: str, many: int) -> None:
    module = tmp_path / "module.py"
    module.write_text(code, encoding="utf-8")
    assert len(list(tables.found(module))) == many
