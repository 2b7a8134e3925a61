! A file of each kind Fortran has, per rank: stream, direct, sequential unformatted and formatted.
program files
  use mpi
  implicit none
  integer, parameter :: n = 4000, records = 25
  integer :: ierr, rank, i, got
  real(8) :: values(n)
  character(len=1024) :: directory
  character(len=32) :: number

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, directory)
  write (number, '(i0)') rank
  values = rank

  call write_stream(trim(directory)//'/stream-'//trim(number))
  call write_direct(trim(directory)//'/direct-'//trim(number))
  call write_records(trim(directory)//'/records-'//trim(number))
  call write_text(trim(directory)//'/text-'//trim(number))
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)

contains

  subroutine write_stream(name)
    character(len=*), intent(in) :: name
    open (unit=10, file=name, access='stream', form='unformatted', status='replace')
    do i = 1, 10
      write (10) values
    end do
    close (10)
    open (unit=10, file=name, access='stream', form='unformatted', status='old')
    read (10, pos=1 + 8*n*9) values
    close (10)
    if (values(n) /= rank) call MPI_Abort(MPI_COMM_WORLD, 9, ierr)
  end subroutine

  subroutine write_direct(name)
    character(len=*), intent(in) :: name
    open (unit=11, file=name, access='direct', form='unformatted', recl=8*n, status='replace')
    do i = records, 1, -1
      write (11, rec=i) values
    end do
    close (11)
  end subroutine

  subroutine write_records(name)
    character(len=*), intent(in) :: name
    open (unit=12, file=name, form='unformatted', status='replace')
    write (12) values
    close (12)
    open (unit=12, file=name, form='unformatted', status='old')
    read (12) values
    close (12)
  end subroutine

  subroutine write_text(name)
    character(len=*), intent(in) :: name
    open (unit=13, file=name, form='formatted', status='replace')
    do i = 1, 1000
      write (13, '(i8)') i
    end do
    close (13)
    open (unit=13, file=name, status='old')
    do i = 1, 1000
      read (13, '(i8)') got
      if (got /= i) call MPI_Abort(MPI_COMM_WORLD, 9, ierr)
    end do
    close (13)
  end subroutine
end program
