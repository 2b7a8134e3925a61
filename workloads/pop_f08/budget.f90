! The checks of a run: volume and tracers are conserved, the solver converged, the seiche has the right period.
module pop_budget
  use, intrinsic :: iso_fortran_env, only: real64
  use kit_program, only: lower
  use mpi_f08
  use pop_grid, only: depth_m, gravity, grid, pi
  use pop_ocean, only: ensemble, ocean, perturbation
  use pop_solver, only: tolerance
  implicit none
  private
  public :: all_sums, compare

  real(real64), parameter :: tolerated_loss = 1.0e-12_real64
  real(real64), parameter :: tolerated_seiche_error = 1.0e-4_real64
  real(real64), parameter :: fastest_m_per_s = 20.0_real64
  integer, parameter :: area = 1, water = 2, level_square = 3, speed_square = 4, seiche = 5, seiche_square = 6, fixed = 6

contains

  ! Over this block: the area, the water above the mean sea level, the squares of sea level and speed, the seiche's
  ! share of the sea level, and the content and square of every tracer.
  function sums(o) result(s)
    type(ocean), intent(in) :: o
    real(real64), allocatable :: s(:)
    real(real64) :: level, volume, value, wave
    integer :: i, j, k, n

    allocate (s(fixed + 2*size(o%tracers)), source=0.0_real64)
    do j = 1, o%g%ny
      wave = cos(pi*(o%g%y_first + j - 0.5_real64)/o%g%ny_global)
      do i = 1, o%g%nx
        if (o%g%wet(i, j) <= 0.0_real64) cycle
        level = o%sea_level(i, j, 1)
        s(area) = s(area) + o%g%area(j)
        s(water) = s(water) + o%g%area(j)*level
        s(level_square) = s(level_square) + o%g%area(j)*level*level
        s(seiche) = s(seiche) + level*wave
        s(seiche_square) = s(seiche_square) + wave*wave
        do k = 1, o%g%nz
          volume = o%g%area(j)*(o%g%dz(k) + merge(level, 0.0_real64, k == 1))
          s(speed_square) = s(speed_square) + o%g%area(j)*o%g%dz(k)*(o%u(i, j, k)**2 + o%v(i, j, k)**2)
          do n = 1, size(o%tracers)
            value = o%tracers(n)%c(i, j, k)
            s(fixed + 2*n - 1) = s(fixed + 2*n - 1) + volume*value
            s(fixed + 2*n) = s(fixed + 2*n) + volume*value*value
          end do
        end do
      end do
    end do
  end function sums

  ! (the sums of one, members)
  function all_sums(all) result(s)
    type(ensemble), intent(in) :: all
    real(real64), allocatable :: s(:, :)
    integer :: m

    allocate (s(fixed + 2*size(all%members(1)%tracers), size(all%members)))
    do m = 1, size(all%members)
      s(:, m) = sums(all%members(m))
    end do
  end function all_sums

  ! figures: "volume error 1.2e-17, ..., tracers 7.6e+00 3.5e+01": the errors of the member where they are greatest; sea
  ! level, speed and tracers of the first, and of the last where there are several. failures: empty where nothing is
  ! wrong. Both complete on rank 0 only. Collective.
  subroutine compare(all, beginning, figures, failures)
    type(ensemble), intent(in) :: all
    real(real64), intent(in) :: beginning(:, :)
    character(:), allocatable, intent(out) :: figures, failures
    real(real64), allocatable :: before(:, :), after(:, :), extremes(:, :), most(:, :)
    real(real64) :: volume_error, tracer_error, residual, speed, unevenness, seiche_error
    integer :: n, m, members

    members = size(all%members)
    allocate (extremes(2, members))
    do m = 1, members
      extremes(:, m) = [fastest(all%members(m)), most_uneven(all%members(m))]
    end do
    before = over_ranks(beginning, MPI_SUM)
    after = over_ranks(all_sums(all), MPI_SUM)
    most = over_ranks(extremes, MPI_MAX)
    volume_error = 0.0_real64
    tracer_error = 0.0_real64
    residual = 0.0_real64
    speed = 0.0_real64
    unevenness = 0.0_real64
    seiche_error = 0.0_real64
    do m = 1, members
      call raise(volume_error, abs(after(water, m) - before(water, m))/(after(area, m)*depth_m))
      do n = fixed + 1, size(after, 1), 2
        call raise(tracer_error, abs(after(n, m) - before(n, m))/before(n, m))
      end do
      call raise(residual, all%members(m)%largest_residual)
      call raise(speed, most(1, m))
      call raise(unevenness, most(2, m))
      call raise(seiche_error, abs(amplitude(all%members(m), after(:, m)) - expected_seiche(all%members(m))))
    end do
    figures = 'volume error '//short(volume_error)//', tracer error '//short(tracer_error)//', residual '// &
              short(residual)//', '//state(after(:, 1))
    if (members > 1) figures = figures//', last member '//state(after(:, members))
    failures = ''
    if (.not. volume_error <= tolerated_loss) failures = failures//' volume is not conserved;'
    if (.not. tracer_error <= tolerated_loss) failures = failures//' a tracer is not conserved;'
    if (.not. residual <= tolerance) failures = failures//' the solver did not converge in 200 iterations;'
    if (.not. speed <= fastest_m_per_s) failures = failures//' the water exceeds 20 m/s;'
    if (all%members(1)%g%on_sphere) return
    figures = figures//', seiche at '//plain(amplitude(all%members(1), after(:, 1)))//' for '// &
              plain(expected_seiche(all%members(1)))
    if (.not. seiche_error <= tolerated_seiche_error) failures = failures//" the seiche's period is wrong;"
    if (.not. unevenness <= tolerated_loss) failures = failures//' a uniform tracer is no longer uniform;'
  end subroutine compare

  ! A NaN counts as the greatest, so that it shows.
  subroutine raise(largest, value)
    real(real64), intent(inout) :: largest
    real(real64), intent(in) :: value

    if (.not. value <= largest) largest = value
  end subroutine raise

  ! "sea level 1.2e-01 m, speed ... m/s, tracers ... ..."
  function state(s) result(text)
    real(real64), intent(in) :: s(:)
    character(:), allocatable :: text
    real(real64) :: volume
    integer :: n

    volume = s(area)*depth_m
    text = 'sea level '//long(sqrt(s(level_square)/s(area)))//' m, speed '//long(sqrt(s(speed_square)/volume))// &
           ' m/s, tracers'
    do n = fixed + 2, size(s), 2
      text = text//' '//long(sqrt(s(n)/volume))
    end do
  end function state

  function over_ranks(mine, operation) result(all)
    real(real64), intent(in) :: mine(:, :)
    type(MPI_Op), intent(in) :: operation
    real(real64) :: all(size(mine, 1), size(mine, 2))

    all = 0.0_real64
    call MPI_Reduce(mine, all, size(mine), MPI_DOUBLE_PRECISION, operation, 0, MPI_COMM_WORLD)
  end function over_ranks

  pure real(real64) function fastest(o)
    type(ocean), intent(in) :: o
    real(real64) :: here
    integer :: i, j, k

    fastest = 0.0_real64
    do k = 1, o%g%nz
      do j = 1, o%g%ny
        do i = 1, o%g%nx
          here = o%u(i, j, k)**2 + o%v(i, j, k)**2
          if (.not. here <= fastest) fastest = here
        end do
      end do
    end do
    fastest = sqrt(fastest)
  end function fastest

  ! How far temperature and salinity are from the values they had everywhere.
  pure real(real64) function most_uneven(o)
    type(ocean), intent(in) :: o

    associate (nx => o%g%nx, ny => o%g%ny)
      most_uneven = max(maxval(abs(o%tracers(1)%c(1:nx, 1:ny, :) - 10.0_real64))/10.0_real64, &
                        maxval(abs(o%tracers(2)%c(1:nx, 1:ny, :) - 35.0_real64))/35.0_real64)
    end associate
  end function most_uneven

  ! Of the seiche, as a share of what it was at the beginning.
  pure real(real64) function amplitude(o, s)
    type(ocean), intent(in) :: o
    real(real64), intent(in) :: s(:)

    amplitude = s(seiche)/s(seiche_square)/(1.0e-3_real64*perturbation(o%member))
  end function amplitude

  ! What is left of the wave's amplitude. Each step multiplies by 1 / (1 - i frequency step): the time scheme is implicit.
  pure real(real64) function expected_seiche(o)
    type(ocean), intent(in) :: o
    real(real64) :: wave_number, turn

    wave_number = 2.0_real64*sin(0.5_real64*pi/o%g%ny_global)/o%g%dy
    turn = sqrt(gravity*depth_m)*wave_number*o%g%step_s
    expected_seiche = real(cmplx(1.0_real64, -turn, real64)**(-o%chosen%steps), real64)
  end function expected_seiche

  function short(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    character(32) :: buffer

    write (buffer, '(es32.1e2)') value
    text = lower(buffer)
  end function short

  function long(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    character(32) :: buffer

    write (buffer, '(es32.14e2)') value
    text = lower(buffer)
  end function long

  function plain(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    character(32) :: buffer

    write (buffer, '(f32.6)') value
    text = lower(buffer)
  end function plain

end module pop_budget
