"use strict";
// Text of a run reaches the page as text nodes and as values of harmless attributes only.
(() => {
  const { runs, cases } = JSON.parse(document.getElementById("data").textContent);
  const AT_ONCE = 100;
  const SIGNS = { differs: "≠", missing: "−", extra: "+" };
  const place = (id) => document.getElementById(id);
  const form = place("filters"), list = place("cases"), found = place("found"), more = place("more");
  const ready = () => { document.documentElement.dataset.ready = "yes"; };

  // --- tables --------------------------------------------------------------------------------

  const chooser = place("scores-shown");
  const choose = () => {
    const names = chooser.value.split(" ");
    for (const cell of document.querySelectorAll("[data-score]")) cell.hidden = !names.includes(cell.dataset.score);
  };
  if (chooser) {
    chooser.addEventListener("change", choose);
    chooser.closest("p").hidden = false;
    choose();
  }
  if (cases === null) return ready();

  // --- elements ------------------------------------------------------------------------------

  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === true) element.setAttribute(key, "");
      else if (value !== false && value != null) element.setAttribute(key, value);
    }
    element.append(...children.flat().filter((child) => child != null));
    return element;
  };
  const said = (text, kind) => make("span", { class: `said ${kind || ""}`, dir: "auto" }, text);
  const named = (ops) => (ops === null ? "no program" : ops.join(" → ") || "nothing");

  // --- filters -------------------------------------------------------------------------------

  const results = (one, run) => (run === "" ? one.runs : [one.runs[Number(run)]]).filter((r) => r && r.failed);
  const FILTERS = {
    run: { label: "Run", of: (one) => one.runs.flatMap((r, n) => (r && r.failed ? [String(n)] : [])), name: (n) => runs[Number(n)] },
    op: { label: "Gold op", of: (one) => one.gold },
    got: { label: "Predicted op", of: (one, run) => results(one, run).flatMap((r) => (r.ops && r.ops.length ? r.ops : ["no program"])) },
    steps: { label: "Gold program", of: (one) => [one.gold.length === 1 ? "one op" : "several ops"] },
    status: { label: "Status", of: (one, run) => results(one, run).map((r) => r.status) },
    lang: { label: "Language", of: (one) => [one.lang] },
    reason: { label: "Reason", of: (one, run) => results(one, run).flatMap((r) => r.reasons) },
  };
  const wanted = { run: "", op: "", got: "", status: "", lang: "", reason: "", steps: "", q: "" };
  let open = "", shown = AT_ONCE;

  const matches = (one) => {
    if (!results(one, wanted.run).length) return false;
    for (const [key, filter] of Object.entries(FILTERS)) {
      if (wanted[key] !== "" && !filter.of(one, wanted.run).includes(wanted[key])) return false;
    }
    one.text ??= JSON.stringify(one).toLowerCase();
    return wanted.q.toLowerCase().split(/\s+/).every((word) => one.text.includes(JSON.stringify(word).slice(1, -1)));
  };

  const controls = {};
  const draw = () => {
    for (const [key, filter] of Object.entries(FILTERS)) {
      const counts = new Map();
      for (const one of cases) {
        for (const value of new Set(filter.of(one, ""))) counts.set(value, (counts.get(value) || 0) + 1);
      }
      const values = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
      if (key === "run" && runs.length < 2) continue;
      const options = values.map((value) => make("option", { value }, `${filter.name ? filter.name(value) : value} (${counts.get(value)})`));
      controls[key] = make("select", { name: key }, make("option", { value: "" }, "any"), options);
      form.append(make("label", {}, filter.label, controls[key]));
    }
    controls.q = make("input", { name: "q", type: "search", placeholder: "words of the utterance, program, SQL …" });
    form.append(make("label", { class: "words" }, "Text", controls.q), make("button", { type: "reset" }, "Clear"));
    form.hidden = false;
  };

  // --- one case ------------------------------------------------------------------------------

  const NAMED = 2;  // reasons that a line of the list names

  const verdict = (result, name) => {
    const run = runs.length > 1 ? make("span", { class: "run" }, `${name}: `) : "got ";
    if (result === null) return make("div", { class: "soft" }, run, "not in this run");
    const more = result.reasons.length - NAMED;
    const why = result.reasons.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
    return make("div", {}, run, named(result.ops),
      result.failed ? make("div", { class: "why" }, said(why)) : make("span", { class: "soft" }, " (passed)"));
  };

  const line = (one) => {
    const summary = make("summary", {},
      make("span", { class: "id" }, one.id),
      make("span", { class: "verdict" }, make("div", {}, `gold ${named(one.gold)}`), one.runs.map((r, n) => verdict(r, runs[n]))),
      said(one.utterance));
    const details = make("details", { "data-id": one.id, open: one.id === open }, summary);
    const fill = () => {
      if (details.open && !details.querySelector(".case")) details.append(told(one));
    };
    fill();
    details.addEventListener("toggle", () => {
      fill();
      if (details.open) open = one.id;
      else if (open === one.id) open = "";
      remember();
    });
    return make("li", {}, details);
  };

  const told = (one) =>
    make("div", { class: "case" },
      make("p", { class: "legend" }, `${one.lang}, ${one.type}, ${one.structure}`),
      one.context.map((turn) => make("p", { class: "turn" }, said(turn))),
      make("blockquote", {}, said(one.utterance)),
      programs(one),
      one.runs.map((result, n) => result && faults(result, runs.length > 1 ? runs[n] : "")));

  const programs = (one) => {
    const names = runs.length > 1 ? runs : ["predicted"];
    const rows = one.steps.flatMap((step, index) => {
      const [gold, ...ops] = step.ops;
      const heading = make("tr", { class: "op" },
        make("th", { scope: "rowgroup" }, `Step ${index + 1}`),
        make("td", { "data-of": "gold" }, gold === null ? "not asked for" : gold),
        ops.map((op, n) => value(op, op === null ? (gold === null ? "none" : "missing") : gold === null ? "extra" : op === gold ? "same" : "differs", names[n], "")));
      const slots = step.slots.map(([path, wish, ...given]) =>
        make("tr", {},
          make("th", { scope: "row" }, path.slice(1)),
          value(wish, "", "gold"),
          given.map(([text, mark], n) => value(text, mark, names[n]))));
      return [heading, ...slots];
    });
    return [
      make("h3", {}, "Programs"),
      make("table", { class: "slots" },
        make("colgroup", {}, make("col", { class: "path" }), ["gold", ...names].map(() => make("col"))),
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "slot"), ["gold", ...names].map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, rows)),
      make("p", { class: "legend" }, make("span", { class: "differs" }, "≠ another value"), make("span", { class: "missing" }, "− missing"), make("span", { class: "extra" }, "+ not in the gold")),
    ];
  };

  const value = (text, mark, of, kind = "value") =>
    make("td", { class: `${kind} ${SIGNS[mark] ? mark : ""}`, "data-of": of },
      SIGNS[mark] ? make("span", { class: "sign", title: mark }, SIGNS[mark]) : null,
      text === null ? null : said(text));

  const faults = (result, name) => {
    const parts = [];
    if (result.error && !result.diagnostics.length) parts.push(make("h4", {}, "Error"), make("p", {}, said(result.error)));
    if (result.diagnostics.length) {
      parts.push(make("h4", {}, "Diagnostics"), make("ul", {}, result.diagnostics.map((d) =>
        make("li", {}, make("code", {}, d.pointer || "/"), " ", said(d.message), " ", make("code", {}, `[${d.code}]`), d.hint ? make("div", { class: "legend" }, said(d.hint)) : null))));
    }
    if (result.checks.length) {
      parts.push(make("h4", {}, "Failed assertions"), make("ul", {}, result.checks.map(check)));
      if (result.held) parts.push(make("p", { class: "legend" }, `${result.held} more hold.`));
    }
    if (result.ranking) {
      const r = result.ranking;
      parts.push(make("h4", {}, "Ranking"), make("ul", {},
        make("li", {}, `wanted: ${r.wanted} (${r.rule}); hits: ${r.hits}`),
        r.returned.map((ids) => make("li", {}, `returned: ${ids}`))));
    }
    if (result.redrafts) parts.push(make("p", { class: "legend" }, `Redrafts: ${result.redrafts}.`));
    const why = result.reasons.join(", ");  // of what did not run, the status stands in the reasons
    const ending = !result.failed ? "passed" : result.status === "executed" ? `executed: ${why}` : why;
    return make("div", {}, make("h3", {}, name || "Outcome"), make("p", {}, said(ending)), parts);
  };

  const check = (one) =>
    make("li", { class: "check" },
      make("div", {}, said(one.name)),
      make("div", {}, make("code", {}, said(one.sql))),
      one.params ? make("div", {}, make("code", {}, said(one.params))) : null,
      make("div", { class: "numbers" }, `before ${one.before}, after ${one.after}, expected ${one.expected}`),
      one.error ? make("div", {}, said(one.error)) : null);

  // --- the list, and the address that leads to it ------------------------------------------------

  const render = () => {
    const fitting = cases.filter(matches);
    const at = fitting.findIndex((one) => one.id === open);
    if (at >= shown) shown = at + 1;
    list.replaceChildren(...fitting.slice(0, shown).map(line));
    found.textContent = `${fitting.length} of ${cases.length} failures` + (fitting.length > shown ? `, the first ${shown} shown` : "");
    more.hidden = fitting.length <= shown;
  };

  const remember = () => {
    const entries = Object.entries({ ...wanted, open }).filter(([, value]) => value !== "");
    const hash = entries.length ? `#${new URLSearchParams(entries)}` : "#failures";
    if (hash !== location.hash && (entries.length || location.hash.includes("="))) history.replaceState(null, "", hash);
  };

  const follow = () => {
    if (!location.hash.includes("=")) return false;
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const key of Object.keys(wanted)) {
      if (controls[key]) controls[key].value = asked.get(key) || "";
      wanted[key] = controls[key] ? controls[key].value : "";  // a select knows its own values only
    }
    open = asked.get("open") || "";
    shown = AT_ONCE;
    render();
    const opened = list.querySelector("details[open]");
    (opened || place("failures")).scrollIntoView();
    return true;
  };

  form.addEventListener("input", (event) => {
    wanted[event.target.name] = event.target.value;
    shown = AT_ONCE;
    render();
    remember();
  });
  form.addEventListener("reset", () => {
    for (const key of Object.keys(wanted)) wanted[key] = "";
    shown = AT_ONCE;
    render();
    remember();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => {
    const first = list.children.length;
    shown += AT_ONCE;
    render();
    list.children[first].querySelector("summary").focus();
  });
  window.addEventListener("hashchange", follow);

  draw();
  if (!follow()) render();
  ready();
})();
