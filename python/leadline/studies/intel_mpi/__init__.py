"""Ways to exchange data with several releases of Intel MPI, as A. V. Leus compared them: his three series in turns over
the releases, and what of his conclusions holds here.
"""
