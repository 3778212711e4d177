"""Stores in two places: a sidecar, which is a store of ours, and a memory framework that mirrors
it."""
