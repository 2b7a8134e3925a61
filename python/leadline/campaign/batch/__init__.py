"""Runs as jobs of a batch system: a job for each run, or one for all runs of a number of ranks.

`system` is what a batch system's commands are called, `worker` runs in the job, `waiting` beside the campaign submits
it and waits for the run, and `jobs` is what the campaign sees. They talk through files in the campaign's directory, so
the scheduler is asked only whether a job that says nothing is still there.
"""
