"""Doors: the servers, and the tools for frameworks, by which other programs use a store."""
