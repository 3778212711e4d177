"""The Text2Mem language: surface models, typed ops, dialects, times, results and ports."""
