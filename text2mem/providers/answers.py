"""The checks of a model's answer, which all providers share."""

from __future__ import annotations

import json
import re

from text2mem.errors import (
    ContextOverflow,
    EmptyAnswer,
    MalformedOutput,
    ModelRefusal,
    TruncatedOutput,
)
from text2mem.providers.base import Completion, Usage

_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)


def read_answer(
    text: object, *, finish: str, model: str, usage: Usage, refusal: str | None = None
) -> Completion:
    """Return the completion for a raw answer.

    ``text`` may be a list of parts, as in OpenAI's API. ``finish`` is the reason why the answer
    ended, by OpenAI's names: stop, length, content_filter. Raises MalformedOutput, ModelRefusal,
    EmptyAnswer, TruncatedOutput.
    """
    raw = _joined(text)
    if raw is None:
        raise MalformedOutput(
            f"the answer is no text but a {type(text).__name__}", raw=_written(text), model=model,
            usage=usage,
        )  # fmt: skip
    if refusal or finish == "content_filter":
        raise ModelRefusal(
            "the model refused to answer", raw=refusal or raw, model=model, usage=usage,
            hint="rephrase the request, or use another model",
        )  # fmt: skip
    if not raw.strip():
        raise EmptyAnswer("the model gave an empty answer", raw=raw, model=model, usage=usage)
    fenced = _FENCE.match(raw)
    try:
        return Completion(raw, json.loads(fenced[1] if fenced else raw), usage, model)
    except (ValueError, RecursionError) as error:
        if finish == "length":
            raise TruncatedOutput(
                f"the answer stopped at the token limit after {usage.output} tokens",
                raw=raw, model=model, usage=usage,
                hint="raise the limit of output tokens, or ask for less",
            ) from error  # fmt: skip
        raise MalformedOutput(
            f"the answer is not JSON: {error}", raw=raw, model=model, usage=usage
        ) from error


def overflow(message: str, needed: int = 0, available: int = 0) -> ContextOverflow:
    """Return the error for a prompt that is longer than the context; sizes are in tokens."""
    return ContextOverflow(
        message, needed=needed, available=available,
        hint="shorten the utterance or the context, or use a model with a larger window",
    )  # fmt: skip


def _joined(content: object) -> str | None:
    """The text of an answer, with its parts joined; None if it is no text."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return None
    found = (part.get("text") if isinstance(part, dict) else part for part in content)
    texts = [text for text in found if isinstance(text, str)]
    return "".join(texts) if len(texts) == len(content) else None


def _written(content: object) -> str:
    """An answer that is no text, as JSON if possible."""
    try:
        return json.dumps(content, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(content)
