"""Doors: servers through which other programs use a store. Only the command line opens them."""
