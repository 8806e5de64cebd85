"""What people and programs see of a run. Every display reads the same events that are logged."""
