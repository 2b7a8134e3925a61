! An exchange left out on purpose, so that a test can show that every one of them matters; omission.hpp in Fortran.
module kit_omission
  use kit_options, only: parse_whole
  implicit none
  private
  public :: read_omission, left_out

  character(:), allocatable :: routine
  integer :: number = 0

contains

  ! From an environment variable, the same on all ranks: `momentum:2` leaves out the second exchange of momentum.
  subroutine read_omission(variable)
    character(*), intent(in) :: variable
    character(64) :: text
    integer :: status, colon

    call get_environment_variable(variable, text, status=status)
    if (status /= 0) return
    colon = index(text, ':')
    if (colon == 0) colon = len_trim(text) + 1
    routine = text(:colon - 1)
    number = parse_whole(trim(text(colon + 1:)), 'the number in '//variable, 1, 1000)
  end subroutine read_omission

  logical function left_out(of_routine, the_nth)
    character(*), intent(in) :: of_routine
    integer, intent(in) :: the_nth

    left_out = .false.
    if (number == the_nth) left_out = routine == of_routine
  end function left_out

end module kit_omission
