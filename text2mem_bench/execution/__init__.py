"""The execution layer: what programs do to a store, held against what they should do to it."""
