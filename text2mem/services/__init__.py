"""The services that ops call: summaries, splits, vectors and web pages."""
