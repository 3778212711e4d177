"""The official weights as torch tensors, their tokenizer, and an adapter as GGUF."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter, ReaderTensor
from gguf.quants import dequantize, quantize
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from training.qwen import Shape

_EIGHT_BITS = GGMLQuantizationType.Q8_0
EIGHT_BIT_BLOCK = 32
"""How many values a block of eight-bit quantisation holds. A rank is a multiple of it."""
# The pre-tokenizer of Qwen2, from its tokenizer.json; a GGUF has only its name.
_QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@cache
def _opened(path: Path) -> GGUFReader:
    """The official weights. They are kept open, since reading their fields takes ten seconds."""
    return GGUFReader(path)


def shape(path: Path) -> Shape:
    """The sizes of the model of a GGUF."""
    fields = _opened(path).fields

    def number(name: str) -> Any:
        field = fields[f"qwen2.{name}"]
        return field.parts[field.data[0]][0]

    hidden, heads = int(number("embedding_length")), int(number("attention.head_count"))
    return Shape(
        hidden=hidden, heads=heads, kv_heads=int(number("attention.head_count_kv")),
        head=hidden // heads, layers=int(number("block_count")),
        base=float(number("rope.freq_base")),
        epsilon=float(number("attention.layer_norm_rms_epsilon")),
    )  # fmt: skip


def tensors(path: Path, vocabulary: np.ndarray | None = None) -> dict[str, torch.Tensor]:
    """Every tensor of a GGUF, dequantised to float32. Embeddings have only the rows of the tokens
    that ``vocabulary`` lists."""

    def floats(each: ReaderTensor) -> torch.Tensor:
        rows = each.data
        if vocabulary is not None and each.name in ("token_embd.weight", "output.weight"):
            rows = rows[vocabulary]
        return torch.from_numpy(np.array(dequantize(rows, each.tensor_type), dtype=np.float32))

    held = _opened(path).tensors
    with ThreadPoolExecutor() as pool:
        return dict(zip((each.name for each in held), pool.map(floats, held), strict=True))


def tokenizer(path: Path) -> Tokenizer:
    """The byte-level BPE tokenizer of a GGUF."""
    fields = _opened(path).fields

    def strings(name: str) -> list[str]:
        field = fields[name]
        return [bytes(field.parts[i]).decode() for i in field.data]

    vocabulary = {token: i for i, token in enumerate(strings("tokenizer.ggml.tokens"))}
    merges = []
    for pair in strings("tokenizer.ggml.merges"):
        left, right = pair.split(" ")
        merges.append((left, right))
    made = Tokenizer(models.BPE(vocabulary, merges))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_QWEN2), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    return made


def write_adapter(
    path: Path, pairs: Mapping[str, tuple[torch.Tensor, torch.Tensor]], alpha: float, name: str
) -> None:
    """Write a low-rank adapter in eight bits. ``pairs`` maps a weight's name to its A and B."""
    writer = GGUFWriter(str(path), "qwen2")
    writer.add_type("adapter")
    writer.add_name(name)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for weight, (a, b) in pairs.items():
        for part, values in (("a", a), ("b", b)):
            floats = values.detach().float().cpu().numpy()
            kept = quantize(floats, _EIGHT_BITS)
            writer.add_tensor(f"{weight}.lora_{part}", kept, raw_dtype=_EIGHT_BITS)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_adapter(path: Path) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """The pairs of an adapter, as ``write_adapter`` takes them, in float32."""
    held = {
        each.name: torch.from_numpy(np.array(dequantize(each.data, each.tensor_type), np.float32))
        for each in GGUFReader(path).tensors
    }
    names = dict.fromkeys(name.rpartition(".")[0] for name in held)
    return {name: (held[f"{name}.lora_a"], held[f"{name}.lora_b"]) for name in names}
