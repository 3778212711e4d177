"""English flags, locks, reviewers, pronouns, the focus and language of a summary, conditions."""

from __future__ import annotations

import re

from text2mem.planner.evidence.rows import Row, Words, constant
from text2mem.planner.evidence.text import HIDDEN, english, phrase

_THINGS = r"(?:notes?|memor(?:y|ies)|entr(?:y|ies)|records?|items?|facts|data|things|content)"
_NARROWED = (
    r"(?! ?,? ?(?:about|on|tagged|labell?ed|marked|filed|from|with|without|that|which|of|in|at|concerning|"
    r"regarding|relating|related|older|newer|created|written|saved|stored|made|since|before|after|named|for|"
    r"called|mentioning|containing|whose|where|dated|not|under|between|by|about|to do|around|during|i|we|having|"
    r"aren't|were|dealing|referring|belonging|except|but|over|who|there was)(?![a-z]))"
)
_REMOVING = r"(?:delete|erase|remove|forget|wipe|purge|destroy|drop|get rid of|throw away|bin|clear|discard|gone|go away)"
_IT = r"(?:it|them|this|that|these|those|him|her|everything|all of (?:it|them))"
_AFTER_IT = (
    r"(?=\s{0,3}(?:[.,;:!?)]|$)|\s{1,3}(?:and|or|then|too|again|as|please|in|into|to|until|till|for|with|by|at|on|up|"
    r"down|off|out|from|under|the|a|so|but|if|all|both|over|away|back|back?wards|next|now|read|append|only|expire|"
    r"lapse|private|public|tomorrow|every|each|after|before|when|once|permanently|instead|also|carry|important|"
    r"high|low|urgent|top|archived|be|go|shorter|easier|have|fit)(?![a-z]))"
)
_NAME = r"[a-z][\w'-]{0,30}(?:\s{1,3}[a-z][\w'-]{1,30})?"
_LIFT = r"(?:lift|unlock|release|undo|remove|change|open|approve|edit|break)"
_TO_END = rf"[^,.;:!?\n{HIDDEN}]{{2,120}}?(?=\s{{1,3}}(?:and|then|in|within|but) (?:then |also )?(?:tag|label|lock|archive|delete|set|give|mark|at most|no more|save|store|\d)|\s{{0,3}}(?:[,.;:!?\n{HIDDEN}]|$))"


def _proper(words: str) -> str | None:
    """The leading words that are written as a name is."""
    parts = words.split()
    if not parts or not parts[0][:1].isupper() or parts[0] in ("I", "The", "Only"):
        return None
    named = len(parts) > 1 and parts[1][:1].isupper()
    return words if named else parts[0].removesuffix("'s")


def _flag(value: str, source: str) -> Row:
    return Row("flag", english(source), constant(value))


def _unlocked(found: re.Match[str]) -> str | None:
    """None where it is said of who may do it: "only Elias can unlock it"."""
    said = found.string[max(0, found.start() - 48) : found.start()]
    return None if _ALLOWED.search(said) is not None else "none"


_ALLOWED = phrase(
    r"(?:(?:only|but|except|unless|let|allow) [^.,;]{1,30}|who (?:may|can|should)|(?<!you)(?<!we)(?<!\si) (?:may|can)|"
    r"allowed to|able to|as the one to|be) ?$"
)
_SUMMARY = re.compile(
    r"summar|digest|condens|recap|overview|boil|gist|main points|sum up|outline|brief|write|answer|reply|tell"
)

ENGLISH_FLAGS = (
    # what is meant
    _flag("everything", rf"(?:(?:all (?:of )?(?:my|our|the|your) {_THINGS}|all {_THINGS}|all there is|(?:absolutely )?everything(?: (?:i|we|you) have(?: (?:stored|saved|noted|recorded))?| there is| in (?:here|the store|(?:my|your) memory))?|(?:my|the|your) (?:entire|whole) (?:memory|store|archive|history|collection)|every (?:single )?(?:note|memory|entry|record)(?: (?:i|we) have)?|all (?:that )?(?:i|you) (?:have|know)))(?![a-z'-]){_NARROWED}"),
    # how
    _flag("permanent", r"(?:for good|permanently|irrevocably|irreversibly|irretrievably|beyond recovery|without (?:a )?trace|no trace|not a trace|hard[- ]delet\w{1,3}|(?:never|not|nobody|no one|nothing)[^.;!?\n]{0,60} (?:recover(?:ed)?|restored?|brought back|get (?:it|them) back)|unrecoverabl[ey]|once and for all|for ever and ever|never to return|shred|obliterate|wipe (?:out )?(?:it|them|every trace|all traces)|really (?:gone|erased?|deleted?)|physically)".replace("[- ]", r"[\s-]")),
    _flag("permanent", rf"{_REMOVING} [^.;!?\n]{{0,80}}?(?P<said>forever)"),
    _flag("keep-original", r"(?:(?:keep|leave|preserve|retain)(?:s|ing)? (?:the |its |their |my )?(?:originals?|parents?|source|other notes|others?|rest|old ones?|old note)(?: (?:as it is|as they are|alone|in place|there|untouched|intact|around|too|as well))?|without (?:deleting|removing|losing|touching|changing|archiving|hiding) (?:the )?(?:others?|originals?|rest|old ones?|source|either|any|them)|(?:don't|do not|but not) (?:delete|remove|touch|change|archive|lose) (?:the )?(?:others?|originals?|rest|old ones?)|originals? (?:stays?|remains?|kept|should stay|untouched)|the (?:others?|originals?|rest) (?:stays?|remains?|should (?:stay|remain)|too stay))"),
    _flag("include-archived", r"(?:(?:including|include|incl\.?|also|even|plus|together with|as well as|counting|with|and) (?:the |those |any |my )?(?:archived?|ones in the archive|those in the archive)(?: (?:ones|notes|entries|memories|too))?|(?:the )?archive(?:d(?: ones| notes| entries)?)? (?:included|too|as well|also)|(?:search|look) (?:in |through )?the archive|(?:from|in|through) (?:my |the )archive(?! (?:of|and (?:give|set|raise)))|archived or not|whether (?:or not )?archived)"),
    _flag("include-deleted", r"(?:(?:including|include|incl\.?|also|even|plus|together with|as well as|counting|and) (?:the |those |any |my )?(?:deleted|removed|forgotten|erased|binned)(?: (?:ones|notes|entries|memories|too))?|(?:the )?deleted (?:ones|notes|entries|memories) (?:included|too|as well|also)|deleted or not|(?:in|from|out of) the (?:bin|trash))"),
    _flag("restore", r"(?:restor(?:e|ed|ing)|undelet(?:e|ed|ing)|un-?archiv(?:e|ed|ing)|bring back|undo (?:the |that |its |their )?(?:deletion|delete|archiving|removal)|(?:reactivate|reinstate|revive|recover)(?! password)|(?:out of|off) the (?:archive|bin|trash)|un-?hide|should not have (?:been )?deleted)"),
    _flag("restore", r"(?:bring|get) [^.;!?\n]{1,100}? (?P<said>back)(?! (?:on|every|at|in|next|tomorrow)(?![a-z]))"),
    _flag("cancel-expiry", rf"(?:(?:cancel|remove|drop|lift|undo|clear|switch off|turn off|delete|forget|take off) (?:the |its |their |any )?(?:expiry|expiration|expire|end)(?: date| time)?|never expires?|no longer expires?|without (?:an |any )?(?:end|expiry|expiration)(?: date)?|(?:don't|do not|not|n't|shouldn't|mustn't)(?: let)?(?: {_IT}| [^.;!?\n]{{1,60}}?)? (?:to )?(?:expire|lapse|run out)(?: (?:after all|any ?more|any longer|at all))?|keep (?:(?!until|only|then)[^.,;!?\n]){{1,80}}? (?:forever|indefinitely|for ever|for good|after all|permanently|without end)|stays? (?:after all|forever|for good|indefinitely)|no (?:more )?(?:expiry|expiration|end date|end))"),
    _flag("cancel-reminder", r"(?:(?:cancel|stop|switch off|turn off|remove|drop|delete|disable|silence|clear|end|mute|kill|get rid of) (?:the |all |my |any |its |their |that |those |these )?(?:[a-z-]{1,12} )?(?:reminders?|reminding|notifications?|alerts?)|(?:switch|turn) (?:the |all |its |their )?reminders? off|stop reminding|(?:don't|do not|no longer|never|needn't|not|n't)(?: need to| have to| want you to)? (?:remind|be reminded|need (?:a |the |any )?reminders?|want (?:a |the |any )?reminders?)(?! me (?:to|that|when|if))|no (?:more |longer )?reminders?|without (?:a |any )?reminders?|reminders? off)"),
    _flag("anonymise", r"(?:anonymi[sz]e[sd]?|anonymi[sz]ing|de-identify|depersonali[sz]e|pseudonymi[sz]e|(?:strip|remove|take out|scrub|redact|clear|delete|drop|wipe|erase) [^.;!?\n]{0,60}?(?:personal (?:data|details|content|information|info)|names and details|anything personal|everything personal|all that is personal|what is personal))"),
    _flag("archive", r"(?<!un)(?<!out\x20of\x20the\x20)(?<!in\x20the\x20)(?<!from\x20the\x20)(?:archive(?! (?:included|too|as well|of))|archiving|(?:to|into|in) the archive(?! (?:included|too|as well))|put (?:it|them|those|these|this|that) away|mothball|shelve)"),
    # locks
    Row("lock_mode", english(r"(?:un-?lock(?:ed|ing)?|(?:remove|lift|release|undo|drop|take off|take|open|cancel|end) (?:the |its |their |that |any )?(?:locks?|protection|freeze|write protection)|un-?freeze|un-?protect|thaw|(?:editable|changeable|writable|can be (?:edited|changed)) (?:again|once more)|make [^.;!?\n]{1,80}? (?:editable|writable)|free (?:it|them) (?:again|for editing))"), _unlocked),
    Row("lock_mode", english(r"(?:append[- ]only|add[- ]only|only (?:additions|adding|appending|append)|(?:only|just) (?:be )?(?:added to|appended|extended|add to)|nothing but additions|(?:may|can|should) only (?:be (?:added to|extended|appended to)|grow))".replace("[- ]", r"[\s-]")), constant("append_only")),
    Row("lock_mode", english(r"(?:read[- ]only|write[- ]protect(?:ed)?|immutable|unchangeable|(?:nobody|no one|no-one|none|nothing|not anyone|never)[^.;!?\n]{0,60}? (?:edit(?:s|ed)?|chang(?:e|es|ed)|touch(?:es|ed)?|modif(?:y|ies|ied)|alter(?:s|ed)?|overwrit(?:e|es|ten)|tamper\w{0,4})|(?:can't|cannot|can not|must not|mustn't|may not|shouldn't|doesn't|don't|won't)(?: be| get)? (?:edited|changed|modified|altered|touched|overwritten|tampered with)|(?:prevent|avoid|against|from|stop|forbid|no|without)(?: any| all| further| more| accidental| unauthori[sz]ed| unwanted){0,2} (?:changes|edits|modifications?|editing|alterations?|tampering))".replace("[- ]", r"[\s-]")), constant("read_only")),
    Row("lock_mode", english(r"(?<!the\x20)(?<!a\x20)(?<!its\x20)(?<!their\x20)(?<!any\x20)(?<!that\x20)(?:lock(?! (?:out|screen))|locking|(?:be|are|is|get|stay|keep (?:it|them)) locked|freeze|froze|frozen|protect(?! (?:against|my))|protected|protect my|secure(?! (?:code|the))|seal)"), constant("read_only")),
    # who may lift a lock
    Row("reviewer", phrase(rf"(?<![a-z])only (?P<said>{_NAME}) (?:may|can|should|is allowed to|is able to|will|has the right to|gets to|must)(?: be (?:allowed|able) to)? {_LIFT}"), Words(_proper)),
    Row("reviewer", phrase(rf"(?<![a-z])with (?P<said>{_NAME}) as (?:the )?(?:only )?(?:one|person|somebody|someone|reviewer|unlocker|approver|keeper|lifter)"), Words(_proper)),
    Row("reviewer", phrase(rf"(?<![a-z])(?:reviewers?|approver|approved by|reviewed by|unlocked (?:only )?by|lifted (?:only )?by|released (?:only )?by|unless)(?: is| are|:| =| only)? (?P<said>{_NAME})"), Words(_proper)),
    Row("reviewer", phrase(rf"(?<![a-z])(?:let|allow) (?:only )?(?P<said>{_NAME}) (?:to )?(?:{_LIFT}) (?:it|them|that|this|the lock)"), Words(_proper)),
    Row("reviewer", phrase(rf"(?:^|[,;.] |and )(?P<said>{_NAME}) (?:may|can|should be able to|is allowed to) (?:lift|unlock|release) (?:it|them|that|this|the lock)"), Words(_proper)),
    Row("reviewer", phrase(rf"(?<![a-z])(?:except|other than|but) (?:for )?(?P<said>{_NAME})(?= (?:may|can|should|edits|changes|touches)|\s{{0,3}}(?:[,.;!?]|$))"), Words(_proper), re.compile(r"lock|protect|freeze|nobody|no one|edit|chang")),
    # what a summary is about, and in which language
    Row("focus", phrase(rf"(?<![a-z])(?:above all(?: on| about)?|with (?:an eye|a view|special attention|particular attention|attention) (?:to|on)|(?:especially|particularly|in particular|notably|chiefly|primarily)(?: on| about| the part about)?|(?:with )?(?:a |the |special |particular |main )?(?:focus(?:s?ing|s?ed)?|emphasis|stress|accent)(?: (?:is|should be|being))? (?:on|upon)|(?:focus|concentrate|concentrating|centred|centered|zooming in) on|pay(?:ing)? (?:special |particular )?attention to|highlight(?:ing)?|stressing|emphasi[sz]ing|mainly(?: on| about)?) (?P<said>{_TO_END})"), Words()),
    Row("language", english(r"in english|english (?:please|version|summary)"), constant("en"), _SUMMARY),
    Row("language", english(r"in (?:simplified |traditional )?(?:chinese|mandarin)|chinese (?:please|version|summary)"), constant("zh"), _SUMMARY),
    # what was spoken of before
    Row("pronoun", english(rf"(?<!see to )(?P<said>it|them){_AFTER_IT}(?! (?:if you|is|was|that nobody))".replace("(?<!see to )", r"(?<!see\x20to\x20)(?<!help\x20)(?<!does\x20)")), lambda found: found["said"]),
    Row("pronoun", english(r"(?P<said>those|these)(?=\s{0,3}(?:[.,;:!?)]|$)|\s{1,3}(?:two|three|as|too|again|please|into|to|until|till|for|with|by|up|down|off|out|under|so|all|now|and|then|in|at|away)(?![a-z]))(?! (?:in|from|of|with|at) (?:the|my|our|last|this))"), lambda found: found["said"]),
    Row("pronoun", english(rf"(?P<said>(?:that|this|the same|the last|the other|the former|the latter|the newest|the latest|the most recent|the previous|the first) (?:one|{_THINGS})|(?:those|these) (?:ones|{_THINGS})|the same ones?|the former|the latter|both(?: of (?:them|those|these))|all of (?:them|those|these)|the (?:two|three|others?))(?! ?(?:about|on|of|from|with|tagged|labell?ed|that|which|where|i|we|in|filed|to the|concerning|regarding|saying)(?![a-z]))"), lambda found: " ".join(found["said"].split())),
    Row("pronoun", english(r"(?:delete|forget|lock|unlock|archive|erase|remove|tag|label|undo|merge|split|store|save|keep|show me|summari[sz]e|update|change|do|restore) (?P<said>that|this)(?=\s{0,3}(?:[.,;:!?)]|$)|\s{1,3}(?:again|too|as|please|until|for|with|now|and|then|in|at|under|to)(?![a-z]))"), lambda found: found["said"]),
    Row("latest", english(rf"(?:the|my|your) (?:very )?(?:last|latest|newest|most recent|freshest) (?:one|note|memory|entry|record|thing(?: i (?:said|told you|saved|noted))?)(?!s)"), constant("newest")),
    Row("latest", english(r"(?:what|the one|the note|whatever) i (?:just|last) (?:said|told you|saved|noted|stored|wrote|added)"), constant("newest")),
    # conditions
    Row("condition", phrase(rf"(?:^|(?<=[\s,;.:]))(?P<said>(?:but )?(?:only )?(?:if|unless|in case|provided(?: that)?|providing|as long as|so long as|assuming(?: that)?|on condition that|where (?:some|any|one|all)|should (?:you find|there be|any|some))(?! (?:you (?:could|can|would|will|don't mind|please|like|wouldn't mind)|i (?:asked?|may|could|might)|possible|need be|so[,.]|not[,.]|that's (?:ok|okay|possible|alright)))(?![a-z]) [^;!?\n{HIDDEN}]{{2,200}}?)(?=, (?:then |please |i |i'd |could |can |it |do |set |[a-z]{{3,11}} (?:it|them|that|those|my|the|all|down|up|me|their|its|off)(?![a-z]))|,? then (?!(?:he|she|they|it|we)\b)|[.;!?\n{HIDDEN}]|, [a-z]|$)"), Words()),
)  # fmt: skip
