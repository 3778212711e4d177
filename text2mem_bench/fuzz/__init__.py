"""Fuzzing: inputs made by grammar and by mutation, and the promises that none may break."""
