"""Field I/O from Python: random fields byte by byte, hints, what is wrong.

fieldio.py random SEED FIELDS WRITTEN READ     ways: parallel, gathered, serial, auto
fieldio.py wrong WAY
fieldio.py hints
"""

import random
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI
from workloads.classic_netcdf import read_classic

from leadline.errors import LeadlineError
from leadline.fieldio import FieldFile, Spread, choose_hints, has_parallel, hint_sets

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size


def say(text: str) -> None:
    sys.stdout.write(f"rank {rank}: {text}\n")  # at once: ranks print at the same time


class Field:
    """The same numbers on all ranks, but for the block."""

    def __init__(self, numbers: random.Random) -> None:
        dimensions = numbers.randint(1, 4)
        self.whole = tuple(numbers.randint(1, 8) for _ in range(dimensions))
        self.leading = tuple(numbers.randint(1, 3) for _ in range(numbers.randint(0, 2)))
        self.index = tuple(numbers.randrange(length) for length in self.leading)
        self.in_file, self.in_memory = (numbers.choice(["float64", "float32", "int32", "int64"]) for _ in range(2))
        self.halo = tuple(numbers.randint(0, 2) for _ in range(dimensions))
        self.has_land = numbers.random() < 0.5
        self.limit = numbers.choice([0, 700])
        along = numbers.randrange(dimensions)
        cuts = sorted(numbers.randint(0, self.whole[along]) for _ in range(ranks - 1))
        edges = [0, *cuts, self.whole[along]]
        self.first = tuple(edges[rank] if d == along else 0 for d in range(dimensions))
        self.count = tuple(
            edges[rank + 1] - edges[rank] if d == along else length for d, length in enumerate(self.whole)
        )
        self.values = np.array([numbers.randint(0, 1000) for _ in range(int(np.prod(self.whole)))])
        self.values = self.values.reshape(self.whole)
        self.is_water = np.array([numbers.random() < 0.6 for _ in range(self.values.size)]).reshape(self.whole)

    def in_array(self, whole: np.ndarray, outside: object) -> np.ndarray:
        """This rank's block of it, and the halo as far as the field goes."""
        wide = np.pad(whole, [(width, width) for width in self.halo], constant_values=outside)
        slices = [slice(f, f + c + 2 * h) for f, c, h in zip(self.first, self.count, self.halo, strict=True)]
        return np.ascontiguousarray(wide[tuple(slices)])

    def block_only(self, array: np.ndarray) -> tuple[slice, ...]:
        return tuple(slice(h, length - h) for h, length in zip(self.halo, array.shape, strict=True))

    def spread(self) -> Spread:
        array = tuple(c + 2 * h for c, h in zip(self.count, self.halo, strict=True))
        mask = self.in_array(self.is_water, True) if self.has_land else None
        return Spread(
            comm, whole=self.whole, first=self.first, count=self.count, array=array, offset=self.halo, halo=self.halo,
            mask=mask, land=-7,
        )  # fmt: skip

    def write(self, way: str) -> None:
        with FieldFile(comm, "random.nc", "w", way=way, limit_bytes=self.limit) as file:
            shape = (*self.leading, *self.whole)
            numbers = [file.dimension(f"d{n}", length) for n, length in enumerate(shape)]
            variable = file.define("field", self.in_file, numbers)
            counter = file.define("counter", "int8", [])
            file.text(variable, "units", "mmol m-3")
            file.number("step", 48)
            file.end_definitions()
            file.put(counter, (), np.int32(5))
            array = self.in_array(self.values, 0).astype(self.in_memory)
            file.write(variable, self.spread(), array, leading=self.index)

    def wrong_in_file(self) -> int:
        """As one process reads it, without any NetCDF library."""
        stored = read_classic(Path("random.nc")).variables["field"]
        expected = np.where(self.is_water, self.values, -7) if self.has_land else self.values
        values = np.array(stored.values).reshape(stored.shape)[self.index]
        return int(values.astype(self.in_file).tobytes() != expected.astype(self.in_file).tobytes())

    def read(self, way: str) -> int:
        array = self.in_array(self.values, 0).astype(self.in_memory)
        array[...] = 99
        with FieldFile(comm, "random.nc", way=way, limit_bytes=self.limit) as file:
            variable = file.variable("field", (*self.leading, *self.whole))
            file.read(variable, self.spread(), array, leading=self.index)
            wrong = file.get_number("step") != 48 or file.get_length("d0") != (*self.leading, *self.whole)[0]
            wrong += int(file.get(file.variable("counter", ()), (), ())) != 5
            origin = file.get(
                variable, (*self.index, *(0 for _ in self.whole)), (1,) * len((*self.leading, *self.whole))
            )
        water = self.is_water if self.has_land else np.ones(self.whole, dtype=bool)
        wrong += origin.item() != (self.values.flat[0] if water.flat[0] else -7)
        expected = self.in_array(np.where(water, self.values, 99), 99).astype(self.in_memory)
        if 0 in self.count:
            expected[...] = 99
        return int(wrong) + int(expected.tobytes() != array.tobytes())


def run_random(seed: int, fields: int, written: str, read: str) -> None:
    wrong = 0
    for number in range(fields):
        field = Field(random.Random(1000 * seed + number))
        field.write(written)
        wrong += field.wrong_in_file() if rank == 0 else 0
        wrong += field.read(read)
        comm.barrier()
    say(f"{fields} fields, {wrong} wrong")


def run_wrong(way: str) -> None:
    shape = (2 * ranks, 3)
    last = rank == ranks - 1
    good = {"whole": shape, "first": (2 * rank, 0), "count": (2, 3)}

    def create() -> tuple[FieldFile, int]:
        file = FieldFile(comm, "wrong.nc", "w", way=way)
        variable = file.define("field", "float64", [file.dimension(f"d{n}", length) for n, length in enumerate(shape)])
        file.end_definitions()
        return file, variable

    def use(array: np.ndarray) -> None:
        file, variable = create()
        with file:
            file.write(variable, Spread(comm, **good), array)

    def transposed() -> np.ndarray:
        return np.zeros((3, 2)).T if last else np.zeros((2, 3))

    cases = {
        "no file": lambda: FieldFile(comm, "none.nc", way=way),
        "block": lambda: Spread(comm, **{**good, "count": (2, 4) if last else (2, 3)}),
        "lengths": lambda: Spread(comm, **{**good, "first": (0,) if last else good["first"]}),
        "shape": lambda: use(np.zeros((3, 3) if last else (2, 3))),
        "type": lambda: use(np.zeros((2, 3), np.complex128 if last else np.float64)),
        "order": lambda: use(transposed()),
        "overlap": lambda: use_overlap(),
        "right": lambda: use(np.zeros((2, 3))),
    }

    def use_overlap() -> None:
        file, variable = create()
        with file:
            file.write(variable, Spread(comm, whole=shape, first=(0, 0), count=(2, 3)), np.zeros((2, 3)))

    for name, case in cases.items():
        try:
            case()
            said = "fine"
        except LeadlineError as error:
            said = str(error)
        say(f"{name}: {said}")


def run_hints() -> None:
    has, why = has_parallel(comm)
    spread = Spread(comm, whole=(4 * ranks, 50), first=(4 * rank, 0), count=(4, 50))
    choice = choose_hints(comm, "hints.nc", spread, rounds=3, limit_s=60, keep="kept")
    again = choose_hints(comm, "hints.nc", spread, rounds=3, limit_s=60, keep="kept")
    in_order = all(0 < least <= median <= most for median, least, most in choice.seconds.values())
    say(
        f"{has} {why!r} {choice.hints in hint_sets()} {list(choice.seconds) == hint_sets()} {in_order} "
        f"{choice.rounds} {choice.written_bytes} {again.hints == choice.hints} {again.is_kept} {again.seconds}"
    )


kind, *words = sys.argv[1:]
if kind == "random":
    run_random(int(words[0]), int(words[1]), *words[2:])
elif kind == "wrong":
    run_wrong(*words)
else:
    run_hints()
