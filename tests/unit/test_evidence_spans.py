"""Evidence: what holds of the spans of every utterance."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from text2mem.planner.evidence import read_evidence
from text2mem.planner.evidence.quotes import quotations

NOW, TZ = datetime(2026, 3, 4, 10, 30, tzinfo=UTC), ZoneInfo("Asia/Shanghai")
ENGLISH = (
    "remember that; note: ; tag it; tagged; \"work\"; 'later'; “roof, then”; and; or"
    "; , and then; ; .; lock; unlock them; archive; the last one; every Monday; at 9"
    "; until Friday; in three days"
    "; older than; a month; 3 May; from 2025; notes; memory 12; #15 and 16; by 0.4; top priority"
    "; the three newest; if; , please; not; for good; with the status; summarise; above all; it"
    "; İstanbul; Ǆ; ﬁle; 'til; students'; only Elias may lift; remind me; to; 5 pm; may; second"
)
CHINESE = (
    "记住;，标签是;带“工作”;和‘家’;标签;的笔记;，然后;，再;。;锁定它们;解锁;归档;最后一条"
    ";每周三;上午九点;到周五;为止"
    ";三天后;超过一个月;5月3日;2024年以前;记忆3、5和8;上调0.4;最高优先级;最近三条;最近三天;如果;，就;不带;彻底"
    ";状态为;总结;重点是;它;《三体》;由周敏负责解锁;提醒我;从;到;下午五点;標籤;把;１２号记忆;「买菜」"
)
PIECES = [*ENGLISH.split("; "), *CHINESE.split(";")]
UTTERANCES = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.text(max_size=60),
)
WITH_NAMES = {"quote", "tag", "facet", "match", "condition", "focus"}


@settings(max_examples=300, deadline=None)
@given(UTTERANCES)
def test_spans_say_their_words_in_order_and_share_none_within_a_kind(utterance: str) -> None:
    evidence = read_evidence(utterance, now=NOW, tz=TZ)
    assert evidence.utterance == utterance
    for mention in evidence.mentions:
        assert 0 <= mention.start <= mention.end <= len(utterance)
        assert mention.words == utterance[mention.start : mention.end]
        assert mention.words == mention.words.strip()
        assert mention.words or mention.kind == "id"
        assert json.loads(json.dumps(mention.value)) == mention.value
    places = [(mention.start, mention.end) for mention in evidence.mentions]
    assert places == sorted(places)
    for kind in {mention.kind for mention in evidence.mentions}:
        assert all(one.end <= other.start for one, other in pairwise(evidence.of(kind)))


@settings(max_examples=150, deadline=None)
@given(UTTERANCES)
def test_clauses_say_their_words_in_order_and_share_none(utterance: str) -> None:
    clauses = read_evidence(utterance, now=NOW, tz=TZ).clauses
    assert clauses
    assert all(one.words == utterance[one.start : one.end] for one in clauses)
    assert all(one.end <= other.start for one, other in pairwise(clauses))


@settings(max_examples=150, deadline=None)
@given(UTTERANCES)
def test_nothing_but_names_is_read_from_a_quotation(utterance: str) -> None:
    quoted = quotations(utterance)
    for mention in read_evidence(utterance, now=NOW, tz=TZ).mentions:
        inside = any(one.start < mention.end and mention.start < one.end for one in quoted)
        assert mention.kind in WITH_NAMES or not inside


@settings(max_examples=100, deadline=None)
@given(UTTERANCES)
def test_the_same_utterance_says_the_same(utterance: str) -> None:
    first = read_evidence(utterance, now=NOW, tz=TZ)
    assert first == read_evidence(utterance, now=NOW, tz=TZ)
