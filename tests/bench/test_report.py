"""The report: what stands on the page, what stays text, and what the failures are called."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from text2mem.cli.main import main
from text2mem.errors import ConfigurationError
from text2mem.markup import join, tag, text
from text2mem_bench.report.charts import bars, histogram, reach
from text2mem_bench.report.failures import compared, failed, listed, reasons
from text2mem_bench.report.matrix import matrix
from text2mem_bench.report.page import json_block, page
from text2mem_bench.report.run import ReportedRun, labels, load
from text2mem_bench.runs import read_run
from text2mem_bench.scores import summarise

RUNS = Path(__file__).parents[2] / "fixtures" / "runs"
GROUNDED, UNGROUNDED = RUNS / "grounded", RUNS / "ungrounded"
HOSTILE = "</script><script>document.title='owned'</script><!--\"'& \u2028\u2029\x00\ud800"


class Elements(HTMLParser):
    """What a browser would make of a page: elements with their attributes, and their text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self.rest: list[tuple[int, str]] = []
        self._ended = False
        self.feed(html)
        self.close()

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((name, dict(attributes)))

        self._ended = False

    def handle_endtag(self, name: str) -> None:
        self._ended = True

    def handle_data(self, data: str) -> None:
        place = len(self.elements) - 1
        self.rest.append((place, data))
        if not self._ended:
            self.texts[place] = self.texts.get(place, "") + data

    def named(self, name: str) -> list[tuple[dict[str, str | None], str]]:
        """The elements of a name, each with the text that stands right after its tag."""
        return [
            (attributes, self.texts.get(place, ""))
            for place, (found, attributes) in enumerate(self.elements)
            if found == name
        ]

    @property
    def data(self) -> dict[str, Any]:
        """What the script of the page reads."""
        (said,) = [text for attributes, text in self.named("script") if "type" in attributes]
        return dict(json.loads(said))

    @property
    def words(self) -> str:
        """The text of the page without its style, script and data."""
        hidden = [
            place for place, (name, _) in enumerate(self.elements) if name in ("script", "style")
        ]
        kept = (said for place, said in self.rest if place not in hidden)
        return re.sub(r"\s+", " ", " ".join(kept))


def row(id_: str = "en-1", **others: Any) -> dict[str, Any]:
    """A row whose program is right in everything, but for what is said of it."""
    instance = {"stage": "STO", "op": "Delete", "target": {"ids": ["1"]}}
    scores = ("valid", "op_exact", "op_f1", "slots", "kv_f1", "sma_lev", "esr", "emr", "row")
    return {
        "id": id_, "lang": "en", "instruction_type": "direct", "structure": "single",
        "utterance": "Delete it.", "context": [], "gold": [instance], "gold_ops": ["Delete"],
        "predicted": [instance], "ops": ["Delete"], "status": "executed", "error": None,
        "diagnostics": [], "redrafts": 0, "seconds": 0.5, "checks": [], "ranking": None,
        "usage": {"prompt_tokens": 100, "output_tokens": 10, "cached_tokens": None},
        "scores": {**dict.fromkeys(scores, 1), "effective": None},
        **others,
    }  # fmt: skip


def made(rows: Sequence[dict[str, Any]], label: str = "made-up", **config: Any) -> ReportedRun:
    """A run of some rows."""
    known = {"kind": "plan", "finished": "2026-03-04T10:02:00Z", **config}
    return ReportedRun(label, label, known, rows, summarise(rows))


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """``text2mem bench`` with some arguments: exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as ended:
        main(["bench", *map(str, arguments)])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


@pytest.fixture(scope="module")
def both() -> Elements:
    """The page of the two runs."""
    return Elements(page(load([GROUNDED, UNGROUNDED])))


# --- the fixture runs ----------------------------------------------------------------------


def test_the_runs_are_rows_of_the_planning_layer() -> None:
    schema = json.loads((RUNS / "case.schema.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    for folder in (GROUNDED, UNGROUNDED):
        config, rows = read_run(folder)
        assert len(rows) == config["data"]["rows"] == 30
        for one in rows:
            assert [error.message for error in validator.iter_errors(one)] == [], one["id"]
    statuses = {one["status"] for one in read_run(UNGROUNDED)[1]}
    assert statuses == {"executed", "refused", "illegal", "no-program", "service"}


# --- one page that needs nothing and lets nothing in ---------------------------------------


def test_only_the_page_s_own_style_and_script_may_run(both: Elements) -> None:
    (policy,) = [
        str(attributes["content"])
        for attributes, _ in both.named("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    parts = dict(part.split(" ", 1) for part in policy.split("; "))
    scripts = [said for attributes, said in both.named("script") if "type" not in attributes]
    ((_, style),) = both.named("style")
    assert len(scripts) == 1
    for name, inline in (("script-src", scripts[0]), ("style-src", style)):
        digest = base64.b64encode(sha256(inline.encode()).digest()).decode()
        assert parts[name] == f"'sha256-{digest}'"
    assert {name: parts[name] for name in ("default-src", "base-uri", "form-action")} == {
        "default-src": "'none'", "base-uri": "'none'", "form-action": "'none'",
    }  # fmt: skip


def test_nothing_is_fetched(both: Elements) -> None:
    for name, attributes in both.elements:
        assert not {"src", "srcset", "style", "action"} & set(attributes), name
        assert not any(key.startswith("on") for key in attributes), name
        assert name not in ("link", "img", "iframe", "object", "base"), name
        assert str(attributes.get("href", "#")).startswith("#")
    ((_, style),) = both.named("style")
    assert "url(" not in style
    assert "@import" not in style


def test_hostile_text_stays_text() -> None:
    programs = [{"op": HOSTILE, "args": {HOSTILE: [HOSTILE]}}]
    bad = row(
        HOSTILE, utterance=HOSTILE, lang=HOSTILE, instruction_type=HOSTILE, structure=HOSTILE,
        context=[HOSTILE], gold=programs, gold_ops=[HOSTILE], predicted=[], ops=[],
        status="illegal", error={"type": HOSTILE, "code": HOSTILE, "message": HOSTILE},
        diagnostics=[dict.fromkeys(("code", "pointer", "message", "hint"), HOSTILE)],
        checks=[{"name": HOSTILE, "sql": HOSTILE, "params": {HOSTILE: HOSTILE}, "compare": "==",
                 "value": 1, "before": None, "after": None, "held": False, "effective": True,
                 "error": HOSTILE}],
    )  # fmt: skip
    config = {
        "command": HOSTILE, "model": HOSTILE, "data": {"name": HOSTILE, "sha256": HOSTILE},
        "machine": {"processor": HOSTILE, "revision": HOSTILE}, HOSTILE: HOSTILE,
    }  # fmt: skip
    written = page([made([bad], HOSTILE, **config), made([bad], HOSTILE, **config)])
    written.encode()  # no half of a character is left
    seen = Elements(written)
    assert len(seen.named("script")) == 2
    assert not any("owned" in said for attributes, said in seen.named("script") if not attributes)
    (case,) = seen.data["cases"]
    assert case["id"] == case["utterance"] == case["context"][0] == HOSTILE
    assert case["steps"][0]["slots"][0][1] == json.dumps([HOSTILE], ensure_ascii=False)
    assert seen.data["runs"] == [HOSTILE, HOSTILE]
    shown = HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}").replace(
        "\ud800", "\N{REPLACEMENT CHARACTER}"
    )
    ((_, heading),) = seen.named("h1")
    assert heading == f"Text2Mem Bench: {shown}, {shown}"


def test_markup_escapes_what_is_not_markup() -> None:
    assert tag("td", "<b>", title='"', hidden=True, class_="x", id=None, lang=False) == (
        '<td title="&quot;" hidden class="x">&lt;b&gt;</td>'
    )
    assert tag("p", tag("b", "&"), [1, None, " <"]) == "<p><b>&amp;</b>1 &lt;</p>"
    assert join("<", tag("rect", x=1)) == '&lt;<rect x="1"/>'
    assert text("a\x00\ud800\ufffe\x85\t\n") == "a\ufffd\ufffd\ufffd\ufffd\t\n"
    assert text("owe \u202e001\u202c") == "owe \ufffd001\u202c"  # not 100


def test_a_block_of_json_cannot_end_its_element() -> None:
    block = json_block({"<!--": HOSTILE + "备用钥匙 😀 &amp; ]]>\x7f\x85"})
    assert not re.search(r"[<>&\u2028\u2029\x00-\x1f\x7f-\x9f\ud800-\udfff]", block)
    assert "备用钥匙 😀" in block
    assert json.loads(block) == {"<!--": HOSTILE + "备用钥匙 😀 &amp; ]]>\x7f\x85"}


# --- what stands on the page ---------------------------------------------------------------


def cells(seen: Elements, table: str) -> dict[str, list[str]]:
    """The rows of the table in the region of a name, by their first cell."""
    place = next(
        at for at, (_, attributes) in enumerate(seen.elements)
        if attributes.get("aria-label") == table
    )  # fmt: skip
    found: dict[str, list[str]] = {}
    line: list[str] = []
    for at in range(place + 2, len(seen.elements)):
        name, _ = seen.elements[at]
        if name not in ("thead", "tbody", "tr", "th", "td", "small", "abbr"):
            break
        if name == "tr":
            line = []
        if name in ("th", "td"):
            line.append(seen.texts.get(at, "").strip())
            found[line[0]] = line[1:]
    return found


def test_the_head_says_what_was_run(both: Elements) -> None:
    facts = cells(both, "What was run")
    assert facts["command"][0].startswith("text2mem bench plan synthetic.jsonl --model local:ex")
    assert facts["model"] == ["local:example-large", "local:example-small"]
    assert facts["without"] == ["–", "1: grounding"]
    assert facts["data"] == ["synthetic.jsonl, 30 rows"] * 2
    assert len(facts["sha256"][0]) == 64
    assert facts["machine"][0] == "Example 9000, 2 cores, Linux"
    assert facts["revision"] == ["0000000"] * 2
    assert facts["outcome"][1] == "21 executed, 3 illegal, 2 no-program, 2 refused, 2 service"
    assert "limit" not in facts  # none of the runs has one
    assert "rows of ungrounded without scores, because a service was down: 2" in both.words


def test_ours_stand_beside_what_was_published(both: Elements) -> None:
    shown = cells(both, "Scores beside those that were published")
    assert "published elsewhere, on another split" in both.words
    assert shown["%"][2:] == [
        "GPT-4o", "Qwen2.5-72B", "Claude-4-Sonnet", "Gemini-2.5-Pro", "GPT-5",
    ]  # fmt: skip
    assert shown["EMR, all assertions"] == [
        "71.0", "27.6", "25.3", "25.4", "31.3", "29.0", "28.3",
    ]  # fmt: skip
    assert shown["EMR, assertions of English rows"][2:4] == ["32.3", "31.8"]
    assert shown["ESR"][:3] == ["83.3", "75.0", "94.8"]


def test_scores_are_those_of_the_summary(both: Elements) -> None:
    runs = load([GROUNDED, UNGROUNDED])
    overall = cells(both, "Scores over all rows")
    by_op = cells(both, "Scores by op of the gold")
    for place, one in enumerate(runs):
        cell = one.summary["overall"]
        assert overall["Op accuracy"][place] == f"{100 * cell['scores']['op_exact']:.1f}"
        assert overall["Effective EMR, mean of rows"][place] == (
            f"{100 * cell['scores']['effective']:.1f}"
        )
        counts = cell["assertions"]
        assert overall["Effective EMR, all assertions"][place] == (
            f"{100 * counts['effective_held'] / counts['effective']:.1f}"
        )
        assert by_op["Lock"][place] == str(one.summary["op"]["Lock"]["n"])
    assert list(by_op)[-12:] == [
        "Encode", "Update", "Label", "Promote", "Demote", "Merge", "Split", "Delete", "Lock",
        "Expire", "Retrieve", "Summarize",
    ]  # fmt: skip
    assert {"en", "zh"} <= set(cells(both, "Scores by language"))
    assert {"direct", "indirect"} <= set(cells(both, "Scores by instruction type"))
    assert {"single", "workflow"} <= set(cells(both, "Scores by structure"))
    cost = cells(both, "Latency, tokens and redrafts")
    assert cost["Latency p95"] == [f"{r.summary['overall']['seconds']['p95']:.2f}" for r in runs]


def test_floors_stand_beside_the_scores_and_nowhere_else() -> None:
    floor = made([row(predicted=[], ops=[], status="illegal")], "empty", model="floor:empty")
    seen = Elements(page(load([UNGROUNDED]), [floor]))
    assert cells(seen, "Scores over all rows")["%"] == ["ungrounded", "empty"]
    assert seen.data["runs"] == ["ungrounded"]
    assert "The runs are of different data" in seen.words


def test_reasons_are_counted(both: Elements) -> None:
    causes = cells(both, "Reasons")
    assert list(causes)[:2] == ["reason, cases", "other ops"]
    assert causes["other ops"] == ["4", "13"]
    assert causes["refused: locked"] == ["2", "1"]
    assert "Reasons that are rarer: " in both.words


def test_a_page_without_cases_holds_no_row_of_the_data() -> None:
    runs = load([GROUNDED, UNGROUNDED])
    written = page(runs, cases=False)
    seen = Elements(written)
    assert seen.data == {"runs": ["grounded", "ungrounded"], "cases": None}
    for one in (row for run in runs for row in run.rows):
        assert one["utterance"] not in written
        assert one["id"] not in written
    assert not any("got=" in str(attributes.get("href")) for attributes, _ in seen.named("a"))
    assert "The cases are left out of this report." in seen.words


def test_a_run_without_a_row_has_a_page() -> None:
    seen = Elements(page([made([], finished=None)]))
    assert seen.data["cases"] == []
    assert "made-up is not finished" in seen.words
    seen = Elements(page([made([row(status="service", predicted=None, ops=[], scores={})])]))
    assert [case["id"] for case in seen.data["cases"]] == ["en-1"]


# --- charts --------------------------------------------------------------------------------


def test_bars_are_as_long_as_their_values() -> None:
    drawn = Elements(bars("EMR by op", [("Lock", [0.5, None]), ("Merge", [1.0, 0.0])], ["a", "b"]))
    drawn_bars = [attributes for attributes, _ in drawn.named("rect")]
    assert [(bar["class"], float(str(bar["width"]))) for bar in drawn_bars] == [
        ("run0", 96.0), ("run1", 0.0), ("run0", 192.0), ("run1", 0.0),
    ]  # fmt: skip
    said = [text for _, text in drawn.named("title")]
    assert said == ["EMR by op", "a: Lock: 50.0%", "b: Lock: no rows", "a: Merge: 100.0%",
                    "b: Merge: 0.0%"]  # fmt: skip


def test_a_histogram_counts_every_value() -> None:
    values = [0.1, 0.1, 0.5, 1.2, 9.0]
    drawn = Elements(histogram("Latency", values, 0.5, 7.4, end=2.4, unit="seconds", run=0))
    said = [text for _, text in drawn.named("title")]
    assert said == ["Latency", "0.10 to 0.20 seconds: 2", "0.50 to 0.60 seconds: 1",
                    "1.2 to 1.3 seconds: 1", "2.3 seconds and more: 1"]  # fmt: skip
    assert {"p50 0.50", "p95 7.4"} <= {text for _, text in drawn.named("text")}


@pytest.mark.parametrize(
    ("values", "p95", "end"),
    [([0.4, 1.9], 1.8, 2.0), ([10, 20, 900], 25, 60), ([3], 3, 3.2), ([0], 0, 1.0),
     ([1450, 1990], 1980, 2000)],
)  # fmt: skip
def test_an_axis_ends_at_a_round_number(values: list[float], p95: float, end: float) -> None:
    assert reach(values, p95) == pytest.approx(end)


def test_the_matrix_counts_what_was_taken_for_what() -> None:
    rows = [
        row("1"), row("2"), row("3", ops=["Lock"]), row("4", ops=[], predicted=None),
        row("5", ops=["Delete", "Label"]), row("6", gold_ops=["Lock", "Label"]),
        row("7", status="service", ops=[], predicted=None, scores={}),
    ]  # fmt: skip
    drawn = matrix("made-up", rows, 1)
    assert drawn is not None
    seen = Elements(drawn)
    titles = [str(a["title"]) for a, _ in seen.named("td") if "title" in a]
    assert titles == [
        "Delete predicted as Delete: 3 of 5", "Delete predicted as Lock: 1 of 5",
        "Delete predicted as none: 1 of 5", "none predicted as Label: 1 of 1",
    ]  # fmt: skip
    assert [a["href"] for a, _ in seen.named("a")] == [
        "#run=1&op=Delete&got=Lock&steps=one+op", "#run=1&op=Delete&got=no+program&steps=one+op",
    ]  # fmt: skip
    assert matrix("nothing", [], 0) is None


# --- failures ------------------------------------------------------------------------------


def test_why_a_row_failed() -> None:
    held = {"name": "kept", "held": True}
    missed = {"name": "gone", "held": False}
    wrong = {"op_exact": 0, "row": 0}
    found = {"code": "unknown-key"}
    for one, why in (
        (row(), []),
        (row(scores={"op_exact": 0, "row": 1}, ops=["Lock"]), ["other ops"]),
        (row(scores={"op_exact": 1, "row": 0}, checks=[held, missed]), ["assertion gone"]),
        (row(scores={"op_exact": 1, "row": 0}, ranking={"held": False}), ["ranking"]),
        (row(status="illegal", scores=wrong, diagnostics=[found, found], checks=[missed]),
         ["illegal: unknown-key"]),
        (row(status="refused", scores=wrong, error={"code": "locked"}), ["refused: locked"]),
        (row(status="no-program", scores=wrong, predicted=None, ops=[],
             error={"type": "EmptyAnswer"}), ["no-program: EmptyAnswer"]),
        (row(status="service", scores={}, predicted=None, ops=[]),
         ["service: no reason given"]),
        (row(status="illegal", scores=wrong, predicted=[], ops=[], error={"code": "empty"},
             checks=[missed]), ["illegal: empty", "other ops", "assertion gone"]),
    ):  # fmt: skip
        assert reasons(one) == why
        assert failed(one) == bool(why)


def test_cases_of_several_runs_stand_side_by_side() -> None:
    bad = {"op_exact": 1, "row": 0}
    missing = {"name": "gone", "sql": "SELECT 1", "params": {"tag": "茶"}, "compare": ">=",
               "value": 2, "before": 0, "after": 1, "held": False}  # fmt: skip
    cases = listed([
        [row("a"), row("b", scores=bad, checks=[missing])],
        [row("b"), row("a"), row("c", scores=bad, ranking={
            "gold_ids": ["1", "2"], "min_hits": 2, "k": 2, "allow_extra": False,
            "returned": [["1"], []], "hits": 1, "held": False})],
    ])  # fmt: skip
    assert [case["id"] for case in cases] == ["b", "c"]
    b, c = cases
    assert [result["failed"] for result in b["runs"]] == [True, False]
    assert b["runs"][0]["checks"] == [{
        "name": "gone", "sql": "SELECT 1", "params": ':tag = "茶"', "expected": ">= 2",
        "before": "0", "after": "1", "error": "",
    }]  # fmt: skip
    assert c["runs"][0] is None
    assert c["runs"][1]["ranking"] == {
        "wanted": "1, 2", "rule": "at least 2 in the first 2, and nothing else",
        "returned": ["1", "nothing"], "hits": "1",
    }  # fmt: skip


def test_rows_of_one_id_that_ask_for_different_things_are_two_cases() -> None:
    bad = {"op_exact": 1, "row": 0}
    cases = listed([[row("a", scores=bad)], [row("a", scores=bad, utterance="Another.")]])
    assert [case["utterance"] for case in cases] == ["Delete it.", "Another."]


def test_programs_are_compared_slot_by_slot() -> None:
    gold = [{"op": "Lock", "target": {"filter": {"has_tags": ["b", "a"], "limit": 2}}},
            {"op": "Retrieve", "target": {"ids": ["$1"]}}]  # fmt: skip
    predicted = [{"op": "Lock", "target": {"filter": {"has_tags": ["a", "b"], "limit": 3}},
                  "args": {"mode": "none"}},
                 {"op": "Delete", "target": {"all": True}},
                 {"op": "Label"}]  # fmt: skip
    steps = compared(gold, [predicted, None])
    assert [step["ops"] for step in steps] == [
        ["Lock", "Lock", None], ["Retrieve", "Delete", None], [None, "Label", None],
    ]  # fmt: skip
    tags = '["a", "b"]'
    assert steps[0]["slots"] == [
        ["/target/filter/has_tags", tags, [tags, "same"], [None, "missing"]],
        ["/target/filter/limit", "2", ["3", "differs"], [None, "missing"]],
        ["/args/mode", None, ['"none"', "extra"], [None, "none"]],
    ]
    assert steps[1]["slots"][0] == ["/target/ids", '["$1"]', [None, "missing"], [None, "missing"]]
    assert steps[2]["slots"] == []


# --- runs and the command ------------------------------------------------------------------


def test_labels_tell_runs_apart() -> None:
    assert labels(["a/x", "a/y"]) == ["x", "y"]
    assert labels(["a/x", "b/x", "b/y"]) == ["a/x", "b/x", "b/y"]
    assert labels(["a/x", "a/x"]) == ["x", "x"]


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "seen.html"
    code, said, told = run(capsys, "report", GROUNDED, UNGROUNDED, "--out", out)
    assert (code, said) == (0, "")
    assert told.startswith(f"{out}: 2 runs, 0.1 MB")
    assert out.read_text("utf-8") == page(load([GROUNDED, UNGROUNDED]))
    code, said, told = run(capsys, "report", UNGROUNDED, "--out", "-", "--without-cases")
    assert (code, told) == (0, "")
    assert said == page(load([UNGROUNDED]), cases=False)


def floor_run(folder: Path, rows: str, **config: Any) -> Path:
    """A run as a folder."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"kind": "plan", **config}), "utf-8")
    (folder / "rows.jsonl").write_text(rows, "utf-8")
    return folder


def test_floors_are_known_by_their_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    floor = floor_run(tmp_path / "low", json.dumps(row()) + "\n", model="floor:empty")
    _, said, _ = run(capsys, "report", floor, UNGROUNDED, "--out", "-")
    assert Elements(said).data["runs"] == ["ungrounded"]
    _, said, _ = run(capsys, "report", floor, "--out", "-")
    assert Elements(said).data["runs"] == ["low"]


def test_what_is_no_planning_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "report", tmp_path)[0] == 2
    other = floor_run(tmp_path / "other", "", kind="execution")
    code, _, told = run(capsys, "report", other)
    assert code == 2
    assert "holds a run of kind 'execution'" in told
    torn = floor_run(tmp_path / "torn", json.dumps({**row("x"), "gold": None}) + "\n")
    with pytest.raises(ConfigurationError, match="'gold' is missing or of another type"):
        load([torn])
