"""Refuses code that decides by the words of a language.

python tools/tables.py     name every such string; exit 1 where there is one

Counted are strings with Chinese characters and patterns of English words, outside docstrings. They
may stand in ``ir/times/``, in ``ir/words/`` (segmentation) and in the generator of test data.
Names of fields of structured messages are data (``ledger/extraction/fields.toml``).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("text2mem", "text2mem_bench")
FREE = ("text2mem/ir/times/", "text2mem/ir/words/", "text2mem_bench/generate/")
_CHINESE = re.compile("[\u3400-\u9fff]")
_ENGLISH = re.compile(
    r"(?<![\\\w])[a-z]{2,}(?:\|[a-z ]{2,}){2,}|\\b\(?(?:\?:)?[a-z]{3,}", re.IGNORECASE
)


def found(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the text of every string of a module that decides by words."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = {id(each.value) for node in ast.walk(tree) for each in ast.iter_child_nodes(node)
             if isinstance(each, ast.Expr) and isinstance(node, documented)}  # fmt: skip
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        pattern = _ENGLISH.search(node.value) and re.search(r"[|\\]", node.value)
        if id(node) not in texts and (_CHINESE.search(node.value) or pattern):
            yield node.lineno, node.value


def main() -> int:
    """The command line."""
    lines: list[str] = []
    for path in sorted(each for name in PACKAGES for each in (ROOT / name).rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        if not where.startswith(FREE):
            lines += [f"{where}:{n}: {text[:70]!r}" for n, text in found(path)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
