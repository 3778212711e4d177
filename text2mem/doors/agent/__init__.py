"""The tools of an agent, shared by all doors. No SDK is imported here."""
