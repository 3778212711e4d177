"""Run work with a time limit, whatever it waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T], name: str) -> T:
    """The result of ``work``, run in a thread of that name. (A look-up of a host, for example, has
    no timeout.) Raises what ``work`` raises, and TimeoutError after ``seconds``, which abandons the
    thread."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    if not wait([answer], timeout=seconds).done:
        raise TimeoutError(f"no answer in {seconds:g} s")
    return answer.result()
