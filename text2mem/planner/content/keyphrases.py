"""Keyphrases: what a text is about, as tags in its own words (after RAKE, Rose et al. 2010).

Words that carry no topic cut the text into runs; a run of one to three words is a phrase. No model
is asked, so a tag never says what the text does not.
"""

from __future__ import annotations

import re

from text2mem.ir.segment import HAN

_LIMIT = 5
_LONGEST = 30
_ENGLISH_WORDS = """
a about above across actually after again against all also although always am among an and any are
around as at away back be because been before being below between both but by came can cannot come
could did do does doing done down during each either else etc ever every few first focus focused
focusing for from further future get got had has have having he her here hers him his how however i
if in include included includes including into is it its just keep last later latest least less like
made mainly make many may me mentioned might mine more most much must my near need needs never new
next no not now of off on once one only onto or other our out over own particularly per please
recent recently regarding related same see shall she should since so some soon still such than that
the their them then there these they this those through till to today today's tomorrow tonight too
toward towards under until up upon us use used using very via want was we well went were what when
where whether which while who whom whose why will with within without would yesterday yesterday's
yet you your it's i've we've discussed discuss especially thing things detail details key main point
points week week's month month's year year's day days weeks months years morning afternoon evening
monday tuesday wednesday thursday friday saturday sunday received shared said says upcoming current
reference content whole entire information info important two three four five moved move moves lands
land landed takes took likes loves prefers wants arrives leaves starts ends opens closes costs
called rang bought paid lives works
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'’./+#-]*|[\u3400-\u9fff]+|\S")
_CHINESE = re.compile(
    r"关于|有关|以及|还有|或者|因为|所以|但是|如果|特别是|尤其是?|主要是?|包括|其中|提到|讨论|"
    r"进行|需要|已经|"
    r"我们|他们|她们|你们|大家|今天|昨天|明天|刚才|刚刚|今早|今晚|上午|下午|早上|晚上|上周|本周|"
    r"下周|这周|上个?月|本月|下个?月|"
    r"这次|这个|那个|这些|那些|这份|那份|一下|一个|一份|一条|下来|所有|全部|相关|具体|内容|情况|"
    r"部分|重点|以便|确保|方便|"
    r"后续|能够|可以|应该|非常|比较|"
    r"[的了在是和与及或把将被对从到向给为以于也都就还又再我你他她它这那其之并且等着过个些吗呢吧啊请至]"
)
_MEASURE = re.compile(r"^[\d.,:%]+$")


def keyphrases(text: str, limit: int = _LIMIT) -> list[str]:
    """At most ``limit`` phrases in the order in which they stand; those of several words first."""
    runs: list[list[str]] = [[]]
    for match in _WORD.finditer(text):
        word = match.group().rstrip("'’.-")
        word = re.sub(r"['’]s$", "", word)
        if HAN.match(word):
            runs.append([])
            runs += [[piece] for piece in _CHINESE.split(word) if piece and len(piece) > 1]
            runs.append([])
        elif not word or not word[0].isalnum() or word.lower() in _ENGLISH or _MEASURE.match(word):
            runs.append([])
        else:
            runs[-1].append(word)
    phrases = dict.fromkeys(" ".join(run[-3:]) for run in runs if run)
    fitting = [phrase for phrase in phrases if 1 < len(phrase) <= _LONGEST]
    return sorted(fitting, key=lambda phrase: " " not in phrase and not HAN.match(phrase))[:limit]
