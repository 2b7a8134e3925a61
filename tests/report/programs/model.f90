module kernels
  implicit none
contains
  subroutine exchange(t)
    real, intent(out) :: t
    call capture()
    t = 1
  end subroutine

  subroutine advance(n)
    integer, intent(in) :: n
    integer :: i
    real :: t, total

    total = 0
    call exchange(t)
    do i = 1, n
      call exchange(t)
      total = total + t
    end do
    call inner()
    if (total < 0) stop 1
  contains
    subroutine inner()
      real :: s
      call exchange(s)
      total = total + s
    end subroutine
  end subroutine

  subroutine region(n)
    integer, intent(in) :: n
    integer :: i
    !$omp parallel private(i) num_threads(1)
    !$omp single
    do i = 1, n
      call capture()
    end do
    !$omp end single
    !$omp end parallel
  end subroutine
end module

program model
  use kernels
  implicit none
  real :: a, b
  integer :: i

  i = 1
  call exchange(a)

  call exchange(b)
  call advance(2)
  call region(1)
  if (i /= 1) stop 2
end program
