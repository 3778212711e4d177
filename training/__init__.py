"""How the shipped adapter is made: data, model, training, export. Not in the wheel."""
