"""What was erased is in none of the bytes of the database, its log and its shared memory."""

from __future__ import annotations

import random
import sqlite3
import tracemalloc
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.store.programs import (
    LONG,
    NOW,
    WordHashes,
    done,
    encode,
    erase,
    fact,
    find,
    ids,
    merge,
    on,
    opened,
    pending,
    read,
)
from tests.store.secret_words import Secrets
from tests.store.soundness import faults
from text2mem import FixedClock, Memory, Program
from text2mem.adapters.sql.erasing import forget
from text2mem.adapters.sqlite import erasure
from text2mem.executor import encode_many
from text2mem.ledger.forgetting import Forgotten
from text2mem.ledger.forgetting import forget as forget_
from text2mem_bench.synthetic import Synthetic

EMBEDDER = WordHashes()


# --- in the midst of others ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "secret", "changes"), [(10, 3, 30), (1_000, 100, 400), (20_000, 200, 600)]
)
@pytest.mark.parametrize("seed", range(4) if LONG else range(1))
def test_erased_memories_leave_nothing_among_their_neighbours(
    size: int, secret: int, changes: int, seed: int, path: Path
) -> None:
    """Neighbours grow and shrink, so that SQLite moves rows from page to page and back."""
    chance = random.Random(seed)
    secrets = Secrets(seed)
    doomed = {str(number) for number in chance.sample(range(1, size + 1), secret)}
    with opened(path, embedder=EMBEDDER) as memory:
        plain = iter(Synthetic(seed).encodes(size))
        ops = []
        for number in range(1, size + 1):
            op = next(plain)
            if str(number) in doomed:
                text = f"{secrets.both(f'{number} text')} {'pad ' * chance.randrange(40)}"
                if number % 10 == 0:
                    secrets.vector(text, EMBEDDER)
                (op,) = Program.load([encode(text, **secrets.fields(str(number)))]).ops  # type: ignore[assignment]
            ops.append(op)
        for start in range(0, size, 500):
            encode_many(
                ops[start : start + 500], memory.adapter, memory.context, prepared=memory._prepared
            )
        others = [str(number) for number in range(1, size + 1) if str(number) not in doomed]
        traces = []
        for turn in range(changes):
            some = chance.sample(others, min(4, len(others)))
            grown = " ".join(chance.choices(("grown", "长大", "shrunk"), k=chance.randrange(1, 70)))
            edits = {"text": grown, "topic": grown[:90], "subject": f"s{turn}"}
            traces.append(done(memory, on("Update", some, set=edits)).trace_id)
            if turn % 5 == 4:
                assert memory.undo(traces[-1]).ok
            if turn % 7 == 3:  # the secret ones grow and shrink as well
                one = chance.choice(sorted(doomed))
                longer = f"{secrets.both(f'{one} later text')} {grown}"
                done(memory, on("Update", [one], set={"text": longer, "location": grown[:50]}))
                done(memory, on("Label", [one], tags=[secrets.both(f"{one} later tag")]))
        assert len(secrets.left(path)) > 10 * min(secret, 20)
        order = sorted(doomed)
        chance.shuffle(order)
        for start in range(0, len(order), 25):
            assert not pending(erase(memory, *order[start : start + 25]))
        assert secrets.left(path) == []
    assert secrets.left(path) == []
    assert faults(path) == []


def test_what_rows_leave_in_pages_is_why_the_file_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without VACUUM something is left of rows that moved: the test above would see it."""
    for seed in range(6):
        path, secrets = tmp_path / f"{seed}.db", Secrets(seed)
        with opened(path) as memory:
            doomed = _restless(memory, secrets, seed)
            with monkeypatch.context() as patch:
                patch.setattr(erasure, "_rewrite", lambda connection: None)
                for start in range(0, len(doomed), 20):
                    assert not pending(erase(memory, *doomed[start : start + 20]))
            if secrets.left(path):
                erase(memory, "2")
                assert secrets.left(path) == []
                return
    pytest.skip(f"SQLite {sqlite3.sqlite_version} left nothing behind in six tries")


def _restless(memory: Memory, secrets: Secrets, seed: int) -> list[str]:
    """Memories with tags that come and go in the index; the ids of those with secret ones."""
    chance, others = random.Random(seed), Secrets(seed + 100)

    def tags(kind: Secrets) -> list[str]:
        return [kind.latin("tag") + "x" * chance.randrange(40) for _ in range(4)]

    programs = [encode("text", tags=tags(others if n % 3 else secrets)) for n in range(600)]
    for _ in range(200):
        number = 3 * chance.randrange(200) + 2
        programs.append(on("Label", [str(number)], tags=tags(others), mode="replace"))
    assert all(result.ok for result in memory.execute_many(programs))
    return [str(number) for number in range(1, 601, 3)]


# --- every place that content can be in ----------------------------------------------------


def test_every_field_of_a_memory_goes(memory: Memory, path: Path) -> None:
    secrets = Secrets(1)
    text = secrets.both("text")
    secrets.vector(text, EMBEDDER)
    done(memory, encode(text, **secrets.fields("one")))
    structured = {secrets.latin("key"): {"deep": [secrets.both("structured")]}}
    payload = {"structured": structured, "extra": secrets.both("extra")}
    done(memory, {"stage": "ENC", "op": "Encode", "args": {"payload": payload}})
    url = f"https://example.org/{secrets.latin('url')}"
    done(memory, {"stage": "ENC", "op": "Encode", "args": {"payload": {"url": url}}})
    done(memory, on("Lock", ["3"], mode="append_only", reason=secrets.both("reason")))
    done(memory, on("Lock", ["3"], mode="none"))
    assert len(secrets.left(path)) > 10
    erase(memory, "1", "2", "3")
    assert secrets.left(path) == []


def test_facts_go_with_their_values_their_line_and_what_was_believed(
    memory: Memory, path: Path
) -> None:
    secrets = Secrets(2)
    who = secrets.both("subject")
    for place in ("first", "second"):
        done(memory, fact(who, "city", {"name": secrets.both(place)}, source=secrets.both("from")))
    done(memory, fact(who, "likes", secrets.both("liked")))  # its time line is named by its value
    done(memory, fact(who, "city", secrets.both("pending"), confidence=0.1))
    done(memory, on("Update", ["2"], set={"value": secrets.both("third")}))
    kept = [encode("kept", tags=["t"]) for _ in range(3)]
    done(memory, *kept)
    erase(memory, "1", "2", "3", "4", "5")
    assert secrets.left(path) == []
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM beliefs").fetchone() == (0,)


def test_a_cascade_takes_what_was_made_of_it(memory: Memory, path: Path) -> None:
    secrets = Secrets(3)
    text = f"{secrets.both('a')}. {secrets.both('b')}."
    facets = {"k": secrets.both("facet that loses")}
    done(memory, encode(text, facets=facets), encode("primary", facets={"k": "wins"}))
    done(memory, on("Split", ["1"], strategy="by_sentences"))
    done(memory, merge("2", "1"))
    merged = memory.show("2")
    assert merged is not None and merged.lineage_facets == {"1": facets}
    erase(memory, "3")
    assert secrets.left(path)
    warnings = erase(memory, "1", cascade=True)
    assert not any("still held" in warning for warning in warnings)
    assert secrets.left(path) == []
    assert ids(memory, {"all": True}) == []


def test_a_holder_is_named_and_keeps_the_content_until_it_goes_itself(
    memory: Memory, path: Path
) -> None:
    secrets = Secrets(4)
    done(memory, encode(secrets.latin("text")), encode("primary"))
    done(memory, merge("2", "1"))
    assert "memory 1's content is still held by: 2" in erase(memory, "1")
    assert secrets.left(path)
    done(memory, on("Update", ["2"], set={"text": "rewritten"}))
    assert erase(memory, "2") == ("a hard delete cannot be undone",)
    assert secrets.left(path) == []


def test_what_others_held_until_an_undo_goes_from_the_journal(memory: Memory, path: Path) -> None:
    secrets = Secrets(5)
    text = f"{secrets.both('a')}. {secrets.both('b')}."
    done(memory, encode(text, tags=[secrets.latin("tag")]), encode("primary"), encode("bystander"))
    labelled = done(memory, on("Label", ["2", "3"], tags=["before"])).trace_id
    merged = done(memory, merge("2", "1"), on("Label", ["3"], tags=["with it"])).trace_id
    edited = done(memory, on("Label", ["2"], tags=["while merged"])).trace_id
    later = done(memory, on("Update", ["2"], set={"text": f"{text} primary, edited"})).trace_id
    for trace in (later, edited, merged):
        assert memory.undo(trace, force=True).ok
    after = done(memory, on("Label", ["2"], tags=["after"])).trace_id
    primary = memory.show("2")
    assert primary is not None and "edited" not in primary.text
    assert secrets.left(path)
    assert erase(memory, "1") == ("a hard delete cannot be undone",)
    assert secrets.left(path) == []
    forgotten = {e.trail.trace_id: e.forgotten for e in memory.history("2")}
    assert (forgotten[labelled], forgotten[merged], forgotten[edited]) == (False, True, True)
    assert not forgotten[after] and not any(e.forgotten for e in memory.history("3"))
    assert memory.undo(after).ok


def test_children_that_an_undo_took_back_go_from_the_journal(memory: Memory, path: Path) -> None:
    secrets = Secrets(6)
    done(memory, encode(f"{secrets.both('a')}. {secrets.both('b')}."))
    split = done(memory, on("Split", ["1"], strategy="by_sentences")).trace_id
    assert memory.undo(split).ok
    undone = memory.log(limit=1)[0].trace_id
    erase(memory, "1")
    assert secrets.left(path) == []
    memory.undo(undone, force=True)
    assert ids(memory, {"all": True}) == []
    assert secrets.left(path) == []


def test_what_was_taken_back_goes_when_it_is_asked_for(memory: Memory, path: Path) -> None:
    secrets = Secrets(7)
    done(memory, encode("the primary"))
    taken = done(memory, encode(secrets.both("undone"), tags=[secrets.latin("tag")])).trace_id
    merged = done(memory, merge("1", "2")).trace_id
    assert memory.undo(merged).ok and memory.undo(taken).ok
    back = memory.log(limit=1)[0].trace_id
    redone = done(memory, encode("taken back, and then not")).trace_id
    assert memory.undo(redone).ok and memory.undo(memory.log(limit=1)[0].trace_id).ok
    for shown in (replaced(memory, confirmed=False), replaced(memory, actor="eve")):
        assert shown.error is not None and shown.others == ()
    assert replaced(memory, dry_run=True).others == ("2",)
    assert secrets.left(path)
    report = memory.forget(taken_back=True)
    assert (report.others, report.erase_pending, report.warnings) == (("2",), False, ())
    assert secrets.left(path) == []
    refused = memory.undo(back)
    assert refused.error is not None and refused.error.code == "undo-erased"
    assert ids(memory, {"all": True}) == ["3", "1"]
    assert memory.forget(taken_back=True).others == ()


def replaced(memory: Memory, **context: Any) -> Forgotten:
    """Forget what was taken back, in another context."""
    ledger = replace(memory.ledger, context=replace(memory.context, **context))
    return forget_(ledger, taken_back=True)


def test_erasing_a_parent_of_many_reads_their_lists_one_by_one(memory: Memory) -> None:
    """Its journal names each child in every entry after that one."""
    done(memory, encode("the parent"))
    for _ in range(8):
        done(memory, *(encode("a child", lineage_parents=["1"]) for _ in range(50)))
    parent = memory.show("1")
    assert parent is not None
    with memory.adapter.transaction():
        tracemalloc.start()
        forget(memory.adapter._store, "1", parent.lineage_children)  # type: ignore[attr-defined]
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 2**20


def test_an_anonymised_memory_keeps_what_it_may(memory: Memory, path: Path) -> None:
    secrets, kept = Secrets(7), Secrets(8)
    text = secrets.both("text")
    secrets.vector(text, EMBEDDER)
    fields = secrets.fields("one")
    fields.update(tags=[kept.latin("tag")], type=kept.latin("type"))
    done(memory, encode(text, **fields))
    secrets.drop(lambda where: where in ("one tag", "one type"))
    done(memory, fact(secrets.both("who"), "likes", secrets.both("what")))
    done(memory, on("Update", ["1"], set={"text": secrets.both("later")}))
    done(memory, on("Expire", ["1", "2"], ttl="P1D", on_expire="anonymize"))
    assert secrets.left(path)
    with opened(path, clock=FixedClock(NOW.replace(day=4))) as later:
        ticked = later.tick()
        assert (ticked.expired, pending(ticked.warnings)) == (("1", "2"), False)
    assert secrets.left(path) == []
    assert {where.partition(" in ")[0] for where in kept.left(path)} == {"tag", "type"}
    assert faults(path) == []


@pytest.mark.parametrize("how", ["program", "read then program", "undo", "encode_many", "group"])
def test_whatever_carries_out_an_expiry_erases(how: str, memory: Memory, path: Path) -> None:
    secrets = Secrets(9)
    done(memory, encode(secrets.both("text")), encode("kept"))
    labelled = done(memory, on("Label", ["2"], tags=["t"])).trace_id
    done(memory, on("Expire", ["1"], ttl="P1D", on_expire="hard_delete"))
    with opened(path, clock=FixedClock(NOW.replace(day=4))) as later:
        if how.startswith("read"):
            assert ids(later, {"all": True}) == ["2"]
            assert later.show("1") is None
            assert secrets.left(path)  # a read carries out, and keeps nothing of it
        if how == "undo":
            assert later.undo(labelled).ok
        elif how == "encode_many":
            later.encode_many(list(Synthetic().encodes(2)))
        elif how == "group":
            assert all(r.ok for r in later.execute_many([encode("a"), encode("b")]))
        else:
            done(later, encode("another"))
        assert secrets.left(path) == []


def test_a_memory_made_and_erased_in_one_program_leaves_nothing(memory: Memory, path: Path) -> None:
    secrets = Secrets(10)
    text = secrets.both("text")
    program = [encode(text), on("Delete", ["$1"], soft=False)]
    done(memory, *program)
    assert secrets.left(path) == []
    done(memory, encode("kept"), *program[:1], read(find(text)), on("Delete", ["$2"], soft=False))
    assert secrets.left(path) == []
    assert ids(memory, {"all": True}) == ["2"]


def test_what_a_program_that_failed_would_have_written_goes_with_the_log(
    memory: Memory, path: Path
) -> None:
    """A rolled-back program leaves no memory to erase; what it wrote is gone with the next one."""
    secrets = Secrets(11)
    done(memory, encode("kept"), encode("doomed"))
    for _ in range(30):
        refused = memory.execute([encode(secrets.both("text") * 40), on("Delete", ["99"])])
        assert not refused.ok
    memory.preview([encode(secrets.both("dry"))])
    erase(memory, "2")
    assert secrets.left(path) == []
