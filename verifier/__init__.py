"""Judges a running candidate against the evidence, knowing nothing of how it was made."""
