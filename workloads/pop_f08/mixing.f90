! How strongly the water is mixed up and down: by wind and cooling in the mixed layer, by shear below it.
module pop_mixing
  use, intrinsic :: iso_fortran_env, only: real64
  use pop_grid, only: depth_m, make_field, gravity, grid
  use pop_halo, only: refer
  use pop_ocean, only: work_out_density, ocean
  implicit none
  private
  public :: mixing_coefficients

contains

  ! The depth of the mixed layer is smoothed over the neighbouring columns, hence the first exchange; the velocities
  ! need the diffusivity on all sides of a corner, hence the second.
  subroutine mixing_coefficients(o)
    type(ocean), intent(inout), target :: o
    real(real64), allocatable, target :: layer(:, :, :)
    real(real64), allocatable :: density(:, :, :)
    integer :: i, j

    call make_field(o%g, 1, layer)
    call work_out_density(o, density)
    do j = 1, o%g%ny
      do i = 1, o%g%nx
        if (o%g%wet(i, j) > 0.0_real64) layer(i, j, 1) = mixed_layer_depth(o%g, density(i, j, :))
      end do
    end do
    call o%boundary%update('mixing_coefficients', 1, [refer(layer)])
    do j = 1, o%g%ny
      do i = 1, o%g%nx
        if (o%g%wet(i, j) > 0.0_real64) call column(o, density(i, j, :), i, j, smoothed(o%g, layer, i, j))
      end do
    end do
    call o%boundary%update('mixing_coefficients', 2, [refer(o%mixing)])
  end subroutine mixing_coefficients

  ! The depth at which the water is denser than at the surface by 1/8 kg/m^3.
  pure real(real64) function mixed_layer_depth(g, density) result(depth)
    type(grid), intent(in) :: g
    real(real64), intent(in) :: density(:)
    real(real64), parameter :: limit = 1.25e-4_real64
    real(real64) :: above, excess
    integer :: k

    above = 0.0_real64
    do k = 2, g%nz
      excess = density(k) - density(1)
      if (excess >= limit) then
        depth = g%z(k - 1) + (limit - above)/(excess - above)*g%between(k - 1)
        return
      end if
      above = max(excess, 0.0_real64)
    end do
    depth = depth_m
  end function mixed_layer_depth

  pure real(real64) function smoothed(g, layer, i, j)
    type(grid), intent(in) :: g
    real(real64), intent(in) :: layer(-1:, -1:, :)
    integer, intent(in) :: i, j
    real(real64) :: total, weights, weight
    integer :: a, b

    total = 0.0_real64
    weights = 0.0_real64
    do b = -1, 1
      do a = -1, 1
        weight = (2 - abs(a))*(2 - abs(b))*g%wet(i + a, j + b)
        total = total + weight*layer(i + a, j + b, 1)
        weights = weights + weight
      end do
    end do
    smoothed = total/weights
  end function smoothed

  ! After Pacanowski and Philander (1981); strong where the water would turn over.
  subroutine column(o, density, i, j, layer)
    type(ocean), intent(inout) :: o
    real(real64), intent(in) :: density(:), layer
    integer, intent(in) :: i, j
    real(real64) :: stability, richardson, share, in_layer, overturning
    integer :: k

    do k = 1, o%g%nz - 1
      stability = gravity*(density(k + 1) - density(k))/o%g%between(k)
      richardson = max(stability, 0.0_real64)/(shear(o%u)**2 + shear(o%v)**2 + 1.0e-8_real64)
      share = (o%g%z(k) + 0.5_real64*o%g%between(k))/layer
      in_layer = 0.0_real64
      if (share < 1.0_real64) in_layer = 0.1_real64*share*(1.0_real64 - share)*(1.0_real64 - share)
      overturning = merge(0.1_real64, 0.0_real64, stability < 0.0_real64)
      o%mixing(i, j, k) = 1.0e-5_real64 + 5.0e-3_real64/((1.0_real64 + 5.0_real64*richardson)**2) + in_layer + overturning
    end do

  contains

    ! Of one velocity component over the four corners of the cell.
    pure real(real64) function shear(u)
      real(real64), intent(in) :: u(-1:, -1:, :)

      shear = (0.25_real64*(u(i, j, k) + u(i - 1, j, k) + u(i, j - 1, k) + u(i - 1, j - 1, k)) &
               - 0.25_real64*(u(i, j, k + 1) + u(i - 1, j, k + 1) + u(i, j - 1, k + 1) + u(i - 1, j - 1, k + 1))) &
              /o%g%between(k)
    end function shear

  end subroutine column

end module pop_mixing
