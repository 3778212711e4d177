"""The topic of a clause: the words that say which memories it is about.

What the clause asks for, what for, and how ("lock … so that nobody edits it", "把…锁定，防止修改")
says nothing of the memories themselves and is cut away.
"""

from __future__ import annotations

import re

from text2mem.planner.grounding.words import content_words

_KINDS = frozenset(
    """recording audio video photo picture screenshot communication correspondence case memo minutes letter chat
    chain attachment transcript notebook sheet table chart diagram snippet excerpt paragraph message text
    录音 视频 照片 截图 图片 草稿 片段 便签 附件 信件 聊天 表格 图表 段落 对话 文章 语音""".split()  # noqa: SIM905
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_PURPOSE = re.compile(
    r"(?:,|\s)\s*(?:(?:in order )?(?<!related )(?<!relating )(?<!due )(?<!according )(?<!access )(?<!response )(?<!respect )(?<!next )(?<!regard )to (?!(?:the|my|our|a|an|this|that|do|read|review|outdated|old|new)\b)[a-z]+\b|so (?:that|it|they|we|no|nobody|i)\b|"
    r"because\b|since (?:it|they|we|he|she|this|that)\b|as (?:it|they|we|this|that|i|you)\b|"
    r"for (?:(?:quick|quicker|easy|easier|better|future|later|further|now|historical|immediate|good|my|your)\b|[a-z]*(?:reference|tracking|review|analysis|follow-up|clarity|visibility|access)\b)|"
    r"and (?:make sure|ensure)\b|ensuring\b|making sure\b|which\b|but\b|until further\b|if (?:it|they|any|some)\b|"
    r"especially\b|particularly\b|next time\b|from now on\b|unless\b|now that\b|then\b|please\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_ASKING = re.compile(
    r"\b(?:read[- ]only|append[- ]only|locked|unlocked|protected|secured?|frozen|expir\w+|lapse\w*|run out|archived?|"
    r"prioriti[sz]ed?|deprioriti[sz]ed?|highlighted|emphasi[sz]ed|marked|tagged|label?led|flagged|classified|"
    r"(?:the )?(?:priority|importance|urgency|weight|visibility|level) (?:of|to|for)|(?:a |the )?(?:top|high|higher|highest|low|lower|lowest|urgent|normal|medium) (?:priority|importance)|"
    r"(?:more|less|very|most) (?:important|urgent)|as (?:being |a |an )?(?:urgent|critical|important|done|completed)|"
    r"in the archives?|to the archives?|down|up|away|back|sure|from (?:being )?(?:edits?|edited|changes?|changed|deletion|deleted|modification|modified)|"
    r"with the tags?|the tags?|the labels?|summary|overview|gist|recap|digest|main points|key points|main decisions|together|into one|one note|duplicates?|"
    r"i (?:don'?t|no longer) need|any ?more|any longer|no longer|can go|should be|must be|is to be|are to be)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"(?:\s+(?:as|with|under|and|or|is|are|to|into|in|by|for|from|of|on|at|its|lower))+$", re.IGNORECASE)
_OBJECT = re.compile(r"(?:把|将|给|对|让)(?P<object>[^，。；！？,;]{2,60})")
_VERB_ZH = (
    r"(?:重新|直接|全部|都|一律|统统|暂时|先|再|赶紧|彻底|永久|自动)*"
    r"(?:标记|标注|标识|标|归类|分类|打上?|加上?|贴上?|添加|加|提升|提高|提到|提|调高|升高|升|置顶|降低|降级|降|调低|调整|调到|归档|存档|"
    r"锁定|锁住|锁|解锁|保护|冻结|封存|设置|设定|设为|设成|设|改成|改为|改到|改|换成|更新|修改|变更|更正|删除|删掉|删|清除|清空|忘掉|移除|去掉|"
    r"合并|并入|归并|整合|拆分|拆成|拆|切分|切成|分成|总结|概括|归纳|汇总|浓缩|提炼|列出|找出|翻出|放到|放进|放|收进|收|移到|移入|移|存|保留|恢复|取消|优先|过期|失效|处理)"
)
_COMPLEMENT_ZH = re.compile(
    r"(?:的?(?:状态|优先级|类别))?(?:设置|标记|更新|修改|调整|变更|提升|设|改|升)?(?:为|成)[^，。为成]{1,16}$"
)
_CUT_ZH = re.compile(
    rf"{_VERB_ZH}(?:(?:为|成|到|至|上|下|下来|一下|掉|吧|起来|好|了|以|在|进|入|出|出来|给我|到最|的)*)(?P<rest>.*)$"
)
_TAIL_ZH = re.compile(
    r"(?:设置?|标记|调整|改|变更|提升|降级?|作|列)?(?:为|到|成|作为)(?:最?[高低]?(?:优先级?|优先事项|级别)|重点.{0,4}|紧急.{0,4}|一般.{0,4}|次要.{0,4}|普通.{0,4}|只读|.{0,4}状态)$"
    r"|(?:的)?(?:优先级别?|重要性|重要程度|权重)$|(?:的)?标签$|[吧吗呢啊]$"
)


def topic(clause: str) -> str:
    """The words of a clause that name what it is about, in their order."""
    return _chinese(clause) if _HAN.search(clause) else _english(clause)


def is_generic(phrase: str) -> bool:
    """Whether a phrase says only of what kind a memory is ("this recording", "这份文档")."""
    return all(
        word.weak or word.text.casefold() in _KINDS or (word.han and any(word.text.endswith(k) and len(word.text) <= len(k) + 2 for k in _KINDS))
        for word in content_words(phrase)
    )


def _english(clause: str) -> str:
    said = _PURPOSE.sub("", clause) or clause
    kept = " ".join(_ASKING.sub(" ", said).split()).strip(" .,;:!?")
    return _DANGLING.sub("", kept)


def _chinese(clause: str) -> str:
    parts = [part for part in re.split(r"[，。；！？,;!?]", clause) if part.strip()]
    if not parts:
        return clause
    for part in parts:
        found = _OBJECT.search(part)
        if found:
            words = found.group("object")
            cut = _CUT_ZH.search(words)
            words = words[: cut.start()] if cut and cut.start() > 0 else words
            return _TAIL_ZH.sub("", words).strip()
    first = parts[0] if len(parts[0]) > 2 or len(parts) == 1 else parts[1]  # noqa: PLR2004
    return _TAIL_ZH.sub("", _COMPLEMENT_ZH.sub("", first)).strip()
