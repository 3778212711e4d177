"""The page in a real browser: a quiet console, nothing injected runs, keyboard, contrast, width."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.bench.chromium import EXECUTABLE, WHY_NOT, Page, browser
from tests.doors.looking import HOSTILE, TOKEN, Site, fill, looked_into, note
from tests.doors.node import AXE
from tests.doors.node import WHY_NOT as WHY_NO_AXE
from tests.doors.scripted import CORRECT, DOWN, FORGET, LIST, NOTE, THANKS, TIDY

pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason=WHY_NOT)

FERRY = "12"
PATHS = [
    "/", "/memories?archived=yes&deleted=yes", "/memories/1", "/memories/14", "/memories/19",
    "/facts", "/facts?subject=mira", "/facts?subject=%3Cu%3EEve%3C/u%3E", "/episodes", "/pending",
    "/journal", "/queue",
]  # fmt: skip
TAB = 9
# What is drawn on what: the first background of an element's forebears that is not transparent.
FAULTS = """(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const parts = colour.slice(0, 3).map((c) => c / 255)
      .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const behind = (one) => {
    for (let each = one; each; each = each.parentElement) {
      const bar = each.matches('svg.version') ? each.querySelector('.bar') : null;
      const style = getComputedStyle(bar ?? each);
      const found = numbers(bar ? style.fill : style.backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const faults = [];
  for (const one of document.body.querySelectorAll('*')) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || one.tagName === 'title' || one.closest('.skip, datalist, option')) continue;
    const style = getComputedStyle(one);
    const ink = light(numbers(one instanceof SVGElement ? style.fill : style.color));
    const paper = light(behind(one));
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${one.outerHTML.slice(0, 80)}`);
  }
  for (const one of document.querySelectorAll('input:not([type=hidden]), textarea, select')) {
    if (!one.labels.length) faults.push(`no label: ${one.outerHTML}`);
  }
  for (const one of document.querySelectorAll('button, a')) {
    if (!(one.ariaLabel || one.textContent).trim()) faults.push(`no name: ${one.outerHTML}`);
  }
  for (const one of document.querySelectorAll('table')) {
    if (!one.caption || !one.querySelector('th[scope]')) faults.push('a table without headers');
  }
  for (const wanted of ['h1', 'main', 'header nav', 'a.skip', 'html[lang]', 'head title']) {
    if (document.querySelectorAll(wanted).length !== 1) faults.push(`not one ${wanted}`);
  }
  const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
  if (new Set(ids).size !== ids.length) faults.push(`ids that recur: ${ids}`);
  return faults;
})()"""
# target-size is of WCAG 2.2, and off unless it is asked for.
AUDIT = """(() => {
  window.found = null;
  axe.run(document, { rules: { 'target-size': { enabled: true } } }).then((said) => {
    window.found = said.violations.flatMap((each) => each.nodes.map(
      (node) => `${each.id} (${each.impact}): ${node.html.slice(0, 120)}`));
  });
  return 0;
})()"""
READY = "document.documentElement?.dataset.ready === 'yes'"
SAID = "document.querySelector('main').innerText"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    path = tmp_path_factory.mktemp("site") / "a.db"
    fill(path)
    with looked_into(path) as found:
        yield found


@pytest.fixture(scope="module")
def chromium(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One browser for all the tests, let in by the address that is printed."""
    with browser(tmp_path_factory.mktemp("profile")) as tab:
        tab.call("Page.navigate", url=f"{site.url}/?token={TOKEN}")
        assert settled(tab, f"location.search === '' && {READY}", "location.pathname") == "/"
        yield tab


@pytest.fixture
def tab(chromium: Page, site: Site) -> Iterator[Page]:
    """The browser; at the end its console is empty, and it has asked nobody else."""
    chromium.complaints.clear()
    chromium.requests.clear()
    chromium.resize(1000)
    yield chromium
    assert chromium.complaints == []
    asked = {url for url in chromium.requests if not url.startswith((site.url, "about:"))}
    assert asked == set()


def leads(tab: Page, action: str) -> str:
    """Do something that leads to another page; what that page says."""
    tab.run("document.documentElement.dataset.ready = 'left'")
    tab.run(action)
    return str(settled(tab, READY, SAID))


def settled(tab: Page, condition: str, expression: str) -> Any:
    """The value of an expression once a condition holds, whatever pages come and go until then."""
    for _ in range(20):
        try:
            tab.wait(condition)
            return tab.run(expression)
        except AssertionError as error:
            if "never true" in str(error):
                raise
    raise AssertionError("the page never settled")


def press(label: str, within: str = "main") -> str:
    """A click on the first button that says so."""
    return (
        f"[...document.querySelectorAll('{within} button')]"
        f".find((one) => one.textContent === {json.dumps(label)}).click()"
    )


def ask(tab: Page, site: Site, text: str) -> str:
    tab.open(f"{site.url}/")
    tab.run("document.querySelector('textarea').focus()")
    tab.write(text)
    return leads(tab, press("Show what it would do"))


@pytest.fixture
def paths(site: Site) -> Iterator[list[str]]:
    """Every kind of page: also a program, a request, a question and a failure."""
    site.memory.execute([note("The ferry to Aran leaves at 9:00.", "ferry")])
    trace = site.memory.log(limit=1)[0].trace_id
    asked = [
        str(site.post("/ask", text=text).url).removeprefix(site.url)
        for text in (CORRECT, FORGET, TIDY, THANKS, LIST, DOWN)
    ]
    yield [*PATHS, f"/journal?trace={trace}", *asked]
    site.post("/journal/undo", trace=trace)
    site.post("/afresh")


def audited(tab: Page) -> list[str]:
    """What axe finds wrong with the page."""
    tab.run(f"{AXE.read_text(encoding='utf-8')};0")
    tab.run(AUDIT)
    tab.wait("window.found !== null")
    return [str(each) for each in tab.run("window.found")]


@pytest.mark.skipif(not AXE.exists(), reason=WHY_NO_AXE)
@pytest.mark.parametrize(("width", "dark"), [(1000, False), (1000, True), (360, True)])
def test_axe_finds_nothing(
    chromium: Page, site: Site, paths: list[str], width: int, dark: bool
) -> None:
    chromium.resize(width, dark=dark)
    for path in paths:
        chromium.open(site.url + path)
        chromium.run("for (const one of document.querySelectorAll('details')) one.open = true")
        assert audited(chromium) == [], path
    chromium.run("document.querySelector('main').innerHTML += '<img><input>'")
    assert {each.partition(" ")[0] for each in audited(chromium)} == {"image-alt", "label"}
    # Who is not let in gets another frame.
    chromium.call("Page.navigate", url=f"{site.url}/?token=wrong")
    assert settled(chromium, "document.querySelector('h1')?.textContent === '403'", SAID)
    assert audited(chromium) == []


def test_every_page_is_quiet_named_readable_and_fits(
    tab: Page, site: Site, paths: list[str]
) -> None:
    for path in paths:
        tab.resize(1000)
        tab.open(site.url + path)
        assert tab.run("[typeof owned, document.images.length]") == ["undefined", 0], path
        assert tab.run("document.documentElement.scrollWidth <= innerWidth"), path
        assert tab.run(FAULTS) == [], path
        tab.resize(360, dark=True)
        assert tab.run(FAULTS) == [], path
        assert tab.run("document.documentElement.scrollWidth <= innerWidth"), path


def test_hostile_text_is_only_text_and_what_is_injected_does_not_run(
    chromium: Page, site: Site
) -> None:
    for path in ("/memories/19", "/episodes", "/facts?subject=%3Cu%3EEve%3C/u%3E"):
        chromium.open(site.url + path)
        assert HOSTILE in chromium.run("document.body.textContent")
        assert chromium.run("document.scripts.length") == 1
    chromium.complaints.clear()
    chromium.run(
        "document.body.append(Object.assign(document.createElement('script'),"
        " { textContent: 'window.owned = 1' }))"
    )
    chromium.run("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">x</p>')")
    chromium.wait("document.readyState === 'complete'")
    assert chromium.run("typeof owned") == "undefined"
    assert chromium.run("document.cookie") == ""
    assert sum("Content Security Policy" in said for said in chromium.complaints) >= 2


def test_what_is_written_from_right_to_left_is_shown_so(tab: Page, site: Site) -> None:
    """The full stop stands at the left end, in a list, a heading line, a table and a box."""
    site.memory.execute([note("שלום, הפגישה בשעה 10:00 (room 12).", "rtl")])
    place = """(where) => {
      const text = [...document.querySelectorAll(where)].flatMap((one) => [...one.childNodes])
        .find((node) => node.nodeType === 3 && node.data.endsWith('12).'));
      const at = (index) => {
        const range = document.createRange();
        range.setStart(text, index); range.setEnd(text, index + 1);
        return range.getBoundingClientRect().left;
      };
      return at(text.data.length - 1) < at(0);
    }"""
    tab.open(f"{site.url}/memories?tag=rtl")
    assert tab.run(f"({place})('.cards .text a')")
    tab.open(site.url + tab.run("document.querySelector('.cards .text a').pathname"))
    assert tab.run(f"({place})('p.text')") and tab.run(f"({place})('td .value')")
    site.memory.undo_last()


def test_a_request_that_is_on_its_way_is_told(tab: Page, site: Site) -> None:
    tab.open(f"{site.url}/")
    tab.run("document.addEventListener('submit', (event) => event.preventDefault())")
    told = "document.querySelector('form.ask [role=status]').textContent"
    assert tab.run(told) == ""
    tab.run("document.querySelector('textarea').value = 'x'")
    tab.run(press("Show what it would do"))
    assert tab.run(told) == "Reading the request …"


def test_a_request_is_previewed_and_run(tab: Page, site: Site) -> None:
    said = ask(tab, site, CORRECT)
    assert "Nothing has been changed yet" in said and "12:00" in said
    assert site.record(FERRY).text == NOTE
    assert "Done. This is what it changed." in leads(tab, press("Run"))
    assert "12:00" in site.record(FERRY).text
    assert "Taken back." in leads(tab, press("Undo"))
    assert site.record(FERRY).text == NOTE


def test_a_fact_is_approved_and_that_is_undone_in_the_journal(tab: Page, site: Site) -> None:
    tab.open(f"{site.url}/pending")
    assert "Approved" in leads(tab, press("Approve"))
    assert not site.record("7").pending
    tab.open(f"{site.url}/journal")
    leads(tab, press("Undo"))
    assert site.record("7").pending


def test_the_keyboard_is_enough(tab: Page, site: Site) -> None:
    tab.open(f"{site.url}/memories")
    tab.press("Tab", TAB)
    assert tab.run("document.activeElement.className") == "skip"
    assert tab.run("document.activeElement.getBoundingClientRect().left >= 0")
    for _ in range(3):
        tab.press("Tab", TAB)
    assert tab.run("document.activeElement.textContent") == "Facts"
    assert tab.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.press("/", 191, "/")
    assert tab.run("document.activeElement.id") == "words"
    tab.write("boiler")
    tab.run("document.documentElement.dataset.ready = 'left'")
    tab.press("Enter", 13, "\r")
    assert "1 found" in settled(tab, f"{READY} && location.search.includes('boiler')", SAID)


def test_a_page_of_another_site_gets_nothing_in(chromium: Page, site: Site) -> None:
    """A form on a page of another origin, sent by a browser that was let in."""
    before = site.memory.show("7")
    form = (
        f"<form method=post action='{site.url}/pending/approve'><input name=id value=7>"
        f"<input name=csrf value={site.guard.csrf}></form>"
    )
    chromium.call("Page.navigate", url="about:blank")
    chromium.wait("document.readyState === 'complete'")
    chromium.run(f"document.body.innerHTML = {json.dumps(form)}")
    chromium.run("document.forms[0].submit()")
    shown = "document.querySelector('h1')?.textContent"
    assert settled(chromium, f"['401', '403'].includes({shown})", shown) in ("401", "403")
    assert site.memory.show("7") == before
