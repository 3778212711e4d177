"""The report in a real browser: it says nothing on the console, filters, opens, fits its window."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.chromium import EXECUTABLE, WHY_NOT, Page, browser
from text2mem_bench.report.page import page
from text2mem_bench.report.run import load

pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason=WHY_NOT)

RUNS = Path(__file__).parents[2] / "fixtures" / "runs"
OPEN = "document.querySelectorAll('#cases details[open] .case')"
SHOWN = "[...document.querySelectorAll('#cases details')].map((one) => one.dataset.id)"
ENTER, TAB = 13, 9


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One browser for all the tests; each opens its own address."""
    with browser(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of a page of one run, of two, and of the two without their cases."""
    folder = tmp_path_factory.mktemp("reports")
    found = {}
    one, two = load([RUNS / "ungrounded"]), load([RUNS / "grounded", RUNS / "ungrounded"])
    for name, written in (
        ("one", page(one)), ("two", page(two)), ("figures", page(two, cases=False)),
    ):  # fmt: skip
        path = folder / f"{name}.html"
        path.write_text(written, encoding="utf-8")
        found[name] = path.as_uri()
    return found


@pytest.fixture
def tab(chromium: Page) -> Iterator[Page]:
    """The browser, as a test found it; at the end its console is empty and it asked for nothing."""
    chromium.complaints.clear()
    chromium.requests.clear()
    chromium.resize(1280)
    yield chromium
    assert chromium.complaints == []
    assert {url.partition(":")[0] for url in chromium.requests} <= {"file", "about"}


def ids(tab: Page) -> list[Any]:
    """The failures in the list."""
    return list(tab.run(SHOWN))


def choose(tab: Page, name: str, value: str) -> None:
    """Choose an option as a reader would, whose browser then says ``input``."""
    control = f"document.querySelector('[name={name}]')"
    tab.run(f"{control}.value = {json.dumps(value)}")
    tab.run(f"{control}.dispatchEvent(new Event('input', {{ bubbles: true }}))")


def test_the_list_filters_and_the_address_keeps_it(tab: Page, reports: dict[str, str]) -> None:
    tab.open(reports["one"])
    everything = ids(tab)
    assert len(everything) == 27
    assert tab.run("document.getElementById('found').textContent") == "27 of 27 failures"
    choose(tab, "op", "Delete")
    assert ids(tab) == ["en-delete-1", "zh-delete-1"]
    choose(tab, "lang", "zh")
    assert ids(tab) == ["zh-delete-1"]
    assert tab.run("location.hash") == "#op=Delete&lang=zh"
    tab.run("document.querySelector('#filters [type=reset]').click()")
    assert ids(tab) == everything
    choose(tab, "status", "illegal")
    assert ids(tab) == ["en-merge-1", "en-expire-1", "zh-update-1"]
    choose(tab, "reason", "illegal: horizon-past")
    assert ids(tab) == ["en-expire-1"]
    choose(tab, "reason", "")
    choose(tab, "status", "")
    choose(tab, "q", "PIANO tuner")
    assert ids(tab) == ["en-encode-1"]
    choose(tab, "q", "茶叶")
    assert ids(tab) == []


def test_a_failure_opens_to_programs_and_assertions(tab: Page, reports: dict[str, str]) -> None:
    tab.open(f"{reports['one']}#op=Delete&open=en-delete-1")
    assert ids(tab) == ["en-delete-1", "zh-delete-1"]
    assert tab.run(f"{OPEN}.length") == 1
    said = tab.run(f"{OPEN}[0].innerText")
    for part in ("Throw away the shopping list.", "others_stay", "SELECT count(*) FROM memory",
                 ':tag = "shops"', "before 1, after 0, expected == 1", "1 more hold."):  # fmt: skip
        assert part in said
    marks = tab.run(f"[...{OPEN}[0].querySelectorAll('td .sign')].map((one) => one.title)")
    assert marks == ["missing", "extra"]
    tab.open(f"{reports['one']}#open=zh-update-1")
    assert "'texts' is not a key here" in tab.run(f"{OPEN}[0].innerText")
    assert "[unknown-key]" in tab.run(f"{OPEN}[0].innerText")


def test_a_cell_of_the_matrix_leads_to_its_failures(tab: Page, reports: dict[str, str]) -> None:
    tab.open(reports["two"])
    tab.run("document.querySelectorAll('table.matrix')[1].querySelector('a').click()")
    tab.wait("location.hash.includes('got=')")
    tab.wait(f"{SHOWN}.length < 30")
    assert ids(tab) == ["en-update-1"]
    assert tab.run("document.querySelector('[name=run]').selectedOptions[0].text") == (
        "ungrounded (27)"
    )
    tab.open(f"{reports['two']}#run=0&status=nonsense&unknown=1")
    assert len(ids(tab)) == 10


def test_several_runs_stand_side_by_side(tab: Page, reports: dict[str, str]) -> None:
    tab.open(f"{reports['two']}#open=en-lock-1")
    head = f"[...{OPEN}[0].querySelectorAll('thead th')].map((one) => one.textContent)"
    assert tab.run(head) == ["slot", "gold", "grounded", "ungrounded"]
    mode = f"[...[...{OPEN}[0].querySelectorAll('tr')].at(-1).cells].map((one) => one.textContent)"
    assert tab.run(mode) == ["args/mode", '"read_only"', '≠"append_only"', '"read_only"']


def test_hostile_text_is_only_text(tab: Page, reports: dict[str, str]) -> None:
    tab.open(f"{reports['two']}#open=en-hostile-1")
    assert tab.run("document.title") == "Text2Mem Bench: grounded, ungrounded"
    assert tab.run("document.scripts.length") == 2
    assert tab.run("document.querySelectorAll('main img, main i:not(p i), iframe').length") == 0
    assert "</script><script>document.title='owned'" in tab.run(f"{OPEN}[0].innerText")


def test_what_is_injected_all_the_same_does_not_run(
    chromium: Page, reports: dict[str, str]
) -> None:
    chromium.open(reports["one"])
    chromium.complaints.clear()
    chromium.run(
        "document.body.append(Object.assign(document.createElement('script'),"
        " { textContent: 'document.title = 1' }))"
    )
    chromium.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>')")
    chromium.wait("document.title.startsWith('Text2Mem')")
    assert any("Content Security Policy" in said for said in chromium.complaints)


def test_the_keyboard_is_enough(tab: Page, reports: dict[str, str]) -> None:
    tab.open(f"{reports['one']}#op=Delete")
    tab.run("document.querySelector('[name=q]').focus()")
    tab.write("邮箱")
    assert ids(tab) == ["zh-delete-1"]
    focused = "document.activeElement.closest('#cases summary') !== null"
    for _ in range(3):
        if not tab.run(focused):
            tab.press("Tab", TAB)
    assert tab.run(focused)
    tab.press("Enter", ENTER, "\r")
    tab.wait(f"{OPEN}.length === 1")
    tab.wait("location.hash.includes('open=zh-delete-1')")
    tab.press("Enter", ENTER, "\r")
    tab.wait(f"{OPEN}.length === 0")


def test_the_tables_show_the_scores_that_are_asked_for(tab: Page, reports: dict[str, str]) -> None:
    tab.open(reports["two"])
    shown = (
        "new Set([...document.querySelectorAll('thead abbr')]"
        ".filter((one) => one.offsetParent).map((one) => one.textContent)).size"
    )
    assert tab.run(shown) == 7
    chooser = "document.getElementById('scores-shown')"
    for value, count in (("emr", 1), ("valid", 1)):
        tab.run(f"{chooser}.value = '{value}'")
        tab.run(f"{chooser}.dispatchEvent(new Event('change'))")
        assert tab.run(shown) == count
    tab.run(f"{chooser}.selectedIndex = 1")
    tab.run(f"{chooser}.dispatchEvent(new Event('change'))")
    assert tab.run(shown) == 13


def test_a_page_of_figures_alone_works(tab: Page, reports: dict[str, str]) -> None:
    tab.open(f"{reports['figures']}#op=Delete")
    assert tab.run("document.querySelectorAll('#filters, #cases').length") == 0
    assert tab.run("document.getElementById('scores-shown').offsetParent !== null") is True


@pytest.mark.parametrize("width", [360, 800, 1600])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_fits_the_window_and_can_be_read(
    tab: Page, reports: dict[str, str], width: int, dark: bool
) -> None:
    tab.resize(width, dark=dark)
    tab.open(f"{reports['two']}#open=en-hostile-1")
    assert tab.run("document.documentElement.scrollWidth") <= width
    colour = "getComputedStyle(document.body).{}.match(/[\\d.]+/g).slice(0, 3).map(Number)"
    ink, paper = (tab.run(colour.format(name)) for name in ("color", "backgroundColor"))
    assert contrast(ink, paper) > 10
    assert (sum(paper) < sum(ink)) is dark


def contrast(one: list[float], other: list[float]) -> float:
    """The contrast ratio of two sRGB colours (WCAG 2.2)."""

    def luminance(colour: list[float]) -> float:
        parts = [c / 255 for c in colour]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
