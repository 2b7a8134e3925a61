! The change of the sea level, implicit so that its fast waves do not limit the step, and what follows from it.
module pop_barotropic
  use, intrinsic :: iso_fortran_env, only: real64
  use pop_grid, only: depth_m, make_field, gravity, grid
  use pop_halo, only: refer
  use pop_ocean, only: ocean
  use pop_solver, only: solution
  implicit none
  private
  public :: barotropic

contains

  subroutine barotropic(o)
    type(ocean), intent(inout), target :: o
    real(real64), allocatable, target :: rhs(:, :, :), change(:, :, :)
    type(solution) :: found
    integer :: i, j

    call make_field(o%g, 1, rhs)
    change = rhs
    call work_out_means(o)
    call o%boundary%update('barotropic', 1, [refer(o%u_mean), refer(o%v_mean)])
    do j = 1, o%g%ny
      do i = 1, o%g%nx
        rhs(i, j, 1) = -o%g%step_s*depth_m*outflow(o, i, j)
      end do
    end do
    call o%solver%solve(o%chosen%solver, rhs, change, o%boundary, found)
    o%iterations = o%iterations + found%iterations
    ! A number that is none has to show too, and max would drop it.
    if (.not. found%residual <= o%largest_residual) o%largest_residual = found%residual
    call push(o, change)
    call o%boundary%update('barotropic', 2, [refer(o%u_mean), refer(o%v_mean)])
    call o%boundary%update('barotropic', 3, [refer(o%u), refer(o%v)])
    ! From what flows in and out, rather than from the solver, so that no water is lost whatever its residual.
    o%sea_level_before = o%sea_level
    do j = 1, o%g%ny
      do i = 1, o%g%nx
        o%sea_level(i, j, 1) = o%sea_level(i, j, 1) - o%g%step_s*(depth_m*outflow(o, i, j))/o%g%area(j)
      end do
    end do
    call o%boundary%update('barotropic', 4, [refer(o%sea_level)])
  end subroutine barotropic

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
    real(real64), intent(in) :: change(-1:, -1:, :)
    real(real64) :: u, v
    integer :: i, j

    do j = 1, o%g%ny
      do i = 1, o%g%nx
        if (o%g%corner_wet(i, j) <= 0.0_real64) cycle
        u = -gravity*o%g%step_s*(0.5_real64*((change(i + 1, j, 1) - change(i, j, 1)) &
                                             + (change(i + 1, j + 1, 1) - change(i, j + 1, 1)))/o%g%corner_dx(j))
        v = -gravity*o%g%step_s*(0.5_real64*((change(i, j + 1, 1) - change(i, j, 1)) &
                                             + (change(i + 1, j + 1, 1) - change(i + 1, j, 1)))/o%g%dy)
        o%u_mean(i, j, 1) = o%u_mean(i, j, 1) + u
        o%v_mean(i, j, 1) = o%v_mean(i, j, 1) + v
        o%u(i, j, :) = o%u(i, j, :) + u
        o%v(i, j, :) = o%v(i, j, :) + v
      end do
    end do
  end subroutine push

end module pop_barotropic
