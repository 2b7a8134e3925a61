"""Open MPI against other libraries under four applications, as Graham, Bosilca and Pješivac-Grbović compared it with
Cray MPI on a Cray XT4: a campaign of the workloads, messages alone beside it, and what of the paper holds here.
"""
