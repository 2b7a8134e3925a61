"""Field I/O: fields that are spread over the ranks, in NetCDF files (docs/build-in/fieldio.md).

with FieldFile(comm, "start.nc") as file:                                # of mpi4py
    strip = Spread(comm, whole=(9, 4), first=(3 * comm.rank, 0), count=(3, 4), array=(5, 4), offset=(1, 0), halo=(1, 0))
    file.read(file.variable("temperature", (9, 4)), strip, array)        # of NumPy
"""

from leadline.fieldio.field_file import FieldFile
from leadline.fieldio.hints import HintChoice, choose_hints, hint_sets
from leadline.fieldio.library import FieldIoError, has_parallel
from leadline.fieldio.spread import Spread

__all__ = ["FieldFile", "FieldIoError", "HintChoice", "Spread", "choose_hints", "has_parallel", "hint_sets"]
