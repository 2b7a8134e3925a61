"""What kinds of random programs tests/programs/random_program.c makes."""

PROFILES = (
    "mixed",
    "structureless",
    "deep",
    "tag_is_step",
    "sizes_vary",
    "halo26",
    "ranks_differ",
    "polling",
    "wait_orders",
    "wild",
)
