! The elliptic system of the implicit free surface: area * x - g dt^2 div(depth grad x) = rhs, on this block.
!
! Nine points, symmetric and positive definite; solved by conjugate gradients preconditioned with the diagonal, which
! start from nothing and stop at a check, for the right-hand sides of all members of an ensemble at once: each has its
! own level of the fields and its own steps, as if it were solved alone, but its values and its sums travel with those
! of the others. What is solved stays as it is.
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

  ! Of one member.
  type :: solution
    integer :: iterations = 0
    real(real64) :: residual = 0.0_real64  ! b - A x over b, both weighted with the diagonal's inverse; same on all ranks
  end type solution

  type :: progress
    real(real64) :: first = 0.0_real64   ! of the squares of the residual, the first iteration's
    real(real64) :: before = 1.0_real64  ! and the last one's
    real(real64) :: curvature = 0.0_real64
    logical :: open = .true.
  end type progress

  type :: free_surface_solver
    integer :: nx, ny, members
    ! The matrix' coefficients; the others follow by symmetry.
    real(real64), allocatable, dimension(:, :) :: centre, north, east, north_east
    real(real64), allocatable, dimension(:, :, :) :: residual, preconditioned, direction, product, along
  contains
    procedure :: solve
  end type free_surface_solver

contains

  function new_solver(g, members) result(self)
    type(grid), intent(in) :: g
    integer, intent(in) :: members
    type(free_surface_solver) :: self
    real(real64), dimension(-1:g%nx + 2, -1:g%ny + 2) :: both, less
    real(real64) :: factor
    integer :: i, j

    self%nx = g%nx
    self%ny = g%ny
    self%members = members
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
    call make_field(g, members, self%residual)
    self%preconditioned = self%residual
    self%direction = self%residual
    self%product = self%residual
    self%along = self%residual
  end function new_solver

  ! Leaves the solutions in x, halo included. form: `standard` (Hestenes, Stiefel) or `chrongear` (Chronopoulos, Gear).
  subroutine solve(self, form, rhs, x, boundary, found)
    class(free_surface_solver), intent(inout), target :: self
    character(*), intent(in) :: form
    real(real64), intent(in) :: rhs(-1:, -1:, :)
    real(real64), intent(inout), target, contiguous :: x(-1:, -1:, :)
    type(halo), intent(inout) :: boundary
    type(solution), allocatable, intent(out) :: found(:)

    allocate (found(self%members))
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
    type(solution), intent(inout) :: found(:)
    type(progress) :: at(self%members)
    real(real64) :: squares(self%members), curvatures(self%members), step
    integer :: iteration, m

    do iteration = 1, most_iterations
      call precondition(self)
      squares = dots(self, self%residual, self%preconditioned)
      do m = 1, self%members
        if (squares(m) <= 0.0_real64) at(m)%open = .false.  ! nothing, or nothing any more, is left to solve for
        if (at(m)%open) call extend(self, self%direction, m, kept(at(m), iteration, squares(m)), self%preconditioned)
      end do
      if (.not. any(at%open)) return
      call boundary%update('solver', 1, [refer(self%direction)])
      call multiply(self, self%direction, self%along)
      curvatures = dots(self, self%direction, self%along)
      do m = 1, self%members
        if (.not. at(m)%open) cycle
        step = squares(m)/curvatures(m)
        call add_multiple(self, x, m, step, self%direction)
        call add_multiple(self, self%residual, m, -step, self%along)
        found(m)%iterations = iteration
      end do
      if (mod(iteration, iterations_between_checks) == 0) call check(self, rhs, x, boundary, at, found)
      if (.not. any(at%open)) return
    end do
  end subroutine standard

  subroutine chrongear(self, rhs, x, boundary, found)
    type(free_surface_solver), intent(inout), target :: self
    real(real64), intent(in) :: rhs(-1:, -1:, :)
    real(real64), intent(inout), target, contiguous :: x(-1:, -1:, :)
    type(halo), intent(inout) :: boundary
    type(solution), intent(inout) :: found(:)
    type(progress) :: at(self%members)
    real(real64) :: mine(2, self%members), sums(2, self%members), step, ratio
    integer :: iteration, m

    do iteration = 1, most_iterations
      call precondition(self)
      call boundary%update('solver', 1, [refer(self%preconditioned)])
      call multiply(self, self%preconditioned, self%product)
      do m = 1, self%members
        mine(1, m) = dot(self, self%residual, self%preconditioned, m)
        mine(2, m) = dot(self, self%preconditioned, self%product, m)
      end do
      call MPI_Allreduce(mine, sums, 2*self%members, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
      do m = 1, self%members
        if (sums(1, m) <= 0.0_real64) at(m)%open = .false.
        if (.not. at(m)%open) cycle
        ratio = kept(at(m), iteration, sums(1, m))
        at(m)%curvature = sums(2, m) - ratio*ratio*at(m)%curvature
        step = sums(1, m)/at(m)%curvature
        call extend(self, self%direction, m, ratio, self%preconditioned)
        call extend(self, self%along, m, ratio, self%product)
        call add_multiple(self, x, m, step, self%direction)
        call add_multiple(self, self%residual, m, -step, self%along)
        found(m)%iterations = iteration
      end do
      if (.not. any(at%open)) return
      if (mod(iteration, iterations_between_checks) == 0) call check(self, rhs, x, boundary, at, found)
      if (.not. any(at%open)) return
    end do
  end subroutine chrongear

  ! What the new direction keeps of the one before; takes note of the square of the residual.
  real(real64) function kept(at, iteration, square)
    type(progress), intent(inout) :: at
    integer, intent(in) :: iteration
    real(real64), intent(in) :: square

    if (iteration == 1) at%first = square
    kept = merge(0.0_real64, square/at%before, iteration == 1)
    at%before = square
  end function kept

  ! Works out the residuals of x itself, and closes those that are solved.
  subroutine check(self, rhs, x, boundary, at, found)
    type(free_surface_solver), intent(inout) :: self
    real(real64), intent(in) :: rhs(-1:, -1:, :)
    real(real64), intent(inout), target, contiguous :: x(-1:, -1:, :)
    type(halo), intent(inout) :: boundary
    type(progress), intent(inout) :: at(:)
    type(solution), intent(inout) :: found(:)
    real(real64) :: squares(self%members)
    integer :: m

    call boundary%update('solver', 2, [refer(x)])
    call multiply(self, x, self%residual)
    do m = 1, self%members
      call extend(self, self%residual, m, -1.0_real64, rhs)
    end do
    call precondition(self)
    squares = dots(self, self%residual, self%preconditioned)
    do m = 1, self%members
      if (.not. at(m)%open) cycle
      found(m)%residual = sqrt(squares(m)/at(m)%first)
      if (found(m)%residual <= tolerance) at(m)%open = .false.
    end do
  end subroutine check

  subroutine multiply(self, x, product)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(in) :: x(-1:, -1:, :)
    real(real64), intent(inout) :: product(-1:, -1:, :)
    integer :: i, j, m

    do m = 1, self%members
      do j = 1, self%ny
        do i = 1, self%nx
          product(i, j, m) = self%centre(i, j)*x(i, j, m) &
                             + self%north(i, j)*x(i, j + 1, m) + self%north(i, j - 1)*x(i, j - 1, m) &
                             + self%east(i, j)*x(i + 1, j, m) + self%east(i - 1, j)*x(i - 1, j, m) &
                             + self%north_east(i, j)*x(i + 1, j + 1, m) &
                             + self%north_east(i, j - 1)*x(i + 1, j - 1, m) &
                             + self%north_east(i - 1, j)*x(i - 1, j + 1, m) &
                             + self%north_east(i - 1, j - 1)*x(i - 1, j - 1, m)
        end do
      end do
    end do
  end subroutine multiply

  subroutine precondition(self)
    type(free_surface_solver), intent(inout) :: self
    integer :: m

    do m = 1, self%members
      self%preconditioned(1:self%nx, 1:self%ny, m) = self%residual(1:self%nx, 1:self%ny, m) &
                                                     /self%centre(1:self%nx, 1:self%ny)
    end do
  end subroutine precondition

  ! Of this block.
  pure real(real64) function dot(self, one, other, member)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(in) :: one(-1:, -1:, :), other(-1:, -1:, :)
    integer, intent(in) :: member
    integer :: i, j

    dot = 0.0_real64
    do j = 1, self%ny
      do i = 1, self%nx
        dot = dot + one(i, j, member)*other(i, j, member)
      end do
    end do
  end function dot

  ! Of all blocks, by member.
  function dots(self, one, other) result(sums)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(in) :: one(-1:, -1:, :), other(-1:, -1:, :)
    real(real64) :: mine(self%members), sums(self%members)
    integer :: m

    do m = 1, self%members
      mine(m) = dot(self, one, other, m)
    end do
    call MPI_Allreduce(mine, sums, self%members, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function dots

  subroutine add_multiple(self, target, member, factor, source)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(inout) :: target(-1:, -1:, :)
    integer, intent(in) :: member
    real(real64), intent(in) :: factor, source(-1:, -1:, :)
    integer :: i, j

    do j = 1, self%ny
      do i = 1, self%nx
        target(i, j, member) = target(i, j, member) + factor*source(i, j, member)
      end do
    end do
  end subroutine add_multiple

  ! target = source + factor * target
  subroutine extend(self, target, member, factor, source)
    type(free_surface_solver), intent(in) :: self
    real(real64), intent(inout) :: target(-1:, -1:, :)
    integer, intent(in) :: member
    real(real64), intent(in) :: factor, source(-1:, -1:, :)
    integer :: i, j

    do j = 1, self%ny
      do i = 1, self%nx
        target(i, j, member) = source(i, j, member) + factor*target(i, j, member)
      end do
    end do
  end subroutine extend

end module pop_solver
