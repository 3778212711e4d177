"""The validator stage."""

from text2mem.validator.validator import validate, validate_canonical

__all__ = ["validate", "validate_canonical"]
