! Which process holds which part of the ocean: columns x rows of blocks, each from surface to bed.
!
! rank = row * columns + column. The ocean goes round the earth; in the south and the north it ends. Global points,
! columns and rows count from 0, a block's own points from 1.
module pop_blocks
  use kit_program, only: decimal, ranks, usage_error
  use pop_settings, only: settings
  implicit none
  private
  public :: block, blocks, cut, halo_width

  integer, parameter :: halo_width = 2

  type :: block
    integer :: x_first, nx, y_first, ny
  end type block

  type :: blocks
    integer :: columns, rows
    integer, allocatable :: x_first(:), y_first(:)  ! where each begins, and where the last one ends
  contains
    procedure :: of_rank, owner
  end type blocks

contains

  ! Refuses a grid that cannot be cut so: a halo must come from the next block alone.
  function cut(chosen) result(self)
    type(settings), intent(in) :: chosen
    type(blocks) :: self
    logical :: possible

    self%columns = chosen%columns
    self%rows = chosen%rows
    if (chosen%columns == 0) then
      self%columns = best_columns(chosen)
      if (self%columns > 0) self%rows = ranks/self%columns
    else if (self%columns*self%rows /= ranks) then
      call usage_error('--blocks gives '//decimal(self%columns)//' x '//decimal(self%rows)//' blocks for '// &
                       decimal(ranks)//' processes')
    end if
    possible = self%columns > 0
    if (possible) possible = fits(chosen, self%columns, self%rows)
    if (.not. possible) then
      call usage_error('a grid of '//decimal(chosen%nx)//' x '//decimal(chosen%ny)//' points cannot be decomposed into '// &
                       decimal(ranks)//' blocks of at least 2 x 2')
    end if
    self%x_first = even(chosen%nx, self%columns)
    self%y_first = even(chosen%ny, self%rows)
  end function cut

  pure type(block) function of_rank(self, rank)
    class(blocks), intent(in) :: self
    integer, intent(in) :: rank
    integer :: column, row

    column = mod(rank, self%columns) + 1
    row = rank/self%columns + 1
    of_rank = block(self%x_first(column), self%x_first(column + 1) - self%x_first(column), &
                    self%y_first(row), self%y_first(row + 1) - self%y_first(row))
  end function of_rank

  ! The rank that holds the global point.
  pure integer function owner(self, x, y)
    class(blocks), intent(in) :: self
    integer, intent(in) :: x, y

    owner = (count(self%y_first <= y) - 1)*self%columns + count(self%x_first <= x) - 1
  end function owner

  ! As even as can be, the remainder spread over the first parts.
  pure function even(points, parts) result(first)
    integer, intent(in) :: points, parts
    integer :: first(parts + 1)
    integer :: n

    first = [(n*(points/parts) + min(n, mod(points, parts)), n=0, parts)]
  end function even

  pure logical function fits(chosen, columns, rows)
    type(settings), intent(in) :: chosen
    integer, intent(in) :: columns, rows

    fits = chosen%nx/columns >= halo_width .and. chosen%ny/rows >= halo_width
  end function fits

  ! The number of columns for which a block has the fewest points in its halo; 0 where none fits.
  pure integer function best_columns(chosen) result(best)
    type(settings), intent(in) :: chosen
    double precision :: length, shortest
    integer :: columns

    best = 0
    shortest = 0.0d0
    do columns = 1, ranks
      if (mod(ranks, columns) /= 0) cycle
      if (.not. fits(chosen, columns, ranks/columns)) cycle
      length = dble(chosen%nx)/columns + dble(chosen%ny)*columns/ranks
      if (best == 0 .or. length < shortest) then
        best = columns
        shortest = length
      end if
    end do
  end function best_columns

end module pop_blocks
