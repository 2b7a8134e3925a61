! Named regions of a program, for Leadline. Compile this file with the program: nothing else is needed, and the program
! builds and runs without Leadline. Unless the program is being recorded, a region costs one test of a pointer.
!
!   use leadline
!   call leadline_region_begin("halo")
!   ...
!   call leadline_region_end("halo")
!
! Regions nest, and each thread has its own. Blanks at a name's end do not count. (glibc before 2.34: link with -ldl.)
module leadline
  use, intrinsic :: iso_c_binding, only: c_char, c_f_procpointer, c_funptr, c_associated, c_null_char, c_null_ptr, &
    c_ptr, c_size_t
  implicit none
  private
  public :: leadline_region_begin, leadline_region_end

  abstract interface
    subroutine named(name, length) bind(C)
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine named
  end interface

  interface
    function dlsym(handle, symbol) bind(C, name="dlsym") result(address)
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: address
    end function dlsym
  end interface

  logical, save :: looked = .false.
  procedure(named), pointer, save :: enter => null(), leave => null()

contains

  subroutine leadline_region_begin(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look
    if (associated(enter)) call enter(name, len_trim(name, kind=c_size_t))
  end subroutine leadline_region_begin

  subroutine leadline_region_end(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look
    if (associated(leave)) call leave(name, len_trim(name, kind=c_size_t))
  end subroutine leadline_region_end

  ! Several threads may do this at once: they find the same.
  subroutine look
    type(c_funptr) :: found_enter, found_leave
    found_enter = dlsym(c_null_ptr, "leadline_region_enter_1" // c_null_char)
    found_leave = dlsym(c_null_ptr, "leadline_region_leave_1" // c_null_char)
    if (c_associated(found_enter) .and. c_associated(found_leave)) then
      call c_f_procpointer(found_enter, enter)
      call c_f_procpointer(found_leave, leave)
    end if
    looked = .true.
  end subroutine look

end module leadline
