! A ring of ranks, around the example of docs/build-in/segments.md.
program segments_docs
  ! LIBRARY
  use mpi
  implicit none
  integer, parameter :: tracers = 3, nx = 4, ny = 2, nz = 3
  character(len=9), parameter :: names(tracers) = ["nitrate  ", "phosphate", "oxygen   "]
  real(8), target :: c(ny, nz, 0:nx + 1, tracers)
  integer :: comm, rank, ranks, rank_west, rank_east, west, east, field, t, wrong, error

  comm = MPI_COMM_WORLD
  call MPI_Init(error)
  call MPI_Comm_rank(comm, rank, error)
  call MPI_Comm_size(comm, ranks, error)
  rank_west = modulo(rank - 1, ranks)
  rank_east = modulo(rank + 1, ranks)
  do t = 1, tracers
    c(:, :, :, t) = cells(rank, t)
  end do
  block
    ! EXAMPLE
  end block
  wrong = 0
  do t = 1, tracers
    associate (from_west => cells(rank_west, t), from_east => cells(rank_east, t))
      wrong = wrong + count(c(:, :, 0, t) /= from_west(:, :, nx + 1)) + count(c(:, :, nx + 1, t) /= from_east(:, :, 2))
    end associate
  end do
  print "(a,i0,a,i0,a)", "rank ", rank, ": ", wrong, " wrong"
  call MPI_Finalize(error)

contains

  function cells(owner, tracer)
    integer, intent(in) :: owner, tracer
    real(8) :: cells(ny, nz, nx + 2)
    integer :: n
    cells = 1e6_8 * owner + 1e3_8 * tracer + reshape([(real(n, 8), n=1, size(cells))], shape(cells))
  end function cells
end program segments_docs
