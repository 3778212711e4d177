"""Model providers, behind one protocol. They are registered by entry point."""
