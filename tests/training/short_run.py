"""A short run of the training: the kept-out losses, and what the adapter reads afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import MODEL
from text2mem import weights
from text2mem.planner.picture import View
from text2mem.planner.reader import asking, named
from text2mem.providers.base import Sampling
from text2mem.providers.llamacpp_ import LlamaCppProvider
from text2mem.providers.profiles import TUNED
from training.rows import record

ROOT = Path(__file__).parents[2]
STEPS = 3
TREE = "700"


def trained(folder: Path) -> dict[str, Any]:
    """Three steps on one author, another one kept out; the adapter in use."""
    official, out = str(weights.find(MODEL)), folder / "adapter.gguf"
    examples = str(folder / "examples.npz")
    told = ["--only", "store-a", "store-b", "--held-out", "store-b", "--longest", TREE]
    _run("training.examples", "--weights", official, *told, "--out", examples)
    _run("training.tune", "--weights", official, "--examples", examples, "--out", str(out),
         "--first", "20", "--rank", "32", "--batch", TREE, "--epochs", "1", "--limit", str(STEPS),
         "--kept", "1", "--rate", "4e-3", "--threads", "1")  # fmt: skip
    lines = [json.loads(line) for line in out.with_suffix(".log.jsonl").read_text().splitlines()]
    provider = LlamaCppProvider(MODEL, adapters={"requests": out})
    view = View((record({"id": "7", "text": "the ferns want water"}),), 1)
    asked = asking(view, "remind me on Friday of the ferns", (), TUNED, Sampling(max_tokens=200))
    answer = provider.complete(asked)
    provider.close()
    kept_out = [line["kept_out"] for line in lines if "kept_out" in line]
    return {"kept_out": kept_out, "answer": named(answer.data, view)}


def _run(module: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=True, timeout=400)
