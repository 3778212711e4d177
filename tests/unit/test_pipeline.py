"""The stages put together: compile, load, execute, preview; and what a document may ask for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import text2mem
from tests.planning import draft
from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.compiled import Clarification, Nothing, Undo
from text2mem.errors import ConfigurationError, UnusableUtterance, ValidationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.turn import Turn
from text2mem.memory import Memory
from text2mem.pipeline import acompile, compile, validate
from text2mem.program import Program
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem.running import execute
from text2mem_bench.oracle.adapter import PlainAdapter

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
SHANGHAI = ZoneInfo("Asia/Shanghai")
LATER = NOW + timedelta(days=3650)


def context(**options: Any) -> ExecutionContext:
    return ExecutionContext(**{"clock": FixedClock(NOW), **options})


def encode(text: str, **args: Any) -> dict[str, Any]:
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, **args}}


def delete(*ids: str, **rest: Any) -> dict[str, Any]:
    return {"stage": "STO", "op": "Delete", "target": {"ids": list(ids)}, **rest}


EVERYTHING = {"stage": "RET", "op": "Retrieve", "target": {"all": True}}
DEMOTE_ALL = {
    "stage": "STO", "op": "Demote", "target": {"all": True}, "args": {"priority": "low"},
}  # fmt: skip


def answering(*answers: Any) -> FunctionProvider:
    left = iter(answers)
    return FunctionProvider(lambda request: next(left))


def silent() -> FunctionProvider:
    def fail(request: Request) -> Any:
        raise AssertionError("the model was asked")

    return FunctionProvider(fail)


FORGET = draft("Delete", ids=["1"])


def texts(store: Any) -> list[str]:
    [found] = execute(EVERYTHING, store, context=context()).results
    return sorted(row["text"] for row in found.rows)


# --- compile -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000"])
def test_there_is_nothing_to_compile_in_an_empty_text(text: str) -> None:
    with pytest.raises(UnusableUtterance, match="empty"):
        compile(text, model=silent())
    with pytest.raises(UnusableUtterance, match="empty"):
        asyncio.run(acompile(text, model=silent()))


def test_a_text_that_is_too_long_is_refused_before_the_model_is_asked() -> None:
    with pytest.raises(UnusableUtterance, match="8001 characters, more than 8000") as caught:
        compile("a" * 8_001, model=silent())
    assert caught.value.hint


@pytest.mark.parametrize("turn", ["\ud800", Turn("\ud800")])
def test_an_earlier_turn_with_half_a_character_is_refused_as_a_text_is(turn: str | Turn) -> None:
    with pytest.raises(ConfigurationError, match="half of a character"):
        compile("Forget it.", context=["Hello.", turn], model=silent())
    with pytest.raises(ConfigurationError, match="half of a character"):
        compile("Forget \ud800.", model=silent())


def test_the_longest_text_is_compiled() -> None:
    program = compile("忘" * 8_000, model=answering(FORGET))
    assert program.to_list() == [delete("1")]


def test_an_unknown_model_is_the_callers_mistake() -> None:
    with pytest.raises(ConfigurationError, match="did you mean 'ollama'"):
        compile("Forget it.", model="olama:qwen")


def test_a_program_remembers_what_was_said_and_how_it_was_planned() -> None:
    program = compile(" Forget memory 1. ", model=answering(FORGET))
    assert isinstance(program, Program)
    assert program.utterance == " Forget memory 1. "
    assert program.trace is not None
    [(request, _)] = program.trace.questions
    assert request.messages[-1].content.endswith("Request: Forget memory 1.")
    assert program.trace.draft is not None and program.trace.draft.as_dict() == FORGET
    assert not program.meta


@pytest.mark.parametrize(
    ("until", "tz", "instant"),
    [
        ("月底", SHANGHAI, "2026-03-31T15:59:59Z"),
        ("月底", UTC, "2026-03-31T23:59:59Z"),
        ("三天后", SHANGHAI, "2026-03-07T10:30:00Z"),
        ("in three days", UTC, "2026-03-07T10:30:00Z"),
        ("2026-05-01", SHANGHAI, "2026-05-01T15:59:59Z"),
        ("2026-05-01T09:00:00", timezone(timedelta(hours=-5)), "2026-05-01T14:00:00Z"),
    ],
)
def test_a_phrase_becomes_an_instant_at_compile(until: str, tz: Any, instant: str) -> None:
    said = draft("Expire", ids=["1"], when=until)
    program = compile("...", model=answering(said), clock=FixedClock(NOW), tz=tz)
    assert isinstance(program, Program)
    assert program.to_list()[0]["args"] == {"until": instant}


def test_a_phrase_means_the_same_however_late_the_program_runs() -> None:
    said = draft("Expire", ids=["1"], when="月底")
    program = compile(
        "让记忆 1 在月底过期。", model=answering(said), clock=FixedClock(NOW), tz=SHANGHAI
    )
    store = PlainAdapter()
    execute(encode("优惠券"), store, context=context())
    result = execute(program, store, context=context(clock=FixedClock(NOW + timedelta(days=20))))
    assert result.ok
    assert {c.field: c.after for c in result.results[0].changes}["expire_at"] == (
        "2026-03-31T15:59:59Z"
    )


# --- what is no program --------------------------------------------------------------------


def test_what_asks_for_nothing_is_nothing() -> None:
    found = compile(" Thanks! ", model=answering({"steps": []}))
    assert isinstance(found, Nothing)
    assert found.as_dict() == {"status": "nothing", "utterance": " Thanks! "}
    assert found.trace is not None and len(found.trace.questions) == 1


def test_what_takes_back_the_last_change_is_an_undo() -> None:
    found = asyncio.run(acompile("撤销", model=answering({"undo": True})))
    assert isinstance(found, Undo)
    assert found.as_dict() == {"status": "undo", "utterance": "撤销"}
    assert found.trace is not None and found.trace.draft is not None and found.trace.draft.undo


def test_a_question_of_the_model_is_the_result() -> None:
    asked = compile("Tidy up.", model=answering({"ask": "Which of them may go?"}))
    assert isinstance(asked, Clarification)
    assert (asked.question, asked.reason) == ("Which of them may go?", "model-asks")
    assert (asked.options, asked.candidates, asked.utterance) == ((), (), "Tidy up.")


# --- load ----------------------------------------------------------------------------------

WRAPPERS: dict[str, Any] = {
    "a list": lambda steps: steps,
    "ops": lambda steps: {"ops": steps},
    "program": lambda steps: {"program": steps},
    "schema_list": lambda steps: {"schema_list": steps},
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_document_is_read_in_every_wrapper(wrapper: str) -> None:
    steps = [encode("milk"), delete("$1")]
    program = Program.load(WRAPPERS[wrapper](steps), now=NOW)
    assert program.to_list() == steps
    assert validate(WRAPPERS[wrapper](steps), now=NOW) == []
    assert program.utterance is None and program.trace is None


def test_one_instance_is_a_program_of_one() -> None:
    assert Program.load(delete("1"), now=NOW).to_list() == [delete("1")]
    assert Program.load({"ops": delete("1")}, now=NOW).to_list() == [delete("1")]


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_bad_document_is_refused_with_all_that_is_wrong_with_it(wrapper: str) -> None:
    steps = [
        {**encode("milk"), "colour": "red"},
        {"stage": "RET", "op": "Delete", "target": {"ids": ["$5"], "all": True}},
        {"stage": "STO", "op": "Eat"},
    ]
    document = WRAPPERS[wrapper](steps)
    with pytest.raises(ValidationError) as caught:
        Program.load(document, now=NOW)
    found = caught.value.diagnostics
    at = "" if wrapper == "a list" else f"/{wrapper}"
    assert {(d.code, d.pointer) for d in found} == {
        ("unknown-key", f"{at}/0/colour"),
        ("stage-mismatch", f"{at}/1/stage"),
        ("target-one-selector", f"{at}/1/target"),
        ("forward-reference", f"{at}/1/target/ids/0"),
        ("unknown-op", f"{at}/2/op"),
    }
    assert list(found) == validate(document, now=NOW)
    assert "and 4 more" in str(caught.value)


@pytest.mark.parametrize("document", [None, 5, "text", [], {}, {"ops": []}, [[]], [None], {"a": 1}])
def test_what_is_no_program_is_a_validation_error(document: Any) -> None:
    with pytest.raises(ValidationError):
        Program.load(document, now=NOW)
    assert validate(document, now=NOW)


def test_loading_reads_times_by_the_given_clock_and_zone() -> None:
    document = {"stage": "STO", "op": "Expire", "target": {"ids": ["1"]}}
    program = Program.load({**document, "args": {"until": "明天"}}, now=NOW, tz=SHANGHAI)
    assert program.to_list()[0]["args"] == {"until": "2026-03-04T16:00:00Z"}
    past = {**document, "args": {"until": "2026-03-05T00:00:00Z"}}
    assert len(Program.load(past, now=NOW).ops) == 1
    with pytest.raises(ValidationError, match="not in the future"):
        Program.load(past, now=LATER)


def test_loading_leaves_the_document_as_it_was() -> None:
    document = {"ops": [{"op": "delete", "stage": "st0", "target": {"by_ids": [1]}, "args": None}]}
    Program.load(document, now=NOW)
    assert document == {
        "ops": [{"op": "delete", "stage": "st0", "target": {"by_ids": [1]}, "args": None}]
    }


# --- what a document's meta may do ---------------------------------------------------------


def with_meta(instance: dict[str, Any], **meta: Any) -> dict[str, Any]:
    return {**instance, "meta": meta}


@pytest.fixture(params=["plain", "sqlite"])
def store(request: pytest.FixtureRequest) -> Iterator[Adapter]:
    adapter: Adapter = PlainAdapter() if request.param == "plain" else SqliteAdapter(":memory:")
    yield adapter
    adapter.close()


@pytest.mark.parametrize("actor", [None, "ana"])
def test_a_document_cannot_choose_who_it_runs_as(store: Adapter, actor: str | None) -> None:
    document = [encode("milk"), with_meta(encode("bread"), actor="mallory")]
    with pytest.raises(ValidationError) as caught:
        execute(document, store, context=context(actor=actor))
    [found] = caught.value.diagnostics
    assert (found.code, found.pointer) == ("actor-mismatch", "/1/meta/actor")
    assert texts_as(store, actor) == []


def texts_as(store: Adapter, actor: str | None) -> list[str]:
    [found] = execute(EVERYTHING, store, context=context(actor=actor)).results
    return sorted(row["text"] for row in found.rows)


def test_one_step_in_the_right_name_does_not_cover_for_another(store: Adapter) -> None:
    for names in (("mallory", "ana"), ("ana", "mallory")):
        document = {"ops": [with_meta(encode("milk"), actor=name) for name in names]}
        with pytest.raises(ValidationError) as caught:
            execute(document, store, context=context(actor="ana"))
        at = names.index("mallory")
        assert [d.pointer for d in caught.value.diagnostics] == [f"/ops/{at}/meta/actor"]
    assert texts_as(store, "ana") == []


def test_an_actor_that_is_the_callers_is_welcome(store: Adapter) -> None:
    document = with_meta(encode("milk"), actor="ana")
    assert execute(document, store, context=context(actor="ana")).ok
    assert texts_as(store, "ana") == ["milk"]


@pytest.mark.parametrize("place", [0, 1])
def test_one_dry_step_makes_the_whole_program_dry(store: Adapter, place: int) -> None:
    document = [with_meta(encode(text), dry_run=False) for text in ("milk", "bread")]
    document[place]["meta"]["dry_run"] = True
    result = execute(document, store, context=context())
    assert result.ok and result.dry_run
    assert [r.dry_run for r in result.results] == [True, True]
    assert texts(store) == []


def test_a_document_cannot_make_a_dry_run_wet(store: Adapter) -> None:
    document = with_meta(encode("milk"), dry_run=False)
    assert execute(document, store, context=context(dry_run=True)).dry_run
    assert texts(store) == []


@pytest.mark.parametrize(
    ("trusted", "confirmed", "allowed"),
    [(False, True, False), (True, True, True), (True, False, False), (False, False, False)],
)
def test_a_confirmation_counts_where_the_document_is_trusted(
    store: Adapter, trusted: bool, confirmed: bool, allowed: bool
) -> None:
    execute([encode("milk"), encode("bread")], store, context=context())
    document = with_meta(DEMOTE_ALL, confirmation=confirmed)
    result = execute(document, store, context=context(trust_meta=trusted))
    assert result.ok is allowed
    if not allowed:
        assert result.error is not None and result.error.code == "needs-confirmation"


def test_a_timestamp_is_kept_and_moves_no_clock(store: Adapter) -> None:
    document = with_meta(encode("milk"), timestamp="1999-12-31T23:59:59Z")
    program = Program.load(document, now=NOW)
    assert [dict(meta) for _, meta in program.meta] == [{"timestamp": "1999-12-31T23:59:59Z"}]
    execute(program, store, context=context())
    [row] = execute(
        {**EVERYTHING, "args": {"include": ["id", "text", "created_at"]}}, store, context=context()
    ).results[0].rows  # fmt: skip
    assert row["created_at"] == "2026-03-04T10:30:00Z"
    phrase = {
        "stage": "STO",
        "op": "Expire",
        "target": {"ids": ["1"]},
        "args": {"until": "tomorrow"},
    }
    dated = Program.load(with_meta(phrase, timestamp="1999-12-31T23:59:59Z"), now=NOW)
    assert dated.to_list()[0]["args"] == {"until": "2026-03-05T00:00:00Z"}


def test_a_trace_id_is_taken_unless_the_caller_has_one(store: Adapter) -> None:
    document = with_meta(encode("milk"), trace_id="from-the-document")
    assert execute(document, store, context=context()).trace_id == "from-the-document"
    named = execute(document, store, context=context(trace_id="from-the-caller"))
    assert named.trace_id == "from-the-caller"
    fresh = execute(document, store, context=context(trace_id=""))
    assert fresh.trace_id not in ("", "from-the-document")
    first, second = (execute(encode("milk"), store, context=context()) for _ in range(2))
    assert first.trace_id and second.trace_id and first.trace_id != second.trace_id


# --- execute -------------------------------------------------------------------------------


@pytest.mark.parametrize("spell", [str, Path, lambda path: f"sqlite:{path}"])
def test_a_path_is_a_store_that_lasts(tmp_path: Path, spell: Any) -> None:
    path = tmp_path / "memory.db"
    assert execute(encode("milk"), spell(path), context=context()).ok
    assert path.is_file()
    assert texts(spell(path)) == ["milk"]


@pytest.mark.parametrize("store", [None, 1, "", b"notes.db", ["notes.db"]])
def test_what_names_no_store_is_refused_and_makes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for opened in (Memory, lambda store: execute(EVERYTHING, store)):
        with pytest.raises(ConfigurationError, match="is no store"):
            opened(store)
    assert list(tmp_path.iterdir()) == []


def test_a_context_is_an_execution_context() -> None:
    with pytest.raises(ConfigurationError, match="is no context"):
        execute(EVERYTHING, "memory:", context="ann")  # type: ignore[arg-type]


def test_the_memory_store_is_new_each_time() -> None:
    assert execute(encode("milk"), "memory:", context=context()).ok
    assert texts("memory:") == []


def test_an_adapter_stays_open(store: Adapter) -> None:
    assert execute(encode("milk"), store, context=context()).ok
    assert texts(store) == ["milk"]


def test_a_loaded_program_and_its_document_do_the_same() -> None:
    document = [encode("milk", tags=["food"]), delete("$1")]
    results = []
    for program in (document, Program.load(document, now=NOW)):
        result = execute(program, PlainAdapter(), context=context(trace_id="same"))
        results.append([{**r.as_dict(), "duration_ms": 0} for r in result.results])
    assert results[0] == results[1]


def test_a_document_that_is_no_program_touches_no_store(store: Adapter) -> None:
    with pytest.raises(ValidationError):
        execute([encode("milk"), {"op": "Eat"}], store, context=context())
    assert texts(store) == []


def test_a_failing_step_undoes_the_steps_before_it(store: Adapter) -> None:
    result = execute([encode("milk"), delete("99")], store, context=context())
    assert not result.ok
    assert result.error is not None and result.error.code == "not-found"
    assert texts(store) == []


def test_an_unknown_adapter_is_the_callers_mistake() -> None:
    with pytest.raises(ConfigurationError, match="did you mean 'memory:'"):
        execute(encode("milk"), "memori:", context=context())


# --- Memory --------------------------------------------------------------------------------


def images(adapter: Adapter) -> list[dict[str, Any]]:
    return [record.as_dict() for record in adapter.view(context()).recent(100)]


PREVIEWED: list[Any] = [
    encode("bread"),
    [encode("bread"), {**delete("$1"), "args": {"soft": False}}],
    {**delete("1"), "args": {"soft": False}},
    {
        "stage": "STO",
        "op": "Update",
        "target": {"ids": ["1"]},
        "args": {"set": {"text": "oat milk"}},
    },
    {"stage": "STO", "op": "Lock", "target": {"ids": ["1"]}, "args": {"mode": "read_only"}},
    {"stage": "STO", "op": "Split", "target": {"ids": ["2"]}, "args": {"strategy": "by_sentences"}},
    DEMOTE_ALL,
]


@pytest.mark.parametrize("program", PREVIEWED, ids=lambda p: str(p)[:60])
def test_a_preview_leaves_the_store_as_it_was(store: Adapter, program: Any) -> None:
    memory = Memory(store, model=silent(), context=context())
    memory.execute([encode("milk"), encode("Eggs are out. Flour is in.")])
    before = images(store)
    preview = memory.preview(program)
    assert preview.ok and preview.dry_run
    assert any(result.affected or result.created for result in preview.results)
    assert images(store) == before
    assert memory.execute(encode("next")).results[0].created == ("3",)


def test_a_run_after_its_preview_does_what_was_shown(store: Adapter) -> None:
    memory = Memory(store, model=silent(), context=context())
    memory.execute([encode("milk"), encode("eggs")])
    program = [encode("bread"), delete("1")]
    shown, done = memory.preview(program), memory.execute(program)
    assert [r.created for r in shown.results] == [r.created for r in done.results]
    assert [r.changes for r in shown.results] == [r.changes for r in done.results]
    assert texts(store) == ["bread", "eggs"]


def test_saying_something_plans_with_a_view_of_the_store_and_runs(store: Adapter) -> None:
    asked: list[str] = []

    def answer(request: Request) -> Any:
        asked.append(request.messages[-1].content)
        return draft("Delete", tags=["food"], many=True)

    memory = Memory(store, model=FunctionProvider(answer), context=context(tz=SHANGHAI))
    memory.execute([encode("milk", tags=["food"]), encode("rent", tags=["home"])])
    program, result = memory.run("Forget the food.", context=["What is there?"])
    assert "Now: Wednesday 2026-03-04 18:30 (Asia/Shanghai)" in asked[0]
    assert '1 {"text": "milk", "tags": ["food"]}' in asked[0]
    assert "Before: What is there?" in asked[0]
    assert program.utterance == "Forget the food."
    assert result.ok and result.results[0].affected == ("1",)
    assert texts(store) == ["rent"]


def test_running_what_asks_for_nothing_runs_nothing(store: Adapter) -> None:
    memory = Memory(store, model=answering({"steps": []}), context=context())
    memory.execute(encode("milk"))
    program, result = memory.run("Thank you.")
    assert (program.ops, program.utterance) == ((), "Thank you.")
    assert result.ok and result.results == ()
    assert texts(store) == ["milk"]


def test_running_an_undo_takes_the_last_program_back(store: Adapter) -> None:
    memory = Memory(store, model=answering({"undo": True}, {"undo": True}), context=context())
    memory.execute(encode("milk"))
    memory.execute(encode("eggs"))
    program, result = memory.run("Undo that.")
    assert result.ok and [r.op for r in result.results] == ["Undo"]
    assert program.ops == ()
    assert texts(store) == ["milk"]
    # An undo is no program to take back: the one before it is meant.
    assert memory.run("And the one before.")[1].ok
    assert texts(store) == []


def test_there_may_be_nothing_to_take_back(store: Adapter) -> None:
    memory = Memory(store, model=answering({"undo": True}), context=context())
    _, refused = memory.run("Undo that.")
    assert refused.error is not None
    assert refused.error.code == "no-such-trace"


def test_a_planner_sees_the_tags_that_its_caller_may_read_alone(store: Adapter) -> None:
    hidden = encode("secret", tags=["private"], read_perm_level="private")
    public = encode("open", tags=["shared"], read_perm_level="public")
    execute([hidden, public], store, context=context(actor="ana"))
    assert list(Memory(store, context=context(actor="ana")).view().tags()) == ["private", "shared"]
    assert list(Memory(store, context=context(actor="bob")).view().tags()) == ["shared"]


def test_a_memory_is_a_context_manager(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, model=silent(), context=context()) as memory:
        assert memory.execute(encode("milk")).ok
    with Memory(str(path), model=silent(), context=context()) as memory:
        assert [row["text"] for row in memory.execute(EVERYTHING).results[0].rows] == ["milk"]


def test_a_model_is_not_opened_before_something_is_said() -> None:
    with Memory("memory:", model="local:/no/such.gguf", context=context()) as memory:
        assert memory.execute(encode("milk")).ok
        with pytest.raises(ConfigurationError):
            memory.compile("Forget it.")


@pytest.mark.parametrize("name", ["olama:qwen", "gpt-4", ""])
def test_what_names_no_model_opens_no_store(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        Memory(tmp_path / "store.db", model=name)
    assert not (tmp_path / "store.db").exists()


# --- importing -----------------------------------------------------------------------------

HEAVY = (
    "openai", "ollama", "xllamacpp", "jsonschema", "dateutil",
    "rich", "click", "huggingface_hub", "httpx", "tenacity", "numpy", "lark", "sqlite3",
)  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """The modules of a fresh interpreter after ``code``."""
    return {name.partition(".")[0] for name in modules_of(code)}


def modules_of(code: str) -> set[str]:
    """The modules and submodules of a fresh interpreter after ``code``."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return {*done.stdout.split()}


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_by("import text2mem")
    assert not loaded & {*HEAVY, "pydantic"}


def test_the_names_of_the_package_load_nothing_heavier_than_pydantic() -> None:
    loaded = loaded_by("import text2mem\nfor name in text2mem.__all__: getattr(text2mem, name)")
    assert "pydantic" in loaded
    assert not loaded & set(HEAVY)


def test_a_store_is_opened_and_written_without_a_loop_or_sockets() -> None:
    opened = "text2mem.Memory('memory:', model='none', embedder='none')"
    loaded = loaded_by(f"import text2mem\nwith {opened} as memory: memory.add('Buy milk')")
    assert "sqlite3" in loaded or "apsw" in loaded
    assert not loaded & {"asyncio", "concurrent", "ssl", "subprocess"}


def test_a_store_is_opened_and_listed_without_recall_erasure_and_evolution() -> None:
    opened = "text2mem.Memory('memory:', model='none', embedder='none')"
    loaded = modules_of(f"import text2mem\nwith {opened} as memory: memory.list()")
    assert "text2mem.ledger.ledger" in loaded
    assert not loaded & {
        "text2mem.ledger.recall", "text2mem.ledger.remembering", "text2mem.ledger.forgetting",
        "text2mem.ledger.evolution", "text2mem.executor.reindex",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["exec", "validate", "observe", "recall", "registry", "evolve"])
def test_the_help_of_a_command_loads_no_planner(command: str) -> None:
    assert "text2mem.planner" not in modules_of(f"import text2mem.cli.{command}_")


def test_loading_a_legal_program_needs_no_jsonschema() -> None:
    document = delete("1")
    loaded = loaded_by(f"import text2mem\ntext2mem.Program.load({document!r})")
    assert not loaded & {"jsonschema", "openai", "rich", "click"}


def test_the_package_offers_few_names_and_knows_all_of_them() -> None:
    assert len(text2mem.__all__) <= 20
    assert set(text2mem.__all__) <= set(dir(text2mem))
    for name in text2mem.__all__:
        assert getattr(text2mem, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        text2mem.nothing_of_the_kind  # noqa: B018
