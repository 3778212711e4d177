"""The executor stage."""

from text2mem.executor.executor import execute
from text2mem.executor.services import Prepared

__all__ = ["Prepared", "execute"]
