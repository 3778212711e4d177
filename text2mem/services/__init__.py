"""Services that ops call on: summaries and splits."""
