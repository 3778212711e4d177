"""The mean of two adapters: ``python -m training.merging ONE OTHER --out FILE``.

What an adapter adds to a matrix is the product of a pair. The mean of two such products has twice
the rank; of it the part of the old rank is kept that is nearest to it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from training.tune import Recipe
from training.weights import read_adapter, write_adapter

Pairs = Mapping[str, tuple[Tensor, Tensor]]


def mean(one: Pairs, other: Pairs) -> dict[str, tuple[Tensor, Tensor]]:
    """The pairs of the mean, of the rank of ``one``. Both adapt the same matrices."""
    return {name: _nearest(one[name], other[name]) for name in one}


def _nearest(one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    rank = one[0].shape[0]
    left, left_rest = torch.linalg.qr(torch.cat([one[1] / 2, other[1] / 2], dim=1))
    right, right_rest = torch.linalg.qr(torch.cat([one[0], other[0]], dim=0).T)
    u, s, v = torch.linalg.svd(left_rest @ right_rest.T)
    root = s[:rank].sqrt()
    return (root[:, None] * v[:rank]) @ right.T, (left @ u[:, :rank]) * root


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m training.merging")
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    pairs = mean(read_adapter(args.one), read_adapter(args.other))
    write_adapter(args.out, pairs, Recipe.alpha, "text2mem draft reader")


if __name__ == "__main__":
    main()
