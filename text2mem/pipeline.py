"""Composes the stages, and does nothing else."""
