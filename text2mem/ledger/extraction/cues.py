"""Words that speak for an attribute: its name's own, and those of what is often declared."""

from __future__ import annotations

import re
from functools import cache

from text2mem.ir.segment import HAN

# fmt: off
_CUES = {
    "city": "live living lives liv mov home based flat apartment settl relocat",
    "country": "live living mov based emigrat settl",
    "address": "street road avenue lane live flat deliver post",
    "birthday": "born birth",
    "employer": "work job hired join compan firm employ payroll shift boss start",
    "job_title": "work job profession career living train qualif promot",
    "role": "lead charge responsib promot",
    "team": "team squad group join department",
    "manager": "report boss manag lead",
    "spouse": "married wife husband wed", "partner": "girlfriend boyfriend other_half dating",
    "children": "son daughter kid child baby twin boy girl",
    "pets": "dog cat pet puppy kitten rabbit parrot hamster vet adopt",
    "languages": "speak spoken language fluent bilingual tongue",
    "likes": "love enjoy fan fond crazy favour obsess adore like keen sucker",
    "dislikes": "hate stand loathe detest dislike avoid",
    "hobbies": "weekend spare hobb play paint knit climb collect practis",
    "skills": "certif good_at skill expert",
    "diet": "eat vegan vegetar meat diet gluten dairy halal kosher pescat plant",
    "allergies": "allerg rash swell hives react ambulance sneez epipen",
    "medication": "take tablet pill dose mg prescri medic insulin",
    "nickname": "call go_by known_as nick", "name": "name call",
    "owner": "own belong respons charge run look_after maintain",
    "on_call": "pager on-call on_call duty rota shift",
    "status": "done shipped blocked finish open close ready pending merged live",
    "priority": "urgent prior", "deadline": "due deadline latest",
    "venue": "held venue hall place room take place book host", "instrument": "play",
    "budget": "spend cost cap budget afford", "hotel": "stay book check", "car": "drive",
    "plan": "plan tier subscri upgrad downgrad", "seats": "seat licen",
    "school": "school class attend enrol", "timezone": "time_zone utc gmt clock",
    "妻子": "老婆 太太 媳妇 爱人", "丈夫": "老公 先生 爱人",
    "城市": "住 搬 定居 老家 落脚 待在 家在 人在", "地址": "住 寄 号楼 栋",
    "姓名": "叫 名字", "电话": "打 拨 联系 号", "邮箱": "邮件 发",
    "生日": "出生 过生 生于", "喜欢": "爱 迷 离不开 喜欢 痴 热衷 最",
    "不喜欢": "受不了 讨厌 烦 别给 不吃 不爱 怕 嫌", "过敏": "疹 痒 肿 沾 喷嚏 过敏",
    "饮食": "吃 素", "语言": "话 语 讲", "职位": "做 当 干 升 岗", "公司": "上班 单位 入职 跳槽",
    "宠物": "猫 狗 养 兔 鸟", "学校": "读 念 上学 毕业", "值班人": "轮到 值", "端口": "口 监听",
    "场地": "定在 办 场 厅 馆", "地点": "定在 办 场 厅 馆 在", "预算": "花 控制 钱 块 万 总价",
    "负责人": "管 归 牵头 负责 接手 带", "导师": "跟着 跟 带 老师",
}
# fmt: on
_ENDING = (
    "(?:e?s|e?d|e|ing|ies|y|er|or|ers|al|arian|[dtrpgbn]ed|[dtrpgbn]ing|ment|c|ption|ic|ised)?"
)
_SMALL = frozenset(
    ["of", "the", "a", "an", "in", "on", "at", "to", "for", "and", "or", "my", "our", "id", "no"]
)


def cue(attribute: str, said: str) -> int:
    """How many words of an attribute's name, or of what is said of it, stand in a sentence."""
    lower = said.lower()
    return sum(1 for each in _patterns(attribute) if each.search(lower))


@cache
def _patterns(attribute: str) -> tuple[re.Pattern[str], ...]:
    name = attribute.lower()
    if HAN.search(name):
        pairs = [name[n : n + 2] for n in range(len(name) - 1)] or [name]
        found = [*pairs, *_CUES.get(name, "").split()]
        return tuple(re.compile(re.escape(each)) for each in found)
    own = [w for w in name.split("_") if w not in _SMALL and len(w) > 2]
    stems = [re.sub(r"(?:ies|es|s|e|y|ing)$", "", w) or w for w in own]
    found = [*stems, *_CUES.get(name, "").split()]
    return tuple(re.compile(rf"\b{re.escape(each.replace('_', ' '))}{_ENDING}\b") for each in found)
