"""What holds no longer: "forget …", "… any more", "it was never …", "the old one is dead"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english import held
from text2mem.ledger.extraction.english.clause import Clause
from text2mem.ledger.extraction.english.subjects import Subject
from text2mem.ledger.extraction.english.values import trimmed

_I = re.IGNORECASE
_FORGET = re.compile(
    r"(?:you (?:can|may|should) |please |just |could you |can you |kindly )*(?P<verb>forget|strike|"
    r"scratch|disregard|ignore|unlearn|"
    r"don't (?:keep|remember|save|store|note|write down|write|hold on to)|stop (?:remembering|"
    r"keeping)|delete|"
    r"drop|remove|erase|discard|clear|take (?:out|back))\s+(?:about\s+)?(?P<what>.+)$", _I,
)  # fmt: skip
_OVER = re.compile(
    r"(?P<what>.*?)(?:,\s*(?:it|that|this))?\s+(?:(?:is|'s|are|was)\s+no longer\s+(?:true|valid|so|"
    r"correct|right|the case|"
    r"needed|current|in use|available)|no longer\s+(?:holds?|applies|apply|works?|counts?|exists?|"
    r"valid|true)|(?:does|do)n't\s+"
    r"(?:hold|apply|work|exist|count)(?:\s+any ?(?:more|longer))?|isn't\s+(?:true|valid|right|"
    r"the case)\s+any ?(?:more|longer)|"
    r"(?:is|'s|are)\s+(?:dead|obsolete|outdated|out of date|history|disconnected|cut off|gone|"
    r"off the table|cancelled|"
    r"canceled|void|defunct|not in use any ?more))\s*$", _I,
)  # fmt: skip
_UNUSED = re.compile(
    r"(?:nobody|no one|no-one|we don't|i don't|don't|we no longer|i no longer|"
    r"they don't)\s+(?:ever\s+)?(?:reads?|uses?|using|answers?|"
    r"checks?|looks? at|have|has|picks? up)\s+(?P<what>(?:that|it|this|the old)(?:\s+(?:one|number|"
    r"address|mailbox|inbox|"
    r"account|phone|line))?)(?:\s+(?:any ?(?:more|longer)|now))?\s*$", _I,
)  # fmt: skip
_OLD = re.compile(
    r"(?:(?:the|my|our|her|his|their)\s+(?:old|previous|former|other|earlier)|that|this|"
    r"it)(?:\s+(?:one|number|phone|address|"
    r"e?-?mail|mailbox|account|line))?",
    _I,
)
_NEVER = re.compile(
    r"(?:it|that|this|i|we|he|she|they|there|(?P<name>(?-i:[A-Z])\w+))\s+(?:was|were|had|have|has|"
    r"'ve|'s|am|is)?\s*never\s+"
    r"(?:been\s+)?(?P<v>.+)$", _I,
)  # fmt: skip
_LEFT = re.compile(
    r"\s*(?:(?:have|has|'ve|'s|had)\s+)?(?:recently\s+|just\s+)?(?:left|quit|resigned from|"
    r"(?:handed in|gave in|given|gave|hand in) (?:(?:my|his|"
    r"her) )?(?:resignation|notice) (?:at|to|with)|(?:was |"
    r"were |been |got )?(?:laid off|fired|let go) "
    r"(?:from|by)|(?:have |'ve )?finished (?:at|with|(?:my |the |a )?course of)|retired from|"
    r"cancell?ed|sold|gave up|"
    r"given up|gave away|stopped|"
    r"stopped (?:taking|using|eating|playing|learning|liking|working (?:at|for)|drinking|doing)|"
    r"came off|come off|(?:am|is|'m|'s|been) off|"
    r"broke up with|broken up with|split up with|divorced|got rid of|moved out of|moved away from|"
    r"unsubscribed from|dropped|lost|"
    r"went off|gone off|outgrew|outgrown|am done with|'m done with|is done with|switched away from|"
    r"(?:am|'m|is|'s) through with)"
    r"\s+(?:(?:the|my|our|his|her)\s+)?(?:(?:job|position|post|work|subscription|contract|account|"
    r"membership)\s+(?:at|with|to|for)\s+)?"
    r"(?:taking|using|eating|playing|drinking|working (?:at|for)|learning|doing|"
    r"going to)?\s*(?:the |my )?(?P<v>.+)$", _I,
)  # fmt: skip
NEGATION = re.compile(
    r"\s*(?P<neg>(?P<keep>am|is|are|was|were|'m|'s|'re|have|has|'ve)\s+(?P<word>no longer|not|"
    r"never)|(?P<short>isn't|aren't|wasn't|"
    r"weren't)|(?:don't|doesn't|didn't|do not|does not|did not|no longer|never|haven't|"
    r"hasn't))(?=\s)", _I,
)  # fmt: skip
_ANY_MORE = re.compile(r"\s+any ?(?:more|longer)(?![\w-])", _I)
_WRONG = re.compile(
    r"\b(?:misread|mis-?typed|misspoke|mistaken|by mistake|mixed (?:it|them|that|things) up|never|"
    r"was wrong|got (?:it|that) wrong|"
    r"false alarm|wasn't (?:true|about me|me|mine)|not mine|not me)\b",
    _I,
)
_DELETES = ("delete", "drop", "remove", "erase", "discard", "clear", "ignore", "take")


def read(clause: Clause, subject: Subject | None) -> Iterator[Candidate]:
    """What a clause says is over, or never was; only of what is held."""
    scene, text = clause.scene, clause.text
    bare = _ANY_MORE.sub(lambda found: " " * len(found[0]), text)
    forget = _FORGET.match(text, clause.begin)
    if forget:
        yield from _forgotten(clause, forget)
        return
    if found := _NEVER.match(text, clause.begin):
        who = subject.who if subject and subject.who else scene.speaker
        yield from _never(clause, who, found)
        return
    if found := _OVER.match(text, clause.begin):
        what = found["what"].strip(" ,")
        if what and not _OLD.fullmatch(what):
            yield from _all(clause, held.meant(scene, what))
        elif what and not re.match(r"(?:the|my|our|her|his|their)\b", what, _I):
            over = any(each.kind == "retract" for each in scene.stated)
            yield from _all(clause, [] if over else held.last_stated(scene))
        return
    if (
        subject
        and subject.who
        and subject.kind == "person"
        and (found := _LEFT.match(bare, subject.rest))
    ):
        value = trimmed(bare, *found.span("v"))
        if value:
            records = held.by_value(scene, subject.who, value.text) or held.by_value(
                scene, subject.who, value.text.split(",")[0]
            )
            yield from _all(clause, records or _mentioned(clause, subject.who, value.text))


def old_one(clause: Clause) -> bool:
    """Whether a clause says that the old number or address is of no use."""
    if _UNUSED.match(clause.text, clause.begin):
        return True
    found = _OVER.match(clause.text, clause.begin)
    return bool(found and _OLD.fullmatch(found["what"].strip(" ,")))


def replaced(clause: Clause, stated: Sequence[Candidate], deferred: Clause) -> Iterator[Candidate]:
    """The old number or address that is of no use, by what the text states beside it."""
    scene = clause.scene
    contact = [c for c in stated if c.kind == "state" and c.type == "contact"] or [
        c for c in stated if c.kind == "state"
    ]
    if contact:
        new = contact[-1]
        records = [
            r for r in scene.facts(new.subject)
            if r.attribute == new.attribute and not held.same(r.value, new.value)
        ]  # fmt: skip
    else:
        last = scene.before[-1].episode.text if scene.before else ""
        records = [r for r in held.meant(scene, last) if r.type == "contact"] or [
            r for r in held.last_stated(scene) if r.type == "contact"
        ]
    if records:
        yield _ended(deferred, records[0])


def denied(clause: Clause, subject: Subject, found: list[tuple[str, Any]]) -> Iterator[Candidate]:
    """What a negated predicate ends: its value, where it is held."""
    for attribute, value in found:
        for record in held.by_value(clause.scene, subject.who, value):
            if fold(record.attribute or "") == fold(attribute):
                yield _ended(clause, record)


def without_negation(text: str, rest: int) -> str | None:
    """The text of a predicate as if it were not denied; None where it is not."""
    found = NEGATION.match(text, rest)
    if found is None:
        return None
    start, end = found.span("neg")
    verb = found["keep"] or (found["short"] or "")[:-3]
    filler = f"{verb:<{end - start}}"
    return _ANY_MORE.sub(lambda one: " " * len(one[0]), text[:start] + filler + text[end:])


def _forgotten(clause: Clause, found: re.Match[str]) -> Iterator[Candidate]:
    scene = clause.scene
    what = re.sub(r"\s+(?:please|thanks|for good|from (?:your )?(?:memory|notes|records|list)|down|"
                  r"again)\s*$", "",
                  found["what"], flags=_I)  # fmt: skip
    about = re.match(r"(?:the |that )?(?:bit|part|thing|line|note|entry|remark|stuff|"
                     r"what i (?:said|told you))\s+(?:about|on|with|regarding)\s+(?P<it>.+)",
                     what, _I)  # fmt: skip
    what = about["it"] if about else what
    verb = found["verb"].lower()
    if re.fullmatch(
        r"(?:it|that|this|what i (?:just )?said|the last (?:one|thing|bit)|about (?:it|that))",
        what.strip(),
        _I,
    ):
        waiting = [r for r in scene.known.waiting()][:1]
        if waiting and (scene.offered or not held.last_stated(scene)):
            record = waiting[0]
            yield clause.candidate(
                record.subject or "", record.attribute or "", record.value, kind="reject"
            )
            return
        yield from _all(clause, held.last_stated(scene) if not verb.startswith(_DELETES) else [])
        return
    if verb.startswith(_DELETES) and len(what.split()) > 8:
        return
    records = held.meant(scene, what) or [r for r in held.meant(scene, what, scene.known.waiting())]
    yield from _all(clause, records)


def _all(clause: Clause, records: Sequence[Record]) -> Iterator[Candidate]:
    seen = set()
    for record in records:
        key = (record.subject, record.attribute, str(record.value))
        if record.subject and record.attribute and key not in seen:
            seen.add(key)
            yield _ended(clause, record)


def _ended(clause: Clause, record: Record) -> Candidate:
    words = clause.scene.text[clause.start : clause.end + 80]
    sentence = re.split(r"(?<=[.!?])\s", words)[0]
    wrong = bool(_WRONG.search(sentence)) and not re.search(r"never (?:again|mind)", sentence, _I)
    ends = (
        clause.begins
        or clause.ends
        or next((a.when[int("last day" in words)] for a in clause.adjuncts if a.when), None)
    )
    made = clause.candidate(
        record.subject or "", record.attribute or "", record.value, kind="retract",
        ends=None if wrong else ends, never=wrong, timed=False,
    )  # fmt: skip
    return made


def _never(clause: Clause, who: str, found: re.Match[str]) -> Iterator[Candidate]:
    value = trimmed(clause.text, *found.span("v"))
    if value is None:
        return
    scene = clause.scene
    who = fold(found["name"]) if found["name"] else who
    records = held.by_value(scene, who, value.text) or _mentioned(clause, who, value.text)
    if not records and not found["name"]:
        records = [r for r in held.last_stated(scene) if held.within(r.value, value.text)]
    for record in records[:1]:
        yield clause.candidate(
            record.subject or who, record.attribute or "", record.value,
            kind="retract", never=True, timed=False,
        )  # fmt: skip


def _mentioned(clause: Clause, who: str, words: str) -> list[Record]:
    """Facts of somebody whose value is within words."""
    found = [
        r
        for r in clause.scene.facts(who)
        if isinstance(r.value, str) and held.within(r.value, words)
    ]
    return found if len(words.split()) <= 6 else []
