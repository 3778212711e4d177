"""What is said of a repository or project: its tools, commands, limits, branches and owners."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.english import versions
from text2mem.ledger.extraction.english.clause import SURE, Clause
from text2mem.ledger.extraction.english.people import NAME
from text2mem.ledger.extraction.english.scene import Topic
from text2mem.ledger.extraction.english.subjects import Subject
from text2mem.ledger.extraction.english.values import NUMBER, Value, number, trimmed
from text2mem.ledger.extraction.english.vocabulary import snake_case

_I = re.IGNORECASE
# fmt: off
_TOOLS: Mapping[str, str] = {
    "package_manager": "npm yarn pnpm bun pip poetry uv pipenv conda mamba cargo composer bundler "
                       "gem hatch pdm nuget cocoapods",
    "build_tool": "maven gradle bazel make cmake ninja webpack vite rollup esbuild turborepo nx "
                  "meson",
    "formatter": "black prettier rustfmt gofmt isort yapf clang-format biome",
    "linter": "eslint flake8 pylint ruff clippy golangci-lint stylelint rubocop checkstyle",
    "type_checker": "mypy pyright pyre ty flow sorbet",
    "test_framework": "pytest jest vitest mocha unittest junit rspec cypress playwright testify "
                      "phpunit karma jasmine",
    "database": "postgres postgresql mysql mariadb sqlite mongodb mongo redis cassandra dynamodb "
                "oracle cockroachdb duckdb clickhouse neo4j",
    "ci": "jenkins circleci travis buildkite teamcity drone gitlab\u00a0ci github\u00a0actions "
          "azure\u00a0pipelines bitbucket\u00a0pipelines",
    "framework": "django flask fastapi rails react vue svelte angular next.js nextjs nuxt express "
                 "spring laravel symfony phoenix remix astro solid ember",
    "hosting": "aws gcp azure heroku vercel netlify fly.io render hetzner digitalocean kubernetes "
               "cloudflare",
    "infrastructure_tool": "terraform pulumi ansible opentofu chef puppet",
    "issue_tracker": "jira linear trello asana github\u00a0issues youtrack redmine bugzilla",
    "chat_tool": "slack discord teams mattermost zulip matrix",
    "programming_language": "python rust go typescript javascript java kotlin swift ruby elixir "
                            "c++ c# scala haskell php clojure zig",
}
_PURPOSES = (
    (r"dependenc\w+|packages?|package manage\w+|installing", "package_manager"),
    (r"tests?|testing|unit tests|running (?:the )?tests", "test_framework"),
    (r"builds?|building|bundling", "build_tool"), (r"formatting|format", "formatter"),
    (r"lint\w*", "linter"), (r"ci|continuous integration|pipelines?", "ci"),
    (r"deploy\w*|hosting|production", "hosting"), (r"issues?|tickets?|bugs?", "issue_tracker"),
    (r"chat|chatting|"
     r"messag\w+", "chat_tool"), (r"storage|(?:the )?data\w*|persistence", "database"),
)
_VERBS = {
    "test": "test_command", "tests": "test_command", "test suite": "test_command",
    "suite": "test_command", "unit tests": "test_command", "the tests": "test_command",
    "build": "build_command", "lint": "lint_command", "linter": "lint_command",
    "format": "format_command", "deploy": "deploy_command", "deployment": "deploy_command",
    "release": "release_command", "start": "start_command", "serve": "start_command",
    "dev server": "start_command", "server": "start_command", "docs": "docs_command",
    "migrate": "migrate_command", "migrations": "migrate_command", "install": "install_command",
    "benchmarks": "benchmark_command", "app": "start_command",
}
# fmt: on
_TOOL = {
    name.replace("\u00a0", " "): concept
    for concept, names in _TOOLS.items()
    for name in names.split(" ")
}  # fmt: skip
_USES = re.compile(
    r"\s*(?:(?:build|format|type-?check|lint|test|deploy|bundle|manage [\w ]+|chat|host [\w ]+|"
    r"code|"
    r"write [\w ]+)\s+(?:with|in|on|using)|(?:have |'ve |has )?(?:decided to use|decided on|"
    r"agreed to use|agreed on|chose|picked|opted for)|uses?|are using|is using|'re using|runs? on|"
    r"(?:are|is|"
    r"'re|'s|are built|is built) on(?! (?:the|a)\b)|"
    r"standardi[sz]ed on|rel(?:y|ies) on|sticks? (?:to|with)|settled on|builds? (?:with|on)|"
    r"is written in|are written in|'re written in|is built (?:with|in)|targets?|went with|deploys? "
    r"(?:to|on)|is hosted on|(?:'s|is) deployed (?:on|to)|are hosted on)\s+(?P<v>.+)", _I,
)  # fmt: skip
_FOR = re.compile(
    r"(?P<v>.+?)\s+(?:for|as)\s+(?:the |our |a |an |all |all our )?(?P<use>[\w -]+)$", _I
)
_MOVED = re.compile(
    r"(?:moved|switched|migrated|changed|converted|went over|gone over|went|swapped|ported|moving|"
    r"switching|"
    r"migrating)(?:\s+(?!from\b|to\b)(?P<what>[\w' .-]{1,40}?))?(?:\s+over)?(?:\s+(?:from|"
    r"away from)"
    r"\s+(?P<old>[\w .#+@/-]{1,40}?))?\s+to\s+(?P<v>.+)", _I,
)  # fmt: skip
_REPLACED = re.compile(
    r"(?:replaced|swapped(?: out)?|dropped|ditched|traded|exchanged)\s+(?P<old>[\w .#+-]{1,40}?)\s+"
    r"(?:with|by|for|in favou?r of)\s+(?P<v>.+)", _I,
)  # fmt: skip
_LINE = re.compile(
    rf"(?:(?:a|every|each|no|the|our)?\s*\blines?\b[\w\s,']{{1,40}}?(?P<v>{NUMBER})\s*(?:characters"
    r"?|"
    rf"chars?|columns?|cols?)?|(?:wrap|break|cut|limit|keep)\s[\w\s]*?lines?\s[\w\s]*?"
    rf"(?P<v2>{NUMBER}))(?:\s|$|,)", _I,
)  # fmt: skip
_PORT = re.compile(
    r"(?:listens?|listening|runs?|running|serves?|is (?:up )?|binds?|exposed?|answers?|sits?|"
    r"available|'s)\s+"
    r"(?:on|at)\s+(?:the\s+)?port\s+(?P<v>\d{2,5})", _I,
)  # fmt: skip
_LISTENS = re.compile(
    r"listen(?:s|ing)?\s+(?:on|at)\s+(?:the\s+)?(?:port\s+)?(?P<v>\d{2,5})(?!\d)", _I
)
_TABS = re.compile(
    r"(?:use|uses|with|prefer|prefers|using)\s+(?P<v>tabs|(?:two|four|three|eight|2|3|4|"
    r"8) spaces)(?![\w-])",
    _I,
)
_BY = re.compile(
    r"\s*(?:the |our )?(?P<what>[\w' .-]+?)\s+(?:is|'s|are)\s+(?:now\s+)?(?:owned|maintained|led|"
    r"run|managed|looked after|handled|headed)\s+by\s+"
    rf"(?P<v>(?-i:{NAME})|the [\w-]+ team)", _I,
)  # fmt: skip
_CODE = r"(?P<v>`[^`]+`|[a-z][\w./:-]*(?: [\w./:=@-]+){0,6})"
_COMMANDS = (
    re.compile(
        rf"(?:(?:the|our|all|all the)\s+)?(?P<what>(?:unit |integration )?tests?(?: suite)?|suite|"
        rf"lint(?:er)?|build|docs|benchmarks|migrations|deployment|dev server|server|app)\s+"
        r"(?:(?:is|are|gets?|get)\s+)?(?:run|runs|started|starts|built|build|done|invoked|"
        r"launched|"
        rf"works?|happens?|executed|is|are)\s+(?:with|by|using|via|through)\s+{_CODE}", _I),
    re.compile(
        r"(?:to\s+|for\s+|when\s+you\s+)?(?:(?:run|running|start|starting|launch)\s+(?:the\s+|"
        r"all\s+|our\s+|all the\s+)?)?(?P<what>unit "
        r"tests|tests?(?: suite)?|test suite|lint|build|deploy|format|start|docs|migrat(?:e|ions)|"
        r"install|"
        r"benchmarks|dev server|server|app|release)(?:ing)?(?:\s+(?:it|everything|the (?:code|"
        r"project|site|app|docs|thing)))?,?"
        rf"\s+(?:please\s+)?(?:use|run|call|type|do|with|using|via|by running|it's)\s+{_CODE}", _I),
    re.compile(
        r"(?:use|run|call|type)\s+(?P<v>`[^`]+`|\S+(?: \S+)?)\s+(?:to|"
        r"for)\s+(?:run(?:ning)?\s+)?(?:the\s+|"
        r"all\s+)?(?P<what>unit tests|tests?|lint|build|deploy|format|start|docs|migrate|"
        r"install)(?:ing|ting)?"
        r"(?![\w-])", _I),
)  # fmt: skip
_RUNS = re.compile(
    r"(?:make|just|npm|npx|yarn|pnpm|bun|cargo|pytest|tox|nox|docker|kubectl|python3?|go|bundle|"
    r"rake|"
    r"gradle|mvn|poetry|uv|hatch|bazel|fly|vercel|git|task|invoke|sbt|mix|dotnet|composer|php|ruby|"
    r"deno|node|bash|sh|helm|terraform|ansible|rails|cmake|ctest|ninja)(?![\w-])|\S*[./:_]\S",
    _I,
)
"""What a command begins with, where it does not stand in backticks."""
_BRANCH = (
    re.compile(r"(?:branch (?:off|from|out of)|base (?:your |all )?(?:work|branches|prs|"
               r"pull requests) on|(?:pull "
               r"requests|prs) (?:go|should go|are made|must go) (?:to|against|into)|work off)\s+"
               r"(?:the\s+)?(?P<v>`?[\w./-]+`?)", _I),
)  # fmt: skip
_INDENT = re.compile(
    r"(?:we\s+)?indent(?:ed)?\s+(?:with|by|using)\s+(?P<v>[\w ]+?)(?=,|$| never| not| and)", _I
)
_STYLE = (
    (re.compile(r"commit(?: message)?s?\s+(?:messages\s+)?(?:follow|use|are written in|are in|must "
                r"follow|should follow|must be in|"
                r"have to follow)\s+(?P<v>.+)", _I), "commit_style"),
    (re.compile(r"(?:we\s+)?(?:always\s+)?(?P<v>squash|rebase)(?:[- ]merge)?\b.*\b(?:merge|merging|"
                r"prs?|pull "
                r"requests)\b", _I), "merge_strategy"),
)  # fmt: skip
_OWNS = re.compile(
    r"\s*(?:(?:will\s+)?owns?|maintains?|leads?|looks? after|manages?|takes? care of|(?:is|'s|am|"
    r"'m|are|'re) (?:now )?(?:in "
    r"charge of|responsible for|the (?:new )?(?:owner|maintainer|lead|manager) (?:of|for)|leading|"
    r"owning|"
    r"running|taking over|handling)|(?:takes?|took|has taken|is taking) over|heads?|handles|"
    r"runs)\s+"
    r"(?P<what>(?:the|our|all)?\s*.+)", _I,
)  # fmt: skip


def read(clause: Clause, subject: Subject | None) -> Iterator[Candidate]:
    """What a clause states of a project; nothing where no project is meant."""
    scope = subject.scope if subject else None
    project = scope or clause.scene.project(clause.light)
    owner = project or clause.scene.speaker
    text = clause.text
    if (
        subject
        and subject.kind == "person"
        and subject.word not in ("i", "we", "it", "you", "they")
    ):
        yield from _owned(clause, subject, project)
    if by := _BY.match(text, clause.begin):
        yield from _ownership(clause, by["what"].strip(), f"the {by['what']}", by["v"], project)
        return
    found = list(_commands(clause, owner))
    found = found or list(_limits(clause, owner, project))
    found = found or list(_moves(clause, owner, project, subject))
    if not found and project and (needed := versions.needed(text)):
        found = [_make(clause, owner, *needed)]
    if not found and subject is not None:
        uses = _USES.match(text, subject.rest)
        we = subject.word in ("we", "it", "this", "i") or (subject.kind == "thing")
        named = subject.kind == "thing" and subject.who in clause.scene.projects
        if uses and (we or named or subject.noun) and not (subject.word == "i" and not project):
            found = list(_tool(clause, owner if not named else subject.who, uses, project))
    yield from found


def tool(words: str) -> str | None:
    """What a tool is used for, by its name: the package manager, the database …"""
    plain = re.sub(r"\s+v?\d[\w.]*$", "", words.strip().lower())
    return _TOOL.get(plain) or _TOOL.get(plain.split(" ")[0])


def _make(clause: Clause, owner: str, concept: str, value: Value | str | int | float) -> Candidate:
    name = clause.scene.words.concept(concept, owner)
    text = value.text if isinstance(value, Value) else value
    clause.scene.topic = Topic(owner, concept)
    return clause.candidate(owner, name, text, project=True)


def _bare(words: str) -> str:
    return words.strip(" `'\"“”.,;")


def _commands(clause: Clause, owner: str) -> Iterator[Candidate]:
    for pattern in _COMMANDS:
        found = pattern.search(clause.text)
        if not found:
            continue
        what = " ".join(found["what"].lower().split())
        concept = _VERBS.get(what) or _VERBS.get(what.rstrip("s")) or "test_command"
        value = re.split(r"\s+(?:before|when|if|from|in the|on the|unless|so|please|never|not|"
                         r"and)\s",
                         found["v"])[0]  # fmt: skip
        if not found["v"].startswith("`") and re.match(
            r"(?:the|a|an|it|that|this|me|you)\b", value
        ):
            continue
        if not found["v"].startswith("`") and not (_RUNS.match(value) or tool(value)):
            continue
        if not found["v"].startswith("`") and concept != "test_command" and tool(value):
            concept = tool(value) or concept
        yield _make(clause, owner, concept, _bare(value))
        return


def _limits(clause: Clause, owner: str, project: str | None) -> Iterator[Candidate]:
    text = clause.text
    if (found := _LINE.search(text)) and (project or "char" in text or "column" in text):
        counted = number(found["v"] or found["v2"])
        if isinstance(counted, int) and 40 <= counted <= 400:
            made = _make(clause, owner, "line_length", counted)
            yield replace(made, confidence=SURE) if " may be " in clause.scene.text else made
            return
    if found := _PORT.search(text) or _LISTENS.search(text):
        yield _make(clause, owner, "port", int(found["v"]))
        return
    for pattern in _BRANCH:
        if found := pattern.search(text):
            yield _make(clause, owner, "default_branch", _bare(found["v"]))
            return
    if found := _INDENT.search(text) or (_TABS.search(text) if project else None):
        yield _make(clause, owner, "indentation", _bare(found["v"]))
        return
    for pattern, concept in _STYLE:
        if (found := pattern.search(text)) and project:
            value = trimmed(text, *found.span("v"))
            if value:
                yield _make(clause, owner, concept, value)
            return


def _tool(
    clause: Clause, owner: str, found: re.Match[str], project: str | None
) -> Iterator[Candidate]:
    value = trimmed(clause.text, *found.span("v"))
    if value is None:
        return
    concept = None
    if purpose := _FOR.fullmatch(value.text):
        use = purpose["use"].lower().strip()
        named = snake_case(use)
        known = clause.scene.words.declared(named) or named in clause.scene.words.of(owner)
        concept = named if known else None
        concept = concept or next((c for p, c in _PURPOSES if re.fullmatch(p, use)), None)
        if concept is None and not tool(purpose["v"]) and not project:
            return
        value = trimmed(value.text, *purpose.span("v")) or value
        concept = concept or tool(value.text) or named
    version = versions.VERSION.fullmatch(value.text)
    if concept is None and version and project:
        yield _make(clause, owner, *versions.named(version))
        return
    concept = concept or tool(value.text)
    if concept is None or not (project or concept != "programming_language"):
        return
    yield _make(clause, owner, concept, value)


def _moves(
    clause: Clause, owner: str, project: str | None, subject: Subject | None
) -> Iterator[Candidate]:
    """From one tool to another: what the old or the new one is, or is known to be, says which."""
    for pattern in (_MOVED, _REPLACED):
        found = pattern.search(clause.text)
        value = found and trimmed(clause.text, *found.span("v"))
        if not found or not value or not value.text:
            continue
        groups = found.groupdict()
        what, old = (groups.get("what") or "").strip(), (groups.get("old") or "").strip()
        if fold(what) in clause.scene.projects:
            owner = fold(what)
        held = next(
            (r.attribute for r in clause.scene.facts(owner)
             if old and isinstance(r.value, str) and fold(r.value) == fold(old)), None,
        )  # fmt: skip
        concept = tool(value.text) or (tool(old) if old else None)
        if held:
            yield clause.candidate(owner, held, value.text, project=True)
        elif concept:
            yield _make(clause, owner, concept, value)
        elif what and project:
            noun, sure = clause.scene.words.noun(what, owner)
            if sure:
                yield clause.candidate(owner, noun, value.text, project=True)
        return


def _owned(clause: Clause, subject: Subject, project: str | None) -> Iterator[Candidate]:
    found = _OWNS.match(clause.text, subject.rest)
    if not found:
        return
    what = trimmed(clause.text, *found.span("what"))
    if re.match(r"(?:on|in|at|from|to|with|out|into|over|off|for|by|under)\b", found["what"], _I):
        return
    if what is None or not subject.who:
        return
    name = named_as(clause, subject)
    taken = re.split(r"\s+from\s", what.text)[0]
    yield from _ownership(clause, taken, found["what"], name, project)


def _ownership(
    clause: Clause, what: str, said: str, name: str, project: str | None
) -> Iterator[Candidate]:
    """Who has a thing, or a part of a project, in charge."""
    scene = clause.scene
    words = re.sub(r"^(?:next|current|upcoming|whole|entire)\s+", "", what, flags=_I)
    of_ = re.fullmatch(r"(?P<noun>.+?)\s+(?:of|for|in)\s+(?P<owner>[\w.-]+)", words)
    if of_ and fold(of_["owner"]) in scene.projects:
        project, words = fold(of_["owner"]), of_["noun"]
    if fold(words) in scene.projects:
        attribute = scene.words.concept("owner", fold(words))
        yield clause.candidate(fold(words), attribute, name, project=True)
        return
    if len(words.split()) > 4 or (project is None and words[:1].islower() and not re.match(
        r"(?:the|our)\b", said.strip(), _I
    )):  # fmt: skip
        return
    short = fold(
        re.sub(
            r"\s+(?:service|repo|repository|app|team|library|module|component|package|project)$",
            "",
            words,
        )
    )
    for each in (fold(words), short):
        if each in scene.known.subjects():
            yield clause.candidate(each, scene.words.concept("owner", each), name, project=True)
            return
    if project is None:
        if short != fold(words):
            yield clause.candidate(
                fold(words), scene.words.concept("owner", fold(words)), name, project=True
            )
        return
    noun = snake_case(words.replace("'s", ""))
    named = "release_owner" if noun == "release" else f"{noun}_owner"
    attribute = scene.words.first([named, f"{noun}_lead", f"{noun}_manager"], project)
    scene.topic = Topic(project, noun)
    yield clause.candidate(project, attribute, name, project=True)


def named_as(clause: Clause, subject: Subject) -> str:
    """The name of a subject as the clause has it, else as it is known."""
    words = clause.text[: subject.rest].strip()
    name = re.search(rf"{NAME}$", words)
    if name and not subject.word:
        return name[0]
    for record in clause.scene.known.facts():
        if isinstance(record.value, str) and fold(record.value) == subject.who:
            return record.value
    return subject.who.replace("_", " ").title()
