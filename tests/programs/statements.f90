! Statements that are one call of the run-time library, and several of libc: lists are read, files closed, in routines
! that are called once. The steps are those of `model`; the loop over threads goes round once.
program statements
  use mpi
  implicit none
  integer :: ierr, rank, steps, threads, thread
  character(len=16) :: word

  call get_command_argument(1, word)
  read (word, *) steps
  call get_command_argument(2, word)
  read (word, *) threads
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  do thread = 1, threads
    call model(steps)
  end do
  call mpi_finalize(ierr)

contains

  subroutine model(steps)
    integer, intent(in) :: steps
    integer :: step
    real :: sum, own
    call write_list()
    call read_list()
    do step = 1, steps
      own = real(step)
      call mpi_allreduce(own, sum, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
      call mpi_barrier(mpi_comm_world, ierr)
      call keep(step, sum)
    end do
  end subroutine model

  function name() result(path)
    character(len=32) :: path
    write (path, '(a,i0)') 'list.', rank
  end function name

  subroutine write_list()
    real :: depth(8000)
    namelist /grid/ depth
    depth = 1.5
    open (10, file=name())
    write (10, nml=grid)
    close (10)
  end subroutine write_list

  subroutine read_list()
    real :: depth(8000)
    namelist /grid/ depth
    open (10, file=name())
    read (10, nml=grid)
    close (10, status='delete')
    if (depth(8000) /= 1.5) stop 1
  end subroutine read_list

  subroutine keep(step, sum)
    integer, intent(in) :: step
    real, intent(in) :: sum
    open (10, file=name())
    write (10, *) step, sum
    close (10, status='delete')
  end subroutine keep
end program statements
