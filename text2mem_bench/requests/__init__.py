"""Requests about memory as an agent's tasks: drafted, tried dry, asked about, submitted."""
