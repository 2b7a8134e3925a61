"""A published optimisation done again: record, change what the recording proposes, measure, compare with the papers."""
