! The state of the ocean on this process, and what it starts from.
module pop_ocean
  use, intrinsic :: iso_fortran_env, only: real64
  use kit_program, only: own_rank
  use pop_blocks, only: blocks
  use pop_grid, only: depth_m, make_field, grid, new_grid, pi
  use pop_halo, only: field_reference, halo, new_halo, refer
  use pop_settings, only: settings
  use pop_solver, only: free_surface_solver, new_solver
  implicit none
  private
  public :: ensemble, ocean, tracer, new_ensemble, perturbation, all_tracers, work_out_density, mix_column

  ! c: (-1:nx+2, -1:ny+2, nz)
  type :: tracer
    real(real64), allocatable :: c(:, :, :)
  end type tracer

  type :: ocean
    type(settings) :: chosen
    integer :: member
    type(grid) :: g
    type(halo) :: boundary
    ! Each with an up-to-date halo at the beginning of a step.
    real(real64), allocatable, dimension(:, :, :) :: u, v       ! m/s
    real(real64), allocatable, dimension(:, :, :) :: sea_level  ! m
    type(tracer), allocatable :: tracers(:)                     ! temperature (deg C), salinity (g/kg), dyes
    ! Within a step.
    real(real64), allocatable, dimension(:, :, :) :: sea_level_before
    real(real64), allocatable, dimension(:, :, :) :: mixing     ! diffusivity through the cells' bottom, m^2/s
    real(real64), allocatable, dimension(:, :, :) :: u_mean, v_mean
    real(real64) :: largest_residual = 0.0_real64  ! of all steps so far
  end type ocean

  ! Independent oceans with different initial states. In the barotropic phase, whose messages are small, those of all
  ! members travel together (through the first one's halo: they are alike), and so do their sums.
  type :: ensemble
    type(ocean), allocatable :: members(:)
    type(free_surface_solver) :: solver
    integer :: iterations = 0  ! of all steps so far, those of the member that took most
  end type ensemble

contains

  subroutine new_ensemble(chosen, cut, self)
    type(settings), intent(in) :: chosen
    type(blocks), intent(in) :: cut
    type(ensemble), intent(inout) :: self
    integer :: m

    allocate (self%members(chosen%members))
    do m = 1, chosen%members
      call new_ocean(chosen, cut, chosen%first_member + m - 1, self%members(m))
    end do
    self%solver = new_solver(self%members(1)%g, chosen%members)
  end subroutine new_ensemble

  ! What a member's sea level at the beginning is multiplied with: 1 for the first, between 0.7 and 1.3 for the others.
  pure real(real64) function perturbation(member)
    integer, intent(in) :: member

    perturbation = 1.0_real64 + 0.3_real64*sin(real(member, real64))
  end function perturbation

  subroutine new_ocean(chosen, cut, member, self)
    type(settings), intent(in) :: chosen
    type(blocks), intent(in) :: cut
    integer, intent(in) :: member
    type(ocean), intent(inout) :: self
    integer :: i, j, n

    self%chosen = chosen
    self%member = member
    self%g = new_grid(chosen, cut%of_rank(own_rank))
    self%boundary = new_halo(chosen, cut)
    call make_field(self%g, self%g%nz, self%u)
    self%v = self%u
    self%mixing = self%u
    call make_field(self%g, 1, self%sea_level)
    self%sea_level_before = self%sea_level
    self%u_mean = self%sea_level
    self%v_mean = self%sea_level
    allocate (self%tracers(chosen%tracers))
    do n = 1, chosen%tracers
      self%tracers(n)%c = self%u
    end do
    do j = -1, self%g%ny + 2
      do i = -1, self%g%nx + 2
        if (self%g%wet(i, j) > 0.0_real64) call set_initial(self, i, j)
      end do
    end do
  end subroutine new_ocean

  subroutine set_initial(self, i, j)
    type(ocean), intent(inout) :: self
    integer, intent(in) :: i, j
    real(real64) :: north, east, depth, share
    integer :: k, n

    north = self%g%latitude(j)
    east = self%g%longitude(i)
    if (self%g%on_sphere) then  ! a hill of water in the tropics
      self%sea_level(i, j, 1) = 0.5_real64*exp(-((north - 0.35_real64)**2 &
                                                 + 4.0_real64*sin(0.5_real64*(east - 2.1_real64))**2)/0.08_real64)
    else  ! the slowest wave from wall to wall
      self%sea_level(i, j, 1) = 1.0e-3_real64*cos(pi*(self%g%y_first + j - 0.5_real64)/self%g%ny_global)
    end if
    self%sea_level(i, j, 1) = perturbation(self%member)*self%sea_level(i, j, 1)
    do k = 1, self%g%nz
      depth = self%g%z(k)
      do n = 3, self%chosen%tracers
        self%tracers(n)%c(i, j, k) = 1.0_real64 + 0.5_real64*cos((n - 2)*east)*cos(2.0_real64*north) &
                                     *exp(-depth/1000.0_real64)
      end do
      self%tracers(1)%c(i, j, k) = 10.0_real64
      self%tracers(2)%c(i, j, k) = 35.0_real64
      if (.not. self%g%on_sphere) cycle
      self%tracers(1)%c(i, j, k) = 4.0_real64 + (20.0_real64*cos(north)*cos(north) &
                                                 + sin(3.0_real64*east)*cos(4.0_real64*north))*exp(-depth/800.0_real64)
      self%tracers(2)%c(i, j, k) = 35.0_real64 + (0.5_real64*cos(2.0_real64*north) &
                                                  + 0.1_real64*sin(2.0_real64*east))*exp(-depth/500.0_real64)
      if (self%g%corner_wet(i, j) <= 0.0_real64) cycle
      ! None on average over the depth, so that the sea level is not disturbed.
      share = cos(north)*cos(north)*cos(pi*depth/depth_m)
      self%u(i, j, k) = 0.8_real64*(1.0_real64 + 0.3_real64*sin(2.0_real64*east))*share
      self%v(i, j, k) = 0.4_real64*sin(2.0_real64*east)*share
    end do
  end subroutine set_initial

  function all_tracers(self) result(references)
    type(ocean), intent(in), target :: self
    type(field_reference), allocatable :: references(:)
    integer :: n

    allocate (references(size(self%tracers)))
    do n = 1, size(self%tracers)
      references(n) = refer(self%tracers(n)%c)
    end do
  end function all_tracers

  ! Density relative to the reference's, less one: of the block and its halo.
  subroutine work_out_density(self, density)
    type(ocean), intent(in) :: self
    real(real64), allocatable, intent(out) :: density(:, :, :)

    call make_field(self%g, self%g%nz, density)
    density(:, :, :) = -2.0e-4_real64*(self%tracers(1)%c - 10.0_real64) + 7.6e-4_real64*(self%tracers(2)%c - 35.0_real64)
  end subroutine work_out_density

  ! Implicit vertical diffusion of one column, in place. thickness: of each cell; exchange: diffusivity * time / distance
  ! through the bottom of each but the last; drag: what the last cell loses, as a thickness.
  pure subroutine mix_column(thickness, exchange, drag, values)
    real(real64), intent(in) :: thickness(:), exchange(:), drag
    real(real64), intent(inout) :: values(:)
    real(real64) :: upper(size(values)), above, below, pivot
    integer :: k, n

    ! Thomas' algorithm, on thickness * new = thickness * old + what comes through top and bottom.
    n = size(values)
    below = exchange(1)
    pivot = thickness(1) + below
    upper(1) = below/pivot
    values(1) = thickness(1)*values(1)/pivot
    do k = 2, n
      above = below
      below = drag
      if (k < n) below = exchange(k)
      pivot = thickness(k) + below + above*(1.0_real64 - upper(k - 1))
      upper(k) = below/pivot
      values(k) = (thickness(k)*values(k) + above*values(k - 1))/pivot
    end do
    do k = n - 1, 1, -1
      values(k) = values(k) + upper(k)*values(k + 1)
    end do
  end subroutine mix_column

end module pop_ocean
