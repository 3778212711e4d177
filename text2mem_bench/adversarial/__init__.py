"""Negative and adversarial cases: what must be refused, asked back, limited, or do no harm."""
