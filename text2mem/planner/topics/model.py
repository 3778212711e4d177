"""What a topic is."""

from __future__ import annotations

from dataclasses import dataclass

from text2mem.planner.grounding.words import content_words, is_han

_KIND_WORDS = """
recording audio video photo picture screenshot communication correspondence case memo minutes letter
chat chain attachment transcript notebook sheet table chart diagram snippet excerpt paragraph
message text 录音 视频 照片 截图 图片 草稿 片段 便签 附件 信件 聊天 表格 图表 段落 对话 文章 语音
"""
_KINDS = frozenset(_KIND_WORDS.split())


@dataclass(frozen=True, slots=True)
class Topic:
    """What a clause is about, in its own words; ``words`` are empty where it says nothing of that.

    ``noun`` is what it calls a memory: "notes", "decision", 报告; empty where it calls it nothing.
    ``many``: whether it means several memories, None where it does not tell. ``start`` and ``end``
    are where it stands in the clause.
    """

    words: str = ""
    noun: str = ""
    many: bool | None = None
    start: int = 0
    end: int = 0

    @property
    def called(self) -> bool:
        """Whether the clause calls memories by name."""
        return bool(self.noun)

    @property
    def telling(self) -> bool:
        """Whether any of its words says something about what a memory holds."""
        return bool(content_words(self.words))

    @property
    def generic(self) -> bool:
        """Whether its words say only of what kind a memory is ("this recording", 这份文档)."""
        return all(
            word.weak or _is_kind(word.text.casefold()) for word in content_words(self.words)
        )


def _is_kind(word: str) -> bool:
    if word in _KINDS:
        return True
    return is_han(word) and any(word.endswith(k) and len(word) <= len(k) + 2 for k in _KINDS)
