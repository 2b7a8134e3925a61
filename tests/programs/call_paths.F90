! call_paths.c in Fortran, with `use mpi_f08` or, with -DUSE_MPI, `use mpi`.  call_paths STEPS
module halo_exchange
#ifdef USE_MPI
  use mpi
#define HANDLE(kind) integer
#else
  use mpi_f08
#define HANDLE(kind) type(kind)
#endif
  implicit none
  integer, parameter :: length = 64, advections = 8, diffusions = 3
  double precision, asynchronous :: field(length), ghost(length)
  integer :: rank, ranks, left, right
contains
  double precision function exchange(tag)
    integer, intent(in) :: tag
    HANDLE(MPI_Request) :: requests(2)
    integer :: code
    call MPI_Irecv(ghost, length, MPI_DOUBLE_PRECISION, left, tag, MPI_COMM_WORLD, requests(1), code) ! at:irecv
    call MPI_Isend(field, length, MPI_DOUBLE_PRECISION, right, tag, MPI_COMM_WORLD, requests(2), code) ! at:isend
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, code) ! at:waitall
    exchange = ghost(1 + mod(tag, length))
  end function

  double precision function advect()
    integer :: i
    advect = exchange(100) ! at:advect-first
    do i = 1, advections - 1
      advect = advect + exchange(i) ! at:advect-loop
    end do
  end function

  double precision function diffuse()
    integer :: i
    diffuse = 1
    do i = 0, diffusions - 1
      diffuse = diffuse + exchange(i) ! at:diffuse
    end do
  end function

  double precision function integrate()
    integrate = 2 + exchange(0) ! at:integrate
  end function
end module

program call_paths
  use halo_exchange
  implicit none
  integer :: step, steps, i, code
  double precision :: part, total
  character(len=20) :: argument
  call get_command_argument(1, argument)
  read (argument, *) steps
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  field = [(rank + i - 1, i=1, length)]
  part = 0
  do step = 1, steps
    part = part + advect() ! at:main-advect
    part = part + diffuse() ! at:main-diffuse
    part = part + integrate() ! at:main-integrate
  end do
  call MPI_Allreduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code) ! at:allreduce
  if (rank == 0) print '(a, f0.1)', 'total ', total
  call MPI_Finalize(code)
end program
