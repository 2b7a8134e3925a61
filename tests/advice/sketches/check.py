"""Each sketch beside the calls it replaces: the same bytes.   check.py FOLDER, where the test has put the sketches"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD


def sketch(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), Path(sys.argv[1]) / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tell(name: str, same: bool) -> None:
    sys.stdout.write(f"rank {world.rank}: {name} {'same' if same else 'DIFFERENT'}\n")


def check_pack() -> None:
    module = sketch("pack")
    lower = world.rank - 1 if world.rank > 0 else MPI.PROC_NULL
    upper = world.rank + 1 if world.rank + 1 < world.size else MPI.PROC_NULL
    out = np.arange(2.0 * module.FIELDS * 50).reshape(2, module.FIELDS, 50) + world.rank * 1e4
    naive, packed = np.zeros_like(out), np.zeros_like(out)
    for f in range(module.FIELDS):
        requests = [world.Irecv(naive[0][f], lower, 1), world.Irecv(naive[1][f], upper, 0)]
        requests += [world.Isend(out[0][f], lower, 0), world.Isend(out[1][f], upper, 1)]
        MPI.Request.Waitall(requests)
    plan = module.plan_exchange(world, lower, upper, out, packed)
    plan.exchange()
    plan.free()
    tell("pack", naive.tobytes() == packed.tobytes())


def check_reductions() -> None:
    values = world.rank + 0.5 * np.arange(3)
    to_all = sketch("merge-reductions.allreduce")
    assert len(values) == to_all.VALUES
    naive = [world.allreduce(float(value)) for value in values]
    tell("merge-reductions.allreduce", naive == to_all.reduce_together(values, world).tolist())
    sums = sketch("merge-reductions.reduce").reduce_together(values, 1, world)
    naive = [world.reduce(float(value), root=1) for value in values]
    same = sums is None if world.rank != 1 else naive == sums.tolist()
    tell("merge-reductions.reduce", same)


def check_created() -> None:
    copies, parts = sketch("create-once.dup"), sketch("create-once.split")
    naive = world.Dup()
    copies.create_kept(world)
    tell("create-once.dup", MPI.Comm.Compare(naive, copies.kept) == MPI.CONGRUENT)
    copies.free_kept()
    naive.Free()
    naive = world.Split(world.rank % 2, -world.rank)
    parts.create_kept(world, world.rank % 2, -world.rank)
    tell("create-once.split", MPI.Comm.Compare(naive, parts.kept) == MPI.CONGRUENT)
    parts.free_kept()
    naive.Free()


def check_exchanges() -> None:
    at_once, overlapped = sketch("nonblocking"), sketch("overlap")
    lower = world.rank - 1 if world.rank > 0 else MPI.PROC_NULL
    upper = world.rank + 1 if world.rank + 1 < world.size else MPI.PROC_NULL
    out = np.arange(100.0).reshape(2, 50) + world.rank * 1e3
    naive, together, later = np.zeros_like(out), np.zeros_like(out), np.zeros_like(out)
    world.Sendrecv(out[1], upper, 1, naive[0], lower, 1)
    world.Sendrecv(out[0], lower, 2, naive[1], upper, 2)
    at_once.exchange_at_once(world, (lower, upper), out, together)
    tell("nonblocking", naive.tobytes() == together.tobytes())
    overlapped.finish_exchange(overlapped.start_exchange(world, (lower, upper), out, later))
    tell("overlap", naive.tobytes() == later.tobytes())


def check_files() -> None:
    """A rank's part has as many numbers as its rank, and one more."""
    parts = [100.0 * rank + np.arange(rank + 1) for rank in range(world.size)]
    sketch("parallel-io").write_parts(world, "parts.dat", parts[world.rank])
    world.Barrier()
    tell("parallel-io", Path("parts.dat").read_bytes() == np.concatenate(parts).tobytes())
    reading = sketch("read-once")
    data = reading.read_for_all(world, "parts.dat")
    try:
        reading.read_for_all(world, "no-such.dat")
    except FileNotFoundError:
        tell("read-once", data.tobytes() == np.concatenate(parts).tobytes())
    name = f"values.{world.rank}"
    with sketch("larger-io.collected").opened(name) as file:
        for i in range(600):
            file.write(np.float64(i).tobytes())
    tell("larger-io.collected", Path(name).read_bytes() == np.arange(600.0).tobytes())


def check_output() -> None:
    due = sketch("less-output").output_is_due
    tell("less-output", [i for i in range(10) if due(i, 10)] == [3, 7, 9])


def check_collectives() -> None:
    """A rank's part has as many numbers as its rank, and one more."""
    root, counts = 1, [rank + 1 for rank in range(world.size)]
    parts = [100.0 * rank + np.arange(counts[rank]) for rank in range(world.size)]
    part, everything, naive = parts[world.rank], np.zeros(sum(counts)), np.concatenate(parts)
    sketch("collective.gather").gather_parts(world, root, part, everything, counts)
    tell("collective.gather", everything.tolist() == (naive.tolist() if world.rank == root else [0.0] * sum(counts)))
    module = sketch("collective.distribute")
    data = np.arange(5.0) if world.rank == root else np.zeros(5)
    module.send_to_all(world, root, data)
    own = np.zeros(counts[world.rank])
    module.scatter_parts(world, root, own, naive if world.rank == root else None, counts)
    tell("collective.distribute", data.tolist() == list(range(5)) and own.tolist() == part.tolist())
    result = np.zeros(4)
    sketch("collective.reduce").combine_on_root(world, root, world.rank + np.arange(4.0), result)
    total = sum(rank + np.arange(4.0) for rank in range(world.size))
    tell("collective.reduce", world.rank != root or result.tolist() == list(total))
    send = np.array([[1000.0 * world.rank + 10 * rank + i for i in range(4)] for rank in range(world.size)])
    receive, by_hand = np.zeros_like(send), np.zeros_like(send)
    sketch("collective.alltoall").exchange_with_all(world, send, receive)
    for rank in range(world.size):
        world.Sendrecv(send[rank], rank, 1, by_hand[rank], rank, 1)
    tell("collective.alltoall", receive.tobytes() == by_hand.tobytes())


def check_few() -> None:
    """A rank has a value for itself and as many for the next one as its rank has, and one more. The last rank has no
    data in a gather."""
    ranks, before = world.size, (world.rank - 1) % world.size
    counts, received = [0] * ranks, [0] * ranks
    counts[world.rank] = received[world.rank] = 1
    counts[(world.rank + 1) % ranks], received[before] = world.rank + 1, before + 1
    at, to = [sum(counts[:r]) for r in range(ranks)], [sum(received[:r]) for r in range(ranks)]
    out = 100.0 * world.rank + np.arange(2 * ranks)
    naive, few = np.zeros(4 * ranks), np.zeros(4 * ranks)
    world.Alltoallv([out, counts, at, MPI.DOUBLE], [naive, received, to, MPI.DOUBLE])
    sketch("sparse-exchange").exchange_with_few(world, out, counts, at, few, received, to)
    tell("sparse-exchange", naive.tobytes() == few.tobytes())
    smaller = sketch("smaller-communicator")
    smaller.create_with_data(world, world.rank + 1 < ranks)
    has_data = smaller.with_data != MPI.COMM_NULL
    gathered = smaller.with_data.gather(world.rank) if has_data else None
    smaller.free_with_data()
    expected = list(range(ranks - 1)) if world.rank == 0 else None
    tell("smaller-communicator", gathered == expected and has_data == (world.rank + 1 < ranks))


check_pack()
check_collectives()
check_reductions()
check_created()
check_exchanges()
check_files()
check_output()
check_few()
