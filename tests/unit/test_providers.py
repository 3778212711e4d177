"""Choosing a provider, what it can do, and what an answer's text is worth."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from text2mem import FunctionProvider, compile, open_provider
from text2mem.errors import (
    ConfigurationError,
    EmptyAnswer,
    MalformedOutput,
    MissingExtra,
    ModelOutputError,
    ModelRefusal,
    TruncatedOutput,
)
from text2mem.ir.ops import Delete
from text2mem.plugins import registered
from text2mem.providers.answers import read_answer
from text2mem.providers.base import Completion, Message, Request, Usage
from text2mem.providers.llamacpp_ import short_spins
from text2mem.providers.profiles import (
    ABLE,
    LARGE,
    PROFILES,
    READER,
    SMALL,
    TUNED,
    TUNED_LARGER,
    profile_of,
)
from text2mem.providers.registry import GROUP
from text2mem.providers.secrecy import redacted, secrets_in, shown
from text2mem.settings import cores

HELLO = Request((Message("user", "hello"),))
FORGET = {"steps": [{"op": "Delete", "about": "lunch"}]}

# --- by name --------------------------------------------------------------------------------


def test_the_built_in_providers_are_registered_like_any_other() -> None:
    assert {"local", "openai", "ollama", "function"} <= set(registered(GROUP))


@pytest.mark.parametrize(
    ("spec", "meant"),
    [("opnai:gpt-4o", "openai"), ("olama:qwen", "ollama"), ("locl:qwen", "local")],
)
def test_a_slip_of_the_pen_is_recognised(spec: str, meant: str) -> None:
    with pytest.raises(ConfigurationError, match=f"did you mean '{meant}'"):
        open_provider(spec)


def test_an_unknown_provider_lists_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="no provider 'zzz'") as caught:
        open_provider("zzz:model")
    for name in ("function", "local", "ollama", "openai"):
        assert name in caught.value.hint


@pytest.mark.parametrize("spec", ["openai", "openai:", "", ":", "gpt-4o"])
def test_a_name_without_a_model_says_how_to_write_it(spec: str) -> None:
    with pytest.raises(ConfigurationError, match="does not name a model") as caught:
        open_provider(spec)
    assert "provider:model" in caught.value.hint


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("openai:gpt-4o", {"api_key": "none"}),
        ("ollama:qwen2.5:0.5b", {}),
        ("local:qwen2.5-coder-0.5b", {}),
        ("function:json:dumps", {}),
    ],
)
def test_a_provider_is_called_as_it_was_asked_for(spec: str, options: dict[str, Any]) -> None:
    provider = open_provider(spec, **options)
    assert provider.name == spec
    provider.close()


def test_importing_the_package_imports_no_client() -> None:
    code = (
        "import sys, text2mem, text2mem.providers.registry\n"
        "text2mem.open_provider, text2mem.compile\n"
        "print([m for m in ('openai', 'ollama', 'xllamacpp') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


# --- what is not installed, set or there ----------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "module", "extra"),
    [("openai:gpt-4o", "openai", "openai"), ("ollama:qwen", "ollama", "ollama")],
)
def test_a_missing_client_names_the_install(
    spec: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match="pip install") as caught:
        open_provider(spec)
    assert caught.value.extra == extra
    assert f"[{extra}]" in str(caught.value)


def test_a_missing_engine_names_the_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = tmp_path / "tiny.gguf"
    model.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[local\]'"):
        open_provider(f"local:{model}")


def test_a_file_that_is_not_a_model_is_said(tmp_path: Path) -> None:
    model = tmp_path / "notes.gguf"
    model.write_text("shopping list")
    with pytest.raises(ConfigurationError, match=r"notes\.gguf") as caught:
        open_provider(f"local:{model}").complete(HELLO)
    assert "GGUF" in caught.value.hint


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"there is no file .*gone\.gguf"):
        open_provider(f"local:{tmp_path}/gone.gguf").complete(HELLO)


def test_weights_that_were_not_pulled_name_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TEXT2MEM_CACHE", str(tmp_path))
    with pytest.raises(ConfigurationError, match="models pull qwen2"):
        open_provider("local:qwen2.5-coder-0.5b").complete(HELLO)


def test_weights_of_an_unknown_name_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ConfigurationError):
        open_provider("local:no-such-model").complete(HELLO)


def test_openai_without_a_key_names_the_variable() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        open_provider("openai:gpt-4o")


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert "http://127.0.0.1:1/v1" in repr(open_provider("openai:small"))


@pytest.mark.parametrize("flaw", ["\r", "\n", " ", "\x7f", "\u201d", "密"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(
    flaw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for spec, variable in (("openai:small", "OPENAI_API_KEY"), ("ollama:small", "OLLAMA_API_KEY")):
        monkeypatch.setenv(variable, f"sk-0123456789{flaw}")
        with pytest.raises(ConfigurationError, match=variable) as caught:
            open_provider(spec)
        assert "0123456789" not in "".join(traceback.format_exception(caught.value))


def test_ollama_is_looked_for_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:2")
    from text2mem.providers.ollama_ import DEFAULT_HOST, OllamaProvider

    assert OllamaProvider("small").host == "127.0.0.1:2"
    assert OllamaProvider("small", host="127.0.0.1:3").host == "127.0.0.1:3"
    monkeypatch.delenv("OLLAMA_HOST")
    assert OllamaProvider("small").host == DEFAULT_HOST


@pytest.mark.parametrize(
    "address",
    ["not a url", "http://host:port", "http://[::1", "ftp://host/", "http://host:99999", "http://",
     " http://host"],
)  # fmt: skip
def test_an_address_that_cannot_be_one_is_a_mistake_of_the_caller(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OLLAMA_HOST", address)
    for spec, setting in (("openai:small", "OPENAI_BASE_URL"), ("ollama:small", "OLLAMA_HOST")):
        with pytest.raises(ConfigurationError, match="not the address of a server") as caught:
            open_provider(spec)
        assert setting in caught.value.hint


def test_a_wrong_address_does_not_show_its_password() -> None:
    for address in ("http://me:pa55word@host:port", "http://me:pa55:word@[::1"):
        with pytest.raises(ConfigurationError) as caught:
            open_provider("ollama:small", host=address)
        assert "pa55" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("address", ["host", "host:1", ":11434", "0.0.0.0", "https://host/ollama"])
def test_ollama_may_be_addressed_without_a_scheme(address: str) -> None:
    provider = open_provider("ollama:small", host=address)
    assert provider.name == "ollama:small"


def test_a_base_url_needs_its_scheme() -> None:
    with pytest.raises(ConfigurationError, match=r"127\.0\.0\.1:8080"):
        open_provider("openai:small", base_url="127.0.0.1:8080/v1")


# --- profiles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        ("local:qwen2.5-coder-0.5b", TUNED),
        ("local:qwen2.5-coder-1.5b", TUNED_LARGER),
        ("local:a-file-of-mine", SMALL),
        ("ollama:qwen2.5:0.5b", SMALL),
        ("ollama:smollm2:360m", SMALL),
        ("ollama:llama3.2:1b", READER),
        ("ollama:qwen2.5:7b", ABLE),
        ("openai:my-fine-tune", ABLE),
        ("other:thing", ABLE),
        ("ollama:llama3.3:70b", LARGE),
        ("openai:Qwen2.5-72B-Instruct", LARGE),
        ("ollama:gpt-oss:120b", LARGE),
        ("openai:claude-sonnet-4-5", LARGE),
        ("openai:gemini-2.5-pro", LARGE),
        ("openai:gpt-4o", replace(LARGE, constraint="strict")),
        ("openai:GPT-5-mini", replace(LARGE, constraint="strict", free_sampling=False)),
        ("openai:o3-mini", replace(LARGE, constraint="strict", free_sampling=False)),
        ("openai:chatgpt-4o-latest", replace(LARGE, constraint="strict")),
        ("openai:deepseek-chat", replace(LARGE, constraint="json_object")),
        ("function:json:dumps", replace(LARGE, context=1_000_000)),
    ],
)
def test_the_name_says_what_a_model_can_do(name: str, profile: object) -> None:
    assert profile_of(name) == profile


def test_every_profile_can_answer_within_its_context() -> None:
    for pattern, profile in PROFILES:
        assert 0 < profile.max_output < profile.context, pattern
    assert PROFILES[-1] == ("*", ABLE)


def test_a_folder_says_nothing_about_the_model_in_it() -> None:
    assert open_provider("local:/disk70b/tiny-0.5b.gguf").profile == SMALL
    assert open_provider("local:/disk/big-70b.gguf").profile == LARGE


# --- a function as the model ----------------------------------------------------------------


def test_a_callable_is_a_model() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Any:
        asked.append(request)
        return FORGET

    provider = FunctionProvider(answer)
    assert provider.name == "function:answer"
    program = compile("Forget everything about lunch.", model=provider)
    assert [type(op) for op in program.ops] == [Delete]
    assert "Forget everything about lunch." in asked[0].messages[-1].content
    assert asked[0].schema


def test_a_callable_may_answer_in_text_in_data_or_whole() -> None:
    whole = Completion("{}", {}, Usage(1, 2), "mine")
    assert FunctionProvider(lambda _: ' {"a": 1}').complete(HELLO).data == {"a": 1}
    assert FunctionProvider(lambda _: {"a": "花"}).complete(HELLO).text == '{"a": "花"}'
    assert FunctionProvider(lambda _: whole).complete(HELLO) is whole


def test_a_function_that_runs_out_says_so() -> None:
    provider = FunctionProvider(lambda _: next(iter(())))
    with pytest.raises(RuntimeError, match="raised StopIteration"):
        compile("note the milk", model=provider)


@pytest.mark.parametrize(
    ("answer", "kind"), [(None, EmptyAnswer), ("", EmptyAnswer), ("Sure!", MalformedOutput)]
)
def test_a_callable_misbehaves_like_any_model(
    answer: str | None, kind: type[ModelOutputError]
) -> None:
    with pytest.raises(kind):
        FunctionProvider(lambda _: answer).complete(HELLO)


def test_what_a_callable_raises_is_passed_on() -> None:
    def fail(_: Request) -> Any:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        FunctionProvider(fail).complete(HELLO)
    with pytest.raises(ZeroDivisionError, match="mine"):
        compile("Forget everything about lunch.", model=FunctionProvider(fail))


def test_a_callable_answers_without_blocking() -> None:
    assert asyncio.run(FunctionProvider(lambda _: {"a": 1}).acomplete(HELLO)).data == {"a": 1}


def test_a_callable_may_have_a_profile_of_its_own() -> None:
    assert FunctionProvider(lambda _: None, profile=SMALL).profile is SMALL


def test_a_callable_is_found_by_its_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a_model_of_mine.py").write_text("def answer(request):\n    return {'a': 1}\n")
    monkeypatch.syspath_prepend(tmp_path)
    provider = open_provider("function:a_model_of_mine:answer")
    assert provider.name == "function:a_model_of_mine:answer"
    assert provider.complete(HELLO).data == {"a": 1}


@pytest.mark.parametrize(
    "path", ["no.such.module:answer", "json:no_such_function", "json", ":dumps", ".:x", "json:"]
)
def test_a_path_that_leads_nowhere_says_how_to_write_it(path: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot load the function") as caught:
        open_provider(f"function:{path}")
    assert "module:callable" in caught.value.hint


def test_a_path_to_something_else_is_said() -> None:
    with pytest.raises(ConfigurationError, match="is not callable"):
        open_provider("function:json:__name__")


# --- what an answer is worth ----------------------------------------------------------------


def read(text: str | None, *, finish: str = "stop", refusal: str | None = None) -> Completion:
    return read_answer(text, finish=finish, model="m", usage=Usage(3, 4, 1), refusal=refusal)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": 1}', {"a": 1}),
        ('  {"a": "花生"}\n', {"a": "花生"}),
        ("[1, 2]", [1, 2]),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}\n```\n', {"a": 1}),
        ('\n```JSON\n{"a": "```"}\n```', {"a": "```"}),
        ('"抱歉"', "抱歉"),
    ],
)
def test_json_is_read_from_an_answer(text: str, data: object) -> None:
    answer = read(text)
    assert answer == Completion(text, data, Usage(3, 4, 1), "m")


@pytest.mark.parametrize(
    "text",
    ["Sure!", '{"a": ', '{"a": 1} {"b": 2}', "```json\n```", "{'a': 1}", "[" * 50_000, "\x00"],
)
def test_what_is_not_json_is_malformed_and_kept(text: str) -> None:
    with pytest.raises(MalformedOutput) as caught:
        read(text)
    assert (caught.value.raw, caught.value.model) == (text, "m")


@pytest.mark.parametrize("text", ['{"a": ', "[[[", "```json\n{", "I'm sorry, but as"])
def test_what_stops_at_the_limit_is_truncated(text: str) -> None:
    with pytest.raises(TruncatedOutput, match="after 4 tokens") as caught:
        read(text, finish="length")
    assert caught.value.raw == text
    assert caught.value.hint


@pytest.mark.parametrize("finish", ["stop", "length"])
@pytest.mark.parametrize("text", [None, "", " \n\t", "　"])
def test_nothing_is_an_empty_answer(text: str | None, finish: str) -> None:
    with pytest.raises(EmptyAnswer):
        read(text, finish=finish)


@pytest.mark.parametrize("text", ["I'm sorry, but I can't do that.", "抱歉，我帮不了你。", "Nope."])
def test_prose_is_no_json_whatever_it_says(text: str) -> None:
    # A refusal is what the service calls one: no list of phrases tells it from other prose.
    with pytest.raises(MalformedOutput) as caught:
        read(text)
    assert caught.value.raw == text


@pytest.mark.parametrize("text", ['{"text": "I\'m sorry"}', '{"text": "对不起"}'])
def test_an_apology_inside_the_json_is_not_a_refusal(text: str) -> None:
    assert read(text).data["text"]


def test_a_refusal_beside_the_text_counts_whatever_the_text_is() -> None:
    with pytest.raises(ModelRefusal) as caught:
        read('{"a": 1}', refusal="No.")
    assert caught.value.raw == "No."
    with pytest.raises(ModelRefusal) as caught:
        read('{"a": 1}', finish="content_filter")
    assert caught.value.raw == '{"a": 1}'


# --- what is not shown ----------------------------------------------------------------------


def test_keys_and_passwords_are_blotted_out() -> None:
    secrets = secrets_in("sk-0123456789", None, address="http://me:pa55word@host:1/v1")
    said = "key sk-0123456789 of me:pa55word"
    assert redacted(said, secrets) == "key *** of me:***"


def test_a_placeholder_for_a_key_hides_nothing() -> None:
    assert secrets_in("none", "ollama", "") == ()


def test_a_key_in_the_query_of_an_address_is_blotted_out() -> None:
    keyed = "http://host:1/v1?key=s3cr3t%2B89&v=1"
    assert shown(keyed) == "http://host:1/v1?key=***&v=1"
    assert secrets_in(address=keyed) == ("s3cr3t%2B89", "s3cr3t+89")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://me:pa55word@host:1/v1?q=1", "http://host:1/v1?q=1"),
        ("http://token@host/", "http://host/"),
        ("http://[::1]:11434", "http://[::1]:11434"),
        ("127.0.0.1:11434", "127.0.0.1:11434"),
        ("me:pa55word@127.0.0.1:11434", "127.0.0.1:11434"),
        ("http://me:p@55word@host/a@b", "http://host/a@b"),
        ("http://host/a@b", "http://host/a@b"),
        ("host", "host"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, said: str) -> None:
    assert shown(address) == said


@pytest.mark.parametrize(
    ("set_by_user", "inside"),
    [({}, "300"), ({"GOMP_SPINCOUNT": "9"}, "9"), ({"OMP_WAIT_POLICY": "active"}, None)],
)
def test_openmp_waits_shortly_unless_told_otherwise(
    set_by_user: dict[str, str], inside: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in set_by_user.items():
        monkeypatch.setenv(name, value)
    with short_spins():
        assert os.environ.get("GOMP_SPINCOUNT") == inside
    assert os.environ.get("GOMP_SPINCOUNT") == set_by_user.get("GOMP_SPINCOUNT")


def test_processors_are_counted_where_the_system_tells_none_of_a_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert cores() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")  # as on macOS
    assert cores() == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1
