! Writes a field, and reads it by the example of docs/build-in/fieldio.md; then tracers, land, and an error.
program fieldio_docs
  ! LIBRARY
  use mpi
  implicit none
  integer, parameter :: ny = 4, nz = 3, nx = 7
  real(8), allocatable :: temperature(:, :, :)
  integer :: comm, rank, ranks, x1, x2, x, k, y, wrong, error

  comm = MPI_COMM_WORLD
  call MPI_Init(error)
  call MPI_Comm_rank(comm, rank, error)
  call MPI_Comm_size(comm, ranks, error)
  x1 = nx * rank / ranks + 1
  x2 = nx * (rank + 1) / ranks
  allocate (temperature(ny, nz, x1 - 1:x2 + 1))
  call write_field()
  temperature = 0
  block
    ! EXAMPLE
  end block
  wrong = 0
  do x = x1 - 1, x2 + 1
    do k = 1, nz
      do y = 1, ny
        if (x < 1 .or. x > nx) then
          if (temperature(y, k, x) /= 0) wrong = wrong + 1
        else if (temperature(y, k, x) /= cell(x, k, y)) then
          wrong = wrong + 1
        end if
      end do
    end do
  end do
  call tracers(wrong)
  call chosen_hints(wrong)
  print "(a,i0,a,i0,a)", "rank ", rank, ": ", wrong, " wrong"
  call MPI_Finalize(error)

contains

  real(8) function cell(x, k, y)
    integer, intent(in) :: x, k, y
    cell = 100.0d0 * x + 10.0d0 * k + y
  end function cell

  subroutine write_field()
    type(field_spread) :: spread
    type(field_file) :: file
    integer :: variable
    do x = x1, x2
      do k = 1, nz
        do y = 1, ny
          temperature(y, k, x) = cell(x, k, y)
        end do
      end do
    end do
    spread = spread_create(comm, whole=[ny, nz, nx], first=[1, 1, x1], count=[ny, nz, x2 - x1 + 1], &
      sizes=shape(temperature), offset=[0, 0, 1])
    file = fieldio_create(comm, "start.nc", way=fieldio_gathered)
    variable = fieldio_define(file, "temperature", fieldio_double, [fieldio_dimension(file, "y", ny), &
      fieldio_dimension(file, "level", nz), fieldio_dimension(file, "x", nx)])
    call fieldio_text(file, variable, "units", "degree_Celsius")
    call fieldio_end_definitions(file)
    call fieldio_write(file, variable, spread, temperature)
    call fieldio_close(file)
    call spread_free(spread)
  end subroutine write_field

  ! The second of two tracers, in single precision, with land; the shape is asked for wrongly first.
  subroutine tracers(wrong)
    integer, intent(inout) :: wrong
    type(field_spread) :: spread
    type(field_file) :: file
    integer :: variable, code
    real(4), allocatable :: c(:, :)
    integer(1), allocatable, target :: mask(:, :)
    allocate (c(ny, x1:x2), mask(ny, x1:x2))
    c = real(rank + 1)
    mask = 1
    mask(1, :) = 0
    spread = spread_create(comm, whole=[ny, nx], first=[1, x1], count=[ny, x2 - x1 + 1])
    call spread_mask(spread, mask, -9.0d0)
    file = fieldio_create(comm, "tracers.nc", way=fieldio_gathered, limit_bytes=4096_8)
    variable = fieldio_define(file, "c", fieldio_float, [fieldio_dimension(file, "y", ny), &
      fieldio_dimension(file, "x", nx), fieldio_dimension(file, "tracer", 2)])
    call fieldio_end_definitions(file)
    call fieldio_write(file, variable, spread, c, index=[2])
    call fieldio_close(file)
    file = fieldio_open(comm, "tracers.nc", way=fieldio_gathered)
    if (fieldio_length(file, "tracer") /= 2) wrong = wrong + 1
    variable = fieldio_variable(file, "c", [ny, nx, 2])
    mask = 1
    c = 0
    call fieldio_read(file, variable, spread, c, index=[2])
    wrong = wrong + count(c(1, :) /= -9.0) + count(c(2:, :) /= real(rank + 1))
    variable = fieldio_variable(file, "c", [nx, ny, 2], code)
    if (code == 0 .or. index(fieldio_message(file), "expected shape 2x4x7, got 2x7x4") == 0) wrong = wrong + 1
    call fieldio_free(file)
    call spread_free(spread)
  end subroutine tracers

  ! The choice is one that a file can be opened with, and the second is the first. A field that is too large is refused.
  subroutine chosen_hints(wrong)
    integer, intent(inout) :: wrong
    type(field_spread) :: spread
    type(field_file) :: file
    type(hints_choice) :: choice
    character(len=:), allocatable :: hints, again, message
    integer :: code
    spread = spread_create(comm, whole=[ny, nx], first=[1, x1], count=[ny, x2 - x1 + 1])
    hints = fieldio_choose_hints(comm, "scratch", spread, rounds=1, limit_s=60.0d0, keep="kept", choice=choice, code=code, &
      message=message)
    if (code /= 0) then  ! as without a PnetCDF for this library
      if (index(message, "PnetCDF") == 0 .or. len(hints) /= 0) wrong = wrong + 1
    else
      ! One round is too few for another set than the usual one.
      if (choice%set /= 0 .or. choice%rounds /= 1 .or. choice%kept /= 0) wrong = wrong + 1
      if (any(choice%least_s > choice%most_s) .or. choice%written_bytes < 7 * 8 * ny * nx) wrong = wrong + 1
      again = fieldio_choose_hints(comm, "scratch", spread, rounds=1)
      if (again /= hints .or. index(hints, "nc_header_read_chunk_size=") /= 1) wrong = wrong + 1
      file = fieldio_open(comm, "tracers.nc", hints=hints)
      call fieldio_close(file)
    end if
    call spread_free(spread)
    spread = spread_create(comm, whole=[3000, 3000 * ranks], first=[1, 3000 * rank + 1], count=[3000, 3000])
    hints = fieldio_choose_hints(comm, "scratch", spread, code=code, message=message)
    if (code == 0 .or. len(hints) /= 0 .or. len(message) == 0) wrong = wrong + 1
    call spread_free(spread)
  end subroutine chosen_hints
end program fieldio_docs
