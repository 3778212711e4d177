"""Split texts by their form into terms, names, quotations and sentences."""
