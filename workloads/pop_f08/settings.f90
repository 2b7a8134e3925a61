! What the user can choose; the same as in ../pop.
module pop_settings
  use, intrinsic :: iso_fortran_env, only: real64
  use kit_options, only: option_choice, option_sizes, option_text, option_whole, read_options
  use kit_program, only: usage_error
  implicit none
  private
  public :: settings, read_settings, usage

  type :: settings
    integer :: nx, ny, nz
    integer :: tracers
    integer :: steps
    character(:), allocatable :: solver   ! chrongear or standard
    character(:), allocatable :: problem  ! gyres or seiche
    integer :: members                    ! oceans that are advanced together
    integer :: first_member               ! the number of the first: what they start from
    integer :: columns = 0, rows = 0      ! blocks; 0 where the program chooses
  end type settings

  character(*), parameter :: nl = new_line('a')
  character(*), parameter :: usage = &
    'pop_f08: steps of an ocean model on a latitude-longitude grid, on any number of MPI processes'//nl// &
    '  --grid NXxNYxNZ           points west to east, south to north, and levels (320x384x40)'//nl// &
    '  --tracers N               temperature, salinity and N - 2 dyes (2)'//nl// &
    '  --steps N                 steps, of 20 minutes on the finest grids to an hour (3)'//nl// &
    '  --solver NAME             standard or chrongear: the form of conjugate gradients (chrongear)'//nl// &
    '  --members N               oceans advanced together, each from a different initial hill (1)'//nl// &
    '  --first-member N          number of the first, which sets its initial hill; 0: the same hill as without'//nl// &
    '                            --members and --first-member (0)'//nl// &
    '  --case gyres|seiche       wind-driven gyres around a continent, or a seiche of known period (gyres)'//nl// &
    '  --blocks COLUMNSxROWS     decomposition (default: shortest boundaries)'//nl

contains

  function read_settings() result(chosen)
    type(settings) :: chosen
    integer, allocatable :: sizes(:)

    call read_options([character(12) :: 'grid', 'tracers', 'steps', 'solver', 'members', 'first-member', 'case', &
                       'blocks'])
    sizes = option_sizes('grid', '320x384x40', 3, 100000)
    chosen%nx = sizes(1)
    chosen%ny = sizes(2)
    chosen%nz = sizes(3)
    chosen%tracers = option_whole('tracers', 2, 2, 100)
    chosen%members = option_whole('members', 1, 1, 10000)
    chosen%first_member = option_whole('first-member', 0, 0, 1000000)
    if (product(real(sizes, real64))*chosen%tracers*chosen%members > real(huge(1), real64)) then
      call usage_error('--grid and --tracers exceed 2^31 points'//trim(merge(' with all members', &
                       repeat(' ', 17), chosen%members > 1)))
    end if
    chosen%steps = option_whole('steps', 3, 1, 1000000)
    chosen%solver = option_choice('solver', [character(9) :: 'chrongear', 'standard'])
    chosen%problem = option_choice('case', [character(6) :: 'gyres', 'seiche'])
    if (option_text('blocks', 'auto') /= 'auto') then
      sizes = option_sizes('blocks', '4x2', 1, 100000)
      chosen%columns = sizes(1)
      chosen%rows = sizes(2)
    end if
  end function read_settings

end module pop_settings
