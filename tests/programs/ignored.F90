! The main arguments that MPI says are ignored, with rubbish in them, from Fortran. On two ranks; prints a check.
program ignored
#ifdef MPIF_H
  implicit none
  include 'mpif.h'
#define DATATYPE integer
#define REQUEST integer
#define RUBBISH(n) n
#else
  use mpi_f08
  implicit none
#define DATATYPE type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define RUBBISH(n) MPI_Datatype(n)
#endif
  integer :: rank, ierror, round, i
  integer :: out(4), in(4), counts(2), places(2), check
  DATATYPE :: odd, of_root
  DATATYPE :: odd_types(2), types(2)
  REQUEST :: req
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  counts = 2
  places = (/0, 2/)
  types = MPI_INTEGER
  check = 0
  do round = 1, 2
    odd = RUBBISH(0)
    if (round == 2) odd = RUBBISH(123456)
    odd_types = odd
    do i = 1, 10
      out = (/1, 2, 3, 4/) + 10 * rank
      in = (/5, 6, 7, 8/) + 10 * rank
      of_root = odd
      if (rank == 1) of_root = MPI_INTEGER
      select case (i)
      case (1)
        call MPI_Allgather(MPI_IN_PLACE, 99, odd, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      case (2)
        call MPI_Allgatherv(MPI_IN_PLACE, 99, odd, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      case (3)
        call MPI_Alltoall(MPI_IN_PLACE, 99, odd, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      case (4)
        call MPI_Alltoallv(MPI_IN_PLACE, counts, places, odd, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      case (5)
        places = 4 * places
        call MPI_Alltoallw(MPI_IN_PLACE, counts, places, odd_types, in, counts, places, types, MPI_COMM_WORLD, ierror)
        places = places / 4
      case (6)
        call MPI_Gather(out, 2, MPI_INTEGER, in, 2, of_root, 1, MPI_COMM_WORLD, ierror)
      case (7)
        if (rank == 1) then
          call MPI_Gatherv(MPI_IN_PLACE, 99, odd, in, counts, places, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
        else
          call MPI_Gatherv(out, 2, MPI_INTEGER, in, counts, places, odd, 1, MPI_COMM_WORLD, ierror)
        end if
      case (8)
        if (rank == 1) then
          call MPI_Scatter(out, 2, MPI_INTEGER, MPI_IN_PLACE, 99, odd, 1, MPI_COMM_WORLD, ierror)
        else
          call MPI_Scatter(out, 99, odd, in, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
        end if
      case (9)
        call MPI_Scatterv(out, counts, places, of_root, in, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
      case (10)
        call MPI_Iallgather(MPI_IN_PLACE, 99, odd, in, 2, MPI_INTEGER, MPI_COMM_WORLD, req, ierror)
        call MPI_Wait(req, MPI_STATUS_IGNORE, ierror)
      end select
      check = mod(check * 7 + sum(in * (/1, 2, 3, 4/)), 100003)
    end do
  end do
  print '(a, i0, a, i0)', 'rank ', rank, ': check ', check
  call MPI_Finalize(ierror)
end program
