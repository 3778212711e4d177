"""How the shipped adapters are made: data, model, training, export. Not in the wheel."""
