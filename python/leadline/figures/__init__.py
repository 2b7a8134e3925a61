"""What a run contains, in numbers: its ranks, call sites, iterations, waits, phases, patterns, files. No sentences."""
