! The elliptic system of the implicit free surface: area * x - g dt^2 div(depth grad x) = rhs, on this block.
!
! Nine points, symmetric and positive definite; solved by conjugate gradients preconditioned with the diagonal, which
! start from nothing and stop at a check.
module pop_solver
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use pop_grid, only: depth_m, make_field, gravity, grid
  use pop_halo, only: halo, refer
  implicit none
  private
  public :: free_surface_solver, new_solver, solution, tolerance

  integer, parameter :: most_iterations = 200
  integer, parameter :: iterations_between_checks = 10
  real(real64), parameter :: tolerance = 1.0e-12_real64

  type :: solution
    integer :: iterations = 0
    real(real64) :: residual = 0.0_real64  ! b - A x over b, both weighted with the diagonal's inverse; same on all ranks
  end type solution

  type :: free_surface_solver
    integer :: nx, ny
    ! The matrix' coefficients; the others follow by symmetry.
    real(real64), allocatable, dimension(:, :) :: centre, north, east, north_east
    real(real64), allocatable, dimension(:, :, :) :: residual, preconditioned, direction, product, along
  contains
    procedure :: solve
  end type free_surface_solver

contains

  function new_solver(g) result(self)
    type(grid), intent(in) :: g
    type(free_surface_solver) :: self
    real(real64), dimension(-1:g%nx + 2, -1:g%ny + 2) :: both, less
    real(real64) :: factor
    integer :: i, j

    self%nx = g%nx
    self%ny = g%ny
    ! What each of a corner's two gradients adds: depth * area of the corner / (4 * spacing^2).
    factor = 0.25_real64*gravity*g%step_s*g%step_s*depth_m
    do j = -1, g%ny + 2
      do i = -1, g%nx + 2
        both(i, j) = (factor*g%dy/g%corner_dx(j) + factor*g%corner_dx(j)/g%dy)*g%corner_wet(i, j)
        less(i, j) = (factor*g%dy/g%corner_dx(j) - factor*g%corner_dx(j)/g%dy)*g%corner_wet(i, j)
      end do
    end do
    allocate (self%centre(0:g%nx, 0:g%ny), self%north(0:g%nx, 0:g%ny), self%east(0:g%nx, 0:g%ny), &
              self%north_east(0:g%nx, 0:g%ny))
    do j = 0, g%ny
      do i = 0, g%nx
        self%centre(i, j) = g%area(j) + both(i, j) + both(i - 1, j) + both(i, j - 1) + both(i - 1, j - 1)
        self%north(i, j) = less(i, j) + less(i - 1, j)
        self%east(i, j) = -less(i, j) - less(i, j - 1)
        self%north_east(i, j) = -both(i, j)
      end do
    end do
    call make_field(g, 1, self%residual)
    self%preconditioned = self%residual
    self%direction = self%residual
    self%product = self%residual
    self%along = self%residual
  end function new_solver

  ! Leaves the solution in x, halo included. form: `standard` (Hestenes, Stiefel) or `chrongear` (Chronopoulos, Gear).
  subroutine solve(self, form, rhs, x, boundary, found)
    class(free_surface_solver), intent(inout), target :: self
    character(*), intent(in) :: form
    real(real64), intent(in) :: rhs(-1:, -1:, :)
    real(real64), intent(inout), target, contiguous :: x(-1:, -1:, :)
    type(halo), intent(inout) :: boundary
    type(solution), intent(out) :: found

    x = 0.0_real64
    self%residual = rhs
    self%direction = 0.0_real64
    self%along = 0.0_real64
    if (form == 'standard') then
      call standard(self, rhs, x, boundary, found)
    else
      call chrongear(self, rhs, x, boundary, found)
    end if
  end subroutine solve

  subroutine standard(self, rhs, x, boundary, found)
    type(free_surface_solver), intent(inout), target :: self
    real(real64), intent(in) :: rhs(-1:, -1:, :)
    real(real64), intent(inout), target, contiguous :: x(-1:, -1:, :)
    type(halo), intent(inout) :: boundary
    type(solution), intent(inout) :: found
    real(real64) :: now, before, first, step, ratio
    integer :: iteration

    before = 1.0_real64
    first = 1.0_real64
    do iteration = 1, most_iterations
      call precondition(self)
      now = sum_over_ranks(dot(self, self%residual, self%preconditioned))
      if (iteration == 1) first = now
      if (now <= 0.0_real64) return  ! nothing, or nothing any more, is left to solve for
      ratio = merge(0.0_real64, now/before, iteration == 1)
      call extend(self, self%direction, ratio, self%preconditioned)
      before = now
      call boundary%update('solver', 1, [refer(self%direction)])
      call multiply(self, self%direction, self%along)
      step = now/sum_over_ranks(dot(self, self%direction, self%along))
      call add_multiple(self, x, step, self%direction)
      call add_multiple(self, self%residual, -step, self%along)
      found%iterations = iteration
      if (mod(iteration, iterations_between_checks) /= 0) cycle
      found%residual = sqrt(checked(self, rhs, x, boundary)/first)
      if (found%residual <= tolerance) exit
    end do
  end subroutine standard

  subroutine chrongear(self, rhs, x, boundary, found)
    type(free_surface_solver), intent(inout), target :: self
    real(real64), intent(in) :: rhs(-1:, -1:, :)
    real(real64), intent(inout), target, contiguous :: x(-1:, -1:, :)
    type(halo), intent(inout) :: boundary
    type(solution), intent(inout) :: found
    real(real64) :: mine(2), sums(2), before, curvature, first, step, ratio
    integer :: iteration

    before = 1.0_real64
    curvature = 0.0_real64
    first = 1.0_real64
    do iteration = 1, most_iterations
      call precondition(self)
      call boundary%update('solver', 1, [refer(self%preconditioned)])
      call multiply(self, self%preconditioned, self%product)
      mine = [dot(self, self%residual, self%preconditioned), dot(self, self%preconditioned, self%product)]
      call MPI_Allreduce(mine, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
      if (iteration == 1) first = sums(1)
      if (sums(1) <= 0.0_real64) return
      ratio = merge(0.0_real64, sums(1)/before, iteration == 1)
      before = sums(1)
      curvature = sums(2) - ratio*ratio*curvature
      step = sums(1)/curvature
      call extend(self, self%direction, ratio, self%preconditioned)
      call extend(self, self%along, ratio, self%product)
      call add_multiple(self, x, step, self%direction)
      call add_multiple(self, self%residual, -step, self%along)
      found%iterations = iteration
      if (mod(iteration, iterations_between_checks) /= 0) cycle
      found%residual = sqrt(checked(self, rhs, x, boundary)/first)
      if (found%residual <= tolerance) exit
    end do
  end subroutine chrongear

  ! The residual of x itself.
  real(real64) function checked(self, rhs, x, boundary)
    type(free_surface_solver), intent(inout) :: self
    real(real64), intent(in) :: rhs(-1:, -1:, :)
    real(real64), intent(inout), target, contiguous :: x(-1:, -1:, :)
    type(halo), intent(inout) :: boundary

    call boundary%update('solver', 2, [refer(x)])
    call multiply(self, x, self%residual)
    call extend(self, self%residual, -1.0_real64, rhs)
    call precondition(self)
    checked = sum_over_ranks(dot(self, self%residual, self%preconditioned))
  end function checked

  subroutine multiply(self, x, product)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(in) :: x(-1:, -1:, :)
    real(real64), intent(inout) :: product(-1:, -1:, :)
    integer :: i, j

    do j = 1, self%ny
      do i = 1, self%nx
        product(i, j, 1) = self%centre(i, j)*x(i, j, 1) &
                           + self%north(i, j)*x(i, j + 1, 1) + self%north(i, j - 1)*x(i, j - 1, 1) &
                           + self%east(i, j)*x(i + 1, j, 1) + self%east(i - 1, j)*x(i - 1, j, 1) &
                           + self%north_east(i, j)*x(i + 1, j + 1, 1) &
                           + self%north_east(i, j - 1)*x(i + 1, j - 1, 1) &
                           + self%north_east(i - 1, j)*x(i - 1, j + 1, 1) &
                           + self%north_east(i - 1, j - 1)*x(i - 1, j - 1, 1)
      end do
    end do
  end subroutine multiply

  subroutine precondition(self)
    type(free_surface_solver), intent(inout) :: self

    self%preconditioned(1:self%nx, 1:self%ny, 1) = self%residual(1:self%nx, 1:self%ny, 1) &
                                                   /self%centre(1:self%nx, 1:self%ny)
  end subroutine precondition

  ! Of this block.
  pure real(real64) function dot(self, one, other)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(in) :: one(-1:, -1:, :), other(-1:, -1:, :)
    integer :: i, j

    dot = 0.0_real64
    do j = 1, self%ny
      do i = 1, self%nx
        dot = dot + one(i, j, 1)*other(i, j, 1)
      end do
    end do
  end function dot

  subroutine add_multiple(self, target, factor, source)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(inout) :: target(-1:, -1:, :)
    real(real64), intent(in) :: factor, source(-1:, -1:, :)
    integer :: i, j

    do j = 1, self%ny
      do i = 1, self%nx
        target(i, j, 1) = target(i, j, 1) + factor*source(i, j, 1)
      end do
    end do
  end subroutine add_multiple

  ! target = source + factor * target
  subroutine extend(self, target, factor, source)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(inout) :: target(-1:, -1:, :)
    real(real64), intent(in) :: factor, source(-1:, -1:, :)
    integer :: i, j

    do j = 1, self%ny
      do i = 1, self%nx
        target(i, j, 1) = source(i, j, 1) + factor*target(i, j, 1)
      end do
    end do
  end subroutine extend

  real(real64) function sum_over_ranks(mine)
    real(real64), intent(in) :: mine

    call MPI_Allreduce(mine, sum_over_ranks, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function sum_over_ranks

end module pop_solver
