"""The figures of a replay as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Writing": (
        "model answers that fit", "readings that ended", "legal programs", "dates", "types",
        "outcomes", "sources", "sources of the ledger",
    ),
    "Ledger": (
        "supersession", "stale facts closed", "no duplicates", "denied kept out",
        "ledger, precision", "ledger, recall", "ledger, waiting, precision",
        "ledger, waiting, recall",
    ),
    "Questions": (
        "state, given the ledger", "state, end to end", "words, given the ledger",
        "words, end to end", "not known, said so", "recall@1", "recall@5", "recall@10",
    ),
    "Answers": (
        "answers right", "answers that do not know, rightly", "claims supported",
        "citations are evidence",
    ),
    "Keeping apart and forgetting": (
        "isolation", "forgotten: facts", "forgotten: episodes", "no survivors", "kept: facts",
        "kept: episodes", "nothing comes back", "retention",
    ),
}  # fmt: skip
"""The figures in the order of the table; groups of one stand below it."""


def markdown(config: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """A run in words, and its figures in tables."""
    lines = [*_head(config, summary), *_extraction(summary), *_shares(summary)]
    return "\n".join([*lines, *_operations(summary)])


def _head(config: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[str]:
    where = ", ".join(f"{key} {value}" for key, value in config["machine"].items())
    played = f"{summary['dialogues']} dialogues, {summary['turns']} turns"
    yield f"`{config['command']}`: {config['model']} on {played}"
    yield where
    if summary["unscored"]:
        yield f"\nno answer of the model, not scored: {', '.join(summary['unscored'])}"


def _extraction(summary: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "| extraction | precision | recall | F1 | gold | found |")
    yield "| --- | --- | --- | --- | --- | --- |"
    groups = summary["extraction"]
    for name in sorted(groups, key=lambda name: (name != "all", name)):
        cell, whole = groups[name], groups["all"]
        if name != "all" and (cell["gold"], cell["found"]) == (whole["gold"], whole["found"]):
            continue  # a group that is everything
        scores = " | ".join(said(cell[key]) for key in ("precision", "recall", "f1"))
        yield f"| {name} | {scores} | {cell['gold']} | {cell['found']} |"


def _shares(summary: Mapping[str, Any]) -> Iterator[str]:
    shares = summary["shares"]
    for section, names in SECTIONS.items():
        rows = [row for name in names if name in shares for row in (name, *_parts(name, shares))]
        if rows:
            yield from (
                "",
                f"| {section.lower()} | share | held | of |",
                "| --- | --- | --- | --- |",
            )
        for row in rows:
            cell = shares[row]
            label = row.replace("/", ", ")
            yield f"| {label} | {said(cell['share'])} | {cell['held']} | {cell['of']} |"


def _parts(name: str, shares: Mapping[str, Any]) -> Iterator[str]:
    """The groups of a figure that are not all of it."""
    for other in shares:
        if other.startswith(f"{name}/") and shares[other]["of"] < shares[name]["of"]:
            yield other


def _operations(summary: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "| milliseconds | p50 | p95 | n |", "| --- | --- | --- | --- |")
    for name, cell in summary["times"].items():
        yield f"| {name} | {cell['p50']:.2f} | {cell['p95']:.2f} | {cell['n']} |"
    each = summary["tokens_each"]
    if each:
        yield from ("", "| of the model, for each | mean | total |", "| --- | --- | --- |")
    for name, mean in each.items():
        yield f"| {name} | {mean} | {summary['tokens'][name]} |"


def misses(rows: list[dict[str, Any]]) -> Iterator[str]:
    """What was not as expected, figure by figure, gold beside found."""
    every = [miss for row in rows for miss in row.get("misses", ())]
    for name in dict.fromkeys(miss["figure"] for miss in every):
        yield f"\n## {name}"
        for miss in every:
            if miss["figure"] == name:
                yield f"- {miss['where']}"
                for key in ("expected", "found"):
                    yield f"  {key}: {json.dumps(miss[key], ensure_ascii=False)}"


def said(value: float | None) -> str:
    """A share with three decimals; a dash for what was not measured."""
    return "–" if value is None else f"{value:.3f}"
