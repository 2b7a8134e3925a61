! Packed exchanges in Fortran 2018: what many fields send to the same neighbours, in as few messages as pay.
!
!   type(segments_plan) :: plan
!   plan = segments_create(MPI_COMM_WORLD%mpi_val)              ! with `use mpi`: MPI_COMM_WORLD
!   east = segments_neighbour(plan, rank_of_east, outgoing=0, incoming=1)
!   salt = segments_field(plan, "salt")
!   call segments_face(plan, salt, east, send=s(nx, :, :), receive=s(nx + 1, :, :))
!   call segments_commit(plan, segments=1)                      ! 0: found in the first exchanges
!   ...
!   call segments_exchange(plan)
!
! Arrays need the target (or asynchronous) attribute while a plan knows them. Neighbours and fields count from 0, as in
! C. A rank of -1 or MPI_PROC_NULL as `segments_nobody` is no neighbour. Errors end the program with the message, unless
! the optional `code` is there to take them; segments_message gives the text.
!
! Compile the C sources beside this file with -DLEADLINE_SEGMENTS_FORTRAN, then this file (docs/build-in/segments.md).
module leadline_segments
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_null_ptr, c_ptr, &
    c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: segments_plan, segments_create, segments_neighbour, segments_field, segments_face, segments_use, &
    segments_commit, segments_start, segments_ready, segments_wait_field, segments_wait, segments_exchange, &
    segments_free, segments_message, segments_load, segments_save, segments_tuned

  integer, parameter, public :: segments_nobody = -1, segments_auto = 0
  integer, parameter, public :: segments_by_size = 0, segments_pack = 1, segments_datatype = 2

  type :: segments_plan
    type(c_ptr) :: handle = c_null_ptr
  end type segments_plan

  interface
    function create_c(comm) bind(C, name="leadline_segments_create_f") result(handle)
      import :: c_int, c_ptr
      integer(c_int), value :: comm
      type(c_ptr) :: handle
    end function create_c

    integer(c_int) function neighbour_c(handle, rank, outgoing, incoming) bind(C, name="leadline_segments_neighbour_f")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: rank, outgoing, incoming
    end function neighbour_c

    integer(c_int) function field_c(handle, name) bind(C, name="leadline_segments_field")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
    end function field_c

    integer(c_int) function section_c(handle, field, neighbour, send, receive) bind(C, name="leadline_segments_section")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: field, neighbour
      type(*), dimension(..), intent(in), optional, target :: send
      type(*), dimension(..), intent(in), optional, target :: receive
    end function section_c

    integer(c_int) function use_c(handle, method, persistent) bind(C, name="leadline_segments_use")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: method, persistent
    end function use_c

    integer(c_int) function commit_c(handle, segments, sizes) bind(C, name="leadline_segments_commit")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: segments
      integer(c_int), intent(in), optional :: sizes(*)
    end function commit_c

    integer(c_int) function start_c(handle) bind(C, name="leadline_segments_start")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function start_c

    integer(c_int) function ready_c(handle, field) bind(C, name="leadline_segments_ready")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: field
    end function ready_c

    integer(c_int) function wait_field_c(handle, field) bind(C, name="leadline_segments_wait_field")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: field
    end function wait_field_c

    integer(c_int) function wait_c(handle) bind(C, name="leadline_segments_wait")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function wait_c

    integer(c_int) function exchange_c(handle) bind(C, name="leadline_segments_exchange")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function exchange_c

    integer(c_int) function load_c(handle, path) bind(C, name="leadline_segments_load")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: path(*)
    end function load_c

    integer(c_int) function save_c(handle, path) bind(C, name="leadline_segments_save")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: path(*)
    end function save_c

    integer(c_int) function tuned_c(handle, trials, lost_s) bind(C, name="leadline_segments_tuned")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle, trials, lost_s
    end function tuned_c

    subroutine free_c(handle) bind(C, name="leadline_segments_free_f")
      import :: c_ptr
      type(c_ptr), value :: handle
    end subroutine free_c

    function message_c(handle) bind(C, name="leadline_segments_message") result(text)
      import :: c_ptr
      type(c_ptr), value :: handle
      type(c_ptr) :: text
    end function message_c

    integer(c_size_t) function strlen(text) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function strlen
  end interface

contains

  function segments_create(comm) result(plan)
    integer, intent(in) :: comm
    type(segments_plan) :: plan
    plan%handle = create_c(int(comm, c_int))
    if (.not. c_associated(plan%handle)) error stop "out of memory for the plan"
  end function segments_create

  integer function segments_neighbour(plan, rank, outgoing, incoming)
    type(segments_plan), intent(in) :: plan
    integer, intent(in) :: rank, outgoing, incoming
    segments_neighbour = neighbour_c(plan%handle, int(rank, c_int), int(outgoing, c_int), int(incoming, c_int))
  end function segments_neighbour

  integer function segments_field(plan, name)
    type(segments_plan), intent(in) :: plan
    character(len=*), intent(in) :: name
    segments_field = field_c(plan%handle, trim(name) // c_null_char)
  end function segments_field

  ! What is absent is nothing. Wrong faces are reported by the commit.
  subroutine segments_face(plan, field, neighbour, send, receive)
    type(segments_plan), intent(in) :: plan
    integer, intent(in) :: field, neighbour
    type(*), dimension(..), intent(in), optional, target :: send
    type(*), dimension(..), intent(in), optional, target :: receive
    integer(c_int) :: ignored
    ignored = section_c(plan%handle, int(field, c_int), int(neighbour, c_int), send, receive)
  end subroutine segments_face

  ! persistent: 1 or 0; -1, the default, leaves it to the plan.
  subroutine segments_use(plan, method, persistent)
    type(segments_plan), intent(in) :: plan
    integer, intent(in) :: method
    integer, intent(in), optional :: persistent
    integer(c_int) :: wanted, ignored
    wanted = -1
    if (present(persistent)) wanted = int(persistent, c_int)
    ignored = use_c(plan%handle, int(method, c_int), wanted)
  end subroutine segments_use

  ! sizes: fields in each segment; without them the segments are equal.
  subroutine segments_commit(plan, segments, sizes, code)
    type(segments_plan), intent(in) :: plan
    integer, intent(in) :: segments
    integer, intent(in), optional :: sizes(:)
    integer, intent(out), optional :: code
    if (present(sizes)) then
      call report(plan, commit_c(plan%handle, int(segments, c_int), int(sizes, c_int)), code)
    else
      call report(plan, commit_c(plan%handle, int(segments, c_int)), code)
    end if
  end subroutine segments_commit

  subroutine segments_start(plan, code)
    type(segments_plan), intent(in) :: plan
    integer, intent(out), optional :: code
    call report(plan, start_c(plan%handle), code)
  end subroutine segments_start

  subroutine segments_ready(plan, field, code)
    type(segments_plan), intent(in) :: plan
    integer, intent(in) :: field
    integer, intent(out), optional :: code
    call report(plan, ready_c(plan%handle, int(field, c_int)), code)
  end subroutine segments_ready

  subroutine segments_wait_field(plan, field, code)
    type(segments_plan), intent(in) :: plan
    integer, intent(in) :: field
    integer, intent(out), optional :: code
    call report(plan, wait_field_c(plan%handle, int(field, c_int)), code)
  end subroutine segments_wait_field

  subroutine segments_wait(plan, code)
    type(segments_plan), intent(in) :: plan
    integer, intent(out), optional :: code
    call report(plan, wait_c(plan%handle), code)
  end subroutine segments_wait

  subroutine segments_exchange(plan, code)
    type(segments_plan), intent(in) :: plan
    integer, intent(out), optional :: code
    call report(plan, exchange_c(plan%handle), code)
  end subroutine segments_exchange

  subroutine segments_load(plan, path, code)
    type(segments_plan), intent(in) :: plan
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: code
    call report(plan, load_c(plan%handle, trim(path) // c_null_char), code)
  end subroutine segments_load

  subroutine segments_save(plan, path, code)
    type(segments_plan), intent(in) :: plan
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: code
    call report(plan, save_c(plan%handle, trim(path) // c_null_char), code)
  end subroutine segments_save

  logical function segments_tuned(plan)
    type(segments_plan), intent(in) :: plan
    segments_tuned = tuned_c(plan%handle, c_null_ptr, c_null_ptr) /= 0
  end function segments_tuned

  subroutine segments_free(plan)
    type(segments_plan), intent(inout) :: plan
    call free_c(plan%handle)
    plan%handle = c_null_ptr
  end subroutine segments_free

  function segments_message(plan) result(message)
    type(segments_plan), intent(in) :: plan
    character(len=:), allocatable :: message
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: place
    integer :: n
    place = message_c(plan%handle)
    call c_f_pointer(place, text, [strlen(place)])
    allocate (character(len=size(text)) :: message)
    do n = 1, size(text)
      message(n:n) = text(n)
    end do
  end function segments_message

  subroutine report(plan, found, code)
    type(segments_plan), intent(in) :: plan
    integer(c_int), intent(in) :: found
    integer, intent(out), optional :: code
    if (present(code)) then
      code = int(found)
    else if (found /= 0) then
      write (error_unit, "(a)") "segments: " // segments_message(plan)
      error stop 1
    end if
  end subroutine report
end module leadline_segments
