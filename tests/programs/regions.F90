! The regions of regions.c, in Fortran: with mpi_f08, or with mpif.h where MPIF_H is defined.
#include "leadline.f90"

program regions
#ifndef MPIF_H
  use mpi_f08
#endif
  use leadline
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: steps = 10
  integer :: rank, ierr, step
  character(len=20) :: name

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  name = 'setup'
  call leadline_region_begin(name)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call leadline_region_end('setup')
  do step = 1, steps
    call leadline_region_begin('step')
    call halo
    call leadline_region_begin('physics')
    call swap(50)
    call leadline_region_end('physics')
    call leadline_region_end('step')
  end do
  call halo
  call MPI_Finalize(ierr)
  print '(a,i0,a)', 'rank ', rank, ' done'

contains

  subroutine halo
    call leadline_region_begin('halo')
    call swap(100)
    call swap(100)
    call leadline_region_end('halo')
  end subroutine halo

  subroutine swap(bytes)
    integer, intent(in) :: bytes
    character :: out(1024), in(1024)
    out = 'x'
    call MPI_Sendrecv(out, bytes, MPI_CHARACTER, 1 - rank, 1, in, bytes, MPI_CHARACTER, 1 - rank, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine swap

end program regions
