"""A clause with what stands beside its statement taken out: markers, adverbs, hedges, times."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate, Kind
from text2mem.ledger.extraction.english.gate import HEDGE
from text2mem.ledger.extraction.english.scene import Scene
from text2mem.ledger.extraction.english.times import Adjunct

_I = re.IGNORECASE
_LEAD = re.compile(
    r"(?:(?:and|but|oh|well|ok|okay|right|so|also|actually|by the way|btw|fyi|hi|hello|hey|yes|"
    r"yeah|yep|sure|sorry|please|anyway|listen|look|important|reminder|then|plus|now|"
    r"good (?:morning|evening|afternoon)|thanks(?: a lot)?|thank you|great|perfect|lovely|"
    r"good news|bad news|funnily enough|in fact|as for me|for me|personally|as you know|yes please|"
    r"(?:since|as|given that|considering(?: that)?|seeing that|now that)(?= (?:i|we|my|our)\b)|"
    r"one more thing|quick (?:note|question|update)|update|first of all|first|second|finally|"
    r"lastly|because|though|although|while|whereas|what's more|besides|"
    r"(?:please |do |kindly |can you |could you )?(?:remember|note|keep in mind|bear in mind|"
    r"make a "
    r"note|write down|know|memori[sz]e|record|save|store|jot down|don't forget|take note)"
    r"(?: down)?(?: for (?:me|later|next time|the future))?(?: that)?|(?:just )?so (?:that )?you "
    r"know(?: that)?|for the record|for your (?:records|files|information|notes)|"
    r"you should know(?: that)?|i should (?:say|add|mention|tell you)(?: that)?|"
    r"i(?:'d| would)? (?:want|need|like) you to (?:remember|know|note)(?: that)?|"
    r"i forgot to (?:say|mention)(?: that)?|(?:let me|i must|i have to|i'd|i would|"
    r"i should) (?:add|mention|say|tell you|"
    r"confess|admit)(?: that)?|(?:just )?to let you know(?: that)?|it turns out(?: that)?|"
    r"turns out(?: that)?|i can confirm(?: that)?|the thing is(?: that)?|guess what|as of now|"
    r"(?:the )?(?:doctors?|tests?|results?|vet|clinic|lab) (?:says?|said|told me|shows?|showed|"
    r"confirmed|found)(?: that)?|the results are in|in case you need it|from now on|in future|"
    r"in the future|going forward|going forwards|with me|no)(?![\w'-])[\s,:;.!-]*)+",
    _I,
)
_ADVERBS = re.compile(
    r"(?<![\w'-])(?:still|now|currently|nowadays|these days|actually|really|also|just|already|"
    r"officially|at the moment|at present|presently|as it happens|of course|by the way|btw|at last|"
    r"finally|in fact|at this point|recently|lately|absolutely|totally|completely|simply|as well|"
    r"though|after all|since then|luckily|sadly|unfortunately|happily|thankfully|obviously|clearly|"
    r"definitely|certainly|basically|technically|severely|badly|deathly|terribly|highly|slightly|"
    r"quite|very|pretty|fairly|rather fond|so far|in the meantime|meanwhile|for the time being|for "
    r"now|full[- ]time|part[- ]time|myself|himself|herself|from now on|as of now|instead|too|"
    r"immediately|strictly|incredibly|particularly|especially|always|"
    r"usually|normally|generally|permanently|temporarily|proudly|happily|newly|freshly|as ever|"
    r"in the end|to be honest|i'm afraid|i must say|for good|for real|all right)(?![\w'-])",
    _I,
)
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"")
_KEPT = re.compile(r"(?:for|by|to|from|until|on|in|at) now", _I)
_PAST = re.compile(
    r"(?<![\w-])(?:moved|started|joined|switched|changed|got|became|left|quit|gave|went|bought|"
    r"sold|migrated|replaced|began|married|retired|finished|been promoted|was promoted|signed|"
    r"adopted|hired|appointed|took over|upgraded|downgraded|cancelled|canceled|stopped|"
    r"turned|opened|closed|renamed|raised|lowered|set|arrived|settled|graduated|handed over|put|"
    r"took|broke|split|had|"
    r"(?!lived|worked|used|based|called|named|needed|loved|liked|hated|parked|owned|employed|"
    r"married to)[a-z]{3,}ed)(?![\w-])",
    _I,
)
_AHEAD = re.compile(
    r"(?:'m|'re|\bam|\bare|\bis|'s|\bwill(?: be)?|'ll(?: be)?) (?:moving|starting|joining|"
    r"switching|"
    r"changing|leaving|becoming|getting|going|retiring|migrating|taking over|start|join|move|"
    r"switch|become|take over)(?![\w-])",
    _I,
)
UNSURE = 0.4
SURE = 0.9


@dataclass(slots=True)
class Clause:
    """A clause from ``start`` on. ``text`` and ``light`` are as long as its words: in both what
    stands beside the statement is blank, in ``light`` times are kept."""

    scene: Scene
    start: int
    end: int
    text: str = ""
    light: str = ""
    hedged: bool = False
    adjuncts: list[Adjunct] = field(default_factory=list)
    requests: bool = False
    """Only requests and preferences count: the sentence has a condition."""

    @classmethod
    def of(cls, scene: Scene, start: int, end: int, *, hedged: bool = False) -> Clause:
        """The clause between two places of the text."""
        words = scene.text[start:end].replace("\n", " ").rstrip()
        words = words.rstrip(" .,;:!?…-") + " " * 0
        clause = cls(scene, start, start + len(words))
        light = words
        if hedge := HEDGE.search(light):
            clause.hedged = True
            light = _hedged(light, hedge)
            while hedge := HEDGE.search(light):
                light = _hedged(light, hedge)
        clause.hedged = clause.hedged or hedged
        lead = _LEAD.match(light)
        if lead and lead.end() < len(light):
            light = " " * lead.end() + light[lead.end() :]
        coded = [found.span() for found in _CODE.finditer(light)]
        for adverb in _ADVERBS.finditer(light):
            if any(first <= adverb.start() < last for first, last in coded):
                continue
            if not _KEPT.search(light[max(0, adverb.start() - 6) : adverb.end()]):
                light = _blank(light, adverb.start(), adverb.end())
        lead = _LEAD.match(light.lstrip(" ,"))
        if lead and lead.end() < len(light.lstrip(" ,")):
            skip = len(light) - len(light.lstrip(" ,")) + lead.end()
            light = " " * skip + light[skip:]
        clause.light = light
        clause.adjuncts = scene.times.adjuncts(light)
        text = light
        for one in clause.adjuncts:
            text = _blank(text, one.start, one.end)
        clause.text = re.sub(r"^[\s,:;–—-]+", lambda found: " " * len(found[0]), text)
        return clause

    @property
    def begin(self) -> int:
        """Where the words of the statement begin in ``text``."""
        return len(self.text) - len(self.text.lstrip())

    @property
    def begins(self) -> datetime | None:
        """Since when it is said to hold."""
        return next((one.begins for one in self.adjuncts if one.begins), None)

    @property
    def ends(self) -> datetime | None:
        """Until when it is said to hold."""
        return next((one.ends for one in self.adjuncts if one.ends), None)

    @property
    def changed(self) -> datetime | None:
        """When a change is said to have happened, or to be about to."""
        when = next((one.when for one in self.adjuncts if one.when), None)
        if when is None:
            return None
        if _PAST.search(self.text):
            return when[0]
        return when[1] if _AHEAD.search(self.text) else None

    def candidate(
        self,
        subject: str,
        attribute: str,
        value: Any,
        *,
        kind: Kind = "state",
        quote: tuple[int, int] | None = None,
        begins: datetime | None = None,
        ends: datetime | None = None,
        never: bool = False,
        replaces: Any = None,
        project: bool = False,
        timed: bool = True,
    ) -> Candidate:
        """What the clause states, with its times and its confidence."""
        if timed:
            begins, ends = begins or self.begins or self.changed, ends or self.ends
            if kind == "retract":
                begins, ends = None, ends or begins
        words = self.scene.text[self.start : self.end]
        lead = len(words) - len(words.lstrip())
        known = self.scene.known.registry.attribute(attribute)
        return Candidate(
            subject=fold(subject), attribute=known.name, value=value, kind=kind,
            type=self.scene.words.type_of(known.name, project=project),
            valid_from=begins, valid_to=ends, never=never, replaces=replaces,
            confidence=UNSURE if self.hedged else SURE,
            quote=quote or (self.start + lead, self.end),
        )  # fmt: skip


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


def _hedged(text: str, hedge: re.Match[str]) -> str:
    """The text without a hedge; of "may be" and the like the verb is kept."""
    words = hedge[0].lower()
    if words.endswith(" be") and not words.startswith("seems"):
        return text[: hedge.start()] + f"{'is':<{len(words)}}" + text[hedge.end() :]
    return _blank(text, hedge.start(), hedge.end())
