"""Qwen2 in torch, frozen, with low-rank adapters beside the matrices of its upper layers.

The architecture is that of the Qwen2 technical report (arXiv:2407.10671): grouped-query attention,
rotary positions, RMS norms, SwiGLU. The adapters are LoRA (arXiv:2106.09685).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.int8 import Rounded


@dataclass(frozen=True)
class Shape:
    """The sizes of a model; those of Qwen2.5 0.5B where nothing else is said."""

    hidden: int = 896
    heads: int = 14
    kv_heads: int = 2
    head: int = 64
    layers: int = 24
    base: float = 1e6
    epsilon: float = 1e-6


class LowRank(nn.Module):
    """A frozen matrix; where ``rank`` is not 0 with A and B beside it: xW + (xA)B alpha / rank.

    ``int8`` rounds the frozen one to eight bits.
    """

    def __init__(
        self, weight: Tensor, bias: Tensor | None, rank: int, alpha: float, *, int8: bool
    ) -> None:
        super().__init__()
        self.weight = Rounded(weight) if int8 else weight
        self.bias, self.rank = bias, rank
        if rank:
            self.a = nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1]))
            self.b = nn.Parameter(torch.zeros(weight.shape[0], rank))
            self.scale = alpha / rank

    def forward(self, x: Tensor) -> Tensor:
        if isinstance(self.weight, Rounded):
            y = self.weight(x) if self.bias is None else self.weight(x) + self.bias
        else:
            y = F.linear(x, self.weight, self.bias)
        if not self.rank:
            return y
        low = F.linear(x, self.a).flatten(0, -2) * self.scale
        return torch.addmm(y.flatten(0, -2), low, self.b.T).view(y.shape)


_MATRICES = {
    "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
    "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}  # fmt: skip


class Layer(nn.Module):
    """One transformer block."""

    def __init__(
        self,
        read: Mapping[str, Tensor],
        number: int,
        shape: Shape,
        *,
        rank: int,
        alpha: float,
        int8: bool,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.prefix = f"blk.{number}."
        for short, name in _MATRICES.items():
            at = f"{self.prefix}{name}"
            weight, bias = read[f"{at}.weight"], read.get(f"{at}.bias")
            matrix = LowRank(weight, bias, rank, alpha, int8=int8)
            setattr(self, short, matrix)
        self.before_attention = read[f"{self.prefix}attn_norm.weight"]
        self.before_ffn = read[f"{self.prefix}ffn_norm.weight"]

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        s = self.shape
        n, length, _ = x.shape
        h = F.rms_norm(x, (s.hidden,), self.before_attention, s.epsilon)
        q = _turned(self.q(h).view(n, length, s.heads, s.head).transpose(1, 2), cosine, sine)
        k = _turned(self.k(h).view(n, length, s.kv_heads, s.head).transpose(1, 2), cosine, sine)
        v = self.v(h).view(n, length, s.kv_heads, s.head).transpose(1, 2)
        # Padding stands at the end: with causal attention nothing that counts sees it.
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.o(seen.transpose(1, 2).reshape(n, length, -1))
        h = F.rms_norm(x, (s.hidden,), self.before_ffn, s.epsilon)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))

    def adapters(self) -> Iterator[tuple[str, LowRank]]:
        """The matrices that are adapted, by their names in a GGUF."""
        for short, name in _MATRICES.items():
            matrix = getattr(self, short)
            if matrix.rank:
                yield f"{self.prefix}{name}.weight", matrix


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)


class Qwen(nn.Module):
    """The model in parts: ``lower`` runs the frozen layers, ``upper`` the others, ``logits``."""

    def __init__(
        self,
        read: Mapping[str, Tensor],
        shape: Shape,
        *,
        first: int,
        rank: int,
        alpha: float,
        longest: int = 512,
        int8: bool = False,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.first = first
        self.embedding = read["token_embd.weight"]
        self.norm = read["output_norm.weight"]
        self.layers = nn.ModuleList(
            Layer(read, i, shape, rank=rank if i >= first else 0, alpha=alpha, int8=int8)
            for i in range(shape.layers)
        )
        rates = 1 / shape.base ** (torch.arange(0, shape.head, 2).float() / shape.head)
        angles = torch.arange(longest).float()[:, None] * rates
        self.cosine, self.sine = angles.cos(), angles.sin()

    @torch.no_grad()
    def lower(self, ids: Tensor) -> Tensor:
        """Hidden states (batch, length, hidden) below the first adapted layer; they stay as are."""
        return self._through(self.embedding[ids].float(), range(self.first))

    def upper(self, x: Tensor) -> Tensor:
        """The last hidden states, normalised, out of those that ``lower`` made."""
        x = self._through(x, range(self.first, self.shape.layers))
        return F.rms_norm(x, (self.shape.hidden,), self.norm, self.shape.epsilon)

    def logits(self, hidden: Tensor, tokens: Tensor) -> Tensor:
        """Scores of ``tokens`` (a part of the vocabulary) at positions ``hidden``."""
        return hidden @ self.embedding[tokens].float().T

    def adapters(self) -> dict[str, LowRank]:
        """Every adapted matrix by its name in a GGUF."""
        return {name: matrix for layer in self.layers for name, matrix in layer.adapters()}

    def _through(self, x: Tensor, numbers: range) -> Tensor:
        cosine, sine = self.cosine[: x.shape[1]], self.sine[: x.shape[1]]
        for i in numbers:
            x = self.layers[i](x, cosine, sine)
        return x
