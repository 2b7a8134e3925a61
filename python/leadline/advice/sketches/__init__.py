"""Code for a proposal, written for the very calls it is about, and what can go wrong (docs/tune/advise.md).

A kind has a file here, KIND.toml: `pitfalls`, and either `no_sketch`, which says why there is no code, or templates in
each language: KIND.c.in (which is C++ as well), KIND.f90.in (`use mpi`), KIND.f08.in (`use mpi_f08`) and KIND.py.in.
`template` names another kind that has them.
Where the code depends on the function that is called, `variants` maps functions to the name of a variant, whose
templates are KIND.VARIANT.c.in and so on; `other_functions` says why the rest have none. Where it depends on the
candidate, `shapes` lists the variants that candidates name.

Templates are string.Template's. What the record does not tell is a named constant, or an argument; nothing is invented.
"""

from leadline.advice.sketches.recorded import RecordedCall, recorded_calls
from leadline.advice.sketches.sketch import Sketch, pitfalls_of, sketch_of, why_none

__all__ = ["RecordedCall", "Sketch", "pitfalls_of", "recorded_calls", "sketch_of", "why_none"]
