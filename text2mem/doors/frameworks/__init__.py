"""A memory in the shapes of agents' frameworks (docs/frameworks.md).

Importing this package imports no framework: each has a module, and an extra.
"""
