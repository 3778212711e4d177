"""The server as a process over stdin and stdout, and the SDK's client at the other end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tests.doors.scripted import CORRECT, FORGET, FORGET_ZH, NOTE, TIDY, UNDO
from tests.doors.talking import Person, Said, call, process, run, surroundings

ERAS = ["legacy", "auto"]


def last(said: Said) -> dict[str, Any]:
    """The last step of what was run."""
    steps: list[dict[str, Any]] = said.data["result"]["results"]
    return steps[-1]


@pytest.mark.parametrize("era", ERAS)
def test_remembered_corrected_recalled_forgotten_and_brought_back(tmp_path: Path, era: str) -> None:
    async def talk() -> None:
        async with Client(process("--db", tmp_path / "a.db"), mode=era) as client:
            await call(client, "remember", text=NOTE, tags=["ferry"])
            corrected = await call(client, "ask_memory", request=CORRECT)
            assert corrected.data["status"] == "done"

            found = await call(client, "recall", question="When does the ferry leave?")
            assert "12:00" in found.text and "11:30" not in found.text
            assert found.data["lines"][0]["citations"] == ["m1"]
            (source,) = (await client.read_resource("memory://m1")).contents
            assert isinstance(source, types.TextResourceContents)
            assert json.loads(source.text)["tags"] == ["ferry"]

            asked = await call(client, "ask_memory", request=FORGET)
            assert asked.data["status"] == "needs_confirmation" and not asked.failed
            assert (await call(client, "recall", question="the ferry?")).data["known"]
            gone = await call(client, "confirm", token=asked.token, choice=1)
            assert gone.data["status"] == "done" and last(gone)["op"] == "Delete"
            nothing = await call(client, "recall", question="When does the ferry leave?")
            assert nothing.text == "Nothing is known about this."
            with pytest.raises(MCPError, match="no memory 1"):
                await client.read_resource("memory://1")

            back = await call(client, "ask_memory", request=UNDO)
            assert back.data["status"] == "undone"
            found = await call(client, "recall", question="When does the ferry leave?")
            assert "12:00" in found.text
            told = await call(client, "history", id="m1")
            ops = [each["op"] for each in told.data["entries"]]
            assert ops == ["Encode", "Update", "Delete", "Undo"]

    run(talk)


@pytest.mark.parametrize("era", ERAS)
def test_a_client_with_forms_has_the_person_asked(tmp_path: Path, era: str) -> None:
    person = Person(None, "1", FORGET, "1")

    async def talk() -> None:
        options: dict[str, Any] = {"mode": era, "elicitation_callback": person}
        async with Client(process("--db", tmp_path / "a.db"), **options) as client:
            await call(client, "remember", text=NOTE)
            declined = await call(client, "ask_memory", request=FORGET)
            assert declined.data["status"] == "dropped"
            assert (await call(client, "recall", question="the ferry?")).data["known"]

            agreed = await call(client, "ask_memory", request=FORGET)
            assert agreed.data["status"] == "done" and last(agreed)["op"] == "Delete"
            assert (await call(client, "undo")).data["status"] == "undone"

            # A question without options, answered in words that want a yes themselves.
            tidied = await call(client, "ask_memory", request=TIDY)
            assert tidied.data["status"] == "done" and last(tidied)["op"] == "Delete"
            assert not (await call(client, "recall", question="the ferry?")).data["known"]

    run(talk)
    assert all(NOTE in question for question in (*person.asked[:2], person.asked[3]))


@pytest.mark.parametrize("era", ERAS)
def test_a_question_speaks_the_language_of_the_request(tmp_path: Path, era: str) -> None:
    class Reader(Person):
        """Keeps what the fields of the forms are called, too."""

        async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
            field = params.requested_schema["properties"]["answer"]
            self.asked.append(" ".join([field["title"], *field["enumNames"]]))
            return await super().__call__(context, params)

    person = Reader("1", None, "1")

    async def talk() -> None:
        options: dict[str, Any] = {"mode": era, "elicitation_callback": person}
        async with Client(process("--db", tmp_path / "a.db"), **options) as client:
            await call(client, "remember", text="渡轮每周六十一点半开。")
            gone = await call(client, "ask_memory", request=FORGET_ZH)
            assert gone.data["status"] == "done"
            await call(client, "undo")
            dropped = await call(client, "ask_memory", request=FORGET_ZH)
            assert dropped.text == "已放弃：什么都没有执行。"
            shown = await call(client, "preview", request=FORGET_ZH)
            assert shown.text.startswith("还没有改动任何内容。")
            await call(client, "remember", text=NOTE)
            assert (await call(client, "ask_memory", request=FORGET)).data["status"] == "done"

    run(talk)
    assert person.asked[0] == "回答 执行（会删除：渡轮每周六十一点半开。）"
    assert person.asked[1].startswith("有内容会消失或不再显示。")
    assert person.asked[4] == f"Answer run it (would be deleted: {NOTE})"
    assert person.asked[5].startswith("Something would be")


def test_tools_resources_and_prompts_are_as_the_docs_say(tmp_path: Path) -> None:
    async def talk() -> None:
        async with Client(process("--db", tmp_path / "a.db")) as client:
            await call(client, "remember", text=NOTE)
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            page = (Path(__file__).parents[2] / "docs/mcp.md").read_text(encoding="utf-8")
            for name, tool in tools.items():
                (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}(")]
                told = [cell.strip() == "yes" for cell in row.split("|")[4:7]]
                hints = tool.annotations
                assert hints is not None and hints.open_world_hint is False
                found = [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint]
                assert found == told, name
                signature = row.split("`")[1]
                taken = signature.removeprefix(f"{name}(").removesuffix(")").split(", ")
                required = [each for each in taken if not each.endswith("?")]
                assert tool.input_schema["required"] == required
                assert list(tool.input_schema["properties"]) == [t.rstrip("?") for t in taken]
                assert {"tenant", "actor"}.isdisjoint(tool.input_schema["properties"])
            assert len(tools) == 8

            found = {each.uri for each in (await client.list_resources()).resources}
            assert {"text2mem://schema", "memory://1"} <= found
            templates = (await client.list_resource_templates()).resource_templates
            assert {each.uri_template for each in templates} == {
                "memory://{id}", "fact://{subject}",
            }  # fmt: skip
            (schema,) = (await client.read_resource("text2mem://schema")).contents
            assert isinstance(schema, types.TextResourceContents)
            assert json.loads(schema.text)["$schema"]
            for uri in ("memory://2", "memory://../1", "file:///etc/passwd", "text2mem://x"):
                with pytest.raises(MCPError, match="there is no"):
                    await client.read_resource(uri)

            names = {each.name for each in (await client.list_prompts()).prompts}
            assert names == {"what_do_you_know", "tidy_up"}
            asked = await client.get_prompt("what_do_you_know", {"subject": "the {ferry}"})
            assert "the {ferry}" in str(asked.messages[0].content)
            with pytest.raises(MCPError, match="needs 'subject'"):
                await client.get_prompt("what_do_you_know")

    run(talk)


def test_current_facts_are_a_resource(tmp_path: Path) -> None:
    fact = {"subject": "Mira", "attribute": "city", "value": "Bergen"}
    program: list[Any] = [
        {"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": fact}}}
    ]

    async def talk() -> None:
        async with Client(process("--db", tmp_path / "a.db")) as client:
            made = await call(client, "run_program", program=program)
            assert not made.failed, made.text
            program[0]["args"]["payload"]["structured"]["value"] = "Ghent"
            await call(client, "run_program", program=program)
            (held,) = (await client.read_resource("fact://mira")).contents
            assert isinstance(held, types.TextResourceContents)
            (row,) = json.loads(held.text)["facts"]
            assert (row["attribute"], row["value"]) == ("city", "Ghent")
            listed = {each.uri for each in (await client.list_resources()).resources}
            assert "fact://Mira" in listed

    run(talk)


def test_stdout_is_the_protocols_whatever_is_printed(tmp_path: Path) -> None:
    noisy = tmp_path / "noisy.py"
    noisy.write_text(
        "import os, sys\n"
        "def answer(request):\n"
        "    print('noise of the model'); os.write(1, b'more noise\\n')\n"
        "    return {'steps': [{'op': 'Encode', 'text': 'Tea is at five.'}]}\n"
    )
    opening = {"protocolVersion": "2025-06-18", "capabilities": {},
               "clientInfo": {"name": "raw", "version": "1"}}  # fmt: skip
    asked = {"name": "ask_memory", "arguments": {"request": "Tea is at five."}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked},
    ]
    environment = {**surroundings(), "TEXT2MEM_MODEL": "function:noisy:answer",
                   "PYTHONPATH": f"{surroundings()['PYTHONPATH']}:{tmp_path}"}  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "text2mem", "mcp", "--db", str(tmp_path / "a.db")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        text=True,
    ) as server:  # fmt: skip
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write("".join(json.dumps(each) + "\n" for each in messages))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        rest, complaints = server.stdout.read(), server.stderr.read()
    assert [each["id"] for each in answers] == [1, 2]
    assert "Tea is at five." in answers[1]["result"]["content"][0]["text"]
    assert rest == "" and server.returncode == 0
    assert "noise of the model" in complaints and "more noise" in complaints


def test_a_client_that_goes_within_an_answer_is_an_end_like_any_other(tmp_path: Path) -> None:
    opening = {"protocolVersion": "2025-06-18", "capabilities": {},
               "clientInfo": {"name": "raw", "version": "1"}}  # fmt: skip
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}
    with subprocess.Popen(
        [sys.executable, "-m", "text2mem", "mcp", "--db", str(tmp_path / "a.db")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(),
        text=True,
    ) as server:  # fmt: skip
        assert server.stdin and server.stdout and server.stderr
        server.stdout.close()
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.close()
        complaints = server.stderr.read()
    assert (server.returncode, complaints) == (0, "")


def test_what_is_remembered_is_read_by_the_model_of_the_settings(tmp_path: Path) -> None:
    async def talk() -> None:
        async with Client(process("--db", tmp_path / "a.db")) as client:
            kept = await call(client, "remember", text="Remember that I live in Bergen.")
            assert "fact" in kept.text and "Bergen" in kept.text
            found = await call(client, "recall", question="Which city do I live in?")
            assert found.data["values"] == ["Bergen"]

    run(talk)


def test_without_a_model_words_are_kept_and_nothing_is_read(tmp_path: Path) -> None:
    async def talk() -> None:
        async with Client(process("--db", tmp_path / "a.db", "--model", "none")) as client:
            kept = await call(client, "remember", text="I live in Bergen.")
            assert not kept.failed
            assert [step["created"] for step in kept.data["result"]["results"]] == [["1"]]

    run(talk)
