"""Turns the MPI standard's machine-readable API and Leadline's own data (api/) into wrappers and tables."""
