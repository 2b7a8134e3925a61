! The velocities a step later, but for the pressure of the sea level's change.
!
! Half a step ahead, then the whole step with what was found there (midpoint rule); the turning by the earth's rotation
! is implicit. Then horizontal friction (biharmonic) and vertical friction with the wind on top.
module pop_momentum
  use, intrinsic :: iso_fortran_env, only: real64
  use pop_grid, only: make_field, gravity, grid
  use pop_halo, only: refer
  use pop_ocean, only: work_out_density, mix_column, ocean
  implicit none
  private
  public :: momentum

contains

  subroutine momentum(o)
    type(ocean), intent(inout), target :: o
    real(real64), allocatable, dimension(:, :, :) :: pressure
    real(real64), allocatable, dimension(:, :, :), target :: u_half, v_half, u_whole, v_whole

    call make_field(o%g, o%g%nz, pressure)
    u_half = pressure
    v_half = pressure
    u_whole = pressure
    v_whole = pressure
    call work_out_pressure(o, pressure)
    call accelerate(o, pressure, o%u, o%v, 0.5_real64*o%g%step_s, u_half, v_half)
    call o%boundary%update('momentum', 1, [refer(u_half), refer(v_half)])
    call accelerate(o, pressure, u_half, v_half, o%g%step_s, u_whole, v_whole)
    if (.not. o%g%on_sphere) then  ! the seiche's water has no friction
      o%u = u_whole
      o%v = v_whole
      return
    end if
    call o%boundary%update('momentum', 2, [refer(u_whole), refer(v_whole)])
    call smooth(o%g, u_whole, o%u)
    call smooth(o%g, v_whole, o%v)
    call mix_vertically(o)
  end subroutine momentum

  ! Over the reference density, m^2/s^2, of the sea level and the water.
  subroutine work_out_pressure(o, pressure)
    type(ocean), intent(in) :: o
    real(real64), intent(inout) :: pressure(-1:, -1:, :)
    real(real64), allocatable :: density(:, :, :)
    integer :: k

    call work_out_density(o, density)
    pressure(:, :, 1) = gravity*(o%sea_level(:, :, 1) + 0.5_real64*density(:, :, 1)*o%g%dz(1))
    do k = 2, o%g%nz
      pressure(:, :, k) = pressure(:, :, k - 1) &
                          + 0.5_real64*gravity*(density(:, :, k - 1)*o%g%dz(k - 1) + density(:, :, k)*o%g%dz(k))
    end do
  end subroutine work_out_pressure

  ! Of the water through the top of the cells, m/s; on the block and one cell towards north and east.
  subroutine work_out_rising(g, u, v, rising)
    type(grid), intent(in) :: g
    real(real64), intent(in) :: u(-1:, -1:, :), v(-1:, -1:, :)
    real(real64), intent(inout) :: rising(-1:, -1:, :)
    real(real64) :: out
    integer :: i, j, k

    do k = g%nz, 1, -1
      do j = 1, g%ny + 1
        do i = 1, g%nx + 1
          out = (0.5_real64*g%dy*(u(i, j, k) + u(i, j - 1, k)) - 0.5_real64*g%dy*(u(i - 1, j, k) + u(i - 1, j - 1, k))) &
                + (0.5_real64*g%corner_dx(j)*(v(i, j, k) + v(i - 1, j, k)) &
                   - 0.5_real64*g%corner_dx(j - 1)*(v(i, j - 1, k) + v(i - 1, j - 1, k)))
          rising(i, j, k) = -g%dz(k)*out/g%area(j)
          if (k < g%nz) rising(i, j, k) = rising(i, j, k + 1) + rising(i, j, k)
        end do
      end do
    end do
  end subroutine work_out_rising

  ! From the step's velocities over `dt`, with the forces of the velocities `u` and `v`.
  subroutine accelerate(o, pressure, u, v, dt, u_new, v_new)
    type(ocean), intent(in) :: o
    real(real64), intent(in) :: pressure(-1:, -1:, :), u(-1:, -1:, :), v(-1:, -1:, :), dt
    real(real64), intent(inout) :: u_new(-1:, -1:, :), v_new(-1:, -1:, :)
    real(real64), allocatable :: rising(:, :, :)
    real(real64) :: turn, along_x, along_y, to_x, to_y, slope_x, slope_y
    integer :: i, j, k

    call make_field(o%g, o%g%nz, rising)
    call work_out_rising(o%g, u, v, rising)
    do k = 1, o%g%nz
      do j = 1, o%g%ny
        turn = 0.5_real64*dt*o%g%coriolis(j)
        do i = 1, o%g%nx
          if (o%g%corner_wet(i, j) <= 0.0_real64) cycle
          slope_x = 0.5_real64*((pressure(i + 1, j, k) - pressure(i, j, k)) &
                                + (pressure(i + 1, j + 1, k) - pressure(i, j + 1, k)))/o%g%corner_dx(j)
          slope_y = 0.5_real64*((pressure(i, j + 1, k) - pressure(i, j, k)) &
                                + (pressure(i + 1, j + 1, k) - pressure(i + 1, j, k)))/o%g%dy
          along_x = carried(u) + u(i, j, k)*v(i, j, k)*o%g%curvature(j) - slope_x
          along_y = carried(v) - u(i, j, k)*u(i, j, k)*o%g%curvature(j) - slope_y
          to_x = o%u(i, j, k) + turn*o%v(i, j, k) + dt*along_x
          to_y = o%v(i, j, k) - turn*o%u(i, j, k) + dt*along_y
          u_new(i, j, k) = (to_x + turn*to_y)/(1.0_real64 + turn*turn)
          v_new(i, j, k) = (to_y - turn*to_x)/(1.0_real64 + turn*turn)
        end do
      end do
    end do

  contains

    ! -(u d/dx + v d/dy + w d/dz) of a component; upstream-biased in the horizontal, of third order.
    pure real(real64) function carried(c)
      real(real64), intent(in) :: c(-1:, -1:, :)
      real(real64) :: in_x, in_y, in_z

      if (u(i, j, k) > 0.0_real64) then
        in_x = 2.0_real64*c(i + 1, j, k) + 3.0_real64*c(i, j, k) - 6.0_real64*c(i - 1, j, k) + c(i - 2, j, k)
      else
        in_x = 6.0_real64*c(i + 1, j, k) - c(i + 2, j, k) - 3.0_real64*c(i, j, k) - 2.0_real64*c(i - 1, j, k)
      end if
      if (v(i, j, k) > 0.0_real64) then
        in_y = 2.0_real64*c(i, j + 1, k) + 3.0_real64*c(i, j, k) - 6.0_real64*c(i, j - 1, k) + c(i, j - 2, k)
      else
        in_y = 6.0_real64*c(i, j + 1, k) - c(i, j + 2, k) - 3.0_real64*c(i, j, k) - 2.0_real64*c(i, j - 1, k)
      end if
      in_z = 0.0_real64
      if (k > 1) in_z = in_z + 0.5_real64*rising_at(k)*(c(i, j, k - 1) - c(i, j, k))/o%g%between(k - 1)
      if (k < o%g%nz) in_z = in_z + 0.5_real64*rising_at(k + 1)*(c(i, j, k) - c(i, j, k + 1))/o%g%between(k)
      carried = -(u(i, j, k)*in_x/(6.0_real64*o%g%corner_dx(j)) + v(i, j, k)*in_y/(6.0_real64*o%g%dy) + in_z)
    end function carried

    pure real(real64) function rising_at(level)
      integer, intent(in) :: level

      rising_at = 0.25_real64*(rising(i, j, level) + rising(i + 1, j, level) &
                               + rising(i, j + 1, level) + rising(i + 1, j + 1, level))
    end function rising_at

  end subroutine accelerate

  ! target = the block of `c`, less the Laplacian of its Laplacian; both in units of the grid's spacing.
  subroutine smooth(g, c, target)
    type(grid), intent(in) :: g
    real(real64), intent(in) :: c(-1:, -1:, :)
    real(real64), intent(inout) :: target(-1:, -1:, :)
    real(real64), parameter :: strength = 0.005_real64  ! the shortest waves lose 64 times this share in a step
    real(real64) :: curvature(0:g%nx + 1, 0:g%ny + 1)
    integer :: i, j, k

    do k = 1, g%nz
      do j = 0, g%ny + 1
        do i = 0, g%nx + 1
          curvature(i, j) = g%corner_wet(i, j)*(((c(i + 1, j, k) + c(i - 1, j, k)) + (c(i, j + 1, k) + c(i, j - 1, k))) &
                                                - 4.0_real64*c(i, j, k))
        end do
      end do
      do j = 1, g%ny
        do i = 1, g%nx
          target(i, j, k) = g%corner_wet(i, j)*(c(i, j, k) &
                                                - strength*(((curvature(i + 1, j) + curvature(i - 1, j)) &
                                                             + (curvature(i, j + 1) + curvature(i, j - 1))) &
                                                            - 4.0_real64*curvature(i, j)))
        end do
      end do
    end do
  end subroutine smooth

  subroutine mix_vertically(o)
    type(ocean), intent(inout) :: o
    real(real64), parameter :: background = 1.0e-3_real64  ! m^2/s
    real(real64), parameter :: drag = 1.0e-3_real64        ! m/s
    real(real64) :: exchange(o%g%nz - 1), u(o%g%nz), v(o%g%nz), stress
    integer :: i, j, k

    do j = 1, o%g%ny
      ! Of the wind, eastward, m^2/s^2: trade winds, westerlies, polar easterlies.
      stress = -1.0e-4_real64*cos(3.0_real64*o%g%corner_latitude(j))
      do i = 1, o%g%nx
        if (o%g%corner_wet(i, j) <= 0.0_real64) cycle
        do k = 1, o%g%nz - 1
          exchange(k) = o%g%step_s*(background + 0.25_real64*(o%mixing(i, j, k) + o%mixing(i + 1, j, k) &
                                                              + o%mixing(i, j + 1, k) + o%mixing(i + 1, j + 1, k))) &
                        /o%g%between(k)
        end do
        u = o%u(i, j, :)
        v = o%v(i, j, :)
        u(1) = u(1) + o%g%step_s*stress/o%g%dz(1)
        call mix_column(o%g%dz, exchange, o%g%step_s*drag, u)
        call mix_column(o%g%dz, exchange, o%g%step_s*drag, v)
        o%u(i, j, :) = u
        o%v(i, j, :) = v
      end do
    end do
  end subroutine mix_vertically

end module pop_momentum
