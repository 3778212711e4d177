"""Editing: which words of a text an edit exchanges, so that what it says stays sound.

A value replaces a value of its kind, a weekday agrees with its date, and an item leaves its list
whole. It knows the times of ``ir`` and no other stage.
"""
