"""Pieces as in pieces.py, in Fortran: the body of a subroutine with an argument `step`."""

from __future__ import annotations

import random

from .pieces import Maker, Piece, grid_of

NO_STATUS = "MPI_STATUS_IGNORE, ierr"


def halo(rng: random.Random, ranks: int) -> Piece:
    dims = grid_of(rng, ranks, 2)
    periodic = [size > 2 and rng.random() < 0.5 for size in dims]
    n = len(dims)
    wraps = ", ".join(".true." if wrap else ".false." for wrap in periodic)
    body = f"""
    integer :: d, low, high, all(4)
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


FORTRAN: tuple[Maker, ...] = (halo, fields, to_one, ring, pipeline, all_to_all, broadcast_tree)

HEAD = """module parts
  use mpi
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


def text_of(steps: int, pieces: list[tuple[str, Piece, int]]) -> str:
    """The program. pieces: their names, and in how many steps each is called once."""
    grids = "\n".join(f"  integer :: {name}_grid = 0" for name, _, _ in pieces)
    parts = [HEAD.replace("GRIDS", grids)]
    calls, setups = [], []
    for name, piece, every in pieces:
        parts.append(
            f"  subroutine {name}(step)\n    integer, intent(in) :: step{piece.body.replace('NAME', name)}\n"
            "  end subroutine\n"
        )
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
