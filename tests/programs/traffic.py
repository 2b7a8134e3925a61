"""The calls of traffic.c from Python, through mpi4py; its own extra calls are left out by comparing two runs.

How often each function is called is the table in tests/recorder/traffic_table.py.  traffic.py ROUNDS DIRECTORY
"""

import os
import sys

import numpy as np
from mpi4py import MPI

LENGTH = 8
ROOM = LENGTH * 16
world = MPI.COMM_WORLD
rank = world.Get_rank()
size = world.Get_size()
left = (rank + size - 1) % size
right = (rank + 1) % size
out = np.zeros(ROOM)
into = np.zeros(ROOM)
result = np.zeros(ROOM)
check = 0.0


def first(array: np.ndarray, count: int = LENGTH, start: int = 0) -> list:
    return [array[start : start + count], count, MPI.DOUBLE]


def add_up(*values: float) -> None:
    global check
    check += sum(float(value) for value in values)


def fill(value: float) -> None:
    out[:] = value + rank + np.arange(ROOM)
    into[:] = 0
    result[:] = 0


def receive(tag: int) -> MPI.Request:
    return world.Irecv(first(into), left, tag)


def modes() -> None:
    status = MPI.Status()
    fill(1)
    for i in range(10):
        request = receive(i)
        world.Send(first(out), right, i)
        request.Wait()
    request = receive(10)
    world.Ssend(first(out), right, 10)
    request.Wait(status)
    MPI.Attach_buffer(bytearray(4096))
    request = receive(11)
    world.Bsend(first(out), right, 11)
    request.Wait()
    MPI.Request.Waitall([receive(12), world.Ibsend(first(out), right, 12)])
    MPI.Detach_buffer()
    request = receive(13)
    world.Barrier()
    world.Rsend(first(out), right, 13)
    request.Wait()
    request = receive(14)
    world.Barrier()
    MPI.Request.Waitall([request, world.Irsend(first(out), right, 14)], [MPI.Status(), MPI.Status()])
    MPI.Request.Waitall([receive(15), world.Issend(first(out), right, 15)])
    request = world.Isend(first(out), right, 16)
    world.Recv(first(into), left, 16)
    request.Wait()
    for _ in range(3):
        world.Sendrecv(first(out), right, 17, first(into), left, 17)
    for _ in range(2):
        world.Sendrecv_replace(first(into), right, 18, left, 18, status)
    add_up(*into[:LENGTH])


def nobody() -> None:
    for i in range(4):
        world.Send(first(out), MPI.PROC_NULL, i)
        world.Recv(first(into), MPI.PROC_NULL, i)
    world.Sendrecv(first(out, 1), MPI.PROC_NULL, 1, first(into, 1), MPI.PROC_NULL, 1)
    MPI.Request.Waitall([world.Irecv(first(into), MPI.PROC_NULL, 1), world.Isend(first(out), MPI.PROC_NULL, 1)])
    for _ in range(rank):
        MPI.COMM_SELF.Sendrecv(first(out, 1), 0, 2, first(into, 1), 0, 2)


def persistent() -> None:
    fill(2)
    pair = [world.Recv_init(first(into), left, 1), world.Send_init(first(out), right, 1)]
    for _ in range(5):
        MPI.Prequest.Startall(pair)
        MPI.Request.Waitall(pair)
    for _ in range(3):
        for request in pair:
            request.Start()
        for request in pair:
            request.Wait()
    for request in pair:
        request.Free()
    pair = [world.Recv_init(first(into), left, 2), world.Ssend_init(first(out), right, 2)]
    MPI.Prequest.Startall(pair)
    MPI.Request.Waitall(pair)
    for request in pair:
        request.Free()
    pair = [world.Bsend_init(first(out), MPI.PROC_NULL, 3), world.Rsend_init(first(out), MPI.PROC_NULL, 3)]
    for request in pair:
        request.Start()
        request.Wait()
        request.Free()
    add_up(*into[:LENGTH])


def probes() -> None:
    status = MPI.Status()
    fill(3)
    for _ in range(5):
        world.Iprobe(left, 999)
    world.Iprobe(MPI.PROC_NULL, 999, status)
    request = world.Isend(first(out, 3), right, 20)
    world.Probe(left, 20, status)
    world.Recv(first(into, status.Get_count(MPI.DOUBLE)), left, 20)
    request.Wait()
    request = world.Isend(first(out, 5), right, 21)
    message = world.Mprobe(left, 21, status)
    message.Recv(first(into, status.Get_count(MPI.DOUBLE)))
    request.Wait()
    request = world.Isend(first(out, 6), right, 22)
    message = world.Mprobe(MPI.ANY_SOURCE, 22, status)
    MPI.Request.Waitall([request, message.Irecv(first(into))])
    for _ in range(3):
        world.Improbe(left, 998, status)
    message = world.Improbe(MPI.PROC_NULL, 998, status)
    message.Recv([result, 0, MPI.DOUBLE], status)
    add_up(*into[:LENGTH])


def completions() -> None:
    status = MPI.Status()
    fill(4)
    pair = [world.Irecv(first(into), left, 30), world.Irecv(first(result), left, 31)]
    for _ in range(7):
        pair[0].Test()
    for _ in range(3):
        MPI.Request.Testall(pair)
    for _ in range(2):
        MPI.Request.Testany(pair, status)
    for _ in range(2):
        MPI.Request.Testsome(pair)
    for _ in range(2):
        pair[0].Get_status(status)
    world.Barrier()
    world.Send(first(out), right, 30)
    world.Send(first(out), right, 31)
    MPI.Request.Waitany(pair)
    MPI.Request.Waitany(pair, status)
    add_up(*result[:LENGTH])
    pair[0] = receive(32)
    world.Send(first(out), right, 32)
    MPI.Request.Waitsome(pair[:1])
    pair = [receive(33), world.Isend(first(out), right, 33)]
    pair[1].Wait()
    pair[0].Wait()
    pair[0].Test()
    request = world.Irecv(first(into), left, 997)
    request.Cancel()
    request.Wait(status)
    add_up(status.Is_cancelled())


def wildcards() -> None:
    status = MPI.Status()
    fill(5)
    for i in range(3):
        request = world.Irecv(first(into), MPI.ANY_SOURCE, MPI.ANY_TAG)
        world.Send(first(out, LENGTH - i), right, 40 + i)
        if i == 0:
            request.Wait(status)
        else:
            request.Wait()
    add_up(status.Get_tag())
    request = world.Isend(first(out, 4), right, 50)
    world.Recv(first(into), MPI.ANY_SOURCE, 50, status)
    add_up(status.Get_count(MPI.DOUBLE))
    request.Wait()
    request = world.Isend(first(out), right, 51)
    world.Recv(first(into), MPI.ANY_SOURCE, MPI.ANY_TAG)
    request.Wait()
    add_up(*into[:LENGTH])


def add_vectors(a: MPI.buffer, b: MPI.buffer, _: MPI.Datatype) -> None:
    target = np.frombuffer(b, dtype=float)
    target += np.frombuffer(a, dtype=float)


COUNTS = [2] * size
PLACES = [2 * i for i in range(size)]
BYTE_PLACES = [16 * i for i in range(size)]
TYPES = [MPI.DOUBLE] * size


def pieces(array: np.ndarray) -> list:
    return [array, (COUNTS, PLACES), MPI.DOUBLE]


def typed_pieces(array: np.ndarray) -> list:
    return [array, (COUNTS, BYTE_PLACES), TYPES]


def blocks(array: np.ndarray) -> list:
    return [array, 2, MPI.DOUBLE]


def collectives() -> None:
    last = size - 1
    fill(6)
    world.Barrier()
    for i in range(5):
        world.Bcast(first(into), i % size)
    two = first(out, 2)
    world.Gather(two, blocks(into), 0)
    world.Gatherv(two, pieces(into), last)
    world.Scatter(blocks(out), first(into, 2), 0)
    world.Scatterv(pieces(out), first(into, 2), last)
    world.Allgather(two, blocks(into))
    world.Allgatherv(two, pieces(into))
    world.Alltoall(blocks(out), blocks(into))
    world.Alltoallv(pieces(out), pieces(into))
    world.Alltoallw(typed_pieces(out), typed_pieces(into))
    world.Reduce(first(out), first(into), MPI.SUM, last)
    for _ in range(2):
        world.Allreduce(first(out), first(result), MPI.MAX)
    world.Allreduce(MPI.IN_PLACE, first(result), MPI.SUM)
    world.Reduce_scatter([out, 2 * size, MPI.DOUBLE], first(into, 2), COUNTS, MPI.SUM)
    world.Reduce_scatter_block(blocks(out), first(into, 2), MPI.SUM)
    world.Scan(first(out), first(into), MPI.SUM)
    world.Exscan(first(out), first(into), MPI.SUM)
    MPI.SUM.Reduce_local(first(out), first(result))
    op = MPI.Op.Create(add_vectors, commute=True)
    world.Allreduce(first(out), first(into), op)
    op.Free()
    add_up(*into[:LENGTH], *result[:LENGTH])


def nonblocking_collectives() -> None:
    last = size - 1
    fill(7)
    two = first(out, 2)
    world.Ibarrier().Wait()
    world.Ibcast(first(into), 0).Wait()
    world.Igather(two, blocks(into), 0).Wait()
    world.Igatherv(two, pieces(into), last).Wait()
    world.Iscatter(blocks(out), first(into, 2), 0).Wait()
    world.Iscatterv(pieces(out), first(into, 2), last).Wait()
    world.Iallgather(two, blocks(into)).Wait()
    world.Iallgatherv(two, pieces(into)).Wait()
    world.Ialltoall(blocks(out), blocks(into)).Wait()
    world.Ialltoallv(pieces(out), pieces(into)).Wait()
    world.Ialltoallw(typed_pieces(out), typed_pieces(into)).Wait()
    world.Ireduce(first(out), first(into), MPI.SUM, last).Wait()
    world.Iallreduce(first(out), first(into), MPI.MAX).Wait()
    world.Ireduce_scatter([out, 2 * size, MPI.DOUBLE], first(into, 2), COUNTS, MPI.SUM).Wait()
    world.Ireduce_scatter_block(blocks(out), first(into, 2), MPI.SUM).Wait()
    world.Iscan(first(out), first(into), MPI.SUM).Wait()
    world.Iexscan(first(out), first(result), MPI.SUM).Wait()
    add_up(*into[:LENGTH])


def exchange(comm: MPI.Comm, to: int, source: int) -> None:
    comm.Sendrecv(first(out), to, 60, first(into), source, 60)


def communicators() -> None:
    fill(8)
    duplicate = world.Dup()
    later, request = world.Idup()
    request.Wait()
    half = world.Split(rank % 2, rank)
    everybody = world.Get_group()
    everybody.Get_size()
    everybody.Get_rank()
    backwards = everybody.Incl([size - 1 - i for i in range(size)])
    everybody.Translate_ranks([rank], backwards)
    reverse = world.Create(backwards)
    everybody.Free()
    backwards.Free()
    MPI.Comm.Compare(world, duplicate)
    half.Set_name("half")
    half.Get_name()
    exchange(duplicate, right, left)
    exchange(later, right, left)
    mine = reverse.Get_rank()
    exchange(reverse, (mine + 1) % size, (mine + size - 1) % size)
    half.Allreduce(first(out), first(into), MPI.SUM)
    inter = half.Create_intercomm(0, world, 1 - rank % 2, 70)
    inter.Is_inter()
    inter.Get_remote_size()
    inter.Barrier()
    merged = inter.Merge(rank % 2 == 1)
    merged.Allreduce(first(out), first(result), MPI.SUM)
    add_up(*into[:LENGTH], *result[:LENGTH])
    for comm in (merged, inter, reverse, half, later, duplicate):
        comm.Free()


def topologies() -> None:
    fill(9)
    dims = MPI.Compute_dims(size, 2)
    grid = world.Create_cart(dims, [True, True], False)
    grid.Get_dim()
    coords = grid.Get_topo()[2]
    for _ in range(10):
        coords = grid.Get_coords(rank)
    grid.Get_cart_rank(coords)
    for i in range(1000):
        source, to = grid.Shift(i % 2, 1)
    exchange(grid, to, source)
    grid.Get_topology()
    row = grid.Sub([True, False])
    row.Allreduce(first(out, 1), first(result, 1), MPI.SUM)
    grid.Neighbor_allgather(first(out, 1), [into, 1, MPI.DOUBLE])
    grid.Neighbor_alltoall([out, 1, MPI.DOUBLE], [into, 1, MPI.DOUBLE])
    graph = world.Create_dist_graph_adjacent([left], [right], MPI.UNWEIGHTED, MPI.UNWEIGHTED)
    graph.Get_dist_neighbors_count()
    graph.Ineighbor_alltoall([out, 1, MPI.DOUBLE], [into, 1, MPI.DOUBLE]).Wait()
    add_up(into[0], result[0])
    for comm in (graph, row, grid):
        comm.Free()


def enquiries() -> None:
    for _ in range(100):
        world.Get_rank()
        world.Get_size()
        MPI.Wtime()
    MPI.Wtick()
    MPI.Is_initialized()
    flag = MPI.Is_finalized()
    MPI.Query_thread()
    flag = MPI.Is_thread_main()
    MPI.Get_version()
    MPI.Get_library_version()
    MPI.Get_processor_name()
    add_up(flag)


def datatypes() -> None:
    fill(10)
    row = MPI.DOUBLE.Create_contiguous(4)
    column = MPI.DOUBLE.Create_vector(4, 1, 4)
    some = MPI.DOUBLE.Create_indexed([1, 2], [0, 4])
    window = MPI.DOUBLE.Create_subarray([4, 4], [2, 2], [1, 1])
    places = [MPI.Get_address(out), MPI.Get_address(out[1:])]
    record = MPI.Datatype.Create_struct([1, 2], [0, places[1] - places[0]], [MPI.DOUBLE, MPI.INT])
    wide = column.Create_resized(0, 8)
    copy = row.Dup()
    for kind in (row, column, wide):
        kind.Commit()
    column.Get_size()
    extent = wide.Get_extent()[1]
    status = MPI.Status()
    request = world.Irecv([into, 1, column], left, 80)
    world.Send([out, 1, row], right, 80)
    request.Wait(status)
    elements = status.Get_elements(column)
    request = world.Irecv([into, 1, row], left, 81)
    world.Send([out, 1, wide], right, 81)
    request.Wait()
    MPI.DOUBLE.Pack_size(LENGTH, world)
    packed = bytearray(256)
    position = 0
    for _ in range(2):
        position = MPI.DOUBLE.Pack(out[:4], packed, position, world)
    position = 0
    for _ in range(2):
        position = MPI.DOUBLE.Unpack(packed, position, result[:4], world)
    add_up(elements, extent, *into[:16], *result[:4])
    for kind in (row, column, some, window, wide, copy, record):
        kind.Free()


def windows() -> None:
    fill(11)
    memory = np.zeros(ROOM)
    one = np.ones(1)
    window = MPI.Win.Create(memory, 8, MPI.INFO_NULL, world)
    window.Fence()
    window.Put(first(out), right, [0, LENGTH, MPI.DOUBLE])
    window.Fence()
    window.Get(first(into), left, [0, LENGTH, MPI.DOUBLE])
    window.Accumulate(first(out, 2), right, [16, 2, MPI.DOUBLE], MPI.SUM)
    window.Fence()
    window.Lock(right, MPI.LOCK_EXCLUSIVE)
    window.Put(first(out, 1), right, [20, 1, MPI.DOUBLE])
    window.Flush(right)
    window.Unlock(right)
    window.Lock_all()
    window.Fetch_and_op([one, 1, MPI.DOUBLE], first(result, 1), right, 24, MPI.SUM)
    window.Flush_all()
    window.Rput(first(out, 1), right, [28, 1, MPI.DOUBLE]).Wait()
    window.Unlock_all()
    world.Barrier()
    everybody = window.Get_group()
    before = everybody.Incl([left])
    after = everybody.Incl([right])
    window.Post(before)
    window.Start(after)
    window.Put(first(out, 1), right, [32, 1, MPI.DOUBLE])
    window.Complete()
    window.Wait()
    for group in (before, after, everybody):
        group.Free()
    add_up(*into[:LENGTH], *memory[:40])
    window.Free()


def files(directory: str) -> None:
    mine = rank * LENGTH * 8
    fill(12)
    path = os.path.join(directory, "traffic.data")
    file = MPI.File.Open(world, path, MPI.MODE_CREATE | MPI.MODE_RDWR)
    file.Set_view(0, MPI.BYTE, MPI.BYTE, "native")
    status = MPI.Status()
    for _ in range(3):
        file.Write_at(mine, first(out), status)
    file.Write_at_all(mine, first(out))
    file.Iwrite_at(mine, first(out)).Wait()
    file.Sync()
    world.Barrier()
    file.Read_at(mine, first(into))
    file.Read_at_all(mine, first(result), status)
    file.Seek(mine, MPI.SEEK_SET)
    file.Read(first(into))
    n_bytes = file.Get_size()
    file.Close()
    if rank == 0:
        MPI.File.Delete(path)
    world.Barrier()
    add_up(n_bytes, *into[:LENGTH], *result[:LENGTH])


def attributes() -> None:
    for _ in range(2):
        world.Get_attr(MPI.TAG_UB)
    comm = world.Dup()
    key = MPI.Comm.Create_keyval()
    comm.Set_attr(key, 5)
    add_up(comm.Get_attr(key) is not None)
    comm.Delete_attr(key)
    MPI.Comm.Free_keyval(key)
    handler = comm.Get_errhandler()
    comm.Set_errhandler(handler)
    handler.Free()
    comm.Free()
    info = MPI.Info.Create()
    info.Set("first", "1")
    info.Set("second", "2")
    add_up(info.Get_nkeys())
    info.Get_nthkey(0)
    info.Delete("first")
    info.Free()
    MPI.Pcontrol(1)


def errors() -> None:
    comm = world.Dup()
    comm.Set_errhandler(MPI.ERRORS_RETURN)
    try:
        comm.Send(first(out, 1), size + 5, 1)
    except MPI.Exception as error:
        kind = error.Get_error_class()
        error.Get_error_string()
    add_up(kind == MPI.ERR_RANK)
    comm.Free()


def main() -> None:
    for _ in range(int(sys.argv[1])):
        modes()
        nobody()
        persistent()
        probes()
        completions()
        wildcards()
        collectives()
        nonblocking_collectives()
        communicators()
        topologies()
        enquiries()
        datatypes()
        windows()
        files(sys.argv[2])
        attributes()
        errors()
    sys.stdout.write(f"rank {rank} of {size}: check {check:.17g}\n")


if __name__ == "__main__":
    main()
