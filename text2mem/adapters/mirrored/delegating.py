"""The calls that a mirrored store hands on to its sidecar as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar

from text2mem.adapters.base import Adapter, Support
from text2mem.adapters.queue import Queue
from text2mem.ir.ops import OPS

if TYPE_CHECKING:
    from text2mem.adapters.sql.outbox import SqlOutbox

P = ParamSpec("P")
T = TypeVar("T")


def _handed_on(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Delegating, P], T]:
    """A method of ``Adapter``, done by the sidecar."""
    name = method.__name__

    def call(self: Delegating, /, *args: P.args, **named: P.kwargs) -> T:
        done: T = getattr(self.sidecar, name)(*args, **named)
        return done

    # Not ``update_wrapper``, which would make it abstract as well.
    call.__name__, call.__qualname__ = name, f"Delegating.{name}"
    call.__doc__ = method.__doc__
    return call


class Delegating(Adapter):
    """Does what its ``sidecar`` does, but for the calls that a subclass has to do."""

    support: ClassVar[Mapping[str, Support]] = dict.fromkeys(OPS, Support.EMULATED)

    def __init__(self, sidecar: Adapter) -> None:
        self.sidecar = sidecar

    @property
    def queue(self) -> Queue:
        """The sidecar's."""
        return self.sidecar.queue

    @property
    def outbox(self) -> SqlOutbox:
        """The sidecar's."""
        return self.sidecar.outbox

    @property
    def erasing(self) -> bool:
        """The sidecar's."""
        return self.sidecar.erasing

    beside = _handed_on(Adapter.beside)
    state = _handed_on(Adapter.state)
    mark = _handed_on(Adapter.mark)
    set_aside = _handed_on(Adapter.set_aside)
    active = _handed_on(Adapter.active)
    journal = _handed_on(Adapter.journal)
    entries = _handed_on(Adapter.entries)
    reserve_ids = _handed_on(Adapter.reserve_ids)
    due_reminders = _handed_on(Adapter.due_reminders)
    falls_due = _handed_on(Adapter.falls_due)
    waiting = _handed_on(Adapter.waiting)
    heard_in = _handed_on(Adapter.heard_in)
    versions = _handed_on(Adapter.versions)
    census = _handed_on(Adapter.census)
    registry = _handed_on(Adapter.registry)
    set_registry = _handed_on(Adapter.set_registry)
    without_vectors = _handed_on(Adapter.without_vectors)
    set_vectors = _handed_on(Adapter.set_vectors)
    drop_vectors = _handed_on(Adapter.drop_vectors)
    rebuild_words = _handed_on(Adapter.rebuild_words)
    rebuild_vector_index = _handed_on(Adapter.rebuild_vector_index)
    view = _handed_on(Adapter.view)
