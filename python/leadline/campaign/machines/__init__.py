"""Runs on machines that share no file system with this one: reached by ssh, with a shell there and an MPI library.

What a run needs is copied there once (`packing`), a shell script runs it (`script`), and what it left comes back over
the same connection (`carry`). The ssh is the system's own (`ssh`).
"""
