"""The mean of two adapters: ``python -m training.merging ONE OTHER --share 0.4 --out FILE``.

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


def mean(one: Pairs, other: Pairs, share: float) -> dict[str, tuple[Tensor, Tensor]]:
    """The pairs of the mean, of the rank of ``one``; ``share`` is what ``other`` counts, of 1.

    Both adapt the same matrices.
    """
    return {name: _nearest(one[name], other[name], share) for name in one}


def _nearest(
    one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor], share: float
) -> tuple[Tensor, Tensor]:
    rank = one[0].shape[0]
    both = torch.cat([one[1] * (1 - share), other[1] * share], dim=1)
    left, left_rest = torch.linalg.qr(both)
    right, right_rest = torch.linalg.qr(torch.cat([one[0], other[0]], dim=0).T)
    u, s, v = torch.linalg.svd(left_rest @ right_rest.T)
    root = s[:rank].sqrt()
    return (root[:, None] * v[:rank]) @ right.T, (left @ u[:, :rank]) * root


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m training.merging")
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="what OTHER counts, of 1")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    pairs = mean(read_adapter(args.one), read_adapter(args.other), args.share)
    write_adapter(args.out, pairs, Recipe.alpha, "text2mem draft reader")


if __name__ == "__main__":
    main()
