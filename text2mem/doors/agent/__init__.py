"""The tools of an agent, shared by all doors. No SDK is imported here.

``verbs`` implements the tools as methods, and ``tools`` describes them for a model.
``conversation`` holds the state of a session: its turns, and the questions that wait. ``store`` is
the open store.
"""
