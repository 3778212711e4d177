"""An agent that knows what was meant: its attempts are what a bank is begun with.

A small model solves too few tasks by itself to have anything to remember.
"""

from __future__ import annotations

from dataclasses import dataclass

from text2mem_bench.agent.loop import Action, Hints, State
from text2mem_bench.sql.world import SqlWorld


@dataclass(slots=True)
class Expert(SqlWorld):
    """The world with decisions by rule: looks up the words of the house, asks about every other
    vague phrase, tries the statement that is meant, and submits it."""

    def decide(self, state: State, hints: Hints) -> Action:
        """What is to be found out next, else the statement, else its submission."""
        done = {step.action for step in state.steps}
        statement = Action("execute", self.task.sql)
        for part in self.task.open:
            assert part.vague is not None
            known = next((t for t in self.task.database.terms if t in part.vague), None)
            if known is not None and part.type == "knowledge-linking":
                action = Action("schema", known)
            else:
                action = Action("ask", _QUESTION.format(part.vague))
            if action not in done:
                return action
        return statement if statement not in done else Action("submit")


_QUESTION = 'What does "{}" mean?'
