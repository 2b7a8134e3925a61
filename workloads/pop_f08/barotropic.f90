! The change of the sea level, implicit so that its fast waves do not limit the step, and what follows from it.
module pop_barotropic
  use, intrinsic :: iso_fortran_env, only: real64
  use pop_grid, only: depth_m, make_field, gravity, grid
  use pop_halo, only: refer
  use pop_ocean, only: ensemble, ocean
  use pop_solver, only: solution
  implicit none
  private
  public :: barotropic

contains

  subroutine barotropic(all)
    type(ensemble), intent(inout), target :: all
    real(real64), allocatable, target :: rhs(:, :, :), change(:, :, :)
    type(solution), allocatable :: found(:)
    integer :: m

    call make_field(all%members(1)%g, size(all%members), rhs)
    change = rhs
    do m = 1, size(all%members)
      call work_out_means(all%members(m))
    end do
    call exchange_means(all, 1)
    do m = 1, size(all%members)
      call work_out_rhs(all%members(m), rhs(:, :, m))
    end do
    call all%solver%solve(all%members(1)%chosen%solver, rhs, change, all%members(1)%boundary, found)
    all%iterations = all%iterations + maxval(found%iterations)
    do m = 1, size(all%members)
      ! A NaN must show, too, and max would drop it.
      if (.not. found(m)%residual <= all%members(m)%largest_residual) all%members(m)%largest_residual = found(m)%residual
      call push(all%members(m), change(:, :, m))
    end do
    call exchange_means(all, 2)
    call exchange_velocities(all)
    do m = 1, size(all%members)
      call move_sea_level(all%members(m))
    end do
    call all%members(1)%boundary%update('barotropic', 4, [(refer(all%members(m)%sea_level), m=1, size(all%members))])
  end subroutine barotropic

  subroutine exchange_means(all, number)
    type(ensemble), intent(inout), target :: all
    integer, intent(in) :: number
    integer :: m

    call all%members(1)%boundary%update('barotropic', number, [(refer(all%members(m)%u_mean), &
                                                                refer(all%members(m)%v_mean), m=1, size(all%members))])
  end subroutine exchange_means

  subroutine exchange_velocities(all)
    type(ensemble), intent(inout), target :: all
    integer :: m

    call all%members(1)%boundary%update('barotropic', 3, [(refer(all%members(m)%u), refer(all%members(m)%v), &
                                                           m=1, size(all%members))])
  end subroutine exchange_velocities

  subroutine work_out_rhs(o, rhs)
    type(ocean), intent(in) :: o
    real(real64), intent(inout) :: rhs(-1:, -1:)
    integer :: i, j

    do j = 1, o%g%ny
      do i = 1, o%g%nx
        rhs(i, j) = -o%g%step_s*depth_m*outflow(o, i, j)
      end do
    end do
  end subroutine work_out_rhs

  ! From what flows in and out, rather than from the solver, so that no water is lost whatever its residual.
  subroutine move_sea_level(o)
    type(ocean), intent(inout) :: o
    integer :: i, j

    o%sea_level_before = o%sea_level
    do j = 1, o%g%ny
      do i = 1, o%g%nx
        o%sea_level(i, j, 1) = o%sea_level(i, j, 1) - o%g%step_s*(depth_m*outflow(o, i, j))/o%g%area(j)
      end do
    end do
  end subroutine move_sea_level

  ! Over the depth, of the velocities.
  subroutine work_out_means(o)
    type(ocean), intent(inout) :: o
    integer :: i, j, k
    real(real64) :: u, v

    do j = 1, o%g%ny
      do i = 1, o%g%nx
        u = 0.0_real64
        v = 0.0_real64
        do k = 1, o%g%nz
          u = u + o%u(i, j, k)*o%g%dz(k)
          v = v + o%v(i, j, k)*o%g%dz(k)
        end do
        o%u_mean(i, j, 1) = u/depth_m
        o%v_mean(i, j, 1) = v/depth_m
      end do
    end do
  end subroutine work_out_means

  ! Out of a cell, per metre of depth, m^2/s.
  pure real(real64) function outflow(o, i, j)
    type(ocean), intent(in) :: o
    integer, intent(in) :: i, j

    associate (g => o%g, u => o%u_mean, v => o%v_mean)
      outflow = (0.5_real64*g%dy*(u(i, j, 1) + u(i, j - 1, 1)) - 0.5_real64*g%dy*(u(i - 1, j, 1) + u(i - 1, j - 1, 1))) &
                + (0.5_real64*g%corner_dx(j)*(v(i, j, 1) + v(i - 1, j, 1)) &
                   - 0.5_real64*g%corner_dx(j - 1)*(v(i, j - 1, 1) + v(i - 1, j - 1, 1)))
    end associate
  end function outflow

  ! Adds what the pressure of the sea level's change does, to the means and to every level alike.
  subroutine push(o, change)
    type(ocean), intent(inout) :: o
    real(real64), intent(in) :: change(-1:, -1:)
    real(real64) :: u, v
    integer :: i, j

    do j = 1, o%g%ny
      do i = 1, o%g%nx
        if (o%g%corner_wet(i, j) <= 0.0_real64) cycle
        u = -gravity*o%g%step_s*(0.5_real64*((change(i + 1, j) - change(i, j)) &
                                             + (change(i + 1, j + 1) - change(i, j + 1)))/o%g%corner_dx(j))
        v = -gravity*o%g%step_s*(0.5_real64*((change(i, j + 1) - change(i, j)) &
                                             + (change(i + 1, j + 1) - change(i + 1, j)))/o%g%dy)
        o%u_mean(i, j, 1) = o%u_mean(i, j, 1) + u
        o%v_mean(i, j, 1) = o%v_mean(i, j, 1) + v
        o%u(i, j, :) = o%u(i, j, :) + u
        o%v(i, j, :) = o%v(i, j, :) + v
      end do
    end do
  end subroutine push

end module pop_barotropic
