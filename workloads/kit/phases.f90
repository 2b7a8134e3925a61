! Where a run's time goes; phases.hpp in Fortran.
module kit_phases
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  implicit none
  private
  public :: phases, new_phases

  type :: phases
    character(16), allocatable :: names(:)
    real(real64), allocatable :: spent_s(:)
    integer(int64) :: begin, phase_begin
  contains
    procedure :: start, stop => stop_phase, slowest
  end type phases

contains

  function new_phases(names) result(self)
    character(*), intent(in) :: names(:)
    type(phases) :: self

    self%names = names
    allocate (self%spent_s(size(names)), source=0.0_real64)
    call system_clock(self%begin)
    self%phase_begin = self%begin
  end function new_phases

  subroutine start(self)
    class(phases), intent(inout) :: self

    call system_clock(self%phase_begin)
  end subroutine start

  ! Counts the time since the last start to the phase.
  subroutine stop_phase(self, phase)
    class(phases), intent(inout) :: self
    integer, intent(in) :: phase

    self%spent_s(phase) = self%spent_s(phase) + since(self%phase_begin)
  end subroutine stop_phase

  ! "12.30 s (setup 4.50 s, output 0.10 s)", each on the rank where it took longest. Collective; complete on rank 0.
  function slowest(self) result(text)
    class(phases), intent(in) :: self
    character(:), allocatable :: text
    real(real64), allocatable :: mine(:), longest(:)
    integer :: n

    mine = [self%spent_s, since(self%begin)]
    longest = mine
    call MPI_Reduce(mine, longest, size(mine), MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
    text = seconds(longest(size(longest)))//' ('
    do n = 1, size(self%names)
      if (n > 1) text = text//', '
      text = text//trim(self%names(n))//' '//seconds(longest(n))
    end do
    text = text//')'
  end function slowest

  real(real64) function since(begin)
    integer(int64), intent(in) :: begin
    integer(int64) :: now, per_second

    call system_clock(now, per_second)
    since = real(now - begin, real64)/real(per_second, real64)
  end function since

  pure function seconds(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    character(24) :: buffer

    if (value < 10.0_real64) then
      write (buffer, '(f24.2)') value
    else
      write (buffer, '(f24.1)') value
    end if
    text = trim(adjustl(buffer))//' s'
  end function seconds

end module kit_phases
