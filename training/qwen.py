"""Qwen2 in torch, frozen, with low-rank adapters beside the matrices of its layers.

The architecture is that of the Qwen2 technical report (arXiv:2407.10671): grouped-query attention,
rotary positions, RMS norms, SwiGLU. The adapters are LoRA (arXiv:2106.09685).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

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


Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""Attention: q (batch, heads, length, size), k and v (batch, fewer heads, length, size)."""


@dataclass(frozen=True)
class Sight:
    """What each token sees: what precedes it in its own tree, in the prefix and in its own branch.
    Padding (tree -1) sees padding.

    ``tree`` and ``part`` (batch, length) are the tree of each token and its branch (0: the prefix).
    """

    tree: Tensor
    part: Tensor

    def mask(self) -> Tensor:
        """As a mask (batch, 1, length, length)."""
        tree, part = self.tree, self.part
        length = tree.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool, device=tree.device).tril()
        same = tree[:, :, None] == tree[:, None, :]
        own = (part[:, :, None] == part[:, None, :]) | (part[:, None, :] == 0)
        return (causal & same & own)[:, None]

    def attend(self) -> Attend:
        """Attention with that mask."""
        mask = self.mask()

        def attended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return F.scaled_dot_product_attention(q, *_repeated(q, k, v), attn_mask=mask)

        return attended

    def attend_in_parts(self) -> Attend:
        """The same for a batch of one on a CPU, where keys that no token sees are skipped: branches
        see only a prefix and themselves, a third of what precedes them."""
        sight = self.mask()
        parts: list[tuple[slice, Tensor, Tensor]] = []
        for begin in range(0, sight.shape[2], _QUERIES):
            here = slice(begin, begin + _QUERIES)
            at = sight[0, 0, here].any(0).nonzero().flatten()
            parts.append((here, at, sight[:, :, here, at]))

        def attended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            k, v = _repeated(q, k, v)
            made = [
                F.scaled_dot_product_attention(q[:, :, here], k[:, :, at], v[:, :, at], mask)
                for here, at, mask in parts
            ]
            return torch.cat(made, 2)

        return attended

    def attend_in_blocks(self) -> Attend:
        """The same by one kernel that skips blocks which no token sees (FlexAttention)."""
        from torch.nn.attention.flex_attention import create_block_mask

        tree, part = self.tree, self.part

        def seen(b: Tensor, _: Tensor, q: Tensor, k: Tensor) -> Tensor:
            own = (part[b, q] == part[b, k]) | (part[b, k] == 0)
            return (q >= k) & (tree[b, q] == tree[b, k]) & own

        length = tree.shape[1]
        blocks = create_block_mask(seen, len(tree), None, length, length, device=tree.device)

        def attended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            made: Tensor = flex()(q, *_repeated(q, k, v), block_mask=blocks)
            return made

        return attended


@cache
def flex() -> Callable[..., Any]:
    """FlexAttention, compiled."""
    from torch.nn.attention.flex_attention import flex_attention

    return torch.compile(flex_attention, dynamic=False)


def _repeated(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Keys and values for every head of the queries."""
    shared = q.shape[1] // k.shape[1]
    return k.repeat_interleave(shared, 1), v.repeat_interleave(shared, 1)


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

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor, attend: Attend) -> Tensor:
        return self.after(x, attend(*self.before(x, cosine, sine)))

    def before(self, x: Tensor, cosine: Tensor, sine: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values."""
        s = self.shape
        n, length, _ = x.shape
        h = _normed(x, self.before_attention, s)
        q = _turned(self.q(h).view(n, length, s.heads, s.head).transpose(1, 2), cosine, sine)
        k = _turned(self.k(h).view(n, length, s.kv_heads, s.head).transpose(1, 2), cosine, sine)
        v = self.v(h).view(n, length, s.kv_heads, s.head).transpose(1, 2)
        return q.to(v.dtype), k.to(v.dtype), v

    def after(self, x: Tensor, seen: Tensor) -> Tensor:
        """The block's output, from its input and what the heads made of the values."""
        n, length, _ = x.shape
        x = x + self.o(seen.transpose(1, 2).reshape(n, length, -1))
        h = _normed(x, self.before_ffn, self.shape)
        made: Tensor = x + self.down(F.silu(self.gate(h)) * self.up(h))
        return made

    def compile_parts(self) -> None:
        """Compile what precedes attention and what follows it; all blocks share the result."""
        self.before = torch.compile(self.before, dynamic=False)  # type: ignore[method-assign]
        self.after = torch.compile(self.after, dynamic=False)  # type: ignore[method-assign]

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
        self.shape, self.compiled = shape, False
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

    def compile_parts(self) -> None:
        """Compile every layer, for rows of one shape on a GPU."""
        self.compiled = True
        for layer in self.layers:
            assert isinstance(layer, Layer)
            layer.compile_parts()

    def forward(self, ids: Tensor, place: Tensor, sight: Sight) -> Tensor:
        """The last hidden states (batch, length, hidden), normalised. ``place`` is the position of
        each token in its sequence."""
        if self.compiled:
            attend = sight.attend_in_blocks()
        elif ids.device.type == "cpu" and len(ids) == 1:
            attend = sight.attend_in_parts()
        else:
            attend = sight.attend()
        cosine, sine = self.cosine[place][:, None], self.sine[place][:, None]
        x = self.embedding[ids]
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.bfloat16)
        for layer in self.layers:
            x = layer(x, cosine, sine, attend)
        return _normed(x, self.norm, self.shape)

    def logits(self, hidden: Tensor) -> Tensor:
        """The scores of the vocabulary for hidden states."""
        return F.linear(hidden, self.out)

    def adapters(self) -> dict[str, LowRank]:
        """Every adapted matrix by its name in a GGUF."""
        layers = (layer for layer in self.layers if isinstance(layer, Layer))
        return {name: matrix for layer in layers for name, matrix in layer.adapters()}
