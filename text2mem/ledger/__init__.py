"""Typed facts out of conversations: the write path and the read path (docs/typed-memory.md)."""
