"""The parser stage."""

from text2mem.parser.dump import dump
from text2mem.parser.parser import parse, parse_instance

__all__ = ["dump", "parse", "parse_instance"]
