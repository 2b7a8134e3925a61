! Brings the neighbours' values into the halos of fields.
!
! Every other process that owns points of this block's halo is a neighbour, up to eight: corners are sent directly. A
! process that lies on several sides (two columns round the earth) is one neighbour and gets one message.
module pop_halo
  use, intrinsic :: iso_fortran_env, only: real64
  use kit_omission, only: left_out
  use kit_program, only: own_rank
  use mpi_f08
  use pop_blocks, only: block, blocks, halo_width
  use pop_settings, only: settings
  implicit none
  private
  public :: halo, new_halo, field_reference, refer

  integer, parameter :: tag = 1

  ! A field is an array of (-1:nx+2, -1:ny+2, levels).
  type :: field_reference
    real(real64), pointer, contiguous :: at(:, :, :)
  end type field_reference

  type :: neighbour
    integer :: rank
    integer, allocatable :: sent(:, :)      ! (2, points): where in this block the points of its halo are
    integer, allocatable :: received(:, :)  ! (2, points): where its points are in this block's halo
    real(real64), allocatable :: outgoing(:), incoming(:)
  end type neighbour

  type :: halo
    type(neighbour), allocatable :: neighbours(:)
    type(neighbour) :: self  ! points of this block that are beyond its own edge, round the earth
    type(MPI_Request), allocatable :: receiving(:), sending(:)
  contains
    procedure :: update
  end type halo

contains

  function refer(field) result(reference)
    real(real64), target, contiguous, intent(in) :: field(:, :, :)
    type(field_reference) :: reference

    reference%at => field
  end function refer

  function new_halo(chosen, cut) result(made)
    type(settings), intent(in) :: chosen
    type(blocks), intent(in) :: cut
    type(halo) :: made
    type(neighbour) :: one
    integer :: rank

    allocate (made%neighbours(0))
    do rank = 0, cut%columns*cut%rows - 1
      one%rank = rank
      one%received = points_of_halo(chosen, cut, own_rank, rank, inside=.false.)
      one%sent = points_of_halo(chosen, cut, rank, own_rank, inside=.true.)
      if (rank == own_rank) then
        made%self = one
      else if (size(one%sent) > 0) then
        made%neighbours = [made%neighbours, one]
      end if
    end do
    allocate (made%receiving(size(made%neighbours)), made%sending(size(made%neighbours)))
  end function new_halo

  ! The points in the halo of rank `of` that `owner` holds, always in the same order: where they are in the former's
  ! halo, or (inside) where they are in the latter's block.
  function points_of_halo(chosen, cut, of, owner, inside) result(points)
    type(settings), intent(in) :: chosen
    type(blocks), intent(in) :: cut
    integer, intent(in) :: of, owner
    logical, intent(in) :: inside
    integer, allocatable :: points(:, :)
    type(block) :: around, holder
    integer, allocatable :: flat(:)
    integer :: i, j, x, y

    around = cut%of_rank(of)
    holder = cut%of_rank(owner)
    allocate (flat(0))
    do j = 1 - halo_width, around%ny + halo_width
      y = around%y_first + j - 1
      if (y < 0 .or. y >= chosen%ny) cycle
      do i = 1 - halo_width, around%nx + halo_width
        if (i >= 1 .and. i <= around%nx .and. j >= 1 .and. j <= around%ny) cycle
        x = modulo(around%x_first + i - 1, chosen%nx)
        if (x < holder%x_first .or. x >= holder%x_first + holder%nx) cycle
        if (y < holder%y_first .or. y >= holder%y_first + holder%ny) cycle
        if (inside) then
          flat = [flat, x - holder%x_first + 1, y - holder%y_first + 1]
        else
          flat = [flat, i, j]
        end if
      end do
    end do
    points = reshape(flat, [2, size(flat)/2])
  end function points_of_halo

  ! One message to and one from each neighbour with all levels of all the fields: every MPI_Irecv, every MPI_Isend, an
  ! MPI_Waitall each. Collective.
  subroutine update(self, routine, number, fields)
    class(halo), intent(inout), asynchronous :: self
    character(*), intent(in) :: routine
    integer, intent(in) :: number
    type(field_reference), intent(in) :: fields(:)
    integer :: n, levels

    if (left_out(routine, number)) return
    levels = 0
    do n = 1, size(fields)
      levels = levels + size(fields(n)%at, 3)
    end do
    do n = 1, size(self%neighbours)
      associate (next => self%neighbours(n))
        call make_room(next%incoming, size(next%received, 2)*levels)
        call MPI_Irecv(next%incoming, size(next%received, 2)*levels, MPI_DOUBLE_PRECISION, next%rank, tag, &
                       MPI_COMM_WORLD, self%receiving(n))
      end associate
    end do
    do n = 1, size(self%neighbours)
      associate (next => self%neighbours(n))
        call make_room(next%outgoing, size(next%sent, 2)*levels)
        call pack(next%sent, fields, next%outgoing)
        call MPI_Isend(next%outgoing, size(next%sent, 2)*levels, MPI_DOUBLE_PRECISION, next%rank, tag, &
                       MPI_COMM_WORLD, self%sending(n))
      end associate
    end do
    call make_room(self%self%outgoing, size(self%self%sent, 2)*levels)
    call pack(self%self%sent, fields, self%self%outgoing)
    call unpack(self%self%received, fields, self%self%outgoing)
    call MPI_Waitall(size(self%receiving), self%receiving, MPI_STATUSES_IGNORE)
    do n = 1, size(self%neighbours)
      call unpack(self%neighbours(n)%received, fields, self%neighbours(n)%incoming)
    end do
    call MPI_Waitall(size(self%sending), self%sending, MPI_STATUSES_IGNORE)
  end subroutine update

  subroutine make_room(buffer, values)
    real(real64), allocatable, intent(inout) :: buffer(:)
    integer, intent(in) :: values

    if (allocated(buffer)) then
      if (size(buffer) >= values) return
      deallocate (buffer)
    end if
    allocate (buffer(values))
  end subroutine make_room

  ! A reference's array begins at 1, the field at 1 - halo_width.
  subroutine pack(points, fields, message)
    integer, intent(in) :: points(:, :)
    type(field_reference), intent(in) :: fields(:)
    real(real64), intent(inout) :: message(:)
    integer :: n, k, p, at

    at = 0
    do n = 1, size(fields)
      do k = 1, size(fields(n)%at, 3)
        do p = 1, size(points, 2)
          at = at + 1
          message(at) = fields(n)%at(points(1, p) + halo_width, points(2, p) + halo_width, k)
        end do
      end do
    end do
  end subroutine pack

  subroutine unpack(points, fields, message)
    integer, intent(in) :: points(:, :)
    type(field_reference), intent(in) :: fields(:)
    real(real64), intent(in) :: message(:)
    integer :: n, k, p, at

    at = 0
    do n = 1, size(fields)
      do k = 1, size(fields(n)%at, 3)
        do p = 1, size(points, 2)
          at = at + 1
          fields(n)%at(points(1, p) + halo_width, points(2, p) + halo_width, k) = message(at)
        end do
      end do
    end do
  end subroutine unpack

end module pop_halo
