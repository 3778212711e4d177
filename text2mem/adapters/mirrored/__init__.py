"""Memory frameworks as stores: a framework holds the texts, a store of ours decides."""
