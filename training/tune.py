"""Train an adapter on examples: ``python -m training.tune --examples FILE --out FILE``.

Requests over one view of a store are read together: their tokens stand in one row, and each sees
the view and itself (see README.md beside this). The vocabulary is cut to the tokens that occur.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from training.qwen import Qwen, Sight
from training.weights import EIGHT_BIT_BLOCK, read_adapter, shape, tensors, write_adapter

KEPT_OUT = -1


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the result, besides examples and weights."""

    seed: int = 7
    epochs: float = 1.0
    first: int = 0
    above: int = 0
    rank: int = 32
    alpha: float = 32.0
    rate: float = 4e-4
    warmup: int = 40
    batch: int = 8_192
    row: int = 2_048
    dropout: float = 0.0
    teacher: str = ""
    """The name of the larger adapter whose answers are learnt from, too."""
    taught: float = 0.5
    """The share of what the teacher says in the loss, if there is one."""


@dataclass(frozen=True)
class Tree:
    """A prefix and its branches, as ids of the cut vocabulary.

    ``place`` is the position of a token in its own sequence, ``part`` its branch (0: the prefix),
    and ``told`` whether it belongs to an answer.
    """

    ids: np.ndarray
    place: np.ndarray
    part: np.ndarray
    told: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


class Examples:
    """The examples that ``training.examples`` has written, by pass, and their vocabulary."""

    def __init__(self, path: Path) -> None:
        held = dict(np.load(path))
        self.vocabulary, ids = np.unique(held["tokens"], return_inverse=True)
        self.passes: dict[int, list[Tree]] = {}
        at, branch = 0, 0
        for number, prefix, count in held["trees"].tolist():
            place, part = [np.arange(prefix)], [np.zeros(prefix, int)]
            told = [np.zeros(prefix, bool)]
            for k, (size, start) in enumerate(held["branches"][branch : branch + count].tolist()):
                place.append(prefix + np.arange(size))
                part.append(np.full(size, k + 1))
                told.append(np.arange(size) >= start)
            made = tuple(map(np.concatenate, (place, part, told)))
            tree = Tree(ids[at : at + len(made[0])], *made)
            self.passes.setdefault(number, []).append(tree)
            at, branch = at + len(tree), branch + count

    def rows(self, number: int, length: int, rng: random.Random) -> Iterator[list[Tree]]:
        """The trees of a pass in random order, as many to a row as fit."""
        trees = list(self.passes.get(number, ()))
        rng.shuffle(trees)
        open_rows: list[tuple[int, list[Tree]]] = []
        for tree in trees:
            fits = [i for i, (room, _) in enumerate(open_rows) if room >= len(tree)]
            if fits:
                room, row = open_rows[fits[0]]
                row.append(tree)
                open_rows[fits[0]] = (room - len(tree), row)
                continue
            if len(open_rows) >= 16:
                yield open_rows.pop(0)[1]
            open_rows.append((length - len(tree), [tree]))
        yield from (row for _, row in open_rows)


def main() -> None:
    """The command line."""
    args = _arguments()
    args.until = time.monotonic() + args.minutes * 60 if args.minutes else math.inf
    if args.rank % EIGHT_BIT_BLOCK:
        sys.exit(f"--rank {args.rank}: an adapter in eight bits has a rank of 32, 64 and so on")
    torch.set_num_threads(args.threads)
    recipe = Recipe(
        seed=args.seed, rate=args.rate, epochs=args.epochs, first=args.first,
        above=args.above,
        batch=args.batch, row=min(args.batch, Recipe.row), rank=args.rank, alpha=args.rank,
        dropout=args.dropout, teacher=args.teacher.name if args.teacher else "",
    )  # fmt: skip
    torch.manual_seed(recipe.seed)
    examples = Examples(args.examples)
    teacher = None
    if args.teacher:
        rank = len(next(iter(read_adapter(args.teacher).values()))[0])
        as_taught = replace(recipe, rank=rank, alpha=rank)
        teacher = _model(args.teacher_weights, examples, as_taught, args)
        take(teacher, args.teacher)
        teacher.eval().requires_grad_(requires_grad=False)
    model = _model(args.weights, examples, recipe, args)
    for layer in model.layers[: recipe.above]:
        layer.requires_grad_(requires_grad=False)
    training = Training(model, recipe, args, teacher)
    if args.start_from:
        take(model, args.start_from)
    training.run(examples)


def _model(weights: Path, examples: Examples, recipe: Recipe, args: argparse.Namespace) -> Qwen:
    """The model of a GGUF over the examples' vocabulary, with a new adapter, on the device."""
    model = Qwen(
        tensors(weights, examples.vocabulary), shape(weights), first=recipe.first,
        rank=recipe.rank, alpha=recipe.alpha, longest=recipe.row, dropout=recipe.dropout,
    ).to(args.device)  # fmt: skip
    if half(args.device):
        model.halve()
    if args.compile:
        model.compile_parts()
    return model


def take(model: Qwen, earlier: Path) -> None:
    """Take the parameters of an adapter, and nothing else of it."""
    held = read_adapter(earlier)
    for name, pair in model.adapters().items():
        pair.a.data.copy_(held[name][0])
        pair.b.data.copy_(held[name][1])


class Training:
    """One run, which can be resumed from the checkpoint beside its output."""

    def __init__(
        self, model: Qwen, recipe: Recipe, args: argparse.Namespace, teacher: Qwen | None = None
    ) -> None:
        self.model, self.recipe, self.teacher = model, recipe, teacher
        self.out, self.limit, self.device = args.out, args.limit, torch.device(args.device)
        self.kept, self.until = args.kept, args.until
        self.out.parent.mkdir(parents=True, exist_ok=True)
        self.checkpoint = self.out.with_suffix(".checkpoint.pt")
        self.log = self.out.with_suffix(".log.jsonl")
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.optimiser = torch.optim.AdamW(self.parameters, lr=recipe.rate, weight_decay=0.0)

    def run(self, examples: Examples) -> None:
        """Train for as many passes as the recipe says. If the examples have fewer, they are used
        again."""
        kept = list(self._batches(examples, KEPT_OUT, random.Random(0)))[: self.kept]
        batches = list(self._plan(examples))
        done = self._resume()
        self._note(step=done, of=len(batches), kept_out=self._kept_loss(kept))
        started = time.monotonic()
        tokens, mean = 0, 0.0
        for step in range(done, len(batches)):
            for group in self.optimiser.param_groups:
                group["lr"] = self._rate(step, len(batches), started, done)
            self.optimiser.zero_grad()
            now = self._learnt(batches[step])
            torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
            self.optimiser.step()
            tokens += sum(len(tree) for row in batches[step] for tree in row)
            stop = self.limit is not None and step + 1 - done >= self.limit
            stop = stop or time.monotonic() > self.until
            if (step + 1) % 20 == 0 or stop or step == done:
                mean = now if step == done else 0.7 * mean + 0.3 * now
                speed = tokens / (time.monotonic() - started)
                self._note(step=step + 1, of=len(batches), loss=round(mean, 4), speed=round(speed))
            if (step + 1) % 400 == 0 or stop or step + 1 == len(batches):
                self._note(step=step + 1, kept_out=self._kept_loss(kept))
                self._save(step + 1)
            if stop:
                break
        self.export()

    def export(self) -> None:
        """Write the adapter."""
        pairs = {name: (m.a, m.b) for name, m in self.model.adapters().items()}
        write_adapter(self.out, pairs, self.recipe.alpha, self.out.stem)
        _say(f"wrote {self.out} ({self.out.stat().st_size:,} bytes)")

    def _plan(self, examples: Examples) -> Iterator[list[list[Tree]]]:
        """The batches of all epochs, in order."""
        passes = sorted(number for number in examples.passes if number != KEPT_OUT)
        for epoch in range(math.ceil(self.recipe.epochs)):
            rng = random.Random(self.recipe.seed + epoch)
            batches = list(self._batches(examples, passes[epoch % len(passes)], rng))
            part = min(1.0, self.recipe.epochs - epoch)
            yield from batches[: round(part * len(batches))]

    def _batches(
        self, examples: Examples, number: int, rng: random.Random
    ) -> Iterator[list[list[Tree]]]:
        """The rows of a pass, shuffled and grouped into batches."""
        rows = list(examples.rows(number, self.recipe.row, rng))
        rng.shuffle(rows)
        size = max(1, self.recipe.batch // self.recipe.row)
        yield from (rows[i : i + size] for i in range(0, len(rows), size))

    def _rate(self, step: int, steps: int, started: float, done: int) -> float:
        """The learning rate of a step: a warm-up, then linear decay."""
        warm = min(1.0, (step + 1) / max(1, min(self.recipe.warmup, steps // 5)))
        gone = step / steps
        if self.until < math.inf:  # by the clock, if that ends the run
            now = time.monotonic()
            gone = max(gone, (now - started) / max(1e-9, self.until - started))
        return self.recipe.rate * warm * max(0.02, 1 - gone)

    def _learnt(self, batch: Sequence[Sequence[Tree]]) -> float:
        """Compute the gradients of a step, and return its loss. On a CPU it goes row by row, since
        a whole step would take 20 GB."""
        parts = [[row] for row in batch] if self.device.type == "cpu" else [batch]
        told = [sum(int(tree.told.sum()) for row in part for tree in row) for part in parts]
        whole = 0.0
        for part, count in zip(parts, told, strict=True):
            loss = self._loss(part) * (count / sum(told))
            loss.backward()  # type: ignore[no-untyped-call]
            whole += float(loss.detach())
        return whole

    def _loss(self, batch: Sequence[Sequence[Tree]]) -> Tensor:
        """The cross-entropy of the answers' tokens over the cut vocabulary. While it learns from a
        teacher, a share of it is the cross-entropy with what the teacher would say."""
        size = (len(batch), max(sum(map(len, row)) for row in batch))
        if self.model.compiled:
            size = (max(len(batch), self.recipe.batch // self.recipe.row), self.recipe.row)
        ids, place, part, tree = (np.zeros(size, np.int64) for _ in range(4))
        told = np.zeros(size, bool)
        tree -= 1
        for k, row in enumerate(batch):
            begin = 0
            for number, each in enumerate(row):
                here = slice(begin, begin + len(each))
                ids[k, here], place[k, here], part[k, here] = each.ids, each.place, each.part
                told[k, here], tree[k, here] = each.told, number
                begin += len(each)
        at, columns = told.nonzero()
        sight = Sight(self._here(tree), self._here(part))
        shown = self._here(ids), self._here(place), sight
        before = self._here(at), self._here(columns - 1)
        right = self._here(ids[at, columns])
        with torch.autocast(self.device.type, torch.bfloat16, enabled=half(self.device.type)):
            scores = self.model.logits(self.model(*shown)[before]).float()
            loss = F.cross_entropy(scores, right)
            if self.teacher is None or not self.model.training:
                return loss
            with torch.no_grad():
                likely = self.teacher.logits(self.teacher(*shown)[before]).float().softmax(-1)
            return torch.lerp(loss, F.cross_entropy(scores, likely), self.recipe.taught)

    def _here(self, values: np.ndarray | Tensor) -> Tensor:
        made = torch.from_numpy(values) if isinstance(values, np.ndarray) else values
        return made.to(self.device, non_blocking=True)

    @torch.no_grad()
    def _kept_loss(self, kept: Sequence[Sequence[Sequence[Tree]]]) -> float | None:
        """The mean loss on held-out batches; None if there are none."""
        if not kept:
            return None
        self.model.eval()
        mean = float(np.mean([float(self._loss(batch)) for batch in kept]))
        self.model.train()
        return round(mean, 4)

    def _resume(self) -> int:
        """Load the checkpoint, if there is one; return the step to go on from."""
        if not self.checkpoint.exists():
            return 0
        held = torch.load(self.checkpoint, weights_only=True, map_location=self.device)
        if held["recipe"] != json.dumps(asdict(self.recipe)):
            sys.exit(f"{self.checkpoint} was made by another recipe; move it away")
        for parameter, value in zip(self.parameters, held["parameters"], strict=True):
            parameter.data.copy_(value)
        self.optimiser.load_state_dict(held["optimiser"])
        _say(f"going on after step {held['step']}")
        return int(held["step"])

    def _save(self, step: int) -> None:
        held = {
            "recipe": json.dumps(asdict(self.recipe)),
            "parameters": [p.detach() for p in self.parameters],
            "optimiser": self.optimiser.state_dict(),
            "step": step,
        }
        partial = self.checkpoint.with_suffix(".partial")
        torch.save(held, partial)
        partial.replace(self.checkpoint)
        self.export()

    def _note(self, **figures: float | int | None) -> None:
        line = json.dumps(figures)
        _say(line)
        with self.log.open("a", encoding="utf-8") as log:
            log.write(line + "\n")


def half(device: str) -> bool:
    """Whether products run in bfloat16: on a GPU, and on a CPU that has tiles for them (AMX)."""
    return device == "cuda" or bool(torch.cpu._is_amx_tile_supported())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="the official GGUF")
    parser.add_argument("--examples", type=Path, required=True, help="of training.examples")
    parser.add_argument("--out", type=Path, required=True, help="the adapter, *.gguf")
    parser.add_argument("--epochs", type=float, default=Recipe.epochs)
    parser.add_argument("--first", type=int, default=Recipe.first, help="first adapted layer")
    parser.add_argument(
        "--above",
        type=int,
        default=Recipe.above,
        help="first layer whose adapter is trained; those below stay as they came",
    )
    parser.add_argument("--rank", type=int, default=Recipe.rank)
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--batch", type=int, default=Recipe.batch, help="tokens of a step")
    parser.add_argument("--rate", type=float, default=Recipe.rate, help="highest learning rate")
    parser.add_argument("--dropout", type=float, default=Recipe.dropout, help="before the adapters")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=int, help="stop after so many steps of this run")
    parser.add_argument(
        "--minutes",
        type=float,
        help="end after so many minutes, loading included; the rate by them",
    )
    parser.add_argument("--kept", type=int, help="how many batches of what is kept out count")
    parser.add_argument("--start-from", type=Path, help="adapter of an earlier run")
    parser.add_argument("--teacher", type=Path, help="an adapter that is learnt from, too")
    parser.add_argument("--teacher-weights", type=Path, help="the official GGUF of that adapter")
    parser.add_argument("--compile", action="store_true", help="compile the layers, for a GPU")
    return parser.parse_args()


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
