"""The gate: which sentences and clauses state nothing that is to be kept, and why."""

from __future__ import annotations

import re

_I = re.IGNORECASE
_TRUSTED = (
    r"(?:doctor|gp|vet|dentist|optician|test|tests|results?|lab|clinic|hospital|specialist|nurse|"
    r"i|we)"
)
_SAYS = (
    r"(?:says?|said|claims?|claimed|reckons?|thinks?|told|tells|keeps? (?:saying|telling)|swears?|"
    r"insists?|believes?|has it|mentioned|hinted|heard|figures|guesses|suspects?|assumes?)"
)
_WHOLE: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "example",
        re.compile(
            r"\b(?:for example|for instance|e\.g\.|made[- ]up|fictional|placeholders?|dummy|"
            r"lorem ipsum|mock data|sample (?:data|customer|user|record)|as an example|"
            r"(?<!'d )(?<!would )(?<!should )say,? (?:the|a|"
            r"my|that)|let's say|pretend|example (?:data|user|customer)|fake (?:name|data|user|"
            r"number)|test data|fixtures?)\b",
            _I,
        ),
    ),
    (
        "hypothetical",
        re.compile(
            r"^(?:(?:and|but|so|oh|well|now|ok|okay),? )*(?:suppos(?:e|ing)|imagine|what if|"
            r"if only|"
            r"assum(?:e|ing)|had (?:i|we|he|she|they)\b|were (?:i|we) to|in case (?:i|we) ever|"
            r"in theory|hypothetically|theoretically|in another life|i wish|let's imagine|say i)\b",
            _I,
        ),
    ),
    (
        "hearsay",
        re.compile(
            rf"\b(?:according to (?!(?:my|the|our) (?:doctor|gp|vet|contract|lease|test|"
            rf"invoice)\b)|"
            rf"apparently|allegedly|supposedly|reportedly|rumou?rs?|rumou?r has it|word is|"
            r"they say|people say|i(?:'ve)? heard|i(?:'ve)? read (?:that|somewhere|in|on|about)|"
            r"i hear|i was told|i gather|someone|"
            rf"somebody|everyone says|the story goes|so (?:he|she|they) (?:says?|claims?)|or so|"
            rf"who knows|may have told|it is said|gossip|(?<!my )(?<!the )(?!{_TRUSTED}\b)[\w']+ "
            rf"has it that)\b",
            _I,
        ),
    ),
    (
        "quotation",
        re.compile(
            r"^(?:and |but |so )?(?:in|according to|at the end of|in chapter \w+ of) (?:the|this|"
            r"that|my|"
            r"her|his|a|our) (?:[\w-]+ )?(?:novel|film|movie|story|tv show|series|episode|song|"
            r"poem|"
            r"screenplay|comic|fairy tale|musical|opera|fanfic)\b|\b(?:main character|protagonist|"
            r"heroine|villain)\b",
            _I,
        ),
    ),
    (
        "joke",
        re.compile(
            r"(?:\bha(?:ha)*\b|\blol\b|\blmao\b|\brofl\b|\bjust kidding\b|\bj/?k\b|\bjoking\b|"
            r"\bkidding\b|\bwith my luck\b|\bi bet\b|\bbasically (?:the|a|my)\b|\bpractically\b|"
            r"\bworld record\b|\ba million\b|\bmillion times\b|\bhundred years old\b|\bif i had a "
            r"(?:pound|dollar|euro|penny)\b|\bmy (?:left|right) (?:arm|kidney|leg)\b|;-?\)|"
            r"\U0001F602|"
            r"\U0001F923|\U0001F606|\b/s\b|\bliterally dying\b|\bany day now\b.*\bking\b|"
            r"\bcareer as a\b|\bin a (?:past|previous|former) life\b)",
            _I,
        ),
    ),
)
_HEARSAY = re.compile(
    rf"^(?:(?:and|but|so|oh|well|now|also|anyway),? )*(?!{_TRUSTED}\b)(?:(?:my|our|the|a|an|her|"
    rf"his|their|some|every)\b [\w' -]{{1,50}}?|[A-Z][\w']+(?: [A-Z][\w']+)?(?:'s [\w ]+?)?|he|"
    rf"she|they|everybody|nobody|people) (?:always |also |still |once |just )?{_SAYS}\b",
    _I,
)
_TRUSTED_SAYS = re.compile(rf"\b{_TRUSTED} (?:also |just )?{_SAYS}\b", _I)
_PLAN = re.compile(
    r"\b(?:(?:i|we|he|she|they)(?:'d| would) (?:like|love|prefer) to|(?:'d|would) (?:really "
    r")?(?:love|"
    r"like) (?:an?|some|another)|(?:i|we|he|she|they) (?:might|"
    r"may|could)(?! be\b)|(?:thinking|dreaming|talking) (?:about|of)|considering|"
    r"toying with|hop(?:e|es|ing) to|plan(?:s|ning)? (?:to|on)|want(?:s)? to|wants? a|"
    r"wanna|some ?day|one day|not yet|eventually|sooner or later|intend(?:s|ing)? to|"
    r"going to (?:try|look|see|think)|looking into|still deciding|haven't decided|"
    r"not decided|undecided|if (?:all|everything) goes well|fingers crossed|perhaps (?:after|next|"
    r"in)|maybe (?:after|next|in|one)|let's see)\b",
    _I,
)
_OPINION = re.compile(
    r"\b(?:in my opinion|if you ask me|overrated|underrated|honestly|frankly|the best|the worst|"
    r"terrible|awful|gorgeous|amazing|boring|ugly|beautiful|brilliant|ridiculous|nonsense|too "
    r"(?:expensive|loud|slow|long|small|big|hot|cold)|better than|worse than|should be (?:banned|"
    r"illegal|forbidden))\b",
    _I,
)
_COMMAND = re.compile(
    r"^(?:(?:ok|okay|right|well|now|then|so|and|also|oh|hey|hi|great|perfect),? )*(?:please |"
    r"kindly |just |could you |can you |would you |will you )?(?:add|book|send|call|rename|move|"
    r"delete|remove|open|close|run|write|fix|find|search|show|list|give|tell|make|create|order|"
    r"buy|cancel|draft|translate|summari[sz]e|explain|help|check|set|turn|play|start|stop|look|"
    r"take|put|get|let|schedule|plan|compare|print|read|reply|answer|forward|update|install|"
    r"commit|push|merge|revert|reserve|email|pick|choose|suggest|recommend|calculate|remind|"
    r"convert|sort|upload|download|share|build|deploy|format|refactor|generate|prepare|leave)\b",
    _I,
)
_CHATTER = re.compile(
    r"(?:(?:thanks?(?: you)?|thank you|cheers|great|good (?:morning|evening|afternoon|night|day)|"
    r"hi|hello|hey|ok(?:ay)?|fine|fair enough|lovely|perfect|bye|see you|nice|cool|sure|ha|wow|"
    r"good|no problem|never mind|sounds good|excellent|brilliant|welcome|right|noted|got it|"
    r"understood|alright|all right|that's all|talk to you|you too|a lot|so much|very much|again|"
    r"there|for now|for tonight|for today|everyone|then|much better|yes|yep|yeah|no|nope|please|"
    r"later|tomorrow|have a (?:good|nice|great) \w+)[\s,.!…-]*)+",
    _I,
)
_TRANSIENT = re.compile(
    r"\b(?:right now|at the moment|today|tonight|this (?:morning|afternoon|evening|minute)|just "
    r"now|again|hungry|tired|exhausted|thirsty|sleepy|busy|cold|hot|late|raining|snowing|sunny|on "
    r"the (?:train|bus|plane|phone|way|road)|in a meeting|worn out|stuck|running late|sick|bored|"
    r"stressed|out of (?:milk|coffee|bread)|broken|is down|is out|is ringing|hurts?|aches?)\b",
    _I,
)
HEDGE = re.compile(
    r"\b(?:i (?:think|guess|believe|suppose|reckon|assume)(?: that)?|maybe|perhaps|probably|"
    r"possibly|presumably|if i (?:remember|recall) (?:rightly|correctly|right|well)|if i'm not "
    r"(?:mistaken|wrong)|i'm not (?:entirely |quite |100% |really |completely |totally |so )?"
    r"(?:sure|certain)(?: about (?:it|that))?|not (?:entirely |quite |100% )?sure(?: about (?:it|"
    r"that))?|as far as i (?:know|remember|recall)|afaik|i'm not sure|i can't remember exactly|"
    r"don't quote me|or so i think|i have a feeling(?: that)?|might be|may be|could be|seems to "
    r"be|it seems(?: that)?|i suspect(?: that)?|more or less|roughly|something like|i'm guessing)"
    r"(?![\w-])",
    _I,
)
"""Words of a speaker who is not sure."""


def whole(sentence: str) -> str | None:
    """Why a sentence says nothing, where it says nothing as a whole."""
    return next((reason for reason, pattern in _WHOLE if pattern.search(sentence)), None)


def hearsay(clause: str) -> bool:
    """Whether a clause hands on what somebody else says."""
    return bool(_HEARSAY.match(clause)) and not _TRUSTED_SAYS.search(clause)


def conditional(clause: str) -> bool:
    """Whether a clause only says under which condition something is or would be so."""
    return bool(
        re.match(r"(?:and |but |so |even |only )*(?:if|unless|provided|whether)\b", clause, _I)
    )


def unsettled(clause: str) -> bool:
    """Whether a clause speaks of a wish, or of a plan that is not settled."""
    return bool(_PLAN.search(clause))


def commanded(text: str) -> bool:
    """Whether the last sentence of a text asks to write, to make or to find something."""
    return bool(_COMMAND.match(re.split(r"(?<=[.!?])\s+", text)[-1]))


def reason(sentence: str, *, asks: bool) -> str | None:
    """Why a sentence that nothing was read out of says nothing; None where that is not known."""
    if asks:
        return "question"
    if found := whole(sentence):
        return found
    if _CHATTER.fullmatch(sentence.strip()):
        return "chatter"
    if "\ue003" in sentence:
        return "quotation"
    if hearsay(sentence):
        return "hearsay"
    if re.search(r"\b(?:if|would|wouldn't)\b", sentence, _I):
        return "hypothetical"
    if unsettled(sentence):
        return "plan"
    if _COMMAND.match(sentence):
        return "command"
    if _OPINION.search(sentence):
        return "opinion"
    if re.search(r"\b(?:not|n't|never|no)\b|n't\b", sentence, _I):
        return "negation"
    if _TRANSIENT.search(sentence):
        return "transient"
    return None
