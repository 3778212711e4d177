"""What tools/generate.py writes: grammars, reference pages, the schema of results."""
