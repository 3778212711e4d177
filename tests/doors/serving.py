"""A server in a thread of the test, while a block runs."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn


@contextmanager
def running(server: uvicorn.Server, listening: socket.socket) -> Iterator[None]:
    """The server on a socket that listens already, ended with the block."""
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            threading.Event().wait(0.01)
        yield
    finally:
        server.should_exit = True
        thread.join()
