"""Model providers: one protocol, capabilities as data, registered by entry point."""
