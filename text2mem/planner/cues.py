"""Cues: the words of an utterance that point to a verb, in English and Chinese.

They are evidence, not a decision: the planner shows them to a small model, which still chooses.
"""

from __future__ import annotations

import re

_CUES: dict[str, str] = {
    "Encode": r"^(?:please |also |and )*(?:remember|memori[sz]e|note|save|store|record|log|jot)\b|"
    r"\b(?:remember that|note that|make a note|keep a note|write down|take down|don't forget)\b|"
    r"记住|记一下|记下|帮我记|请记|保存|存一下|备忘|别忘",
    "Update": r"\b(?:change|correct|update|edit|revise|rewrite|rename|amend)\b|"
    r"\bshould (?:now )?(?:say|read|be)\b|\breplace\b.{0,80}?\bwith\b|"
    r"改成|改为|更新|修改|更正|修正|应该写|现在应该是|替换",
    "Label": r"\b(?:un)?tag(?:s|ged|ging)?\b|\blabel(?:s|l?ed|l?ing)?\b|\bmark\b.{0,80}?\bas\b|"
    r"\bcategori[sz]e\b|标签|标记|标为|打标|归类",
    "Promote": r"\b(?:promote|prioriti[sz]e|boost|raise|urgent|crucial|remind|reminder|pin)\b|"
    r"\b(?:top|high|highest|higher) priority\b|\bmore important\b|\bimportance\b|"
    r"提高|提升|提醒|置顶|紧急|最高优先|高优先|更重要|优先处理|排在前",
    "Demote": r"\b(?:demote|archive[ds]?|deprioriti[sz]e|lower|less important|matters? less)\b|"
    r"\b(?:move|push)\b.{0,80}?\bdown\b|\bnot (?:so |that )?(?:important|urgent)\b|"
    r"降低|调低|归档|存档|没那么重要|不那么重要|不急|往后放|不重要",
    "Merge": r"\b(?:merge|combine|consolidate|unify|duplicates?)\b|"
    r"\bjoin\b.{0,80}?\b(?:together|into)\b|"
    r"\binto (?:one|a single)\b|合并|并成|并在一起|合成一|合为|整合|重复",
    "Split": r"\b(?:split|divide|separate)\b|"
    r"\b(?:break|cut|chop)\b.{0,80}?\b(?:up|down|into|apart)\b|"
    r"拆|分割|切分|切成|分成",
    "Delete": r"(?<!don't )(?<!never )\b(?:forget|delete|erase|remove|discard|wipe)\b|"
    r"\b(?:purge|get rid|clear out|throw away)\b|"
    r"忘掉|(?<!别)忘记|删除|删掉|清除|清空|移除|抹掉|去掉",
    "Lock": r"\b(?:un)?lock(?:s|ed)?\b|\bprotect(?:s|ed)?\b|\bfreeze\b|"
    r"\b(?:read|append)[- ]only\b|"
    r"\b(?:nobody|no one|none)\b.{0,80}?\b(?:may|can|touch|edit|change)|"
    r"锁|保护|只读|只能追加|只许追加|禁止|不许|不允许",
    "Expire": r"\b(?:expires?|expiry|lapses?|automatically)\b|\bonly (?:until|for)\b|"
    r"\bkeep\b.{0,80}?\buntil\b|过期|失效|到期|有效期|自动删|保留到",
    "Retrieve": r"^(?:please )?(?:find|show|list|search|look up|fetch|retrieve|get me|pull up)\b|"
    r"^(?:which|where|when|who|what|how)\b|\bdo i know\b|查找|查一下|找出|找一下|列出|显示|"
    r"给我看|知道些?什么|哪些|哪里|什么时候|翻出|说过什么",
    "Summarize": r"\b(?:summar\w+|overview|condense|digest|recap|gist|boil|in short|main points)\b|"
    r"总结|概括|概述|浓缩|摘要|要点|归纳|小结",
}
_COMPILED = {op: re.compile(pattern, re.IGNORECASE) for op, pattern in _CUES.items()}


def cues(utterance: str) -> tuple[str, ...]:
    """The verbs that the utterance's words point to, in the order in which they are met."""
    met = {op: found.start() for op, p in _COMPILED.items() if (found := p.search(utterance))}
    return tuple(sorted(met, key=lambda op: met[op]))
