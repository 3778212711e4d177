"""What an agent gains by what it remembers: outcomes, learners, ways to remember, the command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import pytest
from click import BadParameter, Context

from tests.bench.test_sql_tasks import ABOUT, DEAR, ROWS, SCHEMA
from tests.experience.test_agent import Doors, memory
from tests.planning import CONTEXT
from tests.store.programs import WordHashes
from text2mem.adapters.registry import open_adapter
from text2mem.cli.main import main
from text2mem.errors import ConfigurationError, MalformedOutput
from text2mem.ir.context import SUFFIX
from text2mem.providers.base import Completion, Message, Request, Usage
from text2mem.providers.function import FunctionProvider
from text2mem_bench.agent.bank import AgentBank
from text2mem_bench.agent.loop import Action, Budget, Hints, Recall, State, Step, play
from text2mem_bench.agent.memories import AgentMemory
from text2mem_bench.agent.selectors import NAMES, Learned
from text2mem_bench.cli import experience_
from text2mem_bench.cli.resuming import said
from text2mem_bench.completions import Completions
from text2mem_bench.experience.attempting import attempts, sample
from text2mem_bench.experience.environment import Played, Posed
from text2mem_bench.experience.figures import figures, lines
from text2mem_bench.experience.methods import FIXED, LEARNED, Ways, known
from text2mem_bench.experience.outcomes import NONE, Outcome, Table, read

BUDGET = Budget(turns=4)


class Following(Doors):
    """An agent that opens the door that it is told of, asks on its second turn otherwise."""

    def decide(self, state: State, hints: Hints) -> Action:
        said = f"{hints.episode} {hints.turn}"
        if "red" in said or "blue" in said:
            return Action("submit", "red" if "red" in said else "blue")
        return Action("look", str(len(state.steps)))


@dataclass
class Turns:
    """What is shown for a turn alone."""

    recall: Recall

    def episode(self, _: State) -> str:
        return ""

    def turn(self, state: State) -> str:
        return self.recall.turn(state)


@dataclass
class House:
    """An environment of doors; ``played_with`` is what every attempt was shown."""

    name: str = "house"
    own_only: bool = False
    played_with: list[str] = field(default_factory=list)

    def remembered(self) -> Iterator[AgentMemory]:
        yield memory("door east", text="red door", seed="r")
        yield memory("door west", text="blue door", seed="b")
        yield memory("door\nlook 0\nlook 0", level="turn", turn=1, text="red door", seed="t")

    def training(self) -> Sequence[Posed[str]]:
        return [Posed(f"task {n}", f"task {n}", "again", "READ", "door east") for n in range(3)]

    def evaluation(self) -> Sequence[Posed[str]]:
        kinds = ("READ", "WRITE")
        return [
            Posed(f"door {n}", f"door {n}", group, kinds[n % 2], "door east")
            for n, group in enumerate(("again", "new") * 4)
        ]

    def played(
        self, posed: Posed[str], recall: Recall | None, budget: Budget, *,
        begun: tuple[Step, ...] = (), phases: int = 2,
    ) -> Played:  # fmt: skip
        world = Following([], request=posed.task)
        first = play(world, recall, budget, begun)
        self.played_with.append(first.hint)
        return Played(first, first if phases == 2 and first.solved else None)


@pytest.fixture
def bank() -> Iterator[AgentBank]:
    with closing(open_adapter("memory:", tenant=f"{CONTEXT.tenant}{SUFFIX}")) as adapter:
        held = AgentBank(adapter, CONTEXT, WordHashes())
        held.keep(House().remembered())
        yield held


@pytest.fixture
def table(bank: AgentBank, tmp_path: Path) -> Table:
    return Table(tmp_path / "table.jsonl", bank, 3, BUDGET)


# --- the table of outcomes -----------------------------------------------------------------


def test_every_candidate_and_none_is_tried_in_every_state(table: Table) -> None:
    house = House()
    found = list(table.extend(house, house.training()[:1]))
    whole = [each for each in found if each.level == "episode"]
    assert [each.place for each in whole] == [-1, 0, 1]
    assert [each.ended for each in whole] == [False, True, False]
    assert whole[0].memory == NONE
    assert {len(each.row) for each in found} == {len(NAMES)}
    assert table.rows() == found


def test_turns_are_tried_on_the_attempt_that_went_before(table: Table) -> None:
    class Blind(House):
        def played(
            self, posed: Posed[str], recall: Recall | None, budget: Budget, *,
            begun: tuple[Step, ...] = (), phases: int = 2,
        ) -> Played:  # fmt: skip
            shown = recall and Turns(recall)
            return super().played(posed, shown, budget, begun=begun, phases=phases)

    found = [each for each in table.extend(Blind(), House().training()[:1]) if each.level == "turn"]
    assert {each.state for each in found} >= {"task 0@1"}
    told = next(each for each in found if each.memory and each.state == "task 0@1")
    assert (told.ran, told.solved, told.ended) == (True, True, True)
    none = next(each for each in found if not each.memory)
    assert not none.ended


def test_a_table_goes_on_where_it_was_stopped(table: Table) -> None:
    house = House()
    taken = list(islice(table.extend(house, house.training()), 4))
    with table.path.open("a") as out:
        out.write('{"level": "epis')  # torn
    table.path.write_text("".join(f"{line}\n" for line in table.path.read_text().splitlines()[:4]))
    rest = list(table.extend(house, house.training()))
    assert [*taken, *rest] == table.rows()
    assert list(table.extend(house, house.training())) == []
    assert list(read(table.path.with_name("none"))) == []


# --- learners ------------------------------------------------------------------------------


def outcome(
    state: str, place: int, feature: float, *, ended: bool, level: str = "episode"
) -> Outcome:
    row = [0.0] * len(NAMES)
    row[0] = float(place >= 0)
    row[NAMES.index("own words said")] = feature
    return Outcome(
        level="turn" if level == "turn" else "episode", state=state, place=place, row=tuple(row),
        memory=NONE if place < 0 else f"m{int(feature * 2)}", cosine=0.5, ran=ended, new=True,
        solved=ended, ended=ended, turns=2,
    )  # fmt: skip


@pytest.fixture(scope="module")
def learnable() -> list[Outcome]:
    """States in which what has the words helps, and nothing else does."""
    made = []
    for level in ("episode", "turn"):
        for n in range(24):
            made += [
                outcome(f"s{n}", -1, 0.0, ended=False, level=level),
                outcome(f"s{n}", 0, 0.0, ended=False, level=level),
                outcome(f"s{n}", 1, 1.0, ended=True, level=level),
                outcome(f"s{n}", 2, 0.5, ended=False, level=level),
            ]
    return made


def picked(selector: Learned, candidates: Sequence[Outcome]) -> int:
    scores = [selector.score(each.row) for each in candidates]
    return scores.index(max(scores))


def test_learners_find_what_helps(learnable: list[Outcome]) -> None:
    pytest.importorskip("torch", reason="the learners' package is not installed: make .venv/.tune")
    from text2mem_bench.experience import learning

    table = learning.choices(learnable, "episode")
    assert len(table) == 24
    for seed in range(1):
        assert picked(learning.ppo(table, learning.by_outcome, seed=seed), table[0].outcomes) == 2
        worth = learning.reward_model(table, seed=seed)(table[0])
        assert max(range(4), key=worth.__getitem__) == 2
        first = learning.reward_model(table, seed=seed, groups=False)(table[0])
        assert worth[2] - worth[1] > first[2] - first[1] > 0
        case = learning.memento(table, seed=seed)
        assert not case.may_abstain
        assert picked(case, table[0].outcomes[1:]) == 1
        uses = learning.memrl(table, seed=seed).uses
        assert max(uses, key=uses.__getitem__) == "m2"
    assert learning.ppo(table, learning.by_outcome, seed=3) == learning.ppo(
        table, learning.by_outcome, seed=3
    )


def test_a_policy_learns_to_show_none(learnable: list[Outcome]) -> None:
    pytest.importorskip("torch", reason="the learners' package is not installed: make .venv/.tune")
    from text2mem_bench.experience import learning

    table = learning.choices(learnable, "episode")
    policy = learning.ppo(
        table, lambda choice: [float(each.place < 0) for each in choice.outcomes], seed=0
    )
    assert picked(policy, table[0].outcomes) == 0


# --- ways to remember ----------------------------------------------------------------------


def test_every_fixed_way_plays(bank: AgentBank) -> None:
    house = House()
    ways = Ways(bank=bank, demonstration="blue door", nearest=3)
    rows = [
        row
        for method in FIXED
        for row in attempts(house, house.evaluation(), method, ways.of(method), BUDGET)
    ]
    found = figures(rows)
    assert {method: held["first"] for method, held in found.items()} == {
        "none": 0, "static": 0, "bm25": 1, "cosine": 1, "topk": 1,
    }  # fmt: skip
    assert found["cosine"]["gain"] == 1
    assert found["cosine"]["interval"] == (1, 1)
    assert found["cosine"]["then"] == 1
    assert found["none"]["shown"] == 0
    assert (found["none"]["turns"], found["cosine"]["turns"]) == (4, 1)
    told = list(lines(found))
    assert len(told) == 6
    assert "+100.0 [+100.0, +100.0]" in told[4]


def test_every_learned_way_plays(bank: AgentBank, learnable: list[Outcome]) -> None:
    pytest.importorskip("torch", reason="the learners' package is not installed: make .venv/.tune")
    house = House()
    ways = Ways(bank=bank, table=learnable, nearest=3)
    for method in LEARNED:
        rows = list(attempts(house, house.evaluation()[:1], method, ways.of(method), BUDGET))
        assert rows[0]["method"] == method


def test_what_cannot_be_made_is_said(bank: AgentBank) -> None:
    ways = Ways(bank=bank)
    with pytest.raises(ConfigurationError, match="no way to remember called 'luck'"):
        ways.of("luck")
    with pytest.raises(ConfigurationError, match="no outcomes for 'memrl'"):
        ways.of("memrl")


def test_words_of_solved_tasks_are_known(learnable: list[Outcome]) -> None:
    assert known(learnable)["s0"] == 0


def test_a_sample_has_as_many_of_every_group() -> None:
    tasks = House().evaluation()
    taken = sample(tasks, 4, seed=0)
    assert [each.group for each in taken].count("new") == 2
    assert taken == sample(tasks, 4, seed=0) == sorted(taken, key=lambda posed: posed.id)
    assert len(sample(tasks, None, seed=1)) == len(sample(tasks, 99, seed=1)) == len(tasks)


# --- answers that are kept -----------------------------------------------------------------


def test_an_answer_is_asked_for_once_and_comes_back_whole(tmp_path: Path) -> None:
    calls: list[Request] = []

    def model(request: Request) -> Completion | str:
        calls.append(request)
        if request.prompt == "bad":
            return "no json"
        told = (("{}", 0.5),)
        return Completion("{}", {}, Usage(3, 1), "m", told, (told,))

    good = Request((Message("user", "hi"),))
    path = tmp_path / "folder" / "answers.db"
    for _ in range(2):
        with closing(Completions(path, FunctionProvider(model))) as answers:
            first = answers.complete(good)
            assert first == answers.complete(good)
            assert first.tokens == (("{}", 0.5),)
            assert first.usage == Usage(3, 1)
            for _ in range(2):
                with pytest.raises(MalformedOutput):
                    answers.complete(Request((), prompt="bad"))
            assert len(answers) == 2
    assert len(calls) == 2
    others = [Request((Message("user", "ho"),)), Request((), prompt="hi"), Request((), prompt="ho")]
    with closing(Completions(path, FunctionProvider(model))) as answers:
        for other in others:
            answers.complete(other)
    assert len(calls) == 5


# --- the command ---------------------------------------------------------------------------


def test_the_command_plays_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tasks" / "bakery"
    folder.mkdir(parents=True)
    for name, text in (
        ("schema.sql", SCHEMA),
        ("rows.sql", ROWS),
        ("about.json", json.dumps(ABOUT)),
    ):
        (folder / name).write_text(text)
    seeds = [json.dumps({**DEAR, "id": f"bakery-{n}"}) for n in range(1, 4)]
    (folder / "seeds.jsonl").write_text("\n".join(seeds))
    monkeypatch.setattr("text2mem.opening.opened_embedder", lambda _: WordHashes())
    command = [
        "bench", "experience", str(tmp_path / "tasks"), "--work", str(tmp_path / "work"),
        "--model", "function:tests.bench.test_agent_experience:copying", "--nearest", "2",
        "--limit", "4", "--learn", "1", "--method", "none", "--method", "cosine",
    ]  # fmt: skip
    run = ["--out", str(tmp_path / "run.json")]

    def ended(*words: str) -> int:
        with pytest.raises(SystemExit) as exit_:
            main(words)
        return int(exit_.value.code or 0)

    assert ended(*command, *run, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["figures"]["none"]["first"] == 0
    assert told["figures"]["cosine"]["first"] > 0
    assert ended(*command, *run) == 0
    shown = capsys.readouterr().out
    assert "against none" in shown
    assert "outcomes known, episode: of 1 states 0 end right with none" in shown
    assert (tmp_path / "work" / "sql.jsonl").stat().st_size
    assert ended(*command[:-1], "luck") == 2
    assert "there are none, static" in capsys.readouterr().err


def copying(request: Request) -> dict[str, str]:
    """A model that tries the statement that it is shown, and submits it."""
    assert request.schema is not None
    names = [form["properties"]["do"]["const"] for form in request.schema["anyOf"]]
    if "submit" in names:
        return {"do": "submit"}
    said = [line for turn in request.messages for line in turn.content.splitlines()]
    shown = [line for line in said if line.startswith('- {"do": "execute"')]
    sql = json.loads(shown[0][2:].rpartition(" was ")[0])["sql"] if shown else "SELECT 1"
    return {"do": "execute", "sql": sql}


def test_the_command_of_a_share_says_the_share(tmp_path: Path) -> None:
    def begun(share: str) -> Context:
        given = [str(tmp_path), "--work", "w", "--share", share]
        return experience_.command.make_context("experience", given)

    assert said(begun("2/3"), whole_paths=False).endswith("--work w --share 2/3")
    with pytest.raises(BadParameter, match="'3/2' is not like 1/2"):
        begun("3/2")
