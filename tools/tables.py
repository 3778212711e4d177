"""Refuses code that decides by the words of a language.

python tools/tables.py            exit 1 and name what is too much
python tools/tables.py --list     every such string

Counted are strings with Chinese characters and patterns of English words, outside docstrings. They
may stand in ``ir/`` (times, numbers, recurrences, segmentation) and in the generator of test data.
In the ledger structured messages go by names of fields, and questions still by words; their number
may only fall.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "text2mem"
FREE = ("ir/", "bench/generate/")
LEFT = {"ledger": 432}
"""How many still stand in a folder: a ceiling that is lowered with every one that goes."""
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
    counts: Counter[str] = Counter()
    lines: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        where = path.relative_to(PACKAGE).as_posix()
        if where.startswith(FREE):
            continue
        folder = where.split("/")[0]
        for number, text in found(path):
            counts[folder] += 1
            lines.setdefault(folder, []).append(f"text2mem/{where}:{number}: {text[:70]!r}")
    over = [folder for folder, count in counts.items() if count > LEFT.get(folder, 0)]
    for folder in counts if "--list" in sys.argv else over:
        print("\n".join(lines[folder]))
    for folder in over:
        print(f"{folder}: {counts[folder]} strings decide by words, {LEFT.get(folder, 0)} may")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
