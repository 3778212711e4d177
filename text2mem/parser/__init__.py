"""The parser stage."""

from text2mem.parser.dump import dump
from text2mem.parser.parser import parse

__all__ = ["dump", "parse"]
