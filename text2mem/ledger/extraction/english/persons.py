"""What is said of somebody: predicates, the attribute that each is about, and its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from text2mem.ledger.extraction.english.people import NAME, RELATION, is_name
from text2mem.ledger.extraction.english.text import words
from text2mem.ledger.extraction.english.values import Value, listed, number, trimmed

_I = re.IGNORECASE
BE = r"(?:am|is|are|'m|'s|'re|was|were|(?:have|has|'ve|'s|had) been)"
HAVE = r"(?:have got|has got|'ve got|'s got|have|has|'ve|had|got|own|owns|keep|keeps)"
_V = r"(?P<v>.+)"


def _p(source: str) -> re.Pattern[str]:
    """A pattern in which a blank is one or more; V is the value, BE and HAVE the verbs."""
    for name, part in (("{BE}", BE), ("{HAVE}", HAVE), ("{V}", _V), ("{REL}", RELATION)):
        source = source.replace(name, part)
    source = source.replace("[A-Z]", "(?-i:[A-Z])")
    return re.compile(r"\s*" + re.sub(r" (?!\?)", r"\\s+", source), _I)


Shape = Callable[[Value, str], Iterator[Value]]


def one(value: Value, text: str) -> Iterator[Value]:
    yield value


def many(value: Value, text: str) -> Iterator[Value]:
    yield from listed(value, text)


def place(value: Value, text: str) -> Iterator[Value]:
    """A place: words that begin with capitals, up to a comma."""
    found = re.match(rf"(?:the )?{NAME}", value.text)
    if found:
        yield Value(found[0].removeprefix("the "), value.start, value.start + found.end())


def organisation(value: Value, text: str) -> Iterator[Value]:
    """A company, or what a workplace is called: up to "as" and "in"."""
    words = re.split(r"\s+(?:as|in|near|on|with)\s+(?!\w+ & )|,\s", value.text)[0]
    if words.lower() not in _NO_WORKPLACE and not words.lower().startswith(("myself", "free")):
        yield Value(words, value.start, value.start + len(words))


def job_words(value: Value, text: str) -> Iterator[Value]:
    """A profession, up to a comma or where it is done."""
    words = re.split(r",|\s(?:at|for|in|with|from)\s(?!the )", value.text)[0]
    yield Value(words, value.start, value.start + len(words))


def first_name(value: Value, text: str) -> Iterator[Value]:
    found = re.match(NAME, value.text)
    if found and is_name(found[0]):
        yield Value(found[0], value.start, value.start + found.end())


def _names(value: Value, text: str) -> Iterator[Value]:
    for each in listed(value, text):
        yield from first_name(each, text)


def languages(value: Value, text: str) -> Iterator[Value]:
    for each in listed(value, text):
        found = re.match(r"[A-Z][\w-]+(?: [A-Z][\w-]+| Sign Language)*", each.text)
        if found:
            yield Value(found[0], each.start, each.start + found.end())


def thing_liked(value: Value, text: str) -> Iterator[Value]:
    """What can be liked: not "it", not a clause, no more than six words."""
    if _NO_TASTE.match(value.text):
        return
    for each in listed(value, text):
        first = each.text.split()[0].lower()
        if first not in _NO_LIKING and len(each.text.split()) <= 6:
            yield each


_JOB = re.compile(
    r"(?:(?:\w+[ -]){0,3})(?:\w{2,}(?:er|or|ist|ian|eer|ant|ess|aut|smith|wright)|nurse|chef|cook|"
    r"judge|pilot|monk|priest|vicar|student|pupil|midwife|pharmacist|clerk|guide|coach|model|"
    r"intern|apprentice|trainee|freelancer|professor|lecturer|doctor|gp|surgeon|vet|dentist|dba|"
    r"scientist|analyst|engineer|architect|designer|developer|programmer|head|lead|director|ceo|"
    r"cto|cfo|coo|partner|associate|assistant|consultant|agent|officer|executive|specialist|"
    r"scrum master|champion|captain|keeper|rep|chair|representative|secretary|technician|mechanic|"
    r"paramedic|fisherman|fireman|policeman|postman|"
    r"diplomat|economist|actor|actress|florist|translator|spy|beekeeper|roofer)(?: of [\w ]+)?",
    _I,
)
_NO_JOB = words(
    "vegetarian member customer user beginner smoker drinker believer owner number winner loser "
    "fan other ever never over under better older younger later lover morning-person reader "
    "subscriber speaker starter sister brother mother father daughter pescatarian fruitarian "
    "flexitarian christian brazilian italian canadian australian russian norwegian hungarian "
    "indian egyptian ukrainian persian belgian austrian asian american european bulgarian "
    "romanian armenian croatian estonian latvian lithuanian peruvian egalitarian "
    "newcomer stranger volunteer minor senior junior night-owl mess disaster monster saint "
    "customer, insider outsider heavy-sleeper sleeper worrier left-hander teetotaller twin "
    "star super matter order paper water power character librarian's dinner offer "
    "different important pregnant present reluctant hesitant elephant restaurant plant ant "
    "chocoholic foreigner local donor runner climber swimmer hiker cyclist gamer knitter rower "
    "surfer skier learner supporter"
)
_DIETS = (
    r"(?:(?:strict |mostly |lacto-?ovo[- ])?(?:vegan|vegetarian|pescatarian|pescetarian|"
    r"flexitarian|fruitarian|carnivore|omnivore|lacto-vegetarian|teetotal)|(?:gluten|dairy|sugar|"
    r"lactose|nut|meat|alcohol|wheat)[- ]free|low[- ](?:carb|fat|sodium|salt|sugar|fodmap)|keto|"
    r"ketogenic|paleo|kosher|halal|plant-based|mediterranean|high-protein|raw)"
)
_ILLNESS = (
    r"(?:(?:type [12] |mild |severe |chronic |high |low |early |gestational |"
    r"seasonal )*(?:diabetes|"
    r"asthma|epilepsy|migraines?|arthritis|hypertension|blood pressure|anaemia|anemia|adhd|autism|"
    r"depression|anxiety|coeliac disease|celiac disease|crohn's(?: disease)?|eczema|psoriasis|"
    r"glaucoma|hay ?fever|gout|osteoporosis|hypothyroidism|hyperthyroidism|dyslexia|insomnia|"
    r"tinnitus|parkinson's|multiple sclerosis|sciatica|sleep apnoea|sleep apnea|endometriosis|"
    r"covid|pneumonia|bronchitis|cancer|angina|lupus|rosacea|ibs|pcos|copd|heart condition|"
    r"kidney stones|a slipped disc)|\w+(?:itis|osis|emia|aemia|pathy))"
)
DRUG = (
    r"(?:\w{2,}sartan|\w{3,}(?:formin|azide|pril|sartan|statin|olol|azole|cillin|mycin|cycline|"
    r"pam|lam|done|"
    r"oxetine|aline|pram|idine|tadine|zine|zide|ide|profen|caine|terol|sone|lone|gliptin|xaban|"
    r"gliflozin|thyroxine|mab|vir|parin|dipine|triptan|setron|dronate|barb|tidine|phylline|ine|"
    r"tinib|glutide|gabalin|gabapentin|amine)|aspirin|insulin|warfarin|paracetamol|ibuprofen|"
    r"heparin|lithium|iron|"
    r"vitamin \w+\d*|antibiotics|antihistamines?|statins|beta blockers|blood thinners|melatonin|"
    r"penicillin|digoxin|methotrexate|tramadol|codeine|morphine|the pill|ventolin|metformin|"
    r"magnesium|probiotics|[A-Z][a-z]{3,}(?=\s+\d+ ?mg))(?:\s+\d+ ?(?:mg|µg|mcg|ml|units))?"
)
_NO_WORKPLACE = words(
    "home night nights weekends weekdays the moment least least once it them him her you me us a "
    "living hours days all myself a while this that free pleasure now fun money my own"
)
_NO_LIKING = words(
    "it that this them him her you me us how when what where who why if to idea everything all "
    "nothing something anything being-late way fact one ones same these those there so"
)
_NO_TASTE = re.compile(
    r"(?:to (?:say|admit|hear|see|know|be|bother|ask|think|tell|interrupt|disappoint|miss|complain|"
    r"read that|"
    r"brag)|your|you|that|this|it|the (?:way|idea|fact|look|sound)|how|what)(?![\w-])",
    _I,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A predicate, the concept that it is about, and how its value reads.

    ``fixed`` is the value where the words do not hold it. ``wishes``: it also counts where the
    sentence has a condition.
    """

    pattern: re.Pattern[str]
    concept: str
    shape: Shape = one
    articles: bool = True
    wishes: bool = False
    kind: str = "state"


def rows(*told: tuple[Any, ...]) -> tuple[Row, ...]:
    """Rows as they are written: a pattern, a concept, a shape, whether articles are dropped."""
    return tuple(Row(_p(row[0]), *row[1:]) for row in told)


ROWS: tuple[Row, ...] = rows(
    # where
    (r"(?:{BE} )?(?:lives?|lived|living|resid(?:e|es|ed|ing)|based|settled(?: down)?|staying|sits|"
     r"located|housed)(?: with [\w ]+?)? (?:in|near|outside|at) (?!(?:the )?(?:[A-Z][\w']* "
     r")*(?:Hotel|"
     r"Inn|Hostel|Lodge|Cabins?|Resort|Guesthouse)(?![\w])){V}", "city", place),
    (r"(?:{BE} )?(?:moved|moving|relocated|relocating|emigrated|moves) (?:house |back |home |over |"
     r"away )?(?:from [\w ]+? )?to {V}", "city", place),
    (r"{BE} born and raised in {V}", "birthplace", place),
    (r"(?:{BE} )?born in {V}", "birthplace", place),
    (r"(?:{BE} originally |come originally |{BE} |come |comes |originally )from {V}", "hometown",
     place),
    (r"(?:grew up|raised) in {V}", "hometown", place),
    # work
    (r"{BE} (?:employed|working|hired|engaged) (?:by|at|for|with) (?:the )?{V}", "employer",
     organisation),
    (r"(?:works?|worked) (?:full-time |part-time )?(?:for|at|with) {V}", "employer", organisation),
    (r"(?:{BE} )?(?:joined|joining|joins?) {V}", "employer", organisation),
    (r"(?:{BE} )?(?:started|starting|began|starts?)(?: a new job| work(?:ing)?| a job| my new job|"
     r" her new job| his new job)? (?:at|with|for) {V}", "employer", organisation),
    (r"(?:got|took|accepted|landed|has|have|'ve got|'s got) (?:a|the|"
     r"an offer for a) (?:new )?(?:job|"
     r"position|post) (?:at|with) {V}", "employer", organisation),
    (r"(?:(?:{BE} )?(?:works?|worked|working|employed)|started|freelances?|"
     r"practi[sc]es) (?:[\w ]{0,20} )?as "
     r"(?:a|an|the)? ?{V}", "job_title", job_words),
    (r"(?:'ve been|has been|have been|was|were|got|been) promoted to {V}", "job_title", job_words),
    (r"(?:became|become|'ve become|has become|have become|'ve been made|has been made|was made) "
     r"(?:a|an|the)? ?(?P<v>" + _JOB.pattern + r")(?![\w-])(?! (?:of|for) (?:this|that))",
     "job_title", one),
    (r"(?:works?|working|{BE}) (?:in|on) (?:the )?(?P<v>[\w &-]+?) (?:team|department)(?![\w-])",
     "team", one),
    (r"(?:teach(?:es)?|taught|{BE} teaching)(?: [\w ]+?)? at {V}", "employer", organisation),
    (r"(?:(?:have|has|'ve) )?(?:accepted|taken) (?:an|the|their) (?:job )?offer (?:from|at|of) {V}",
     "employer", organisation),
    (r"(?:reports?|reporting) to {V}", "manager", first_name),
    (r"(?:stud(?:y|ies|ied)|{BE} studying|majors? in|majoring in) (?P<v>[A-Za-z][\w -]+?)(?= at|"
     r" in | with| and|,|$)",
     "subject_of_study", one),
    (r"(?:goes|go) to (?P<v>(?:[A-Z][\w'.-]*|of|the)(?: (?:[A-Z][\w'.-]*|of|the))* ?(?:School|"
     r"Primary|Academy|College|"
     r"University|High|Kindergarten|Nursery|Grammar|Institute)[\w ]*)", "school", one),
    (r"(?:attends?|{BE} enrolled at|{BE} a student at|stud(?:y|ies|ied|ying)(?: [\w ]+?)? at|"
     r"{BE} studying(?: [\w ]+?)? at|graduated from) {V}", "school", organisation),
    # health
    (r"{BE} (?:allergic|hypersensitive) to {V}", "allergies", many),
    (r"{BE} (?P<v>[\w-]+)[- ]intolerant", "allergies", one),
    (r"{BE} intolerant (?:to|of) {V}", "allergies", many),
    (r"(?:{HAVE}|suffers? from|developed) (?:a|an|the)? ?(?:bad |severe |serious |mild |"
     r"new )?(?P<v>[\w -]+?) "
     r"(?:allergy|intolerance)(?![\w-])", "allergies", one),
    (r"(?:{HAVE}|suffers? from|developed) (?:an?|the)? ?(?:bad |severe |serious |mild )?(?:allergy|"
     r"allergies|"
     r"intolerance) (?:to|against) {V}", "allergies", many),
    (r"(?:can't|cannot|can not|mustn't|must not|may not) (?:eat|have|touch|drink|"
     r"tolerate) {V}(?<=allergic)",
     "allergies", many),
    (rf"(?:{{BE}} |become |became |'ve become |has become |gone |'ve gone |has gone |have gone |"
     r"went "
     r"|go |turned |'s gone |been |'ve been )(?:an? |"
     rf"on an? )?(?:strict )?(?P<v>{_DIETS})(?! to )(?: diet)?"
     r"(?![\w-])", "diet", one),
    (rf"(?:eats?|follows?|keeps?(?: to)?|sticks? to|{{BE}} on|{{BE}} following|{{BE}} eating|"
     r"'ve started|"
     rf"{{HAVE}}|cooks?) (?:an? )?(?:strict(?:ly)? )?(?P<v>{_DIETS})(?: diet|"
     r" food)?(?![\w-])", "diet", one),
    (rf"(?:{{BE}} )?(?:taking|takes?|took|on|prescribed|given|started(?: on| taking)?|put on|using|"
     r"need|"
     rf"needs) (?:my |the |some )?(?:daily )?(?:[\d.,]+ ?(?:mg|µg|mcg|ml|units)(?: of)? "
     rf")?(?P<v>(?i:{DRUG})(?:(?:, and |, | and )(?i:{DRUG}))*)(?![\w-])", "medication", many),
    (rf"(?:{{HAVE}}|suffers? from|{{BE}} diagnosed with|was diagnosed with|got diagnosed with|"
     r"lives? "
     rf"with|{{BE}} living with|developed) (?:an? |"
     rf"the )?(?P<v>{_ILLNESS})(?![\w-])", "diagnosis", one),
    (r"{BE} (?:a |an )?(?P<v>diabetic|asthmatic|epileptic|colou?r-?blind|coeliac|celiac|autistic|"
     r"dyslexic|short-sighted|deaf|blind|anaemic|haemophiliac|"
     r"pregnant)(?![\w-])", "diagnosis", one),
    (r"{BE} blood (?:type|group) {V}", "blood_type", one),
    # taste
    (r"(?:can't stand|cannot stand|can't bear|can't abide|couldn't stand|hates?|dislikes?|detests?|"
     r"loathes?|despises?|"
     r"don't (?:really )?(?:like|enjoy|care for)|doesn't (?:really )?(?:like|enjoy|care for)|"
     r"{BE} not (?:a "
     r"(?:big |great )?fan of|fond of|keen on)|(?:isn't|aren't) (?:a (?:big )?fan of|fond of|"
     r"keen on)) {V}",
     "dislikes", thing_liked, False),
    (r"{BE} (?:really )?(?:in)?to (?P<v>\w+ing(?: \w+){0,2})$", "hobbies", many),
    (r"(?:{BE} (?:a )?(?:(?:big|huge|great|massive|keen) )?(?:fond of|fan of|into|keen on|"
     r"crazy about|mad "
     r"about|passionate about|a sucker for)|likes?|loves?|adores?|enjoys?|'ve come to (?:like|"
     r"love)|"
     r"has come to (?:like|love)|fell in love with) {V}", "likes", thing_liked, False),
    (r"(?:hobby|hobbies|pastimes?) {BE} {V}", "hobbies", many),
    (r"(?:collects?|{BE} collecting) {V}", "collects", one),
    # languages and skills
    (r"(?:speaks?|spoke|{BE} fluent in|{BE} a native speaker of|{BE} bilingual in|can speak|"
     r"knows how to "
     r"speak) {V}", "languages", languages),
    (r"{BE} (?:a )?native (?P<v>[A-Z]\w+)(?: speaker)?", "native_language", languages),
    (r"plays? (?:the )?(?P<v>(?:bass |electric |acoustic |french )?(?:guitar|piano|violin|cello|"
     r"drums?|flute|"
     r"trumpet|clarinet|saxophone|viola|harp|organ|accordion|banjo|ukulele|bass|trombone|oboe|"
     r"harmonica|bassoon|horn|keyboard|recorder))(?![\w-])", "instrument", one),
    (r"plays? {V}$", "hobbies", many),
    # people, home and things
    (r"{BE} married to {V}", "spouse", first_name),
    (r"(?:married|wed) {V}", "spouse", first_name),
    (r"{BE} (?:engaged to|dating|seeing|together with|going out with|"
     r"in a relationship with) {V}", "partner", first_name),
    (r"{BE} (?P<v>divorced|widowed|separated)(?![\w-])", "marital_status", one),
    (r"{BE} (?P<v>single|unmarried)$", "marital_status", one),
    (r"(?:drives?|{BE} driving) (?:an? )?(?:old |new |red |blue |black |white |silver |grey |"
     r"green )*"
     r"(?P<v>[A-Z][\w-]*(?: [A-Z0-9][\w-]*)*)", "car", one),
    (r"{BE} parked (?:on|at|in|behind|near|by|outside|under) {V}", "parking_spot", one, False),
    (r"parked (?:(?:the|my|our) (?:car|bike|van) )?(?:on|at|in|behind|near|"
     r"by|outside|under) {V}", "parking_spot", one,
     False),
    (r"(?:banks?|{BE}) with (?P<v>[A-Z][\w&'-]*(?: [A-Z][\w&'-]*)* [Bb]ank)", "bank", one),
    (r"banks? with {V}", "bank", organisation),
    (r"{BE} insured (?:with|by|at) {V}", "insurer", organisation),
    (r"(?:wears?|take|takes|need|needs|'m|am|is|'s) (?:a )?(?:shoe )?size (?P<v>\d{2}(?:\.5)?)(?: s"
     r"hoes)?", "shoe_size", one),
    (r"{BE} (?P<v>\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|"
     r"fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|"
     r"seventy|"
     r"eighty|ninety)(?: years old| years of age)?(?=$|,| and )", "age", one),
    (r"{BE} (?:called|named|known as) (?P<v>[A-Z][\w' -]*)$", "name", first_name),
    (r"goes by (?:the name (?:of )?)?{V}", "nickname", first_name),
    (r"(?:edits? (?:everything |all (?:his|her|my|their) \w+ )?(?:in|with)|"
     r"writes? (?:all )?(?:the |his |her |my )?code in|"
     r"codes? in) (?P<v>[A-Z]\w+(?: \w+)?|vim|emacs|neovim|nano|vscode|"
     r"helix)(?![\w-])", "preferred_editor", one),
    (r"uses? (?P<v>(?i:vim|neovim|emacs|nano|vs ?code|helix|zed|sublime(?: text)?|pycharm|intellij|"
     r"kakoune|rider|webstorm|xcode|eclipse|cursor))(?: (?:as (?:my|his|her|an?|the) editor|"
     r"for everything|for "
     r"all \w+))?$", "preferred_editor", one),
)  # fmt: skip
"""Tried in their order: the first that fits and yields a value counts."""

_AVOIDED = re.compile(
    r"(?:can't|cannot|can not|mustn't|don't|do not|never|not|won't)\s+(?:eat|have|drink|touch|take|"
    r"tolerate|go near)\s+(?P<v>[\w' -]+?)(?=[,;:.!]|\s+(?:because|as|since|I'm|i'm|for|—|-))"
    r"|(?:nothing with|no|without|keep away from|avoid|hold the|skip the|leave out the|"
    r"keep me away from|steer clear of)\s+(?P<v2>[\w' -]+?)"
    r"(?=\s+(?:for|in|please|because|as|since|—|-)|[,;:.!])",
    _I,
)
ALLERGIC = re.compile(
    r"(?:am|is|are|'m|'s|'re)\s+(?:\w+ly\s+)?allergic(?:\s+to\s+(?:it|them|those|that|these))?\s*$",
    _I,
)


def avoided(before: str) -> Value | None:
    """What somebody keeps away from, by the words before "I'm allergic to it"."""
    every = list(_AVOIDED.finditer(before))
    if not every:
        return None
    return trimmed(before, *every[-1].span("v" if every[-1]["v"] else "v2"))


GIVEN = re.compile(
    r"\s*(?:(?:have|has|'ve|'s)\s+)?(?:gave|given|prescribed|put)\s+(?P<who>me|us|him|her|"
    r"them)\s+(?:on\s+)?(?:some\s+|a\s+)?"
    rf"(?P<v>(?i:{DRUG}))(?![\w-])", _I,
)  # fmt: skip
"""A medicine that somebody is given by others."""
JOB_IS = re.compile(
    r"\s*(?:am|is|are|'m|'s|'re|was|were|(?:have|has|'ve|'s) been)\s+"
    r"(?:(?P<owner>our|the|my|their|an?)\s+)?(?:new\s+)?(?P<v>.+?)"
    r"(?:\s+(?:at|for|with|by|in)\s+(?P<at>.+))?$",
    _I,
)


AT = re.compile(rf"\s*(?i:{BE})\s+(?i:at|with)\s+(?P<v>{NAME}(?: (?:&|and) {NAME})?)\s*$")
"""Where somebody is: a workplace, where work is spoken of."""
WORK = re.compile(
    r"\b(?:jobs?|work\w*|employ\w*|compan(?:y|ies)|firm|career|colleagues?|office)\b", _I
)


def job(words: str) -> str | None:
    """The profession that words are, without article; None where they are none."""
    plain = re.sub(r"^(?:an?|the|trained|qualified|retired|registered|"
                   r"certified)\s+", "", words.strip(),
                   flags=_I)  # fmt: skip
    last = plain.split(" of ")[0].split()[-1].lower() if plain.split() else ""
    if not _JOB.fullmatch(plain) or last in _NO_JOB or len(plain.split()) > 6:
        return None
    return plain


def values(row: Row, found: re.Match[str], text: str) -> Sequence[tuple[Any, Value]]:
    """The values of a row that fits, each with where it stands."""
    whole = trimmed(text, *found.span("v"), articles=row.articles)
    if whole is None:
        return ()
    out = []
    for each in row.shape(whole, text):
        read: Any = each.text
        if row.concept in ("age", "seats", "shoe_size"):
            counted = number(each.text)
            read = each.text if counted is None else counted
        out.append((read, each))
    return out
