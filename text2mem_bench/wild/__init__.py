"""Requests as people make them, on stores as people keep them, judged by what they do."""
