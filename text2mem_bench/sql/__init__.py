"""Interactive text-to-SQL over small databases: requests that leave things open, a user to ask."""
