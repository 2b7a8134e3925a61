! Tracers: advection in three Runge-Kutta stages, then biharmonic and vertical diffusion. Every flux leaves one cell
! and enters another, and the water of a cell changes as its fluxes say, so everything is conserved and uniform fields
! stay uniform.
module pop_transport
  use, intrinsic :: iso_fortran_env, only: real64
  use pop_grid, only: make_field, grid
  use pop_ocean, only: all_tracers, mix_column, ocean, tracer
  implicit none
  private
  public :: tracer_transport

  ! Of water through the eastern, the northern face and the top of the cells, m^3/s.
  type :: fluxes
    real(real64), allocatable, dimension(:, :, :) :: east, north, up
  end type fluxes

contains

  subroutine tracer_transport(o)
    type(ocean), intent(inout), target :: o
    type(tracer), allocatable :: beginning(:), there(:)
    type(fluxes) :: water
    real(real64), parameter :: shares(3) = [1.0_real64/3.0_real64, 0.5_real64, 1.0_real64]
    integer :: stage, n

    call work_out_fluxes(o, water)
    beginning = o%tracers
    there = o%tracers
    do stage = 1, 3
      do n = 1, size(there)
        call carry(o, water, beginning(n)%c, there(n)%c, shares(stage), o%tracers(n)%c)
      end do
      call o%boundary%update('tracer_transport', stage, all_tracers(o))
      do n = 1, size(there)
        there(n)%c = o%tracers(n)%c
      end do
    end do
    do n = 1, size(there)
      call diffuse(o, there(n)%c, o%tracers(n)%c)
      call mix_vertically(o, o%tracers(n)%c)
    end do
    call o%boundary%update('tracer_transport', 4, all_tracers(o))
  end subroutine tracer_transport

  subroutine work_out_fluxes(o, water)
    type(ocean), intent(in) :: o
    type(fluxes), intent(out) :: water
    real(real64) :: out
    integer :: i, j, k

    call make_field(o%g, o%g%nz, water%east)
    water%north = water%east
    water%up = water%east
    do k = o%g%nz, 1, -1
      do j = 0, o%g%ny
        do i = 0, o%g%nx
          water%east(i, j, k) = o%g%dz(k)*(0.5_real64*o%g%dy*(o%u(i, j, k) + o%u(i, j - 1, k)))
          water%north(i, j, k) = o%g%dz(k)*(0.5_real64*o%g%corner_dx(j)*(o%v(i, j, k) + o%v(i - 1, j, k)))
        end do
      end do
      do j = 1, o%g%ny
        do i = 1, o%g%nx
          out = (water%east(i, j, k) - water%east(i - 1, j, k)) + (water%north(i, j, k) - water%north(i, j - 1, k))
          water%up(i, j, k) = -out
          if (k < o%g%nz) water%up(i, j, k) = water%up(i, j, k + 1) - out
        end do
      end do
    end do
  end subroutine work_out_fluxes

  ! A cell's thickness a share of the step after its beginning: the first level ends at the sea level.
  pure real(real64) function thickness(o, i, j, k, share)
    type(ocean), intent(in) :: o
    integer, intent(in) :: i, j, k
    real(real64), intent(in) :: share
    real(real64) :: before

    thickness = o%g%dz(k)
    if (k > 1) return
    before = o%sea_level_before(i, j, 1)
    thickness = o%g%dz(1) + before + share*(o%sea_level(i, j, 1) - before)
  end function thickness

  subroutine carry(o, water, beginning, there, share, target)
    type(ocean), intent(in) :: o
    type(fluxes), intent(in) :: water
    real(real64), intent(in) :: beginning(-1:, -1:, :), there(-1:, -1:, :), share
    real(real64), intent(inout) :: target(-1:, -1:, :)
    real(real64) :: held, lost, out
    integer :: i, j, k

    do k = 1, o%g%nz
      do j = 1, o%g%ny
        do i = 1, o%g%nx
          if (o%g%wet(i, j) <= 0.0_real64) cycle
          out = (east(i) - east(i - 1)) + (north(j) - north(j - 1))
          if (k > 1) out = out + up(k)
          if (k < o%g%nz) out = out - up(k + 1)
          held = thickness(o, i, j, k, 0.0_real64)*beginning(i, j, k)
          lost = share*o%g%step_s*out/o%g%area(j)
          target(i, j, k) = (held - lost)/thickness(o, i, j, k, share)
        end do
      end do
    end do

  contains

    ! Through the eastern face of the cell at x, the northern face of that at y, and the top of that at level.
    pure real(real64) function east(x)
      integer, intent(in) :: x

      east = at_face(water%east(x, j, k), there(x - 1:x + 2, j, k), o%g%wet(x - 1:x + 2, j))
    end function east

    pure real(real64) function north(y)
      integer, intent(in) :: y

      north = at_face(water%north(i, y, k), there(i, y - 1:y + 2, k), o%g%wet(i, y - 1:y + 2))
    end function north

    pure real(real64) function up(level)
      integer, intent(in) :: level

      up = water%up(i, j, level)*(0.5_real64*(there(i, j, level) + there(i, j, level - 1)))
    end function up

  end subroutine carry

  ! Of four cells in a row, through the face in their middle; upstream-biased of third order; beyond the shore the last
  ! cell's value holds.
  pure real(real64) function at_face(flux, c, wet)
    real(real64), intent(in) :: flux, c(4), wet(4)
    real(real64) :: behind

    at_face = 0.0_real64
    if (flux > 0.0_real64) then
      behind = merge(c(1), c(2), wet(1) > 0.0_real64)
      at_face = flux*((5.0_real64*c(2) + 2.0_real64*c(3) - behind)/6.0_real64)
    else if (flux < 0.0_real64) then
      behind = merge(c(4), c(3), wet(4) > 0.0_real64)
      at_face = flux*((5.0_real64*c(3) + 2.0_real64*c(2) - behind)/6.0_real64)
    end if
  end function at_face

  ! Biharmonic, as fluxes of the Laplacian between wet cells; both in units of the grid's spacing.
  subroutine diffuse(o, before, target)
    type(ocean), intent(in) :: o
    real(real64), intent(in) :: before(-1:, -1:, :)
    real(real64), intent(inout) :: target(-1:, -1:, :)
    real(real64), parameter :: strength = 0.005_real64
    real(real64) :: curvature(0:o%g%nx + 1, 0:o%g%ny + 1), out
    integer :: i, j, k

    do k = 1, o%g%nz
      do j = 0, o%g%ny + 1
        do i = 0, o%g%nx + 1
          curvature(i, j) = (step(1, 0) + step(-1, 0)) + (step(0, 1) + step(0, -1))
        end do
      end do
      do j = 1, o%g%ny
        do i = 1, o%g%nx
          out = (east(i) - east(i - 1)) + (north(j) - north(j - 1))
          target(i, j, k) = before(i, j, k) - strength*o%g%dz(k)*out/(o%g%area(j)*thickness(o, i, j, k, 1.0_real64))
        end do
      end do
    end do

  contains

    pure real(real64) function step(a, b)
      integer, intent(in) :: a, b

      step = o%g%wet(i, j)*o%g%wet(i + a, j + b)*(before(i + a, j + b, k) - before(i, j, k))
    end function step

    pure real(real64) function east(x)
      integer, intent(in) :: x

      east = o%g%area(j)*o%g%wet(x, j)*o%g%wet(x + 1, j)*(curvature(x + 1, j) - curvature(x, j))
    end function east

    pure real(real64) function north(y)
      integer, intent(in) :: y

      north = o%g%corner_dx(y)*o%g%dy*o%g%wet(i, y)*o%g%wet(i, y + 1)*(curvature(i, y + 1) - curvature(i, y))
    end function north

  end subroutine diffuse

  subroutine mix_vertically(o, c)
    type(ocean), intent(in) :: o
    real(real64), intent(inout) :: c(-1:, -1:, :)
    real(real64) :: heights(o%g%nz), exchange(o%g%nz - 1), values(o%g%nz)
    integer :: i, j

    heights = o%g%dz
    do j = 1, o%g%ny
      do i = 1, o%g%nx
        if (o%g%wet(i, j) <= 0.0_real64) cycle
        heights(1) = thickness(o, i, j, 1, 1.0_real64)
        exchange = o%g%step_s*o%mixing(i, j, :o%g%nz - 1)/o%g%between
        values = c(i, j, :)
        call mix_column(heights, exchange, 0.0_real64, values)
        c(i, j, :) = values
      end do
    end do
  end subroutine mix_vertically

end module pop_transport
