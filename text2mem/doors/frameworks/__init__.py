"""A store for agents of this process, in the shapes of their frameworks.

docs/frameworks.md has a section on each. Importing this package imports no framework: each has a
module, and an extra.
"""
