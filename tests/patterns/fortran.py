"""Pieces as in pieces.py, in Fortran: the body of a subroutine with an argument `step`.

REQUEST stands for the type of a request, which depends on the module that the program uses.
"""

from __future__ import annotations

import random

from .pieces import Maker, Piece, grid_of
from .wrappers import fortran_module, wrapped

NO_STATUS = "MPI_STATUS_IGNORE, ierr"


def halo(rng: random.Random, ranks: int) -> Piece:
    dims = grid_of(rng, ranks, 2)
    periodic = [size > 2 and rng.random() < 0.5 for size in dims]
    n = len(dims)
    wraps = ", ".join(".true." if wrap else ".false." for wrap in periodic)
    body = f"""
    integer :: d, low, high
    REQUEST :: all(4)
    do d = 0, {n - 1}
      call MPI_Cart_shift(NAME_grid, d, 1, low, high, ierr)
      call MPI_Irecv(inb, 100, MPI_DOUBLE_PRECISION, low, 1, NAME_grid, all(1), ierr)
      call MPI_Irecv(inb(101), 100, MPI_DOUBLE_PRECISION, high, 1, NAME_grid, all(2), ierr)
      call MPI_Isend(outb, 100, MPI_DOUBLE_PRECISION, low, 1, NAME_grid, all(3), ierr)
      call MPI_Isend(outb, 100, MPI_DOUBLE_PRECISION, high, 1, NAME_grid, all(4), ierr)
      call MPI_Waitall(4, all, MPI_STATUSES_IGNORE, ierr)
    end do"""
    setup = (
        f"call MPI_Cart_create(MPI_COMM_WORLD, {n}, (/ {', '.join(map(str, dims))} /), (/ {wraps} /), .false., "
        "NAME_grid, ierr)"
    )
    edges = 2 * sum((ranks // size) * (size - (not wrap)) for size, wrap in zip(dims, periodic, strict=True))
    return Piece(
        "halo", body, frozenset({"nearest_neighbour"}), frozenset(), {"nearest_neighbour": {"dims": dims}}, edges, setup
    )


def fields(rng: random.Random, ranks: int) -> Piece:
    number = rng.choice([5, 9])
    body = f"""
    integer :: f, left, right
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
    do f = 1, {number}
      call MPI_Sendrecv(outb, 50, MPI_DOUBLE_PRECISION, right, 2, inb, 50, MPI_DOUBLE_PRECISION, left, 2, &
                        MPI_COMM_WORLD, {NO_STATUS})
      call MPI_Sendrecv(outb, 50, MPI_DOUBLE_PRECISION, left, 2, inb, 50, MPI_DOUBLE_PRECISION, right, 2, &
                        MPI_COMM_WORLD, {NO_STATUS})
      call work(5)
    end do"""
    return Piece(
        "fields",
        body,
        frozenset({"nearest_neighbour", "packable_messages"}),
        evidence={"nearest_neighbour": {"dims": [ranks]}, "packable_messages": {"together": number}},
        messages=2 * (ranks - 1) * number,
    )


def to_one(rng: random.Random, ranks: int) -> Piece:
    body = f"""
    integer :: r
    if (rank /= 0) then
      call MPI_Send(outb, 64, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, ierr)
    else
      do r = 1, ranks - 1
        call MPI_Recv(inb, 64, MPI_DOUBLE_PRECISION, r, 3, MPI_COMM_WORLD, {NO_STATUS})
      end do
    end if
    call work(1)"""
    return Piece("to-one", body, frozenset({"all_to_one"}), evidence={"all_to_one": {"root": 0}}, messages=ranks - 1)


def ring(rng: random.Random, ranks: int) -> Piece:
    body = f"""
    call MPI_Sendrecv(outb, 30, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 4, inb, 30, MPI_DOUBLE_PRECISION, &
                      modulo(rank - 1, ranks), 4, MPI_COMM_WORLD, {NO_STATUS})
    call work(1)"""
    return Piece("ring", body, frozenset({"ring"}), messages=ranks)


def pipeline(rng: random.Random, ranks: int) -> Piece:
    stages = rng.choice([2, 6])
    body = f"""
    integer :: k
    do k = 1, {stages}
      if (rank > 0) call MPI_Recv(inb, 10, MPI_DOUBLE_PRECISION, rank - 1, 5, MPI_COMM_WORLD, {NO_STATUS})
      call work(20)
      if (rank + 1 < ranks) call MPI_Send(outb, 10, MPI_DOUBLE_PRECISION, rank + 1, 5, MPI_COMM_WORLD, ierr)
    end do"""
    return Piece("pipeline", body, frozenset({"pipeline"}), messages=(ranks - 1) * stages)


def all_to_all(rng: random.Random, ranks: int) -> Piece:
    body = f"""
    integer :: i
    do i = 1, ranks - 1
      call MPI_Sendrecv(outb, 8, MPI_DOUBLE_PRECISION, modulo(rank + i, ranks), 6, inb, 8, MPI_DOUBLE_PRECISION, &
                        modulo(rank - i, ranks), 6, MPI_COMM_WORLD, {NO_STATUS})
    end do"""
    return Piece("all-to-all", body, frozenset({"handmade_alltoall"}), messages=ranks * (ranks - 1))


def broadcast_tree(rng: random.Random, ranks: int) -> Piece:
    body = f"""
    integer :: mask
    mask = 1
    do while (mask < ranks)
      if (iand(rank, mask) /= 0) then
        call MPI_Recv(inb, 200, MPI_DOUBLE_PRECISION, rank - mask, 7, MPI_COMM_WORLD, {NO_STATUS})
        exit
      end if
      mask = 2 * mask
    end do
    mask = mask / 2
    do while (mask > 0)
      if (rank + mask < ranks) call MPI_Send(inb, 200, MPI_DOUBLE_PRECISION, rank + mask, 7, MPI_COMM_WORLD, ierr)
      mask = mask / 2
    end do
    call work(1)"""
    return Piece("broadcast-tree", body, frozenset({"handmade_broadcast"}), messages=ranks - 1)


def mirrored(rng: random.Random, ranks: int) -> Piece:
    """Each rank exchanges with its mirror image in a square of processes, or of pairs or triples of them."""
    if ranks not in (8, 9, 12):
        return all_to_all(rng, ranks)
    side, block = (3, 1) if ranks == 9 else (2, ranks // 4)
    body = f"""
    integer :: partner
    partner = (modulo(rank / {block}, {side}) * {side} + rank / {block} / {side}) * {block} + modulo(rank, {block})
    call MPI_Sendrecv(outb, 100, MPI_DOUBLE_PRECISION, partner, 8, inb, 100, MPI_DOUBLE_PRECISION, partner, 8, &
                      MPI_COMM_WORLD, {NO_STATUS})"""
    return Piece("mirrored", body, frozenset({"transpose"}), evidence={"transpose": {"side": side}})


def lazy_sum(rng: random.Random, ranks: int) -> Piece:
    """A nonblocking sum that is waited for at once, although rank 0 is late and there is work to do."""
    body = """
    REQUEST :: all(1)
    if (rank == 0) call work(2000)
    call MPI_Iallreduce(outb, inb, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, all(1), ierr)
    call MPI_Wait(all(1), MPI_STATUS_IGNORE, ierr)
    call work(100)"""
    return Piece("lazy-sum", body, frozenset({"no_overlap"}))


FORTRAN: tuple[Maker, ...] = (
    *(halo, fields, to_one, ring, pipeline, all_to_all, broadcast_tree, mirrored),
    lazy_sum,
)

HEAD = """module parts
  use MODULE
  implicit none
  integer :: rank, ranks, ierr
  double precision :: outb(1000), inb(1000)
GRIDS
contains
  subroutine work(us)
    integer, intent(in) :: us
    integer :: i
    do i = 1, 200 * us
      outb(1 + modulo(i, 1000)) = outb(1 + modulo(i, 1000)) + 1d-9 * i
    end do
  end subroutine
"""


def text_of(steps: int, pieces: list[tuple[str, Piece, int]], *, f08: bool, own: bool) -> str:
    """The program. pieces: their names, and in how many steps each is called once.

    f08: whether it uses the module mpi_f08.   own: whether its MPI calls go through subroutines of its own.
    """
    grids = "\n".join(f"  {'type(MPI_Comm)' if f08 else 'integer'} :: {name}_grid" for name, _, _ in pieces)
    module = ("mpi_f08" if f08 else "mpi") + ("\n  use layer" if own else "")
    parts = [fortran_module(f08=f08) if own else "", HEAD.replace("GRIDS", grids).replace("MODULE", module)]
    calls, setups = [], []
    for name, piece, every in pieces:
        body = piece.body.replace("NAME", name).replace("REQUEST", "type(MPI_Request)" if f08 else "integer")
        body = wrapped(body) if own else body
        parts.append(f"  subroutine {name}(step)\n    integer, intent(in) :: step{body}\n  end subroutine\n")
        if piece.setup:
            setups.append(f"  {piece.setup.replace('NAME', name)}")
        condition = f"if (modulo(step, {every}) == 0) " if every > 1 else ""
        calls.append(f"    {condition}call {name}(step)")
    main = [
        "end module\nprogram random",
        "  use parts",
        "  implicit none",
        "  integer :: step",
        "  call MPI_Init(ierr)",
        "  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)",
        "  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)",
        *setups,
        f"  do step = 0, {steps - 1}",
        *calls,
        "    call work(50)",
        "  end do",
        "  call MPI_Finalize(ierr)",
        "end program\n",
    ]
    return "".join(parts) + "\n".join(main)
