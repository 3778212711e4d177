"""The oracle: the same contract as every adapter, in plain Python, readable and slow."""
