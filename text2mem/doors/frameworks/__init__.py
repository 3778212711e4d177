"""A store for agents that run in this process, in the shapes of their frameworks (docs/frameworks.md).

Importing this package imports no framework: each has a module, and an extra.
"""
