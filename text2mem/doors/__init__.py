"""Doors: servers, and tools for frameworks, through which other programs use a store."""
