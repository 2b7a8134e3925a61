module halo
contains
  subroutine exchange(n)
    integer, intent(inout) :: n
    call capture()
    n = n + 1
  end subroutine
end module
subroutine advect(n)
  use halo
  integer, intent(inout) :: n
  call exchange(n)
  n = n + 1
end subroutine
program ocean
  integer :: n
  n = 0
  call advect(n)
  call inner(n)
  if (n /= 4) stop 1
contains
  subroutine inner(m)
    integer, intent(inout) :: m
    call capture()
    m = m + 2
  end subroutine
end program
