! Packed exchanges from Fortran: two arrays on a ring of ranks, every element of their halos known in advance.
! The argument says what is wrong: nothing, or "size".
program segments_test
  use leadline_segments
  use mpi
  implicit none
  integer, parameter :: nx = 5, ny = 4, nz = 3
  real(8), target :: salt(0:nx + 1, ny, nz)
  integer, target :: ice(ny, 0:nx + 1)
  type(segments_plan) :: plan
  character(len=16) :: kind
  integer :: rank, ranks, west, east, to_west, to_east, number, code, error, step, wrong, segments

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, kind)
  west = modulo(rank - 1, ranks)
  east = modulo(rank + 1, ranks)
  wrong = 0
  do segments = 0, 2
    plan = segments_create(MPI_COMM_WORLD)
    to_west = segments_neighbour(plan, west, outgoing=0, incoming=1)
    to_east = segments_neighbour(plan, east, outgoing=1, incoming=0)
    number = segments_neighbour(plan, segments_nobody, outgoing=2, incoming=3)
    number = segments_field(plan, "salt")
    call segments_face(plan, number, to_west, send=salt(1, :, :), receive=salt(0, :, :))
    if (kind == "size" .and. rank == 0) then
      call segments_face(plan, number, to_east, send=salt(nx, :, 1:2), receive=salt(nx + 1, :, :))
    else
      call segments_face(plan, number, to_east, send=salt(nx, :, :), receive=salt(nx + 1, :, :))
    end if
    number = segments_field(plan, "ice")
    call segments_face(plan, number, to_west, receive=ice(:, 0))
    call segments_face(plan, number, to_east, send=ice(:, nx))
    call segments_commit(plan, segments, code=code)
    if (code /= 0) then
      print "(a,i0,2a)", "rank ", rank, ": ", segments_message(plan)
      call segments_free(plan)
      exit
    end if
    do step = 1, 40
      call fill(step)
      call segments_start(plan)
      call segments_ready(plan, number)
      call segments_ready(plan, 0)
      call segments_wait_field(plan, 0)
      call segments_wait(plan)
      wrong = wrong + errors(step)
    end do
    if (.not. segments_tuned(plan) .and. segments > 0) wrong = wrong + 1
    call segments_free(plan)
  end do
  if (kind == "") print "(a,i0,a,i0,a)", "rank ", rank, ": ", wrong, " wrong"
  call MPI_Finalize(error)

contains

  elemental integer function value(owner, i, j, k, step)
    integer, intent(in) :: owner, i, j, k, step
    value = (((owner * 100 + i) * 100 + j) * 10 + k) * 41 + step
  end function value

  subroutine fill(step)
    integer, intent(in) :: step
    integer :: i, j, k
    salt = -1.0d0
    ice = -1
    do i = 1, nx
      do j = 1, ny
        ice(j, i) = value(rank, i, j, 0, step)
        do k = 1, nz
          salt(i, j, k) = value(rank, i, j, k, step)
        end do
      end do
    end do
  end subroutine fill

  integer function errors(step)
    integer, intent(in) :: step
    integer :: i, j, k
    errors = 0
    do j = 1, ny
      if (ice(j, 0) /= value(west, nx, j, 0, step)) errors = errors + 1
      if (ice(j, nx + 1) /= -1) errors = errors + 1
      do k = 1, nz
        if (salt(0, j, k) /= value(west, nx, j, k, step)) errors = errors + 1
        if (salt(nx + 1, j, k) /= value(east, 1, j, k, step)) errors = errors + 1
        do i = 1, nx
          if (salt(i, j, k) /= value(rank, i, j, k, step)) errors = errors + 1
        end do
      end do
    end do
  end function errors
end program segments_test
