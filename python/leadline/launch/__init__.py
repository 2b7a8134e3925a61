"""Starts a program so that its ranks are recorded, and leaves it otherwise as it is."""
