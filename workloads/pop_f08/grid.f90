! The sphere between 70 degrees south and north, the continent, the levels; for the seiche a rectangular plane.
!
! Tracers and sea level are at the middle of a cell, velocities at its north-eastern corner (Arakawa's B grid). Every
! value is a function of the global position alone, so each process evaluates it for its own block, halo included.
module pop_grid
  use, intrinsic :: iso_fortran_env, only: real64
  use pop_blocks, only: block
  use pop_settings, only: settings
  implicit none
  private
  public :: grid, new_grid, make_field, gravity, depth_m, pi

  real(real64), parameter :: gravity = 9.81_real64      ! m/s^2
  real(real64), parameter :: depth_m = 4000.0_real64    ! of the flat bed
  real(real64), parameter :: pi = 3.141592653589793_real64
  real(real64), parameter :: radius_m = 6.371e6_real64
  real(real64), parameter :: rotation = 7.292e-5_real64  ! rad/s
  real(real64), parameter :: degree = pi/180.0_real64
  real(real64), parameter :: southern_wall = -70.0_real64*degree
  real(real64), parameter :: span = 140.0_real64*degree

  type :: grid
    integer :: nx_global, ny_global
    integer :: nx, ny, nz, x_first, y_first
    logical :: on_sphere
    real(real64) :: dy                                  ! m
    real(real64) :: step_s                              ! 20 minutes on the finest grids to an hour
    real(real64), allocatable :: dz(:), z(:)            ! thickness of the levels and depth of their middle, m
    real(real64), allocatable :: between(:)             ! distance between the middle of levels k and k + 1
    real(real64), allocatable :: wet(:, :)              ! 1 where the cell is water, else 0
    real(real64), allocatable :: corner_wet(:, :)       ! 1 where all four cells round the corner are
    real(real64), allocatable :: latitude(:), longitude(:), area(:)  ! of cells
    real(real64), allocatable :: corner_latitude(:), corner_dx(:)
    real(real64), allocatable :: coriolis(:), curvature(:)  ! at corners; tan(latitude) / radius, 1/m
  end type grid

contains

  function new_grid(chosen, mine) result(self)
    type(settings), intent(in) :: chosen
    type(block), intent(in) :: mine
    type(grid) :: self

    self%nx_global = chosen%nx
    self%ny_global = chosen%ny
    self%nx = mine%nx
    self%ny = mine%ny
    self%nz = chosen%nz
    self%x_first = mine%x_first
    self%y_first = mine%y_first
    self%on_sphere = chosen%problem == 'gyres'
    self%dy = radius_m*span/chosen%ny
    self%step_s = min(1200.0_real64*max(self%dy/40.5e3_real64, 1.0_real64), 3600.0_real64)
    call make_levels(self)
    call make_rows(self)
    call make_coasts(self)
  end function new_grid

  ! A field of zeros on the block and its halo.
  subroutine make_field(self, levels, made)
    type(grid), intent(in) :: self
    integer, intent(in) :: levels
    real(real64), allocatable, intent(out) :: made(:, :, :)

    allocate (made(-1:self%nx + 2, -1:self%ny + 2, levels), source=0.0_real64)
  end subroutine make_field

  subroutine make_levels(self)
    type(grid), intent(inout) :: self
    real(real64) :: top
    integer :: k

    ! Thin levels at the surface.
    self%dz = [(1.0_real64 + 20.0_real64*(real(k, real64)/(self%nz - 1))**2, k=0, self%nz - 1)]
    self%dz = self%dz*(depth_m/sum(self%dz))
    allocate (self%z(self%nz))
    top = 0.0_real64
    do k = 1, self%nz
      self%z(k) = top + 0.5_real64*self%dz(k)
      top = top + self%dz(k)
    end do
    self%between = self%z(2:) - self%z(:self%nz - 1)
  end subroutine make_levels

  subroutine make_rows(self)
    type(grid), intent(inout) :: self
    real(real64) :: spacing
    integer :: i, j, first, last

    first = -1
    last = self%ny + 2
    allocate (self%latitude(first:last), self%corner_latitude(first:last), self%area(first:last), &
              self%corner_dx(first:last), self%coriolis(first:last), self%curvature(first:last), &
              self%longitude(-1:self%nx + 2))
    spacing = 2.0_real64*pi*radius_m/self%nx_global
    do j = first, last
      self%latitude(j) = southern_wall + span*(self%y_first + j - 0.5_real64)/self%ny_global
      self%corner_latitude(j) = self%latitude(j) + 0.5_real64*span/self%ny_global
    end do
    self%area = spacing*self%dy
    self%corner_dx = spacing
    self%coriolis = 0.0_real64
    self%curvature = 0.0_real64
    if (self%on_sphere) then
      self%area = spacing*cos(self%latitude)*self%dy
      self%corner_dx = spacing*cos(self%corner_latitude)
      self%coriolis = 2.0_real64*rotation*sin(self%corner_latitude)
      self%curvature = tan(self%corner_latitude)/radius_m
    end if
    do i = -1, self%nx + 2
      self%longitude(i) = 2.0_real64*pi*(modulo(self%x_first + i - 1, self%nx_global) + 0.5_real64)/self%nx_global
    end do
  end subroutine make_rows

  subroutine make_coasts(self)
    type(grid), intent(inout) :: self
    integer :: i, j, x, y
    logical :: corner

    allocate (self%wet(-1:self%nx + 2, -1:self%ny + 2), source=0.0_real64)
    allocate (self%corner_wet(-1:self%nx + 2, -1:self%ny + 2), source=0.0_real64)
    do j = -1, self%ny + 2
      do i = -1, self%nx + 2
        x = self%x_first + i - 1
        y = self%y_first + j - 1
        corner = is_water(self, x, y) .and. is_water(self, x + 1, y) .and. &
                 is_water(self, x, y + 1) .and. is_water(self, x + 1, y + 1)
        if (is_water(self, x, y)) self%wet(i, j) = 1.0_real64
        if (corner) self%corner_wet(i, j) = 1.0_real64
      end do
    end do
  end subroutine make_coasts

  ! The continent reaches from the northern wall to 40 degrees south, between 285 and 315 degrees east.
  pure logical function is_water(self, x, y)
    type(grid), intent(in) :: self
    integer, intent(in) :: x, y
    real(real64) :: east, north

    is_water = y >= 0 .and. y < self%ny_global
    if (.not. (is_water .and. self%on_sphere)) return
    east = 360.0_real64*(modulo(x, self%nx_global) + 0.5_real64)/self%nx_global
    north = (southern_wall + span*(y + 0.5_real64)/self%ny_global)/degree
    is_water = abs(east - 300.0_real64) > 15.0_real64 .or. north < -40.0_real64
  end function is_water

end module pop_grid
