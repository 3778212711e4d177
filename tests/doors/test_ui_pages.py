"""The pages of ``text2mem ui``: what they show, and what their forms do."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.doors.looking import HOSTILE, Site, fill, hidden, looked_into, note, on
from tests.doors.scripted import CORRECT, CRASH, DOWN, FORGET, LIST, NOTE, THANKS, TIDY, UNDO
from text2mem import Memory
from text2mem.doors.ui.effects import effect

PAGES = [
    "/", "/memories", "/memories?archived=yes&deleted=yes", "/memories/1", "/memories/14", "/facts",
    "/facts?subject=mira", "/episodes", "/pending", "/journal", "/queue",
]  # fmt: skip
FERRY, BOILER, SPLIT, ARCHIVED, DELETED, HOSTILE_ID = "12", "13", "14", "17", "18", "19"
LATER = NOTE.replace("11:30", "12:00")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "a.db"
    fill(path)
    return path


@pytest.fixture
def site(filled: Path, tmp_path: Path) -> Iterator[Site]:
    """The page of a store of the test's own."""
    path = tmp_path / "a.db"
    shutil.copy(filled, path)
    with looked_into(path) as found:
        yield found


def words(page: str) -> str:
    """What a page says, without its markup."""
    shown = re.sub(r"<title>.*?</title>", "", page)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", shown)).split())


def listed(page: str) -> list[str]:
    """The numbers of the memories in a list."""
    return re.findall(r'class="text"><a href="/memories/(\d+)"', page)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_one_document_with_nothing_of_a_memory_in_its_markup(
    site: Site, path: str
) -> None:
    page = site.get(path)
    assert page.status_code == 200
    assert page.text.count("<h1>") == page.text.count("<main") == 1
    tags = set(re.findall(r"<([a-z0-9]+)", page.text))
    assert not tags & {"img", "u", "i", "b", "iframe", "style"}
    assert page.text.count("<script") == 1 and "onerror=" not in re.sub(r"&lt;img .*?&gt;", "",
                                                                         page.text)  # fmt: skip


def test_memories_are_found_by_words_and_tags_and_hidden_ones_on_demand(site: Site) -> None:
    everything = listed(site.get("/memories").text)
    assert FERRY in everything and not {ARCHIVED, DELETED} & set(everything)
    assert listed(site.get("/memories?tag=house").text) == [BOILER]
    assert listed(site.get("/memories?tag=house&archived=yes").text) == [ARCHIVED, BOILER]
    assert listed(site.get("/memories?words=ferry").text) == [FERRY]
    assert listed(site.get("/memories?words=ferry&tag=house").text) == []
    assert listed(site.get("/memories?words=wrong+note").text) == []
    assert listed(site.get("/memories?words=wrong+note&deleted=yes").text) == [DELETED]
    assert "#<b>tag</b>" in words(site.get("/memories?tag=%3Cb%3Etag%3C/b%3E").text)


def test_a_fact_is_listed_as_it_is_told_elsewhere(site: Site) -> None:
    assert "mira.city = Ghent" in words(site.get("/memories?words=Ghent").text)


def test_the_model_reads_the_store_while_a_request_is_typed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Memory] = []
    monkeypatch.setattr(Memory, "warm", lambda memory: read.append(memory))
    site.get("/")
    assert read == [site.memory]


def test_memories_come_in_pages(site: Site) -> None:
    site.memory.execute([note(f"number {count}", "many") for count in range(60)])
    first = site.get("/memories?tag=many")
    assert "60 memories" in words(first.text) and len(listed(first.text)) == 25
    seen = listed(first.text)
    for number, count in ((2, 25), (3, 10), (4, 0)):
        page = site.get(f"/memories?tag=many&page={number}").text
        assert len(listed(page)) == count
        assert ("older" in page) is (number == 2)
        seen += listed(page)
    assert len(set(seen)) == 60
    assert listed(site.get("/memories?tag=many&page=-3x").text) == seen[:25]


def test_a_memory_has_its_fields_history_and_lineage(site: Site) -> None:
    page = site.get(f"/memories/{SPLIT}").text
    said = words(page)
    assert "Split" in said and "Made into" in said and "Buy milk." in said
    assert re.search(r"archived false true", said)
    assert 'href="/memories/15"' in page and "lock_mode" in said
    assert "Made from" in words(site.get("/memories/15").text)
    fact = words(site.get("/memories/2").text)
    assert "Heard in e1" in fact and "Bergen" in fact and "past" in fact
    assert "mira.city = Bergen" in words(site.get("/memories/e1").text)


def test_a_long_text_is_read_once_and_folded_elsewhere(site: Site) -> None:
    (made,) = site.memory.execute([note("word " * 4000)]).results[0].created
    page = site.get(f"/memories/{made}").text
    open_ = re.sub(r"</summary>.*?</details>", "", page, flags=re.DOTALL)
    assert page.count("word " * 3999) == 4 and open_.count("word " * 3999) == 1


def test_facts_are_drawn_on_a_time_line(site: Site) -> None:
    known = words(site.get("/facts").text)
    assert "mira" in known and "<u>Eve</u>" in known
    page = site.get("/facts?subject=Mira").text
    kinds = re.findall(r'class="version (\w+)"', page)
    assert sorted(kinds) == ["current", "current", "past", "past", "pending"]
    drawn = re.findall(r"<title>(Bergen|Ghent)[^<]*</title>.*?<rect", page)
    assert drawn == ["Bergen", "Ghent"]
    bars = re.findall(r'x="([\d.]+)%" y="0" width="([\d.]+)%"', page)
    (bergen, wide), (ghent, _) = [(float(x), float(w)) for x, w in bars[:2]]
    assert bergen + wide == pytest.approx(ghent, abs=0.01)
    assert "Bergen, past, from 2026-05-20 until 2026-08-01" in html.unescape(page)
    assert site.get("/facts?subject=nobody").status_code == 404


def test_episodes_say_what_came_of_them(site: Site) -> None:
    said = words(site.get("/episodes").text)
    assert "7 episodes" in said
    assert re.search(r"We moved to Ghent on 1 August\. e4 Mira .{16} in monday mira\.city = Ghent",
                     said)  # fmt: skip
    assert "mira.passport_number = X1234567 m7 pending" in said
    assert "given up" in said and "waits to be read" in said and HOSTILE in said


def test_a_fact_that_waits_is_approved_or_rejected(site: Site) -> None:
    page = site.get("/pending").text
    assert "X1234567" in page and 'aria-label="Approve fact 7"' in page
    id_ = hidden(page, "id")
    done = site.post("/pending/approve", id=id_)
    assert done.status_code == 200 and "Approved" in words(done.text)
    assert "Nothing waits." in words(done.text)
    assert site.memory.recall(subject="mira", attribute="passport_number").values == ("X1234567",)
    assert site.post("/pending/reject", id=id_).status_code == 404
    site.memory.undo_last()
    assert "Rejected" in words(site.post("/pending/reject", id=id_).text)
    record = site.memory.show(id_)
    assert record is not None and record.deleted


def test_the_journal_shows_and_takes_back(site: Site) -> None:
    site.memory.execute([on("Label", FERRY, tags=["boat"])])
    trace = site.memory.log(limit=1)[0].trace_id
    listing = words(site.get("/journal").text)
    assert "m12 tags: " in listing and "boat" in listing and "the local user" in listing
    page = words(site.get(f"/journal?trace={trace}").text)
    assert "What it changed" in page and "Taking it back" in page
    done = site.post("/journal/undo", trace=trace)
    assert "Taken back." in words(done.text)
    assert site.record(FERRY).tags == ("ferry", "travel")
    assert "Taken back." not in words(site.get("/journal").text)


def test_the_journal_says_how_many_memories_of_a_program_it_leaves_out(site: Site) -> None:
    def brief() -> str:
        return words(re.findall(r'class="plain brief">.*?</ul>', site.get("/journal").text)[0])

    site.memory.execute([note(f"number {count}", "many") for count in range(7)])
    assert "number 3" in brief() and brief().endswith("and 3 memories more")
    tagged = {"stage": "STO", "op": "Update", "target": {"filter": {"has_tags": ["many"]}}}
    args = {"set": {"topic": "a", "location": "b", "subject": "c"}}
    site.memory.execute([{**tagged, "args": args}], confirmed=True)
    assert brief().endswith("and 5 memories more")
    site.memory.execute([on("Update", FERRY, set={**args["set"], "text": "x", "weight": 0.1})])
    assert brief().endswith("and 1 more")
    site.memory.execute([on("Label", FERRY, tags=["boat"])])
    assert "more" not in brief()
    site.memory.execute([on("Delete", FERRY, soft=False)], confirmed=True)
    assert "more" not in brief()


def test_an_undo_that_lets_a_memory_be_erased_is_shown_first(site: Site) -> None:
    ends = on("Expire", FERRY, ttl="P1D", on_expire="hard_delete")
    site.memory.execute([ends], confirmed=True)
    site.memory.execute([on("Update", FERRY, set={"expire_at": None})])
    trace = site.memory.log(limit=1)[0].trace_id
    refused = site.post("/journal/undo", trace=trace)
    assert "be erased for good" in words(refused.text) and 'name="shown"' in refused.text
    assert site.record(FERRY).expire_at is None
    assert "Taken back." in words(site.post("/journal/undo", trace=trace, shown="yes").text)
    assert site.record(FERRY).expire_action == "hard_delete"


def test_an_undo_in_the_way_of_which_something_stands_says_so(site: Site) -> None:
    site.memory.execute([on("Update", FERRY, set={"text": "one"})])
    trace = site.memory.log(limit=1)[0].trace_id
    site.memory.execute([on("Update", FERRY, set={"text": "two"})])
    refused = site.post("/journal/undo", trace=trace)
    assert "changed since" in words(refused.text) and 'name="force"' in refused.text
    assert site.record(FERRY).text == "two"
    assert site.post("/journal/undo", trace="no such trace").status_code == 404


def test_an_undo_of_the_rest_that_lets_a_memory_be_erased_is_shown_first(site: Site) -> None:
    far = on("Expire", FERRY, ttl="P1D", on_expire="hard_delete")
    site.memory.execute([far], confirmed=True)
    site.memory.execute([on("Update", FERRY, set={"expire_at": None, "text": "one"})])
    trace = site.memory.log(limit=1)[0].trace_id
    site.memory.execute([on("Update", FERRY, set={"text": "two"})])
    page = site.get(f"/journal?trace={trace}").text
    assert 'name="force"' in page and 'name="shown"' in page and "expire_action" in words(page)
    assert site.record(FERRY).expire_at is None
    taken = site.post("/journal/undo", trace=trace, force="yes", shown="yes")
    assert "Taken back." in words(taken.text)
    assert (site.record(FERRY).text, site.record(FERRY).expire_action) == ("two", "hard_delete")


def test_a_request_is_shown_and_then_run_as_it_was_shown(site: Site) -> None:
    before = len(site.memory.log(limit=100))
    shown = site.post("/ask", text=CORRECT)
    said = words(shown.text)
    for part in ("Nothing has been changed yet", NOTE, LATER, '"op": "Update"', '"about": "ferry"'):
        assert part in said
    assert len(site.memory.log(limit=100)) == before
    token = hidden(shown.text, "token")
    done = site.post("/asked/run", token=token)
    assert "Done. This is what it changed." in words(done.text) and "/journal?trace=" in str(
        done.url
    )
    assert site.record(FERRY).text == LATER
    assert site.memory.log(limit=1)[0].said == CORRECT
    assert site.post("/asked/run", token=token).status_code == 410
    undo = site.post("/ask", text=UNDO)
    assert NOTE in words(undo.text)
    assert "Taken back." in words(site.post("/asked/run", token=hidden(undo.text, "token")).text)
    assert site.record(FERRY).text == NOTE


def test_where_the_store_has_moved_nothing_runs_and_it_is_shown_again(site: Site) -> None:
    shown = site.post("/ask", text=CORRECT)
    site.memory.execute([on("Update", FERRY, set={"text": "The ferry leaves at 11:30 sharp."})])
    again = site.post("/asked/run", token=hidden(shown.text, "token"))
    said = words(again.text)
    assert "Nothing was run" in said and "The ferry leaves at 12:00 sharp." in said
    assert site.record(FERRY).text == "The ferry leaves at 11:30 sharp."
    site.post("/asked/run", token=hidden(again.text, "token"))
    assert site.record(FERRY).text == "The ferry leaves at 12:00 sharp."


def test_a_question_has_a_button_an_option_and_takes_words(site: Site) -> None:
    site.memory.execute([note("The ferry to Aran leaves at 9:00.", "ferry")])
    asked = site.post("/ask", text=FORGET)
    options = re.findall(r'name="choice" value="(\d)"/><button[^>]*>([^<]*)<', asked.text)
    assert {text for _, text in options} == {NOTE, "The ferry to Aran leaves at 9:00."}
    number = next(n for n, text in options if text == NOTE)
    token = hidden(asked.text, "token")
    assert site.post("/asked/choose", token=token, choice="9").status_code == 400
    shown = site.post("/asked/choose", token=token, choice=number)
    assert '"op": "Delete"' in words(shown.text) and "deleted false true" in words(shown.text)
    assert not site.record(FERRY).deleted
    site.post("/asked/run", token=hidden(shown.text, "token"))
    assert site.record(FERRY).deleted

    asked = site.post("/ask", text=TIDY)
    assert "Which memories do you no longer need?" in words(asked.text)
    answered = site.post("/ask", text=THANKS, answers=hidden(asked.text, "answers"))
    assert "Nothing to do." in words(answered.text)


@pytest.mark.parametrize("said", ["2", "the second one", "第二个"])
def test_an_option_is_named_in_words(site: Site, said: str) -> None:
    site.memory.execute([note("The ferry to Aran leaves at 9:00.", "ferry")])
    asked = site.post("/ask", text=FORGET)
    second = re.findall(r'name="choice" value="2"/><button[^>]*>([^<]*)<', asked.text)[0]
    answers = hidden(asked.text, "answers")
    which = "Which of these do you mean?"
    for vague, told in (("yes", which), ("7", "there is no option 7"), ("什么？", which)):
        again = site.post("/ask", text=vague, answers=answers)
        assert told in words(again.text) and again.text.count('name="choice"') == 2
        answers = hidden(again.text, "answers")
    dropped = site.post("/ask", text="neither", answers=answers)
    assert "Dropped: nothing was run." in words(dropped.text)
    shown = site.post("/ask", text=said, answers=answers)
    assert f"would be deleted: {second}" in words(shown.text)
    site.post("/asked/run", token=hidden(shown.text, "token"))
    assert second not in {record.text for record in site.memory.list()}


def test_what_only_reads_is_answered_and_what_fails_is_said(
    site: Site, capfd: pytest.CaptureFixture[str]
) -> None:
    read = site.post("/ask", text=LIST)
    assert NOTE in words(read.text) and "/asked/run" not in read.text
    down = words(site.post("/ask", text=DOWN).text)
    assert "nobody is there" in down and "start the service" in down
    crash = site.post("/ask", text=CRASH)
    assert crash.status_code == 500 and "secret" not in crash.text
    assert "secret" not in "".join(capfd.readouterr())
    assert site.post("/ask", text="  ").status_code == 400
    assert site.post("/ask", text="x" * 8001).status_code == 400
    assert "Read together with" in words(site.get("/").text)
    assert "Read together with" not in words(site.post("/afresh").text)


def test_an_option_that_was_looked_at_leaves_the_others_open(site: Site) -> None:
    site.memory.execute([note("The ferry to Aran leaves at 9:00.", "ferry")])
    token = hidden(site.post("/ask", text=FORGET).text, "token")
    one, other = (site.post("/asked/choose", token=token, choice=n).text for n in ("1", "2"))
    assert "Nothing has been changed yet" in one and "Nothing has been changed yet" in other
    assert hidden(one, "token") != hidden(other, "token")
    down = site.post("/ask", text=DOWN, answers=token)
    assert "nobody is there" in words(down.text) and hidden(down.text, "answers") == token
    assert "Nothing to do." in words(site.post("/ask", text=THANKS, answers=token).text)
    assert "Done." in words(site.post("/asked/run", token=hidden(other, "token")).text)
    assert site.record(FERRY).deleted != site.record("22").deleted
    # What is shown runs by Run alone, and once.
    assert site.post("/asked/choose", token=hidden(one, "token"), choice="1").status_code == 410
    assert not (site.record(FERRY).deleted and site.record("22").deleted)


def test_what_is_closed_says_so_and_keeps_the_words(site: Site) -> None:
    token = hidden(site.post("/ask", text=CORRECT).text, "token")
    assert "Done." in words(site.post("/asked/run", token=token).text)
    for closed in (
        site.post("/asked/run", token=token), site.get(f"/asked?token={token}"),
        site.post("/ask", text="the one on <b>Saturdays</b>", answers=token),
    ):  # fmt: skip
        assert closed.status_code == 410
        assert "it has run" in words(closed.text) and "token confirms" not in closed.text
        assert 'href="/journal"' in closed.text and "<textarea" in closed.text
    assert ">the one on &lt;b&gt;Saturdays&lt;/b&gt;</textarea>" in closed.text


def test_instants_are_by_the_clocks_of_the_person(filled: Path, tmp_path: Path) -> None:
    shutil.copy(filled, tmp_path / "a.db")
    with looked_into(tmp_path / "a.db", tz=ZoneInfo("Asia/Kathmandu")) as site:
        site.memory.execute([on("Expire", FERRY, ttl="P1D", on_expire="soft_delete")])
        trace = site.memory.log(limit=1)[0].trace_id
        for path in (f"/memories/{FERRY}", "/journal", f"/journal?trace={trace}"):
            page = site.get(path).text
            assert "2026-11-22 17:45" in words(page), path
            assert not re.search(r"\d{2}:\d{2}:\d{2}Z", words(page)), path
            assert 'datetime="2026-11-22T12:00:00Z"' in page
        assert "null" not in words(site.get("/journal").text)


def test_a_search_by_words_and_a_tag_finds_more_than_the_nearest(site: Site) -> None:
    many = [note(f"kettle {count}") for count in range(600)]
    site.memory.execute([note("A kettle of the cellar, which was bought long ago.", "rare"), *many])
    assert len(listed(site.get("/memories?words=kettle&tag=rare").text)) == 1
    assert "at least 500 found" in words(site.get("/memories?words=kettle").text)


def test_the_last_page_leads_no_further_and_a_page_beyond_it_says_that_it_is_empty(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("memories", "episodes", "journal"):
        monkeypatch.setattr(f"text2mem.doors.ui.{module}._FURTHEST", 2)
        monkeypatch.setattr(f"text2mem.doors.ui.{module}.A_PAGE", 3)
        page = site.get(f"/{module}?page=2").text
        assert 'rel="next"' not in page and "What is older has no page here." in words(page)
        assert site.get(f"/{module}?page=9").text == page
        monkeypatch.undo()
        beyond = words(site.get(f"/{module}?page=40").text)
        assert "There is nothing on this page." in beyond and " yet" not in beyond


def test_an_episode_waits_however_many_do(site: Site) -> None:
    site.memory.observe([{"text": f"turn {count}"} for count in range(300)], extract=False)
    page = words(site.get("/episodes").text)
    assert page.count("waits to be read") == 20 and "no fact rests on it" not in page
    assert "256 are shown" in words(site.get("/queue").text)


def test_what_was_given_up_is_tried_again(site: Site) -> None:
    page = site.get("/queue").text
    assert "RepairExhausted" in page
    again = site.post("/queue/retry", id=hidden(page, "id"))
    assert "1 to be tried again" in words(again.text)
    assert "Nothing was given up." in words(again.text)
    assert site.post("/queue/retry", id=hidden(page, "id")).status_code == 404


def test_another_tenant_s_memories_are_not_there(filled: Path, tmp_path: Path) -> None:
    shutil.copy(filled, tmp_path / "a.db")
    with looked_into(tmp_path / "a.db") as ours:
        trace = ours.memory.log(limit=1)[0].trace_id
    with looked_into(tmp_path / "a.db", tenant="other") as site:
        assert site.get(f"/memories/{FERRY}").status_code == 404
        assert site.get(f"/journal?trace={trace}").status_code == 404
        assert site.get("/facts?subject=mira").status_code == 404
        assert site.post("/pending/approve", id="7").status_code == 404
        assert site.post("/journal/undo", trace=trace).status_code == 404
        assert site.post("/queue/retry", id="all").status_code == 404
        for path in ("/memories?words=ferry&tenant=default", "/episodes", "/journal", "/queue"):
            assert NOTE not in site.get(path).text and "drawer" not in site.get(path).text
    with looked_into(tmp_path / "a.db") as ours:
        assert not ours.record(FERRY).deleted


def test_an_actor_sees_what_is_theirs_and_no_more(tmp_path: Path) -> None:
    from text2mem.ir.context import ExecutionContext
    from text2mem.memory import Memory

    with Memory(tmp_path / "a.db", context=ExecutionContext(actor="ann"), embedder="none") as held:
        held.execute([note("for all", read_perm_level="public")])
        held.execute([note("for ann alone", read_perm_level="private")])
        hers = held.log(limit=1)[0].trace_id
        (seen,) = held.observe("I live in Rome.", extract=False)
    with looked_into(tmp_path / "a.db", actor="bob") as site:
        assert listed(site.get("/memories").text) == ["1"]
        assert site.get("/memories/2").status_code == 404
        assert site.get(f"/journal?trace={hers}").status_code == 404
        assert "for ann" not in site.get("/journal?actor=ann").text
        assert "Rome" not in site.get("/queue").text
        assert site.get(f"/memories/{seen.episode}").status_code == 404
        assert site.post("/journal/undo", trace=hers).status_code == 404


def test_a_page_tells_warnings_and_refusals_in_the_language_of_the_request() -> None:
    with Memory("memory:", embedder="none") as memory:
        id_ = memory.add("茶")
        erase = {"stage": "STO", "op": "Delete", "target": {"ids": [id_]}, "args": {"soft": False}}
        assert "彻底删除后无法恢复" in effect(memory.preview(erase), UTC, "彻底删掉茶")
        assert "cannot be undone" in effect(memory.preview(erase), UTC, "erase the tea")
        lock = {"stage": "STO", "op": "Lock", "target": {"ids": [id_]}}
        assert memory.execute({**lock, "args": {"mode": "read_only"}}).ok
        shut = str(effect(memory.preview(erase), UTC, "徹底刪掉茶"))
        assert f"記憶 {id_} 已鎖定（唯讀），不能刪除" in shut and "unlock it first" not in shut
