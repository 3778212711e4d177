"""What has been read of a turn so far, and what its next clause may lean on."""

from __future__ import annotations

from dataclasses import dataclass, field

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.chinese.concepts import GENDERS, RELATIONS, concept_of
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene
from text2mem.ledger.extraction.chinese.when import Told


@dataclass(slots=True)
class Heard:
    """``found`` and ``reasons`` are of the turn, as is ``sorry``: the sentence before took
    something back. The rest is of a sentence: ``subject`` is whom the clause before was about,
    ``noun`` what it said would change, ``wrong`` what is denied, ``event`` what was settled and
    ``topic`` what was said to be settled without a value, ``lost`` that nobody knows whom it is
    about; ``times`` hold for the clauses that follow.
    """

    scene: Scene
    found: list[Candidate] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    subject: str | None = None
    noun: str | None = None
    wrong: str | None = None
    times: Told | None = None
    event: str | None = None
    topic: str | None = None
    lost: bool = False
    sorry: bool = False
    start: int = 0

    def begin(self) -> None:
        """Forget what holds for one sentence only."""
        self.subject = self.noun = self.wrong = self.times = self.topic = None
        self.lost, self.start = False, len(self.found)

    def take_back(self) -> None:
        """Drop what the sentence has stated: it asks that it is not kept."""
        del self.found[self.start :]

    def add(self, new: list[Candidate]) -> bool:
        """Take candidates in, each once, and note whom they name. Whether there were any."""
        for one in new:
            if all(_same(one) != _same(other) for other in self.found):
                self.found.append(one)
            self.scene.name(one.subject)
            concept = concept_of(one.attribute)
            related = one.attribute in RELATIONS.values()
            if related or one.attribute.endswith("负责人") or (concept and concept.people):
                gender = GENDERS.get(one.attribute)
                self.scene.name(fold(str(one.value)), person=True, gender=gender)
        return bool(new)

    def replace(self, one: Candidate) -> None:
        """Put a candidate in the place of what the turn said before of the same attribute."""
        for n, earlier in enumerate(self.found):
            if (earlier.subject, earlier.attribute) == (one.subject, one.attribute):
                self.found[n] = one
                return
        self.add([one])


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: as it stands, without its lead, and what is known of its sentence."""

    piece: Piece
    bare: Piece
    sentence: str
    correcting: bool


def _same(one: Candidate) -> tuple[object, ...]:
    return one.subject, one.attribute, fold(str(one.value)), one.kind == "retract"
