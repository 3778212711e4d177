"""Servers on the loopback: one that misbehaves by script, and one that speaks Ollama's API."""

from __future__ import annotations

import json
import socket
import struct
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# --- what a scripted server does with one request ------------------------------------------


@dataclass(frozen=True)
class Reply:
    """A whole answer. A body that is not text is sent as JSON."""

    status: int = 200
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"

    def encoded(self) -> bytes:
        """The body as it goes over the wire."""
        text = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return text.encode()


@dataclass(frozen=True)
class Slow:
    """Says nothing until the server closes, so that the client gives up first."""


@dataclass(frozen=True)
class Dripping:
    """The headers of ``reply``, and then a blank every tenth of a second, without an end."""

    reply: Reply


@dataclass(frozen=True)
class Cut:
    """The headers of ``reply`` and half of its body, and then the connection is gone."""

    reply: Reply


@dataclass(frozen=True)
class Reset:
    """The connection is gone before a byte of the answer."""


Behaviour = Reply | Slow | Dripping | Cut | Reset
HTML = Reply(200, "<html><body>It works!</body></html>", content_type="text/html")
NOT_JSON = Reply(200, "It works!")


def openai_answer(
    content: str | None, *, finish: str = "stop", refusal: str | None = None
) -> dict[str, Any]:
    """A chat completion in the shape of OpenAI's API."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "logprobs": None,
                "message": {"role": "assistant", "content": content, "refusal": refusal},
            }
        ],
        "usage": {
            "prompt_tokens": 11,
            "completion_tokens": 7,
            "total_tokens": 18,
            "prompt_tokens_details": {"cached_tokens": 5},
        },
    }


def openai_error(message: str, code: str | None = None) -> dict[str, Any]:
    """An error in the shape of OpenAI's API."""
    return {"error": {"message": message, "type": "error", "param": None, "code": code}}


def ollama_answer(content: str | None, *, finish: str = "stop", prompt: int = 11) -> dict[str, Any]:
    """A chat answer in the shape of Ollama's API."""
    return {
        "model": "scripted",
        "created_at": "2026-03-04T10:30:00Z",
        "message": {"role": "assistant", "content": content or ""},
        "done": True,
        "done_reason": finish,
        "total_duration": 1,
        "load_duration": 1,
        "prompt_eval_count": prompt,
        "prompt_eval_duration": 1,
        "eval_count": 7,
        "eval_duration": 1,
    }


@dataclass(frozen=True)
class Received:
    """One request that reached a server. The names of its headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


class _Server(ThreadingHTTPServer):
    """A server on a free port of the loopback, in a thread of its own, until it is closed."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.requests: list[Received] = []
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Without a slash at the end."""
        return f"http://127.0.0.1:{self.server_port}"

    def close(self) -> None:
        """Stops answering and gives the port back."""
        self.shutdown()
        self.server_close()
        self._thread.join()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: two small ones wait for each other

    def received(self) -> Received:
        length = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(length)
        try:
            body = json.loads(content) if content else None
        except ValueError:
            body = content
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Received(self.command, self.path, headers, body)
        self.server.requests.append(request)  # type: ignore[attr-defined]
        return request

    def send(self, reply: Reply, *, share: float = 1.0) -> None:
        content = reply.encoded()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: int(len(content) * share)])
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        pass


class FaultServer(_Server):
    """Does to its n-th request what the n-th item of the script says, and keeps the requests.

    A request past the script is answered with status 501 and fails ``check``.
    """

    def __init__(self, *script: Behaviour) -> None:
        self._script: Iterator[Behaviour] = iter(script)
        self._turn = threading.Lock()
        self._released = threading.Event()
        self.past_the_script = 0
        super().__init__(_Scripted)

    def close(self) -> None:
        """Lets the slow answers go, and stops."""
        self._released.set()
        super().close()

    def next_behaviour(self) -> Behaviour:
        """What the script says about the request that has come in."""
        with self._turn:
            behaviour = next(self._script, None)
            if behaviour is None:
                self.past_the_script += 1
                return Reply(501, {"error": "the script has come to its end"})
            return behaviour

    def wait(self, seconds: float | None = None) -> bool:
        """Until the server closes, for so many seconds at most. Whether it closes."""
        return self._released.wait(seconds)


class _Scripted(_Handler):
    server: FaultServer

    def do_POST(self) -> None:
        self.received()
        behaviour = self.server.next_behaviour()
        match behaviour:
            case Reply():
                self.send(behaviour)
            case Cut(reply):
                self.send(reply, share=0.5)
                self.close_connection = True
            case Slow():
                self.server.wait()
                self.close_connection = True
            case Dripping(reply):
                self.send(reply, share=0)
                with suppress(OSError):  # the client has gone
                    while not self.server.wait(0.1):
                        self.wfile.write(b" ")
                        self.wfile.flush()
                self.close_connection = True
            case Reset():
                # A linger time of zero turns the close into a reset.
                self.connection.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
                self.close_connection = True

    do_GET = do_POST


@contextmanager
def refusing_address() -> Iterator[str]:
    """An address of the loopback that refuses: its port is taken, and nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


# --- Ollama ---------------------------------------------------------------------------------


class OllamaShim(_Server):
    """Ollama's documented API before a server that speaks OpenAI's, such as llama.cpp's.

    /api/chat (whole or as a stream), /api/tags, /api/show, /api/version. ``upstream`` is the other
    server's address; ``models`` are the names that are "pulled".
    """

    def __init__(self, upstream: str, models: Sequence[str]) -> None:
        self.upstream = upstream
        self.models = tuple(models)
        super().__init__(_Ollama)


class _Ollama(_Handler):
    server: OllamaShim

    def do_GET(self) -> None:
        self.received()
        match self.path:
            case "/":
                self.send(Reply(200, "Ollama is running", content_type="text/plain"))
            case "/api/version":
                self.send(Reply(200, {"version": "0.12.0"}))
            case "/api/tags":
                self.send(Reply(200, {"models": [_tag(name) for name in self.server.models]}))
            case _:
                self.send(Reply(404, "404 page not found", content_type="text/plain"))

    def do_POST(self) -> None:
        body = self.received().body
        if self.path not in ("/api/chat", "/api/show"):
            return self.send(Reply(404, "404 page not found", content_type="text/plain"))
        if not isinstance(body, dict) or not isinstance(body.get("model"), str):
            return self.send(Reply(400, {"error": "model is required"}))
        name = body["model"]
        if name not in self.server.models:
            said = f"model '{name}' not found, try pulling it first"
            return self.send(Reply(404, {"error": said}))
        if self.path == "/api/show":
            return self.send(Reply(200, _description(name)))
        if not body.get("messages"):
            reason = "unload" if body.get("keep_alive") == 0 else "load"
            return self.send(Reply(200, {**_part(name, "", done=True), "done_reason": reason}))
        try:
            return self._chat(name, body)
        except urllib.error.HTTPError as refusal:
            with refusal:
                said = json.loads(refusal.read())["error"]["message"]
            return self.send(Reply(refusal.code, {"error": said}))

    def _chat(self, name: str, body: dict[str, Any]) -> None:
        stream = body.get("stream", True)
        request = urllib.request.Request(
            f"{self.server.upstream}/v1/chat/completions",
            json.dumps(_as_openai(body, stream=stream)).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            if stream:
                return self._stream(name, answer)
            whole = json.load(answer)
        choice = whole["choices"][0]
        end = _end(choice["finish_reason"], whole["usage"])
        self.send(Reply(200, {**_part(name, choice["message"]["content"], done=True), **end}))

    def _stream(self, name: str, events: Any) -> None:
        """One JSON object a line; the last has the counts."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        finish = "stop"
        usage: dict[str, Any] = {}
        for line in events:
            data = line.decode().removeprefix("data: ").strip()
            if not data or data == "[DONE]":
                continue
            event = json.loads(data)
            usage = event.get("usage") or usage
            for choice in event.get("choices", ()):
                finish = choice.get("finish_reason") or finish
                if text := choice["delta"].get("content"):
                    self._chunk(_part(name, text, done=False))
        self._chunk({**_part(name, "", done=True), **_end(finish, usage)})
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, part: dict[str, Any]) -> None:
        line = json.dumps(part).encode() + b"\n"
        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        self.wfile.flush()


_OPTIONS = {
    "temperature": "temperature",
    "seed": "seed",
    "num_predict": "max_tokens",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop": "stop",
}


def _as_openai(body: Mapping[str, Any], *, stream: bool) -> dict[str, Any]:
    """An Ollama request as one of OpenAI's. ``num_ctx`` and ``keep_alive`` are the loader's."""
    options = body.get("options") or {}
    out: dict[str, Any] = {"model": body["model"], "messages": body["messages"], "stream": stream}
    if stream:
        out["stream_options"] = {"include_usage": True}
    out.update({ours: options[theirs] for theirs, ours in _OPTIONS.items() if theirs in options})
    if (wanted := body.get("format")) == "json":
        out["response_format"] = {"type": "json_object"}
    elif wanted:
        out["response_format"] = {"type": "json_schema", "json_schema": {"schema": wanted}}
    return out


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def _part(name: str, text: str, *, done: bool) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"model": name, "created_at": _now(), "message": message, "done": done}


def _end(finish: str, usage: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "done_reason": finish,
        "total_duration": 1,
        "load_duration": 1,
        "prompt_eval_count": usage.get("prompt_tokens", 0),
        "prompt_eval_duration": 1,
        "eval_count": usage.get("completion_tokens", 0),
        "eval_duration": 1,
    }


_DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "qwen2",
    "families": ["qwen2"],
    "parameter_size": "494.03M",
    "quantization_level": "Q4_K_M",
}


def _tag(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "model": name,
        "modified_at": _now(),
        "size": 491_400_064,
        "digest": "0" * 64,
        "details": _DETAILS,
    }


def _description(name: str) -> dict[str, Any]:
    return {
        "modelfile": f"FROM {name}",
        "parameters": "",
        "template": "",
        "details": _DETAILS,
        "model_info": {"general.architecture": "qwen2"},
        "capabilities": ["completion"],
        "modified_at": _now(),
    }
