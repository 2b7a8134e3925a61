"""Starts a program so that its ranks are recorded, and changes nothing else about it."""
