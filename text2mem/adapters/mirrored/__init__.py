"""Stores in two places: a sidecar of ours, and a memory framework that mirrors it."""
