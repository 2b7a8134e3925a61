! In place, where Fortran's MPI_IN_PLACE is another address than C's: exchanges, scatters and prefix sums with known
! results. Prints how many were wrong.
program shim_in_place
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
  integer :: rank, ranks, i, error, own, before, wrong = 0
  integer :: blocks(64)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)

  do i = 1, ranks
    blocks(i) = 100 * rank + i - 1
  end do
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, blocks, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 1, ranks
    if (blocks(i) /= 100 * (i - 1) + rank) wrong = wrong + 1
  end do

  blocks = -1
  blocks(rank + 1) = rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, blocks, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 1, ranks
    if (blocks(i) /= i - 1) wrong = wrong + 1
  end do

  own = -1
  if (rank == 1) then
    do i = 1, ranks
      blocks(i) = 3 * i
    end do
    call MPI_Scatter(blocks, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
    own = blocks(2)
  else
    call MPI_Scatter(blocks, 1, MPI_INTEGER, own, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  end if
  if (own /= 3 * (rank + 1)) wrong = wrong + 1

  own = rank + 1
  call MPI_Scan(MPI_IN_PLACE, own, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (own /= (rank + 1) * (rank + 2) / 2) wrong = wrong + 1

  own = rank + 1
  before = -1
  call MPI_Exscan(own, before, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank > 0 .and. before /= rank * (rank + 1) / 2) wrong = wrong + 1

  print '(a, i0)', 'wrong: ', wrong
  call MPI_Finalize(error)
end program
