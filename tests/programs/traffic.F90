! The calls of traffic.c from Fortran: compiled with -DMPIF_H (include 'mpif.h'), -DUSE_MPI and -DUSE_MPI_F08.
! How often each function is called is the table in tests/recorder/traffic_table.py.  traffic ROUNDS DIRECTORY
#if defined(USE_MPI_F08)
#define USE_IT use mpi_f08
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define TAG_OF(name) name%MPI_TAG
#else
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define TAG_OF(name) name(MPI_TAG)
#if defined(USE_MPI)
#define USE_IT use mpi
#else
#define USE_IT
#endif
#endif

module reduction
  implicit none
contains
#ifdef USE_MPI_F08
  subroutine add_vectors(a, b, n, kind_of)
    use mpi_f08
    use iso_c_binding
    type(c_ptr), value :: a, b
    integer :: n
    type(MPI_Datatype) :: kind_of
    double precision, pointer :: x(:), y(:)
    call c_f_pointer(a, x, [n])
    call c_f_pointer(b, y, [n])
    y = y + x
  end subroutine
#else
  subroutine add_vectors(a, b, n, kind_of)
    integer :: n, kind_of
    double precision :: a(n), b(n)
    b = b + a
  end subroutine
#endif
end module

program traffic
  USE_IT
  use iso_c_binding, only: c_ptr
  use reduction
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: length = 8, max_size = 16, room = length * max_size
  double precision, save, asynchronous :: out(room), in(room), res(room), memory(room)
  character, save :: attached(4096)
  double precision :: check = 0
  integer :: me, ranks, left, right, rounds, round, code
  character(len=1000) :: argument, directory

  call get_command_argument(1, argument)
  read (argument, *) rounds
  call get_command_argument(2, directory)
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  left = mod(me + ranks - 1, ranks)
  right = mod(me + 1, ranks)
  do round = 1, rounds
    call modes()
    call nobody()
    call persistent()
    call probes()
    call completions()
    call wildcards()
    call collectives()
    call nonblocking_collectives()
    call communicators()
    call topologies()
    call enquiries()
    call datatypes()
    call windows()
    call files()
    call attributes()
    call errors()
  end do
  print '(a, i0, a, i0, a, g0)', 'rank ', me, ' of ', ranks, ': check ', check
  call MPI_Finalize(code)

contains

  subroutine fill(value)
    integer, intent(in) :: value
    integer :: i
    do i = 1, room
      out(i) = value + me + i - 1
    end do
    in = 0
    res = 0
  end subroutine

  subroutine receive(tag, request)
    integer, intent(in) :: tag
    HANDLE(MPI_Request) :: request
    call MPI_Irecv(in, length, MPI_DOUBLE_PRECISION, left, tag, MPI_COMM_WORLD, request, code)
  end subroutine

  subroutine done(request)
    HANDLE(MPI_Request) :: request
    call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  end subroutine

  subroutine both(pair)
    HANDLE(MPI_Request) :: pair(2)
    call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE, code)
  end subroutine

#include "traffic_messages.inc"
#include "traffic_groups.inc"
#include "traffic_objects.inc"
end program
