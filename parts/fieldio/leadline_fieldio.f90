! Field I/O in Fortran 2018: fields that are spread over the ranks, in NetCDF files.
!
!   type(field_spread) :: spread
!   type(field_file) :: file
!   spread = spread_create(MPI_COMM_WORLD%mpi_val, whole=[nx, ny], first=[1, y1], count=[nx, y2 - y1 + 1], &
!     sizes=shape(c), offset=[0, 1], halo=[0, 1])               ! with `use mpi`: MPI_COMM_WORLD
!   file = fieldio_open(MPI_COMM_WORLD%mpi_val, "start.nc")
!   temperature = fieldio_variable(file, "temperature", [nx, ny])
!   call fieldio_read(file, temperature, spread, c)
!   call fieldio_close(file)
!
! Dimensions are in Fortran's order, the first is contiguous, here as in the file (ncdump shows them the other way
! round); `first` and leading indices count from 1, dimensions and variables have the numbers of C. Arrays must be
! contiguous. Errors end the program with the message, unless the optional `code` is there to take them;
! fieldio_message gives the text.
!
! Compile the C sources beside this file with -DLEADLINE_FIELDIO_FORTRAN, then this file (docs/build-in/fieldio.md).
module leadline_fieldio
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, c_int64_t, c_loc, &
    c_null_char, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: field_spread, spread_create, spread_mask, spread_free, field_file, fieldio_open, fieldio_create, &
    fieldio_dimension, fieldio_define, fieldio_text, fieldio_end_definitions, fieldio_length, fieldio_variable, &
    fieldio_read, fieldio_write, fieldio_close, fieldio_free, fieldio_message, hints_choice, fieldio_choose_hints

  integer, parameter, public :: fieldio_auto = 0, fieldio_parallel = 1, fieldio_gathered = 2, fieldio_serial = 3
  integer, parameter, public :: fieldio_int8 = 0, fieldio_int32 = 1, fieldio_int64 = 2, fieldio_float = 3, &
    fieldio_double = 4

  type :: field_spread
    type(c_ptr) :: handle = c_null_ptr
  end type field_spread

  type :: field_file
    type(c_ptr) :: handle = c_null_ptr
  end type field_file

  integer, parameter :: hint_sets = 7, longest_hints = 256  ! as in leadline_fieldio.h

  ! As leadline_fieldio_choice there. hints: ends with a null character. Times are of writing and reading once.
  type, bind(C) :: hints_choice
    character(kind=c_char) :: hints(longest_hints)
    integer(c_int) :: set, kept, rounds
    real(c_double) :: took_s
    integer(c_int64_t) :: written_bytes
    real(c_double), dimension(hint_sets) :: median_s, least_s, most_s
  end type hints_choice

  type, bind(C) :: trial_c
    integer(c_int) :: rounds
    real(c_double) :: limit_s
    type(c_ptr) :: keep
  end type trial_c

  interface
    integer(c_int) function spread_c(comm, dimensions, whole, first, count, sizes, offset, halo, handle) &
        bind(C, name="leadline_spread_create_f")
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm, dimensions
      integer(c_int64_t), intent(in) :: whole(*), first(*), count(*), sizes(*), offset(*), halo(*)
      type(c_ptr), intent(out) :: handle
    end function spread_c

    subroutine mask_c(handle, mask, land) bind(C, name="leadline_spread_mask_f")
      import :: c_double, c_ptr
      type(c_ptr), value :: handle
      type(*), dimension(..), intent(in) :: mask
      real(c_double), value :: land
    end subroutine mask_c

    function spread_message_c(handle) bind(C, name="leadline_spread_message") result(text)
      import :: c_ptr
      type(c_ptr), value :: handle
      type(c_ptr) :: text
    end function spread_message_c

    subroutine spread_free_c(handle) bind(C, name="leadline_spread_free")
      import :: c_ptr
      type(c_ptr), intent(inout) :: handle
    end subroutine spread_free_c

    integer(c_int) function open_c(comm, path, create, way, limit, hints, handle) bind(C, name="leadline_fieldio_open_f")
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int), value :: comm, create, way
      character(kind=c_char), intent(in) :: path(*), hints(*)
      integer(c_int64_t), value :: limit
      type(c_ptr), intent(out) :: handle
    end function open_c

    integer(c_int) function dimension_c(handle, name, length) bind(C, name="leadline_fieldio_dimension")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: length
    end function dimension_c

    integer(c_int) function define_c(handle, name, kind, dimensions, dimension) bind(C, name="leadline_fieldio_define")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: kind, dimensions
      integer(c_int), intent(in) :: dimension(*)
    end function define_c

    subroutine text_c(handle, variable, attribute, text) bind(C, name="leadline_fieldio_text")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: variable
      character(kind=c_char), intent(in) :: attribute(*), text(*)
    end subroutine text_c

    integer(c_int) function end_definitions_c(handle) bind(C, name="leadline_fieldio_end_definitions")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function end_definitions_c

    integer(c_int) function length_c(handle, dimension, length) bind(C, name="leadline_fieldio_get_length")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: dimension(*)
      integer(c_int64_t), intent(out) :: length
    end function length_c

    integer(c_int) function variable_c(handle, name, dimensions, sizes, variable) &
        bind(C, name="leadline_fieldio_variable")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: sizes(*)
      integer(c_int), intent(out) :: variable
    end function variable_c

    integer(c_int) function read_c(handle, variable, leading, index, spread, values) &
        bind(C, name="leadline_fieldio_read_f")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle, spread
      integer(c_int), value :: variable, leading
      integer(c_int64_t), intent(in) :: index(*)
      type(*), dimension(..), intent(inout) :: values
    end function read_c

    integer(c_int) function write_c(handle, variable, leading, index, spread, values) &
        bind(C, name="leadline_fieldio_write_f")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle, spread
      integer(c_int), value :: variable, leading
      integer(c_int64_t), intent(in) :: index(*)
      type(*), dimension(..), intent(in) :: values
    end function write_c

    integer(c_int) function close_c(handle) bind(C, name="leadline_fieldio_close")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function close_c

    subroutine free_c(handle) bind(C, name="leadline_fieldio_free")
      import :: c_ptr
      type(c_ptr), intent(inout) :: handle
    end subroutine free_c

    function message_c(handle) bind(C, name="leadline_fieldio_message") result(text)
      import :: c_ptr
      type(c_ptr), value :: handle
      type(c_ptr) :: text
    end function message_c

    integer(c_int) function choose_c(comm, path, spread, trial, choice, message, message_bytes) &
        bind(C, name="leadline_fieldio_choose_hints_f")
      import :: c_char, c_int, c_ptr, c_size_t, hints_choice, trial_c
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: spread
      type(trial_c), intent(in) :: trial
      type(hints_choice), intent(out) :: choice
      character(kind=c_char), intent(out) :: message(*)
      integer(c_size_t), value :: message_bytes
    end function choose_c

    integer(c_size_t) function strlen(text) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function strlen
  end interface

contains

  ! first: of this rank's block, from 1. sizes, offset: of the array that the block lies in, and how many points of it
  ! come before the block. halo: how many points around the block are read, too.
  function spread_create(comm, whole, first, count, sizes, offset, halo, code) result(spread)
    integer, intent(in) :: comm, whole(:), first(:), count(:)
    integer, intent(in), optional :: sizes(:), offset(:), halo(:)
    integer, intent(out), optional :: code
    type(field_spread) :: spread
    integer(c_int64_t), dimension(size(whole)) :: array, before, around
    integer(c_int) :: found
    array = count
    before = 0
    around = 0
    if (present(sizes)) array = sizes
    if (present(offset)) before = offset
    if (present(halo)) around = halo
    found = spread_c(int(comm, c_int), int(size(whole), c_int), turned(whole), turned(first - 1), turned(count), &
      array(size(whole):1:-1), before(size(whole):1:-1), around(size(whole):1:-1), spread%handle)
    if (.not. c_associated(spread%handle)) error stop "out of memory for the field"
    if (found /= 0 .and. .not. present(code)) call end_with(text_of(spread_message_c(spread%handle)))
    if (present(code)) code = int(found)
  end function spread_create

  ! mask: a byte for each point of the array, 0 on land; it stays where it is. Land is not read, and is written as `land`.
  subroutine spread_mask(spread, mask, land)
    type(field_spread), intent(in) :: spread
    integer(1), intent(in), target :: mask(..)
    real(8), intent(in) :: land
    call mask_c(spread%handle, mask, real(land, c_double))
  end subroutine spread_mask

  subroutine spread_free(spread)
    type(field_spread), intent(inout) :: spread
    call spread_free_c(spread%handle)
  end subroutine spread_free

  function fieldio_open(comm, path, way, limit_bytes, hints, code) result(file)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: way
    integer(8), intent(in), optional :: limit_bytes
    character(len=*), intent(in), optional :: hints
    integer, intent(out), optional :: code
    type(field_file) :: file
    call begin(0, comm, path, way, limit_bytes, hints, file, code)
  end function fieldio_open

  function fieldio_create(comm, path, way, limit_bytes, hints, code) result(file)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: way
    integer(8), intent(in), optional :: limit_bytes
    character(len=*), intent(in), optional :: hints
    integer, intent(out), optional :: code
    type(field_file) :: file
    call begin(1, comm, path, way, limit_bytes, hints, file, code)
  end function fieldio_create

  integer function fieldio_dimension(file, name, length)
    type(field_file), intent(in) :: file
    character(len=*), intent(in) :: name
    integer, intent(in) :: length
    fieldio_dimension = dimension_c(file%handle, trim(name) // c_null_char, int(length, c_int64_t))
  end function fieldio_dimension

  integer function fieldio_define(file, name, kind, dimensions)
    type(field_file), intent(in) :: file
    character(len=*), intent(in) :: name
    integer, intent(in) :: kind, dimensions(:)
    fieldio_define = define_c(file%handle, trim(name) // c_null_char, int(kind, c_int), &
      int(size(dimensions), c_int), int(dimensions(size(dimensions):1:-1), c_int))
  end function fieldio_define

  subroutine fieldio_text(file, variable, attribute, text)
    type(field_file), intent(in) :: file
    integer, intent(in) :: variable
    character(len=*), intent(in) :: attribute, text
    call text_c(file%handle, int(variable, c_int), trim(attribute) // c_null_char, trim(text) // c_null_char)
  end subroutine fieldio_text

  subroutine fieldio_end_definitions(file, code)
    type(field_file), intent(in) :: file
    integer, intent(out), optional :: code
    call report(file, end_definitions_c(file%handle), code)
  end subroutine fieldio_end_definitions

  integer function fieldio_length(file, dimension, code)
    type(field_file), intent(in) :: file
    character(len=*), intent(in) :: dimension
    integer, intent(out), optional :: code
    integer(c_int64_t) :: length
    integer(c_int) :: found
    found = length_c(file%handle, trim(dimension) // c_null_char, length)
    fieldio_length = int(length)
    call report(file, found, code)
  end function fieldio_length

  integer function fieldio_variable(file, name, sizes, code)
    type(field_file), intent(in) :: file
    character(len=*), intent(in) :: name
    integer, intent(in) :: sizes(:)
    integer, intent(out), optional :: code
    integer(c_int) :: found, number
    found = variable_c(file%handle, trim(name) // c_null_char, int(size(sizes), c_int), turned(sizes), number)
    fieldio_variable = number
    call report(file, found, code)
  end function fieldio_variable

  ! values: the array that the block lies in, contiguous, of real or integer with 4 or 8 bytes. index: of the dimensions
  ! that the variable has after the field's, from 1.
  subroutine fieldio_read(file, variable, spread, values, index, code)
    type(field_file), intent(in) :: file
    integer, intent(in) :: variable
    type(field_spread), intent(in) :: spread
    type(*), dimension(..), intent(inout) :: values
    integer, intent(in), optional :: index(:)
    integer, intent(out), optional :: code
    call report(file, read_c(file%handle, int(variable, c_int), number_of(index), leading(index), spread%handle, values), &
      code)
  end subroutine fieldio_read

  subroutine fieldio_write(file, variable, spread, values, index, code)
    type(field_file), intent(in) :: file
    integer, intent(in) :: variable
    type(field_spread), intent(in) :: spread
    type(*), dimension(..), intent(in) :: values
    integer, intent(in), optional :: index(:)
    integer, intent(out), optional :: code
    call report(file, write_c(file%handle, int(variable, c_int), number_of(index), leading(index), spread%handle, values), &
      code)
  end subroutine fieldio_write

  subroutine fieldio_close(file, code)
    type(field_file), intent(inout) :: file
    integer, intent(out), optional :: code
    call report(file, close_c(file%handle), code)
    if (.not. present(code)) call free_c(file%handle)
  end subroutine fieldio_close

  ! Collective. After a close with `code`, for which the message stays.
  subroutine fieldio_free(file)
    type(field_file), intent(inout) :: file
    call free_c(file%handle)
  end subroutine fieldio_free

  function fieldio_message(file) result(message)
    type(field_file), intent(in) :: file
    character(len=:), allocatable :: message
    message = text_of(message_c(file%handle))
  end function fieldio_message

  ! Collective. The hints that were fastest for a field that is spread so, for fieldio_open and fieldio_create. Tries them
  ! with the scratch file PATH.hints; docs/build-in/fieldio.md says how. keep: a file of choices. choice: what was found, in full.
  ! message: with `code`, what is wrong.
  function fieldio_choose_hints(comm, path, spread, rounds, limit_s, keep, choice, code, message) result(hints)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    type(field_spread), intent(in) :: spread
    integer, intent(in), optional :: rounds
    real(8), intent(in), optional :: limit_s
    character(len=*), intent(in), optional :: keep
    type(hints_choice), intent(out), optional :: choice
    integer, intent(out), optional :: code
    character(len=:), allocatable, intent(out), optional :: message
    character(len=:), allocatable :: hints
    character(kind=c_char), allocatable, target :: kept_in(:)
    character(kind=c_char), target :: said(1024)
    type(hints_choice), target :: found
    type(trial_c) :: trial
    integer(c_int) :: how
    integer :: n
    trial = trial_c(0, 0.0d0, c_null_ptr)
    if (present(rounds)) trial%rounds = int(rounds, c_int)
    if (present(limit_s)) trial%limit_s = limit_s
    if (present(keep)) then
      kept_in = [(keep(n:n), n = 1, len_trim(keep)), c_null_char]
      trial%keep = c_loc(kept_in)
    end if
    how = choose_c(int(comm, c_int), trim(path) // c_null_char, spread%handle, trial, found, said, &
      size(said, kind=c_size_t))
    if (how /= 0 .and. .not. present(code)) call end_with(text_of(c_loc(said)))
    hints = ""
    if (how == 0) hints = text_of(c_loc(found%hints))
    if (present(choice)) choice = found
    if (present(code)) code = int(how)
    if (present(message)) message = text_of(c_loc(said))
  end function fieldio_choose_hints

  subroutine begin(create, comm, path, way, limit_bytes, hints, file, code)
    integer, intent(in) :: create, comm
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: way
    integer(8), intent(in), optional :: limit_bytes
    character(len=*), intent(in), optional :: hints
    type(field_file), intent(out) :: file
    integer, intent(out), optional :: code
    character(len=:), allocatable :: chosen
    integer(c_int64_t) :: limit
    integer(c_int) :: how, found
    how = fieldio_auto
    limit = 0
    chosen = ""
    if (present(way)) how = int(way, c_int)
    if (present(limit_bytes)) limit = limit_bytes
    if (present(hints)) chosen = trim(hints)
    found = open_c(int(comm, c_int), trim(path) // c_null_char, int(create, c_int), how, limit, &
      chosen // c_null_char, file%handle)
    call report(file, found, code)
  end subroutine begin

  ! In the order of C.
  pure function turned(numbers)
    integer, intent(in) :: numbers(:)
    integer(c_int64_t) :: turned(size(numbers))
    turned = numbers(size(numbers):1:-1)
  end function turned

  pure integer(c_int) function number_of(index)
    integer, intent(in), optional :: index(:)
    number_of = 0
    if (present(index)) number_of = int(size(index), c_int)
  end function number_of

  pure function leading(index)
    integer, intent(in), optional :: index(:)
    integer(c_int64_t), allocatable :: leading(:)
    if (present(index)) then
      leading = turned(index - 1)
    else
      leading = [integer(c_int64_t) ::]
    end if
  end function leading

  function text_of(place) result(message)
    type(c_ptr), intent(in) :: place
    character(len=:), allocatable :: message
    character(kind=c_char), pointer :: text(:)
    integer :: n
    call c_f_pointer(place, text, [strlen(place)])
    allocate (character(len=size(text)) :: message)
    do n = 1, size(text)
      message(n:n) = text(n)
    end do
  end function text_of

  subroutine end_with(message)
    character(len=*), intent(in) :: message
    write (error_unit, "(a)") "fieldio: " // message
    error stop 1
  end subroutine end_with

  subroutine report(file, found, code)
    type(field_file), intent(in) :: file
    integer(c_int), intent(in) :: found
    integer, intent(out), optional :: code
    if (present(code)) then
      code = int(found)
    else if (found /= 0) then
      call end_with(fieldio_message(file))
    end if
  end subroutine report
end module leadline_fieldio
