"""Conversations with a memory: turns, questions that wait for an answer, and undo."""

from text2mem.conversation.conversation import Conversation
from text2mem.conversation.reply import Offer, Question, Reply

__all__ = ["Conversation", "Offer", "Question", "Reply"]
