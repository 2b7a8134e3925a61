! Exchanges of blocks with datatypes of their own, and with the neighbours of a periodic grid of one dimension, with
! known results. Prints how many were wrong.
program shim_around
#if defined(USE_MPI_F08)
  use mpi_f08
  implicit none
#elif defined(USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
#ifdef USE_MPI_F08
  type(MPI_Comm) :: ring, graph
  type(MPI_Datatype) :: pair, types(64)
#else
  integer :: ring, graph, pair, types(64)
#endif
  integer, parameter :: none = -7
  integer :: rank, ranks, i, error, below, above, wrong = 0
  integer :: lengths(64), places(64), from(256), to(256)
  integer(kind=MPI_ADDRESS_KIND) :: bytes(2)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, pair, error)
  call MPI_Type_commit(pair, error)

  ! Every rank sends two numbers to each other one, of which even ranks leave a gap between the two.
  from = none
  to = none
  do i = 1, ranks
    lengths(i) = merge(1, 2, mod(rank, 2) == 0)
    types(i) = MPI_INTEGER
    if (mod(rank, 2) == 0) types(i) = pair
    places(i) = 16 * (i - 1)
    from(4 * i - 3) = 100 * rank + i - 1
    from(4 * i - merge(1, 2, mod(rank, 2) == 0)) = -(100 * rank + i - 1)
  end do
  call MPI_Alltoallw(from, lengths, places, types, to, lengths, places, types, MPI_COMM_WORLD, error)
  do i = 1, ranks
    if (to(4 * i - 3) /= 100 * (i - 1) + rank) wrong = wrong + 1
    if (to(4 * i - merge(1, 2, mod(rank, 2) == 0)) /= -(100 * (i - 1) + rank)) wrong = wrong + 1
    if (to(4 * i - merge(2, 1, mod(rank, 2) == 0)) /= none) wrong = wrong + 1
  end do

  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, error)
  below = mod(rank + ranks - 1, ranks)
  above = mod(rank + 1, ranks)

  to = none
  from(1) = rank
  call MPI_Neighbor_allgather(from, 1, MPI_INTEGER, to, 1, MPI_INTEGER, ring, error)
  call expect(to(1), below)
  call expect(to(2), above)
  call expect(to(3), none)

  to = none
  lengths(1:2) = 1
  places(1:2) = [3, 0]
  call MPI_Neighbor_allgatherv(from, 1, MPI_INTEGER, to, lengths, places, MPI_INTEGER, ring, error)
  call expect(to(4), below)
  call expect(to(1), above)
  call expect(to(2), none)

  ! What goes down comes from above.
  to = none
  from(1:2) = [10 * rank, 10 * rank + 1]
  call MPI_Neighbor_alltoall(from, 1, MPI_INTEGER, to, 1, MPI_INTEGER, ring, error)
  call expect(to(1), 10 * below + 1)
  call expect(to(2), 10 * above)
  call expect(to(3), none)

  to = none
  places(1:2) = [0, 1]
  call MPI_Neighbor_alltoallv(from, lengths, places, MPI_INTEGER, to, lengths, [2, 0], MPI_INTEGER, ring, error)
  call expect(to(3), 10 * below + 1)
  call expect(to(1), 10 * above)
  call expect(to(2), none)

  ! Two numbers each way, with a gap in one of them. Of a graph, because mpi_f08 of MPICH 4.0 takes every topology for
  ! one here.
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, [below, above], [1, 1], 2, [below, above], [1, 1], &
                                      MPI_INFO_NULL, .false., graph, error)
  to = none
  from(1:6) = [10 * rank, none, 10 * rank + 1, none, 10 * rank + 2, 10 * rank + 3]
  lengths(1:2) = [1, 2]
  types(1) = pair
  types(2) = MPI_INTEGER
  bytes = [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND]
  call MPI_Neighbor_alltoallw(from, lengths, bytes, types, to, lengths, bytes, types, graph, error)
  call expect(to(1), 10 * below + 2)
  call expect(to(2), none)
  call expect(to(3), 10 * below + 3)
  call expect(to(5), 10 * above)
  call expect(to(6), 10 * above + 1)

  print '(a, i0)', 'wrong: ', wrong
  call MPI_Type_free(pair, error)
  call MPI_Comm_free(ring, error)
  call MPI_Comm_free(graph, error)
  call MPI_Finalize(error)

contains

  subroutine expect(found, right)
    integer, intent(in) :: found, right
    if (found /= right) wrong = wrong + 1
  end subroutine
end program
