"""How appointments, journeys and looser deadlines are put."""

from __future__ import annotations

import re

from text2mem.ledger.extraction.english.text import words

_I = re.IGNORECASE
D = r"(?P<date>(?:the )?[\w ,./:'-]+?)"
NP = r"(?P<np>[\w' .-]{2,60}?)"
EVENT = (
    r"(?:appointment|meeting|interview|exam|test|wedding|flight|concert|party|birthday|surgery|"
    r"operation|check-?up|trip|holiday|vacation|conference|workshop|release|launch|freeze|demo|"
    r"presentation|review|standup|audit|anniversary|graduation|ceremony|hearing|viewing|move|"
    r"delivery|train|ferry|departure|arrival|game|match|race|marathon|recital|retreat|course|"
    r"class|term|vaccination|visit|go-live|cutover|migration|kick-?off|offsite|election|premiere|"
    r"opening|vernissage|funeral|christening|festival|performance|show|dinner|barbecue|session|"
    r"start date|end date|due date|date|deadline|renewal|expiry|inspection|retro(?:spective)?|"
    r"mot|yoga|pilates|x-ray|mri|parents' evening|practice|training|sprint|rehearsal|tournament|"
    r"show|fair|camp|lesson|scan|procedure|defen[cs]e|viva|orientation)"
)
TRIP = re.compile(
    r"\b(?:fly|flying|flies|travel\w*|go|going|leav\w+|off|head\w*|away|holiday\w*|trip|visiting|"
    r"visit|"
    r"depart\w*|sail\w*|cruise|driving)\b[\w\s']{0,40}?\s(?:(?:on|from)\s+)(?P<first>(?:the "
    r")?\d{1,2}"
    r"(?:st|nd|rd|th)?(?: (?:of )?[A-Z]\w+)?|[A-Z]\w+ \d{1,2}|\w+day)\s*,?\s*(?:to|until|till|-|–|"
    r"(?:and|"
    r"then)(?: (?:we|i|are|am|come|get|return|'re|'m))*(?: back| home| returning| return| coming "
    r"back)+(?: again| home)?(?: on)?)\s+(?P<last>(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: (?:of "
    r")?[A-Z]\w+)?|"
    r"[A-Z]\w+ \d{1,2}|\w+day)", _I,
)  # fmt: skip
PROFESSION = (
    r"(?:dentist|doctor|gp|vet|physio(?:therapist)?|optician|hairdresser|barber|lawyer|solicitor|"
    r"accountant|midwife|therapist|notary|dermatologist|cardiologist|surgeon|consultant|hygienist|"
    r"podiatrist|psychologist|orthodontist|gynaecologist|paediatrician|oncologist|specialist|"
    r"mechanic|tax adviser|osteopath|chiropractor|nutritionist|counsellor)"
)
SEES = re.compile(
    r"\s*(?:(?:am|is|are|'m|'s|'re|have|has|'ve)\s+)?(?:got|see|sees|seeing|have|has|back at|at|"
    r"due at|meeting|meet|visiting|booked in with|off to|going to|go to)(?: to see)?\s+(?:my|the|"
    rf"our|a|her|his)\s+(?P<np>{PROFESSION})(?:'s)?(?:\s+again)?\s+(?:on|for)\s+{D}$", _I,
)  # fmt: skip
LOOSE_DUE = re.compile(
    rf"\s*(?:the |my |our )(?P<np>[\w' -]{{2,40}}?)\s+(?:must|has to|have to|needs? to|should|had "
    rf"to|is "
    rf"to|are to)\s+[\w' ]{{2,40}}?\s+(?:by|before|no later than)\s+{D}$", _I,
)  # fmt: skip
UNTIL_TO = re.compile(
    r"\s*(?:have|has|'ve|'s|got|have got|'ve got|has got|was given|were given)(?: "
    r"got)?\s+(?:until|"
    r"till|up to)\s+(?P<date>[\w ,./'-]+?)\s+to\s+\w+(?: in| up| out| off)?\s+(?P<object>(?:the|"
    r"my|our|a|an|"
    r"his|her)\s+[\w' -]{2,40})$", _I,
)  # fmt: skip
VERBLESS = re.compile(
    rf"\s*(?!my |our |the )(?P<np>(?:[\w-]+ ){{0,2}}(?:{EVENT}|haircut|physio|dentist|blood test|"
    rf"driving test|vet))"
    rf"(?:\s+(?:with|at|in)\s+(?P<with>[\w' .]+?))?\s*(?:on|,)\s+{D}$", _I,
)  # fmt: skip
SEEN = re.compile(
    rf"\s*(?:the|my|our)\s+(?P<np>{PROFESSION})\s+(?:wants? to see|sees?|is seeing|will see|can "
    rf"see|can fit)\s+(?:me|us)(?:\s+(?:again|back|in))*\s+(?:on|for)\s+{D}$", _I,
)  # fmt: skip
_NO_OBJECT = words("it that this them one something be home back there here done ready")


def object_of(words: str) -> str | None:
    """What has to be done, without its article; None where it is nothing in particular."""
    plain = re.sub(r"^(?:(?:in|out|up|off|over|for|to)\s+)?(?:my|the|our|a|an|this|that|his|"
                   r"her)\s+", "",
                   words.strip(), flags=_I)  # fmt: skip
    plain = re.split(r"\s+(?:to|in|at|with|from|for)\s+", plain)[0]
    if not plain or plain.lower() in _NO_OBJECT or len(plain.split()) > 4:
        return None
    return plain
