! The frame a workload in Fortran runs in, as program.hpp is for those in C++: MPI started and ended, what cannot be done
! turned into one line and exit code 2.
module kit_program
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use mpi_f08
  implicit none
  private
  public :: start_program, end_program, usage_error, counted, decimal, lower

  character(:), allocatable :: program_name
  integer, public, protected :: own_rank, ranks

contains

  ! Ends the program after printing `usage` where --help is among the words.
  subroutine start_program(name, usage)
    character(*), intent(in) :: name, usage
    character(8) :: word
    integer :: n

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, own_rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    program_name = name
    do n = 1, command_argument_count()
      call get_command_argument(n, word)
      if (word /= '--help') cycle
      if (own_rank == 0) write (output_unit, '(a)', advance='no') usage
      call end_program(0)
    end do
  end subroutine start_program

  ! The error is printed once, by rank 0; nothing is printed for exit code 0.
  subroutine end_program(code, reason)
    integer, intent(in) :: code
    character(*), intent(in), optional :: reason

    if (present(reason) .and. own_rank == 0) write (error_unit, '(a)') program_name//': '//reason
    flush (error_unit)
    flush (output_unit)
    call MPI_Finalize()
    stop code, quiet=.true.
  end subroutine end_program

  ! What the user asked for cannot be done. Every rank must call it alike; it does not return.
  subroutine usage_error(reason)
    character(*), intent(in) :: reason

    call end_program(2, reason)
  end subroutine usage_error

  ! "1 step", "3 steps"
  pure function counted(number, what) result(text)
    integer, intent(in) :: number
    character(*), intent(in) :: what
    character(:), allocatable :: text

    text = decimal(number)//' '//what
    if (number /= 1) text = text//'s'
  end function counted

  pure function decimal(number) result(text)
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(12) :: buffer

    write (buffer, '(i0)') number
    text = trim(buffer)
  end function decimal

  ! A number as C prints it: without blanks, with a small e.
  pure function lower(number) result(text)
    character(*), intent(in) :: number
    character(:), allocatable :: text
    integer :: e

    text = trim(adjustl(number))
    e = index(text, 'E')
    if (e > 0) text(e:e) = 'e'
  end function lower

end module kit_program
