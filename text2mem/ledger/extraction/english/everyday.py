"""More predicates of everyday life, tried after those of ``persons``: homes, studies, tastes."""

from __future__ import annotations

import re

from text2mem.ledger.extraction.english import persons
from text2mem.ledger.extraction.english.persons import (
    first_name,
    job_words,
    languages,
    many,
    one,
    organisation,
    place,
    thing_liked,
)

_HOME = (
    r"(?:flat|house|place|apartment|studio|cottage|room|condo|farmhouse|home|bungalow|flatshare|"
    r"houseboat|loft|bedsit|cabin|villa|townhouse|new-build)"
)
_DEGREE = (
    r"(?:degree|master'?s?|bachelor'?s?|ph\.?d\.?|doctorate|m\.?sc|b\.?sc|mba|ma|ba|diploma|"
    r"minor|major|a-levels?|apprenticeship|traineeship|postdoc|postgrad|undergrad)"
)
_OWN = r"(?:my|his|her|their|our)"
_STUDY_END = r"(?= at | with | in [A-Z]| from | on | and |[,.]|$)"
_ABOUT = r"(?:wild|mad|crazy|nuts|bananas|bonkers)"
ROWS: tuple[persons.Row, ...] = persons.rows(
    # homes
    (r"(?:{BE} |have |has |'ve )?(?:bought|rent|rents|rented|renting|found|buying|got|have|has|"
     r"share|shares|sharing|own|owns|subletting)(?: got)? (?:a|an|our|the|my|their) "
     rf"(?:[\w-]+ ){{0,3}}?{_HOME} (?:\w+ )?(?:in|near|outside) {{V}}", "city", place),
    (rf"(?:{{BE}} |have |has |'ve |'s )?(?:got|have|collected|picked up|signed)(?: the)? (?:keys|"
     rf"lease|"
     rf"contract) (?:to|for|on) (?:a|our|the|my) (?:[\w-]+ ){{0,2}}?{_HOME} in "
     rf"{{V}}", "city", place),
    (r"(?:have |has |'ve |'s )?(?:ended up|put down roots|made (?:our|my|a|their|his|her) home|"
     r"bought|wound up|landed|put down an anchor|set up home|settled) in {V}", "city", place),
    (r"(?:calls?|calling) (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*) (?:my |our |his |her |their )?home",
     "city", place),
    (r"(?:{BE} |have |has |'ve |'s )?(?:swapped|traded|exchanged|left) [\w' ]{2,30}? for (?:an? "
     r"[\w-]+(?: \w+)? (?:in|outside|near) )?{V}", "city", place),
    (r"(?:{BE} |have |has |'ve |'s )?(?:retired|emigrated|relocated|migrated|moved back|gone back|"
     r"returned|gone|decamped|upped sticks|headed back|came back) (?:home )?to {V}", "city", place),
    # work
    (r"(?:{BE} )?(?:freelancing|freelances?|self-employed|works? freelance|working freelance|"
     r"retired|{BE} back|contracting) as (?:an? |the )?{V}", "job_title", job_words),
    (r"(?:have |has |'ve |'s )?made (?:me|him|her) (?:the |a |an )?{V}", "job_title", job_words),
    (r"{BE} (?:an? )?(?:(?:big|huge|lifelong|massive|keen|avid|proud|total|real|die-hard|great|"
     r"passionate|bit of an?|serious|true|long-time|devoted|complete|absolute) )*"
     r"(?P<v>(?!an? )[\w' -]+?) (?:supporter|fan|enthusiast|addict|lover|nerd|buff|geek|aficionado|"
     r"fanatic|freak|devotee|obsessive)(?![\w-])", "likes", one),
    (r"(?:{BE} |grew up |raised )bilingual(?:,| in| with|:)? {V}", "languages", languages),
    (r"(?:have |has |'ve |'s )?(?:booked(?: into)?|{BE} staying (?:at|in)|stays? (?:at|in)|"
     r"reserved|"
     r"{BE} booked into) (?:the )?(?P<v>(?:[A-Z][\w'&]*(?: (?:of|the))? )*(?:Hotel|Inn|Hostel|"
     r"Lodge|"
     r"Cabins?|Guesthouse|Pension|Resort|Riad|B&B|Motel)(?: [A-Z]\w+)*)", "hotel", one),
    (r"{BE} (?:working |employed |hired )?(?:in|on|part of|with|joining) (?:the |our )?"
     r"(?P<v>[\w &-]+?) (?:team|department|group|squad|unit|desk|division)(?![\w-])", "team", one),
    (r"(?:sits?|sat|works?|worked|moved|moves|joined|joins|joining|switched|transferred|"
     r"transferring|belongs?)(?: over| across)? (?:in|on|to|with|into)? ?(?:the |our )"
     r"(?P<v>[\w &-]+?) (?:team|department|group|squad|unit|desk|division)(?![\w-])", "team", one),
    (r"{BE} (?:taking over|stepping in|stepping up|acting|elected|appointed|serving|chosen|voted|"
     r"re-elected|named) (?:as )?(?:the |our |a |an |new )*{V}", "role", job_words),
    (r"(?:takes over|took over|steps in|stepped in|serves|served|acts|stands in|stood in|"
     r"fills in|'ll take over|will take over|will act|'ll act|volunteers?) as (?:the |our |a |"
     r"an |new )*{V}", "role", job_words),
    (r"(?:(?:{BE} )?(?:retrained|retraining|training|qualified|doubles?|moonlights?|earns? [\w ]+|"
     r"makes? (?:a|my|his|her) living|trained|apprenticed|temps?|temping)|got (?:a |the |my )?"
     r"(?:new )?job|got hired|got taken on|{BE} taken on|{BE} hired|signed on|hired) as (?:an? |"
     r"the )?{V}", "job_title", job_words),
    (r"(?:got|took|accepted|landed|has|have|'ve got|'s got|secured|found|signed)(?: \w+)? (?:job|"
     r"position|post|role|place|contract|internship|apprenticeship|traineeship|spot|gig) "
     r"(?:at|with|for|from) {V}", "employer", organisation),
    (r"(?:interning|intern|interns|temping|apprenticed|on secondment|seconded|{BE} seconded|"
     r"moonlights?|moonlighting|{BE} interning|{BE} temping|consults?|consulting|nurses|cooks|"
     r"drives|waits tables|bartends|lectures?|cleans|guards|farms|preaches|coaches) (?:at|for|"
     r"with) (?P<v>[A-Z].+)", "employer", organisation),
    (r"(?:works?|working|worked|{BE} working) (?:nights|shifts|weekends|days|evenings|mornings|"
     r"remotely|mostly|remote|on and off|two days|three days|four days|part of the week) (?:a "
     r"week )?"
     r"(?:at|for|in|with) {V}", "employer", organisation),
    # studies
    (r"(?:{BE} )?(?:doing|do|does|did|finishing|finished|finishes|completing|completed|started|"
     r"starting|starts?|pursuing|have|has|got|working on|working towards|enrolled in|enrolled on|"
     rf"began|halfway through|holds?)(?: an?| {_OWN}| the)?(?: [\w'-]+){{0,2}}? {_DEGREE}"
     rf"(?: degree| thesis)? (?:in|on|of) (?P<v>[\w &-]+?){_STUDY_END}", "subject_of_study", one),
    (r"(?:reads?|{BE} reading) (?P<v>law|medicine|history|english|theology|classics|philosophy|"
     r"geography|maths|mathematics|chemistry|physics|economics|engineering|biology)(?= at )",
     "subject_of_study", one),
    (r"{BE} (?:a|an) (?:(?:first|second|third|fourth|final)[- ]year )?(?P<v>(?!exchange|phd|"
     r"mature|good|university|college|school|bad|visiting|foreign)[\w ]+?) (?:student|major|"
     r"undergrad(?:uate)?)(?![\w-])",
     "subject_of_study", one),
    (r"{BE} in (?:(?:year|grade|form|class|primary|p) ?\w+|(?:the|her|his|my|their) \w+ (?:year|"
     r"grade|class|form)|\w+ (?:year|grade|class|form)|reception|kindergarten|nursery|sixth form)"
     r" at {V}", "school", organisation),
    (r"{BE} a (?:pupil|[\w ]*?student|boarder|freshman|sophomore|junior|senior|fresher|"
     r"undergrad\w*|postgrad\w*) (?:at|of) {V}", "school", organisation),
    (r"(?:{BE} )?(?:starts?|started|starting|goes|go|going|got into|got in|accepted|admitted|"
     r"got a place|won a place|has a place|have a place|switch(?:es|ed)?|moved|moves|changed|"
     r"transferred|transferring|boards?|off)(?: (?:to|at|school at|nursery at|uni at|university "
     r"at|college at|over to|back to|by|into))* (?:the )?(?P<v>(?:(?:[A-Z][\w'.-]*|of|the) "
     r")*(?:School|Primary|"
     r"Academy|College|University|High|Kindergarten|Nursery|Grammar|Institute|Polytechnic|"
     r"Gymnasium|Montessori|Conservatory|Conservatoire)(?: of [A-Z]\w+)?)", "school", one),
    # health
    (r"(?:reacts?|reacted) (?:\w+ )?to {V}", "allergies", many),
    (r"(?:swells?|swelled|puffs?) up (?:\w+ )?(?:from|with|after eating|after|when \w+ eats?) {V}",
     "allergies", many),
    (r"(?:comes?|came|breaks?|broke) out in (?:hives|a rash|spots) (?:\w+ )?(?:from|with|after|"
     r"because of|whenever \w+ eats?|if \w+ eats?|when \w+ eats?|after eating) {V}", "allergies",
     many),
    (r"(?:have|has|'ve|'s|had|got|'ve got|'s got|developed|suffers? from|living with|lives? with|"
     r"{BE} living with|{BE} diagnosed with|diagnosed with|battles?|struggles? with|caught|born "
     r"with|{BE} born with|manages?|treated for|{BE} (?:being )?treated for|{BE} prone to)"
     r"(?: an?| the| some| her| his| my)? ?(?P<v>(?:[\w'-]+ ){0,2}?(?:disease|syndrome|disorder|"
     r"deficiency|palsy|dysplasia|hernia|murmur|reflux|fibromyalgia|sclerosis|arrhythmia|"
     r"cataracts?|ulcers?|gallstones|scoliosis|vertigo|shingles|neuralgia|long covid|cystic "
     r"fibrosis|tendinitis|anorexia|bulimia|ptsd|ocd|migraines?|epilepsy|asthma|diabetes|"
     r"dementia|alzheimer's|dystrophy))(?![\w-])", "diagnosis", one),
    (r"(?:can't|cannot|doesn't|don't) [\w ]+? because of (?:my|his|her|their) (?P<v>[\w' -]+)",
     "diagnosis", one),
    (r"(?:eats?|eating|lives on|{BE} eating) (?P<v>halal|kosher|vegan|vegetarian|keto|paleo|"
     r"plant-based)(?: only| food| now)?$", "diet", one),
    # tastes
    (r"(?:{BE} |have |has |'ve |'s )?(?:not (?:really |exactly |much )?(?:into|mad about|crazy "
     r"about|big on|wild about|a fan of|the biggest fan of)|no fan of|sick of|fed up with|"
     r"(?:never|n't ever) (?:liked|could stand|got into|cared for|been fond of|been a fan of|been "
     r"into|warmed to)|couldn't care less for|went right off|gone right off|avoids?|can do without"
     r"|shudders? at) {V}", "dislikes", thing_liked, False),
    (rf"(?:goes|go|went|going|{{BE}}) (?:absolutely |totally |completely )?{_ABOUT} (?:for|about) "
     r"{V}", "likes", thing_liked, False),
    (r"(?:swears? by|can't get enough of|couldn't live without|can't live without|can't resist|"
     r"lives? for|{BE} (?:obsessed with|hooked on|addicted to|partial to|nuts about|"
     r"enthusiastic about|big on|a devotee of|an admirer of|in love with|mad for|very keen on|"
     r"a lover of)|has a (?:soft spot|thing|weakness|passion) for|have a (?:soft spot|thing|"
     r"weakness|passion) for|really go for) {V}", "likes", thing_liked, False),
    (r"(?:(?:'ve|has|have|'s) )?(?:taken|took|takes|taking|{BE} taking) up {V}", "hobbies", many),
    (r"(?:(?:'ve|has|have|'s|{BE}) )?(?:got|gotten|getting|been getting|been) (?:really |right |"
     r"heavily |quite )?into (?P<v>\w+(?:ing|ics|o|ry|y)(?: \w+)?)$", "hobbies", many),
    (r"(?:go|goes|{BE} going) (?P<v>(?!shopping|missing|nothing|morning|wedding|home|being|"
     r"through|out|going|having)\w{3,}ing)(?: (?:every|on|with|at|in|most|a lot|twice|once|each|"
     r"when|after|before|whenever|all|as).*)?$", "hobbies", one),
    (r"(?:do|does|{BE} doing|practi[sc]es?) (?P<v>yoga|pilates|judo|karate|aikido|tai chi|"
     r"taekwondo|kung fu|ballet|gymnastics|calligraphy|origami|archery|parkour|crossfit|"
     r"meditation|triathlons?|martial arts|improv|woodwork|ceramics|embroidery|capoeira|"
     r"bookbinding|boxing|kickboxing|zumba)(?![\w-])", "hobbies", one),
    (r"(?:spends?|spending) (?:most of |all |much of )?(?:my|his|her|their|our|every) (?:[\w ]+?) "
     r"(?P<v>(?!working|waiting|being|having|trying)\w{3,}ing(?: (?!in|at|on|with)\w+)?)(?: .*)?$",
     "hobbies", one),
    (r"(?:sits?|takes?|books?|wants?|go for|goes for|picks?|pick|choose) (?:in |on |by |for "
     r")?(?:the |"
     r"an? )(?P<v>aisle|window)(?: seat)?(?: (?:when|on|if|whenever).*)?$", "seat_preference", one),
    # languages and instruments
    (r"(?:grew up|raised|brought up)(?: \w+)? speaking {V}", "languages", languages),
    (r"(?:also )?(?:know|knows|understands?|can get by in|gets? by in|get by in|converses? in|"
     r"{BE} conversational in|{BE} proficient in|{BE} at home in|mother tongue {BE}) (?P<v>(?:some "
     r"|a little |a bit of |basic |good )?[A-Z]\w+(?:(?:, | and )(?:some |a little )?[A-Z]\w+)*)$",
     "languages", languages),
    (r"(?:sings?|play|plays|drums?) (?:\w+ )?(?:in|with|for) (?:a |an |the )?(?:\w+ )?(?:band|"
     r"choir|orchestra|quartet|ensemble) (?:called |named )(?P<v>[A-Z].+)", "band", organisation),
    *((rf"(?:{{BE}} )?(?:sings?|plays?|plays \w+|rows?|dances?|acts?|trains?|runs?|swims?|drums?|"
       rf"singing|playing|rowing|training|in|part|a member|cycles?|members?|joined|cox|"
       rf"coaches)(?: \w+)? "
       rf"(?:in|with|for|at|of)? ?(?:the )?(?P<v>(?:[A-Z][\w'&]* )+{head})(?![\w-])",
       head.split("|")[0][3:].lower(), one)
      for head in ("(?:Choir|Chorus|Singers)", "(?:Orchestra|Philharmonic|Symphony)",
                   "(?:Club|Harriers|Rowers)", "(?:Band)", "(?:Theatre|Players)")),
    # people and things
    (r"(?:got|gotten|{BE} getting|gets) engaged to {V}", "partner", first_name),
    (r"(?:got|tied the knot|{BE} getting) (?:married to|married with|with) {V}", "spouse",
     first_name),
    (r"(?:bank|banks|banked|{BE} banking|have (?:an|my) account|has an account) (?:with|at) {V}",
     "bank", organisation),
    (r"{BE} (?:a (?:paying |new |long-standing )?member|members) (?:of|at) (?:the )?"
     r"(?P<v>[A-Z].+)", "membership", organisation),
    (r"(?:joined|signed up (?:for|with|at)|belongs? to) (?:the |a )?(?P<v>(?:[\w'-]+ ){1,3}(?:club|"
     r"gym|choir|society|association|orchestra|league))(?![\w-])", "club", one),
)  # fmt: skip
"""Tried in their order: the first that fits and yields a value counts."""

BESIDE = re.compile(r"\s(?i:at|for|with)\s+(?P<v>(?:the )?[A-Z][\w'&-]*(?: (?:of|&|and|the|de|[A-Z]"
                    r"[\w'&-]*))*)")  # fmt: skip
"""Where a profession is done, or a subject is studied: "as a cook at Riverside Clinic"."""
