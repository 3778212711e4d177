"""Fit what a question means: ``python -m training.recalling`` writes ``networks.json`` and
``space.npz`` in ``text2mem/ledger/recall``.

The data are ``training/data/questions``: ledgers of facts by many authors, each with questions in
everyday words, and the line that each question means, or that it means none. A ledger is put into a
store and its questions are read as in use. The model chooses among the lines and "none" (a
softmax): a layer of units over the features of each line, and two small matrices that move the
question's vector near to its answer. There are separate weights for other embedders, and for none.
The threshold from which on a line answers is chosen on authors left out in turn. ``--vectors``
keeps the vectors, which take most of the time.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections import ChainMap
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import numpy as np
import torch
from torch import Tensor, nn

from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.executor import Prepared
from text2mem.ir.ports import Embedder
from text2mem.ir.words.likeness import dot
from text2mem.ir.words.naming import name_key
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.policy import Policy
from text2mem.ledger.recall import space
from text2mem.ledger.recall.exact import State, look
from text2mem.ledger.recall.places import Place
from text2mem.ledger.recall.question import Vectors, candidates, with_vectors
from text2mem.ledger.recall.weighing import NAMES, NETWORKS, Asked, Kind, features, spoken
from training.rows import DATA
from training.stores import embedder

QUESTIONS = DATA / "questions"
OTHERS = DATA / "others.json"
_NOW = datetime(2026, 11, 1, 9, tzinfo=UTC)
_ALWAYS = "2020-01-01T00:00:00Z"
_DIMENSION, _MOVES = 384, 4
_KNOWN = len(NAMES) - _MOVES
_RANK, _UNITS, _DROPPED, _PASSES, _BATCH, _RATE, _DECAY = 32, 16, 0.6, 20, 512, 5e-3, 0.1
_SCALE, _LEAST = 4.0, 1e-3
_FOLDS = 4
_WRONG = 1.0
"""How many unanswered questions are as bad as one wrong answer; the nearest line is shown
anyway."""


@dataclass(frozen=True)
class Case:
    """A question: the features of each line, with vectors and without, the vectors of the lines'
    contents and names, and the index of the line that is meant (None for none)."""

    author: str
    words: str
    known: np.ndarray
    blind: np.ndarray
    own: np.ndarray
    texts: np.ndarray
    names: np.ndarray
    meant: int | None


Made = dict[tuple[str, str], np.ndarray]


class Kept:
    """The embedder, with a cache of vectors. ``new`` are those made since."""

    def __init__(self, made: Made) -> None:
        self._by = embedder()
        self._made = made
        self.new: Made = {}

    @property
    def model(self) -> str:
        return self._by.model

    @property
    def dimension(self) -> int | None:
        return self._by.dimension

    @property
    def threshold(self) -> float:
        return self._by.threshold

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> list[tuple[float, ...]]:
        known = ChainMap(self.new, self._made)
        missing = [text for text in dict.fromkeys(texts) if (kind, text) not in known]
        made = self._by.embed(missing, kind=kind) if missing else ()
        for text, vector in zip(missing, made, strict=True):
            self.new[kind, text] = np.array(vector, np.float32)
        return [tuple(map(float, known[kind, text])) for text in texts]


def kept_in(path: Path | None) -> Made:
    """The vectors that a file keeps."""
    if path is None or not path.is_file():
        return {}
    made: Made = pickle.loads(path.read_bytes())
    return made


def stored(row: Mapping[str, Any], by: Embedder) -> Ledger:
    """A ledger of the data in a store of its own."""
    context = ExecutionContext(clock=SetClock(_NOW), tz=ZoneInfo("UTC"), actor=row["me"])
    memory = Memory("memory:", context=context)
    ledger = Ledger(memory.adapter, context, Prepared.of(embedder=by), Policy())
    for fact in row["facts"]:
        known = {"subject": fact["s"], "attribute": fact["a"], "value": fact["v"]}
        args = {"payload": {"structured": known}, "type": "fact", "valid_from": _ALWAYS}
        for key, name in (("from", "valid_from"), ("until", "valid_to")):
            day = str(fact.get(key) or "")
            if len(day) == len("2026-11-01"):
                args[name] = f"{day}T00:00:00Z"
        ledger.run({"stage": "ENC", "op": "Encode", "args": args})
    return ledger


def cases(path: Path, kept: Path | None) -> tuple[list[Case], Made]:
    """Every question of an author whose line is among the candidates, and the new vectors."""
    by, found, missed = Kept(kept_in(kept)), list[Case](), 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        ledger = stored(row, by)
        for question in row["questions"]:
            one = case(path.stem, question, ledger, by)
            missed += one is None
            found += [] if one is None else [one]
    print(f"{path.stem}: {missed} whose line is not found", flush=True)
    return found, by.new


def case(author: str, question: Mapping[str, Any], ledger: Ledger, by: Embedder) -> Case | None:
    """The features of a question's candidate lines; None if its line is none of them, or there are
    none."""
    words = question["q"]
    vectors = Vectors(by, ledger.prepared.ready(words))

    def read(state: State) -> tuple[Asked, Asked]:
        without = candidates(words, words, None, None, state)
        return with_vectors(without, state, vectors), without

    asked, without = look(ledger, read)
    if vectors.learn():
        asked, without = look(ledger, read)
    meant = None
    if not question.get("none"):
        meant = next((i for i, place in enumerate(asked.places) if _is(place, question)), None)
        if meant is None:
            return None
    if not asked.places:
        return None
    return Case(
        author, words, _rows(asked), _rows(without),
        np.array(asked.vector, np.float32), np.array([_holding(asked, p) for p in asked.places]),
        np.array([_vector(asked.names.get(spoken(p))) for p in asked.places]), meant,
    )  # fmt: skip


def _rows(asked: Asked) -> np.ndarray:
    """What is known of each line, but for what the moved vector says: that is learnt here."""
    return np.array(features(asked), np.float32)[:, :_KNOWN]


def _holding(asked: Asked, place: Place) -> np.ndarray:
    """The vector of the content of a line that is nearest to the question; zeros for none."""
    held = [v for fact in place.told if (v := asked.texts.get(fact.id)) and not place.whole]
    return _vector(max(held, key=lambda each: dot(each, asked.vector or ()), default=None))


def _vector(found: Sequence[float] | None) -> np.ndarray:
    return np.zeros(_DIMENSION, np.float16) if found is None else np.array(found, np.float16)


def _is(place: Place, question: Mapping[str, Any]) -> bool:
    """Whether a line is the one that a question means."""
    if question.get("all"):
        return place.whole and place.subject == name_key(question["s"])
    if question.get("who"):
        value = name_key(str(question.get("v", "")))
        there = any(value in name_key(str(one.value)) for one in place.facts)
        return place.holders and name_key(place.attribute) == name_key(question["a"]) and there
    plain = not place.whole and not place.holders
    same = name_key(place.subject) == name_key(question["s"])
    return plain and same and name_key(place.attribute) == name_key(question["a"])


@dataclass(frozen=True)
class Rows:
    """Cases as tensors, padded to the longest. The last choice is "none of the lines"."""

    known: Tensor
    own: Tensor
    texts: Tensor
    names: Tensor
    barred: Tensor
    meant: Tensor

    @classmethod
    def of(cls, cases: Sequence[Case], kind: Kind) -> Rows:
        """The rows of some cases."""
        most, many = max(len(case.known) for case in cases), len(cases)
        known = np.zeros((many, most, _KNOWN), np.float32)
        texts, names = (np.zeros((many, most, _DIMENSION), np.float16) for _ in range(2))
        barred = np.zeros((many, most + 1), np.float32)
        for i, each in enumerate(cases):
            wide = len(each.known)
            known[i, :wide] = each.blind if kind == "blind" else each.known
            texts[i, :wide], names[i, :wide] = each.texts, each.names
            barred[i, wide:most] = -1e9
        own = np.stack([case.own for case in cases])
        meant = [most if case.meant is None else case.meant for case in cases]
        arrays = (torch.from_numpy(each) for each in (known, own, texts, names, barred))
        return cls(*arrays, torch.tensor(meant))

    def at(self, places: Tensor) -> Rows:
        """Some of the rows."""
        return Rows(*(getattr(self, name)[places] for name in self.__dataclass_fields__))


class Net(nn.Module):
    """The score of each line; "none of them" scores 0."""

    def __init__(self, rows: Rows, *, moves: bool) -> None:
        super().__init__()
        there = rows.known[rows.barred[:, :-1] == 0]
        self.register_buffer("mean", there.mean(0))
        spread = there.std(0)  # a constant feature says nothing
        self.register_buffer("spread", spread.where(spread > _LEAST, torch.inf))
        self.hidden = nn.Linear(len(NAMES), _UNITS)
        self.out = nn.Linear(_UNITS, 1)
        self.dropped = nn.Dropout(_DROPPED)
        self.moves = nn.ParameterDict(
            {f"{what}_{side}": nn.Parameter(torch.randn(_DIMENSION, _RANK) * 0.02)
             for what in ("text", "name") for side in ("in", "out")} if moves else {}
        )  # fmt: skip

    def forward(self, rows: Rows) -> Tensor:
        """The score of every choice, "none" last."""
        columns = [(rows.known - self.mean) / self.spread]
        for what, held in (("text", rows.texts), ("name", rows.names)):
            if not self.moves:
                columns.append(torch.zeros(*rows.known.shape[:2], 2))
                continue
            inner = self.dropped(rows.own @ self.moves[f"{what}_in"])
            moved = inner @ self.moves[f"{what}_out"].T
            near = _SCALE * (held.float() @ moved.unsqueeze(-1))
            columns += [near, near - near.max(1, keepdim=True)[0]]
        scores = self.out(torch.tanh(self.hidden(torch.cat(columns, -1)))).squeeze(-1)
        return torch.cat([scores, torch.zeros(len(scores), 1)], 1) + rows.barred


def fit(rows: Rows, *, moves: bool) -> Net:
    """A net for which the line that is meant is the likeliest."""
    torch.manual_seed(0)
    net = Net(rows, moves=moves)
    steps = torch.optim.AdamW(net.parameters(), lr=_RATE, weight_decay=_DECAY)
    for _ in range(_PASSES):
        for some in torch.randperm(len(rows.meant)).split(_BATCH):
            batch = rows.at(some)
            loss = nn.functional.cross_entropy(net(batch), batch.meant)
            steps.zero_grad()
            loss.backward()
            steps.step()
    return net.eval()


def odds(net: Net, rows: Rows) -> np.ndarray:
    """The probability of every choice."""
    with torch.no_grad():
        return np.concatenate(
            [torch.softmax(net(rows.at(some)), 1).numpy()
             for some in torch.arange(len(rows.meant)).split(_BATCH)]
        )  # fmt: skip


def judged(chances: np.ndarray, meant: np.ndarray, limit: float) -> tuple[int, int]:
    """How many questions are right, and how many are answered wrongly."""
    none = chances.shape[1] - 1
    best = chances[:, :none].argmax(1)
    best = np.where(chances[np.arange(len(best)), best] >= limit, best, none)
    return int((best == meant).sum()), int(((best != none) & (best != meant)).sum())


def limit(cases: Sequence[Case], kind: Kind) -> float:
    """The least probability with which a line answers, chosen on authors left out in turn. Prints
    the results."""
    authors = sorted({case.author for case in cases})
    rows = Rows.of(cases, kind)
    chances = np.zeros((len(cases), rows.barred.shape[1]), np.float32)
    for fold_ in range(_FOLDS):
        out = torch.tensor([authors.index(case.author) % _FOLDS == fold_ for case in cases])
        net = fit(rows.at(torch.where(~out)[0]), moves=kind == "moved")
        chances[out.numpy()] = odds(net, rows.at(torch.where(out)[0]))
    meant = rows.meant.numpy()
    held = meant < chances.shape[1] - 1
    first = (chances[held, :-1].argmax(1) == meant[held]).mean()
    print(f"{kind}: the likeliest is right in {first:.3f} of those that are held")
    tried = [round(0.3 + 0.02 * step, 2) for step in range(31)]
    for each in tried[::5]:
        right, wrong = judged(chances, meant, each)
        print(f"  from {each:.2f}: {right} right, {wrong} wrong of {len(cases)}", flush=True)

    def worth(each: float) -> float:
        right, wrong = judged(chances, meant, each)
        return right - _WRONG * wrong

    return max(tried, key=worth)


def written(net: Net, sure: float) -> dict[str, Any]:
    """A net as it is stored. The scaling of features is folded into the weights."""
    spread = torch.cat([net.spread, torch.ones(_MOVES) / (_SCALE if net.moves else 1.0)])
    mean = torch.cat([net.mean, torch.zeros(_MOVES)])
    hidden = net.hidden.weight / spread
    biases = net.hidden.bias - hidden @ mean

    def short(values: Tensor) -> list[float]:
        return [float(f"{value:.4g}") for value in values.tolist()]

    return {
        "hidden": [short(row) for row in hidden], "biases": short(biases),
        "out": short(net.out.weight[0]), "bias": net.out.bias.item(), "sure": sure,
    }  # fmt: skip


def others() -> dict[str, np.ndarray]:
    """Lines that nobody holds, to stand beside few real ones, and their vectors."""
    held = json.loads(OTHERS.read_text(encoding="utf-8"))
    told = [f"subject: somebody\nattribute: {name}\nvalue: {value}" for name, value in held.items()]
    called = [name.replace("_", " ") for name in held]
    return {
        "other_text": np.array(embedder().embed(told, kind="passage"), np.float16),
        "other_name": np.array(embedder().embed(called, kind="query"), np.float16),
        "others": np.array(list(held)),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--vectors", type=Path, help="keep the vectors that are made here")
    parser.add_argument("--jobs", type=int, default=1, help="how many authors at once")
    options = parser.parse_args()
    paths = sorted(QUESTIONS.glob("*.jsonl"))
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        done = [*pool.map(partial(cases, kept=options.vectors), paths)]
    if options.vectors is not None:
        made = kept_in(options.vectors).items()
        new = chain.from_iterable(each.items() for _, each in done)
        options.vectors.write_bytes(pickle.dumps(dict(chain(made, new))))
    kept = [each for found, _ in done for each in found]
    kinds: tuple[Kind, ...] = ("moved", "plain", "blind")
    nets: dict[str, Any] = {}
    for kind in kinds:
        net = fit(Rows.of(kept, kind), moves=kind == "moved")
        nets[kind] = written(net, limit(kept, kind))
        if kind == "moved":
            held = {
                name: each.detach().numpy().astype(np.float16) for name, each in net.moves.items()
            }
            held |= others()
            np.savez(space.FILE, **held)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in nets.items())
    NETWORKS.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
