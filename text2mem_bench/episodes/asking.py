"""Questions to a memory: with subject, attribute and instants given, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from text2mem.ir.words.naming import name_key
from text2mem.ledger.recall import recall
from text2mem_bench.episodes.cases import Case, Question
from text2mem_bench.episodes.comparing import Comparison
from text2mem_bench.episodes.counting import CountingProvider
from text2mem_bench.episodes.saying import says
from text2mem_bench.episodes.state import Past, State
from text2mem_bench.episodes.tally import Tally

if TYPE_CHECKING:
    from text2mem.ledger.ledger import Ledger
    from text2mem.ledger.recall.recalled import Answer, Recalled

DEPTHS = (1, 5, 10)


@dataclass(slots=True)
class Asking:
    """Scores the answers to a dialogue's questions. ``episodes`` are ids by the turn's name.

    ``answerer`` True is code, which puts exact state into a sentence.
    """

    case: Case
    compare: Comparison
    tally: Tally
    episodes: Mapping[str, str]
    answerer: CountingProvider | Literal[True] | None = None

    def ask(self, question: Question, ledger: Ledger, past: Past) -> None:
        """Ask one question both ways."""
        where = f"{self.case.id}/{question.id}"
        gold = self._compared(question, question.answer or ())
        held = past.answer(question)
        time = "point in time" if question.as_of or question.known_at else "current state"
        groups = [f"time:{time}", f"language:{self.case.language}", f"split:{self.case.split}"]
        if question.via:
            groups.append("hops:some")
        found = self._compared(question, self._exactly(question, ledger, past))
        with self.tally.timed("recall, in words"):
            told = recall(ledger, question.asks)
        in_words = self._compared(question, told.values)
        for what, answer in (("state", found), ("words", in_words)):
            for against, expected in (("given the ledger", held), ("end to end", gold)):
                self.tally.count(
                    f"{what}, {against}", answer == expected, where, groups=groups,
                    expected={"asks": question.asks, "values": expected},
                    found={"values": answer, **(_read(told) if what == "words" else {})},
                )  # fmt: skip
        if not gold:
            self.tally.count(
                "not known, said so", not in_words, where, expected=question.asks, found=in_words
            )
        self._records(question, gold, told, past, where)
        if self.answerer is not None:
            self._answer(question, ledger, past, where)

    def _compared(self, question: Question, values: Iterable[Any]) -> set[str]:
        return {self.compare.value(question.attribute or "", value) for value in values}

    def _exactly(self, question: Question, ledger: Ledger, past: Past) -> list[Any]:
        """The values that exact reads give, along ``via``, by every spelling that the store has."""
        subjects, names = past.spellings(question)
        path = [names[attribute] for attribute in (*question.via, question.attribute or "")]
        values: list[Any] = []
        for subject, *attributes in product(subjects, *path):
            with self.tally.timed("recall, exact"):
                told = recall(
                    ledger, subject=subject, attribute=attributes, as_of=question.as_of,
                    known_at=question.known_at,
                )  # fmt: skip
            values += told.values
        return values

    def _records(
        self, question: Question, gold: set[str], told: Recalled, past: Past, where: str
    ) -> None:
        """Recall@k: whether each fact that answers is among the first k lines."""
        wanted = self.compare.attribute(question.attribute or "")
        state = past.last
        for value in sorted(gold):
            facts = {
                record.id
                for record in state.records.values()
                if record.is_fact
                and self.compare.attribute(record.attribute or "") == wanted
                and self.compare.value(record.attribute or "", record.value) == value
            }
            for depth in DEPTHS:
                shown = {id_ for line in told.lines[:depth] for id_ in line.records}
                self.tally.count(
                    f"recall@{depth}", bool(facts & shown), where,
                    expected={"asks": question.asks, "value": value},
                    found=[line.text for line in told.lines[:depth]],
                )  # fmt: skip

    # --- answers ---------------------------------------------------------------------------

    def _answer(self, question: Question, ledger: Ledger, past: Past, where: str) -> None:
        with self.tally.timed("answer"):
            told = recall(ledger, question.asks, answer=self.answerer)
        if isinstance(self.answerer, CountingProvider):
            self.tally.asked("answer", self.answerer.take())
        answer = told.answer
        if answer is None:
            self.tally.count("answers right", False, where, expected=question.asks)
            return
        expected = {"asks": question.asks, "values": list(question.answer or ())}
        shown = answer.as_dict()
        right = self._right(question, answer, past.last)
        groups = ["conflict:some"] if self._contested(question) else []
        self.tally.count(
            "answers right", right, where, expected=expected, found=shown, groups=groups
        )
        if question.answer is None:
            self.tally.count(
                "answers that do not know, rightly", not answer.known, where, expected=expected,
                found=shown,
            )  # fmt: skip
        elif answer.known:
            self._cited(question, told, answer, where)

    def _right(self, question: Question, answer: Answer, state: State) -> bool:
        """Whether an answer says every value, and no other that the line has ever had."""
        if question.answer is None or not answer.known:
            return question.answer is None and not answer.known
        attribute = question.attribute or ""
        gold = self._compared(question, question.answer)
        others = [
            record.value
            for record in state.facts()
            if self.compare.attribute(record.attribute or "") == self.compare.attribute(attribute)
            and self.compare.subject(record.subject) in self._subjects(question)
            and self.compare.value(attribute, record.value) not in gold
        ]
        return all(
            says(answer.text, self._spelled(value)) for value in question.answer
        ) and not any(says(_without(answer.text, question.answer), [value]) for value in others)

    def _spelled(self, value: Any) -> list[Any]:
        """A value and its aliases."""
        return [value, *self.case.aliases.get("values", {}).get(str(value), ())]

    def _subjects(self, question: Question) -> set[str]:
        """Whom a question is about in the end: the subject, or who has the values that answer."""
        if not question.via:
            return {self.compare.subject(question.subject)}
        return {
            self.compare.subject(gold.subject)
            for turn in self.case.heard(question.tenant)
            for gold in turn.gold
            if gold.attribute == question.attribute and gold.value in (question.answer or ())
        }

    def _contested(self, question: Question) -> bool:
        """Whether what a question is about has been changed, corrected or ended."""
        subjects = self._subjects(question)
        return any(
            gold.outcome in ("supersede", "correct", "late", "retract")
            and gold.attribute == question.attribute
            and self.compare.subject(gold.subject) in subjects
            for turn in self.case.heard(question.tenant)
            for gold in turn.gold
        )

    def _cited(self, question: Question, told: Recalled, answer: Answer, where: str) -> None:
        """Whether the cited lines bear the answer out, and are evidence."""
        lines = [line for line in told.lines if set(line.citations) & set(answer.citations)]
        said = [v for v in (*told.values, *(question.answer or ())) if says(answer.text, [v])]
        supported = [v for v in said if any(says(line.text, self._spelled(v)) for line in lines)]
        self.tally.count(
            "claims supported", bool(said) and supported == said, where,
            expected=said, found={**answer.as_dict(), "lines": [line.text for line in lines]},
        )  # fmt: skip
        evidence = {f"e{self.episodes[name]}" for name in self._evidence(question)}
        for citation in answer.citations:
            self.tally.count(
                "citations are evidence", citation in evidence, where, expected=evidence,
                found=citation,
            )  # fmt: skip

    def _evidence(self, question: Question) -> set[str]:
        """The episodes that an answer may rest on: the gold evidence, and every other turn that
        had stated the same by the instant that the question is about.
        """
        until = question.known_at or self.case.now
        asked, subjects = {question.attribute, *question.via}, self._subjects(question)
        stating = {
            turn.episode
            for turn in self.case.heard(question.tenant)
            for gold in turn.gold
            if turn.at <= until
            and not gold.retracts
            and gold.attribute in asked
            and (gold.value in (question.answer or ()) or name_key(str(gold.value)) in subjects)
        }
        return stating | set(question.evidence)


def _read(told: Recalled) -> dict[str, Any]:
    """How a question was read."""
    return {
        "subject": told.subject, "via": list(told.via), "attribute": told.attribute,
        "as_of": told.as_of, "known_at": told.known_at, "by": told.found,
    }  # fmt: skip


def _without(text: str, values: Sequence[Any]) -> str:
    """A text without some values, so that a shorter one is not taken for said within them."""
    for value in sorted(map(str, values), key=len, reverse=True):
        text = text.replace(value, " ")
    return text
