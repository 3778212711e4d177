"""English verbs that ask for something: what each means, and what its object makes of a weak one.

Frames are tried in order on what follows the verb; a verb that no frame takes means what the table
of plain verbs says.
"""

from __future__ import annotations

from text2mem.planner.heads.english_handling import HANDLING
from text2mem.planner.heads.english_keeping import KEEPING

FRAMES = (*KEEPING, *HANDLING)
"""Frames by the verbs that they take; the first that is met decides."""

PLAIN: dict[str, str] = {
    "Encode": "remember memorise memorize note save store record log jot document capture "
    "register retain enter input insert create write preserve memo transcribe encode track "
    "notate keep commit",
    "Update": "change correct update edit revise rewrite rename amend modify adjust fix replace "
    "alter refresh append extend expand reword rephrase substitute overwrite shift reschedule "
    "postpone restore recover undelete unarchive reactivate revive reinstate complete supplement "
    "mend swap exchange",
    "Label": "tag label mark flag classify categorise categorize untag unlabel annotate retag "
    "relabel",
    "Promote": "promote highlight prioritise prioritize boost raise elevate pin upgrade escalate "
    "emphasise emphasize star upvote increase bump favour favor remind stress strengthen lift",
    "Demote": "demote archive deprioritise deprioritize lower downgrade reduce decrease shelve "
    "mute downplay mothball minimise minimize relegate retire park tuck stow hide bury",
    "Merge": "merge combine consolidate unify join unite fuse integrate amalgamate deduplicate "
    "dedupe fold pool blend",
    "Split": "split divide separate segment chunk partition",
    "Delete": "forget delete erase remove discard wipe purge drop clear scrap destroy trash "
    "eliminate unlearn omit strip empty expunge bin dump ditch toss shred chuck scrub obliterate "
    "dispose kill",
    "Lock": "lock unlock protect freeze secure seal safeguard guard unfreeze restrict unprotect "
    "unseal release relock thaw",
    "Expire": "expire",
    "Retrieve": "find show list search retrieve fetch get locate display query recall review "
    "check see view read gather collect identify lookup present browse tell give look open print "
    "consult hear count know enumerate explore name recite revisit reveal inspect",
    "Summarize": "summarize summarise condense recap outline digest extract distil distill brief "
    "synthesize synthesise generate abridge sum summary overview shorten compress",
}
OPEN: dict[str, str] = {
    "set": "Update Promote Label",
    "make": "Update Promote Lock",
    "move": "Update Demote Merge",
    "put": "Encode Label Demote",
    "add": "Encode Update Label",
    "cancel": "Delete Update",
    "compile": "Summarize Retrieve",
    "organize": "Label Summarize",
    "organise": "Label Summarize",
    "assign": "Label Promote",
    "file": "Label Encode",
    "sort": "Label",
    "group": "Label",
    "undo": "Update Lock",
    "take": "Update Label Demote",
    "stop": "Lock Update",
    "prevent": "Lock",
    "forbid": "Lock",
    "block": "Lock",
}
"""Verbs that alone can mean one of several ops."""
IRREGULAR = {
    "put": "put", "set": "set", "cut": "cut", "split": "split", "kept": "keep", "left": "leave",
    "made": "make", "given": "give", "taken": "take", "brought": "bring", "shown": "show",
    "hidden": "hide", "found": "find", "sent": "send", "told": "tell", "thrown": "throw",
    "forgotten": "forget", "frozen": "freeze", "unfrozen": "unfreeze", "written": "write",
    "rewritten": "rewrite", "broken": "break", "torn": "tear", "held": "hold", "read": "read",
    "got": "get", "gotten": "get", "seen": "see", "stuck": "stick", "overwritten": "overwrite",
    "drawn": "draw", "rid": "rid", "let": "let", "spoken": "speak", "hung": "hang", "heard": "hear",
}  # fmt: skip
"""Participles that are not made with -ed."""
