"""Run the shipped reader over stores and keep the readings, so that a run resumes where it
stopped."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from text2mem.providers.base import Provider
from text2mem.providers.registry import opened_provider
from training.rows import Store


def kept(
    name: str, about: str | None, over: Sequence[Store],
    read: Callable[[Provider, Store], Iterable[Any]],
) -> list[tuple[Store, list[dict[str, Any]]]]:  # fmt: skip
    """The stores, each with the fields of the dataclasses that ``read`` makes of it.

    They are kept in ``build/NAME.jsonl``, or where ``--kept`` says. With ``--part`` only the stores
    of one part are read and nothing is returned: run the parts side by side, then the whole.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--kept", type=Path, default=Path(f"build/{name}.jsonl"))
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help="which of how many parts")
    args = parser.parse_args()
    args.kept.parent.mkdir(parents=True, exist_ok=True)
    held: dict[str, list[dict[str, Any]]] = {}
    if args.kept.exists():
        held = dict(map(json.loads, args.kept.read_text(encoding="utf-8").splitlines()))
    number, parts = args.part
    provider = opened_provider(None)
    for store in over[number::parts]:
        if store.name not in held:
            held[store.name] = [asdict(each) for each in read(provider, store)]
            with args.kept.open("a", encoding="utf-8") as file:
                line = json.dumps((store.name, held[store.name]), ensure_ascii=False)
                file.write(f"{line}\n")
    return [(store, held[store.name]) for store in over] if parts == 1 else []
