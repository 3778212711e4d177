"""Qwen2 in torch, frozen, with low-rank adapters beside the matrices of its layers.

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

_QUERIES = 128
"""How many tokens attend together, on a CPU."""


@dataclass(frozen=True)
class Shape:
    """The sizes of a model; by default, those of Qwen2.5 0.5B."""

    hidden: int = 896
    heads: int = 14
    kv_heads: int = 2
    head: int = 64
    layers: int = 24
    base: float = 1e6
    epsilon: float = 1e-6


@dataclass(frozen=True)
class Sight:
    """Attention with a mask that says what each token sees. On a CPU, keys that no token sees are
    skipped."""

    parts: tuple[tuple[slice, Tensor | None, Tensor], ...]
    """For each part: the tokens that attend, the ones they attend to (None: all), and the mask."""

    @classmethod
    def of(cls, sight: Tensor) -> Sight:
        """From a mask (batch, 1, length, length). On a CPU a row is divided into parts: its
        branches see only a prefix and themselves, a third of what precedes them."""
        if sight.device.type != "cpu" or len(sight) > 1:
            return cls(((slice(None), None, sight),))
        parts = []
        for begin in range(0, sight.shape[2], _QUERIES):
            here = slice(begin, begin + _QUERIES)
            at = sight[0, 0, here].any(0).nonzero().flatten()
            parts.append((here, at, sight[:, :, here, at]))
        return cls(tuple(parts))

    def __call__(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Attend: q (batch, heads, length, size), k and v (batch, fewer heads, length, size)."""
        shared = q.shape[1] // k.shape[1]
        made = []
        for here, at, mask in self.parts:
            keys, values = (
                (each if at is None else each[:, :, at]).repeat_interleave(shared, 1)
                for each in (k, v)
            )
            made.append(F.scaled_dot_product_attention(q[:, :, here], keys, values, attn_mask=mask))
        return torch.cat(made, 2)


class LowRank(nn.Module):
    """A frozen matrix W. If ``rank`` is not 0, with low-rank A and B: xW + (xA)B alpha / rank.

    ``dropout`` is the share of x that A does not see.
    """

    weight: Tensor
    bias: Tensor | None

    def __init__(
        self, weight: Tensor, bias: Tensor | None, rank: int, alpha: float, *, dropout: float
    ) -> None:
        super().__init__()
        self.rank, self.dropout = rank, dropout
        self.register_buffer("weight", weight)
        self.register_buffer("bias", bias)
        if rank:
            self.a = nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1]))
            self.b = nn.Parameter(torch.zeros(weight.shape[0], rank))
            self.scale = alpha / rank

    def forward(self, x: Tensor) -> Tensor:
        y = F.linear(x, self.weight, self.bias)
        if not self.rank:
            return y
        if self.dropout:
            x = F.dropout(x, self.dropout, self.training)
        return y + F.linear(F.linear(x, self.a) * self.scale, self.b)


_MATRICES = {
    "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
    "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}  # fmt: skip


class Layer(nn.Module):
    """One transformer block."""

    q: LowRank
    k: LowRank
    v: LowRank
    o: LowRank
    gate: LowRank
    up: LowRank
    down: LowRank
    before_attention: Tensor
    before_ffn: Tensor

    def __init__(
        self,
        read: Mapping[str, Tensor],
        number: int,
        shape: Shape,
        *,
        rank: int,
        alpha: float,
        dropout: float,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.prefix = f"blk.{number}."
        for short, name in _MATRICES.items():
            at = f"{self.prefix}{name}"
            weight, bias = read[f"{at}.weight"], read.get(f"{at}.bias")
            matrix = LowRank(weight, bias, rank, alpha, dropout=dropout)
            setattr(self, short, matrix)
        self.register_buffer("before_attention", read[f"{self.prefix}attn_norm.weight"])
        self.register_buffer("before_ffn", read[f"{self.prefix}ffn_norm.weight"])

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor, sight: Sight) -> Tensor:
        s = self.shape
        n, length, _ = x.shape
        h = _normed(x, self.before_attention, s)
        q = _turned(self.q(h).view(n, length, s.heads, s.head).transpose(1, 2), cosine, sine)
        k = _turned(self.k(h).view(n, length, s.kv_heads, s.head).transpose(1, 2), cosine, sine)
        v = self.v(h).view(n, length, s.kv_heads, s.head).transpose(1, 2)
        seen = sight(q.to(v.dtype), k.to(v.dtype), v)
        x = x + self.o(seen.transpose(1, 2).reshape(n, length, -1))
        h = _normed(x, self.before_ffn, s)
        made: Tensor = x + self.down(F.silu(self.gate(h)) * self.up(h))
        return made

    def adapters(self) -> Iterator[tuple[str, LowRank]]:
        """The adapted matrices, by their names in a GGUF."""
        for short, name in _MATRICES.items():
            matrix = getattr(self, short)
            if matrix.rank:
                yield f"{self.prefix}{name}.weight", matrix


def _normed(x: Tensor, weight: Tensor, shape: Shape) -> Tensor:
    """The RMS norm in the precision of x, even if autocast would widen it."""
    return F.rms_norm(x, (shape.hidden,), weight.to(x.dtype), shape.epsilon).to(x.dtype)


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotate queries or keys by their positions."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], -1)


class Qwen(nn.Module):
    """The model over the vocabulary for which ``read`` has rows."""

    embedding: Tensor
    out: Tensor
    norm: Tensor
    cosine: Tensor
    sine: Tensor

    def __init__(
        self,
        read: Mapping[str, Tensor],
        shape: Shape,
        *,
        first: int,
        rank: int,
        alpha: float,
        longest: int = 512,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("embedding", read["token_embd.weight"])
        self.register_buffer("out", read.get("output.weight", read["token_embd.weight"]))
        self.register_buffer("norm", read["output_norm.weight"])
        self.layers = nn.ModuleList(
            Layer(read, i, shape, rank=rank if i >= first else 0, alpha=alpha, dropout=dropout)
            for i in range(shape.layers)
        )
        rates = 1 / shape.base ** (torch.arange(0, shape.head, 2).float() / shape.head)
        angles = torch.arange(longest).float()[:, None] * rates
        self.register_buffer("cosine", angles.cos())
        self.register_buffer("sine", angles.sin())

    def halve(self) -> None:
        """Convert the frozen tensors to bfloat16. Parameters and angles keep their precision."""
        for part in self.modules():
            for name, held in part.named_buffers(recurse=False):
                if name not in ("cosine", "sine"):
                    setattr(part, name, held.to(torch.bfloat16))

    def forward(self, ids: Tensor, place: Tensor, sight: Tensor) -> Tensor:
        """The last hidden states (batch, length, hidden), normalised. ``place`` is the position of
        each token in its sequence, ``sight`` what it sees (batch, 1, length, length)."""
        looks = Sight.of(sight)
        cosine, sine = self.cosine[place][:, None], self.sine[place][:, None]
        x = self.embedding[ids]
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.bfloat16)
        for layer in self.layers:
            x = layer(x, cosine, sine, looks)
        return _normed(x, self.norm, self.shape)

    def logits(self, hidden: Tensor) -> Tensor:
        """The scores of the vocabulary for hidden states."""
        return F.linear(hidden, self.out)

    def adapters(self) -> dict[str, LowRank]:
        """Every adapted matrix by its name in a GGUF."""
        layers = (layer for layer in self.layers if isinstance(layer, Layer))
        return {name: matrix for layer in layers for name, matrix in layer.adapters()}
