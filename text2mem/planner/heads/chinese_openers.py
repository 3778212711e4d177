"""Chinese words in front of what is asked for: greetings, links, politeness, and if-parts.

Patterns are of folded text: full-width punctuation has become ASCII, apart from 。 and 、.
"""

from __future__ import annotations

import re

_SEPARATED = (
    r"(?:好的?|好吧|行|嗯+|哦|对|对了|谢谢你?|多谢|辛苦了|算了|没事|没关系|不用了|不了|对不起|"
    r"抱歉|不好意思|你好|您好|喂|哎|[一两二三四几]件事|(?:下|还有|另|最后|再)一?件事|还有|另外|"
    r"此外|同时|最后|首先|其次|再次|然后|接着|顺便(?:说一句)?|第[一二三四五六]步?|"
    r"步骤[一二三四五\d]|下一步|方便的话|可以的话|有空的话|如果(?:可以|方便|行)(?:的话)?|"
    r"\(?\d[.)、])[,:。;!、\s]{1,2}"
)
_FREE = (
    r"(?:请你|请您|请|麻烦[你您]?|劳驾[你您]?|拜托[你您]?|烦请|有劳[你您]?|辛苦[你您]|帮我|帮忙|"
    r"帮个忙|帮助我|替我|为我|给我(?!们)|让我(?=看|瞧|了解|听|读)|让我们|咱们|我们|现在|先|首先|"
    r"再|然后|接着|接下来|随后|之后|最后|并且|并(?![入到成进在归列排])|那就|那么|"
    r"那(?![份条个些几篇次种本封段张项件天])|就|便|则|也|还|同时|另外|还有|顺便|顺手|直接|马上|"
    r"立刻|立即|尽快|赶紧|赶快|务必|一定要|千万|干脆|不如|何不|最好(?:是)?(?:能)?|还是|都|全都|"
    r"麻利地|好好|再次|重新(?=总结|标)|下一步|第[一二三四五六]步|其次|为什么不|要不(?:然)?|你|您|"
    r"咱|快|去(?![掉除年])|来(?!自|源)|第[一二三四五六](?=[把将给让]))[,\s]?"
)
_MODAL = (
    r"(?:[你您])?(?:能不能够?|能否|可不可以|可以|可否|能够?|是否可以|是不是(?:应该|该|可以)?|"
    r"要不要|该不该|应不应该|应该|该|需要|有没有办法|有办法|方便|愿意|愿不愿意|可|得|"
    r"要(?![是不好]))(?:请|麻烦|让)?[你您]?"
)
_WISH = (
    r"我(?:们)?(?:想|希望|需要|要|得|打算|准备|建议|请求|恳请|盼望|很想|非常希望)(?:要|请|让|"
    r"麻烦|拜托)?[你您]?(?:能够?|可以)?|(?:要是|如果|假如|若)(?:[你您])?(?:能够?|"
    r"可以)(?=.{1,200}?(?:就好了|就太好了|那就好|就最好了|该多好|感激))|(?:希望|"
    r"盼)[你您]?(?:能够?|可以)?"
)
_OPENER = re.compile(rf"\s?(?:{_SEPARATED}|{_FREE}|{_MODAL}|{_WISH}|[,:、\s])")
_IF = re.compile(
    r"(?:但|不过|而|只有|就算)?[^,。;!?:]{0,60}?(?:如果|假如|要是|倘若|若是|若(?!干)|万一|"
    r"只要(?!有?[\ue000])|一旦|凡是|假使|倘使|遇到|碰到|碰上|除非|既然|因为|由于)|(?:检查|查|看|"
    r"翻|找|过)(?:一下|看看?|一遍|一查|找看?)?[^,。;!?]{2,80}[,;](?:有|如果|若|遇|碰|凡是|那些|"
    r"把其中|其中)|[^。;!?]{2,160}?的话,?"
)
_MAIN = re.compile(r"的话,?|[,;。:]|(?<=[的了过])(?=就|那就|便)")


def opened(text: str, place: int) -> int:
    """Where a clause starts to ask, after greetings and politeness."""
    while found := _OPENER.match(text, place):
        place = found.end()
    return place


def main_parts(text: str, place: int) -> list[int]:
    """Where the main part of a conditional clause may start; none where it is no such clause."""
    found = _IF.match(text, place)
    if not found:
        return []
    return [joint.end() for joint in _MAIN.finditer(text, place) if joint.end() < len(text)]
