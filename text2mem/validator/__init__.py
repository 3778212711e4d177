"""The validator stage."""

from text2mem.validator.validator import validate

__all__ = ["validate"]
