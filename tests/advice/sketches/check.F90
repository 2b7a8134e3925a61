! Each sketch beside the calls it replaces: the same bytes. The test puts each sketch into a module; with -DF08 they
! use mpi_f08.
#ifdef F08
#define MPI_MODULE mpi_f08
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)
#else
#define MPI_MODULE mpi
#define COMMUNICATOR integer
#define REQUEST integer
#endif
program check
  use MPI_MODULE
  use pack, only: plan_exchange
  use merge_reductions_allreduce, only: reduce_to_all => reduce_together
  use merge_reductions_reduce, only: reduce_to_root => reduce_together
  use create_once_dup, only: create_copy => create_kept, free_copy => free_kept
  use create_once_split, only: create_part => create_kept, free_part => free_kept
  use nonblocking, only: exchange_at_once
  use overlap, only: start_exchange, finish_exchange
  use parallel_io, only: write_parts
  use read_once, only: read_for_all
  use less_output, only: output_is_due
  use larger_io_collected, only: write_later
  use collective_gather, only: gather_parts
  use collective_distribute, only: send_to_all, scatter_parts
  use collective_reduce, only: combine_on_root
  use collective_alltoall, only: exchange_with_all
  use smaller_communicator, only: create_with_data, free_with_data
  use sparse_exchange, only: exchange_with_few
  use leadline_segments
  implicit none
  integer, parameter :: fields = 6, points = 50
  integer :: rank, ranks, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call check_pack()
  call check_collectives()
  call check_reductions()
  call check_created()
  call check_exchanges()
  call check_files()
  call check_output()
  call check_few()
  call MPI_Finalize(error)
contains
  subroutine tell(name, same)
    character(len=*), intent(in) :: name
    logical, intent(in) :: same
    if (same) write (*, '(a, i0, 3a)') "rank ", rank, ": ", name, " same"
    if (.not. same) write (*, '(a, i0, 3a)') "rank ", rank, ": ", name, " DIFFERENT"
  end subroutine tell

  subroutine check_pack()
    real(8), target, save :: out(points, fields, 2), naive(points, fields, 2), packed(points, fields, 2)
    type(segments_plan) :: plan
    REQUEST :: requests(4)
    integer :: lower, upper, i, f
    lower = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    upper = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
    out = reshape([(rank * 1d4 + i, i = 1, size(out))], shape(out))
    naive = 0
    packed = 0
    do f = 1, fields
      call MPI_Irecv(naive(1, f, 1), points, MPI_DOUBLE_PRECISION, lower, 1, MPI_COMM_WORLD, requests(1), error)
      call MPI_Irecv(naive(1, f, 2), points, MPI_DOUBLE_PRECISION, upper, 0, MPI_COMM_WORLD, requests(2), error)
      call MPI_Isend(out(1, f, 1), points, MPI_DOUBLE_PRECISION, lower, 0, MPI_COMM_WORLD, requests(3), error)
      call MPI_Isend(out(1, f, 2), points, MPI_DOUBLE_PRECISION, upper, 1, MPI_COMM_WORLD, requests(4), error)
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
    end do
    call plan_exchange(plan, MPI_COMM_WORLD, lower, upper, out, packed)
    call segments_exchange(plan)
    call segments_free(plan)
    call tell("pack", all(naive == packed))
  end subroutine check_pack

  subroutine check_reductions()
    real(8) :: each(3), naive(3), together(3)
    integer :: v
    each = [(rank + 0.5d0 * v, v = 1, 3)]
    do v = 1, 3
      call MPI_Allreduce(each(v), naive(v), 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    together = each
    call reduce_to_all(together, MPI_COMM_WORLD)
    call tell("merge-reductions.allreduce", all(naive == together))
    naive = each
    do v = 1, 3
      call MPI_Reduce(each(v), naive(v), 1, MPI_DOUBLE_PRECISION, MPI_SUM, 1, MPI_COMM_WORLD, error)
    end do
    if (rank /= 1) naive = each
    together = each
    call reduce_to_root(together, 1, MPI_COMM_WORLD)
    call tell("merge-reductions.reduce", all(naive == together))
  end subroutine check_reductions

  ! A rank's part has as many numbers as its rank, and one more.
  subroutine check_collectives()
    integer, parameter :: root = 1
    real(8) :: everything(ranks * (ranks + 1) / 2), gathered(ranks * (ranks + 1) / 2), part(rank + 1), own(rank + 1)
    real(8) :: data(5), out(5, ranks), naive(5, ranks), at_once(5, ranks)
    integer :: counts(ranks), r, i
    counts = [(r + 1, r = 0, ranks - 1)]
    everything = [((r * 100d0 + i, i = 0, r), r = 0, ranks - 1)]
    part = [(rank * 100d0 + i, i = 0, rank)]
    gathered = 0
    call gather_parts(MPI_COMM_WORLD, root, part, gathered, counts)
    call tell("collective.gather", rank /= root .or. all(gathered == everything))
    data = 0
    if (rank == root) data = [(i, i = 1, 5)]
    own = 0
    call send_to_all(MPI_COMM_WORLD, root, data)
    call scatter_parts(MPI_COMM_WORLD, root, everything, counts, own)
    call tell("collective.distribute", all(data == [(i, i = 1, 5)]) .and. all(own == part))
    data = [(rank + i, i = 1, 5)]
    naive(:, 1) = [(ranks * (ranks - 1) / 2 + ranks * i, i = 1, 5)]
    call combine_on_root(MPI_COMM_WORLD, root, data, at_once(:, 1))
    call tell("collective.reduce", rank /= root .or. all(at_once(:, 1) == naive(:, 1)))
    out = reshape([((rank * 1000d0 + r * 10 + i, i = 1, 5), r = 1, ranks)], shape(out))
    do r = 1, ranks
      call MPI_Sendrecv(out(1, r), 5, MPI_DOUBLE_PRECISION, r - 1, 1, naive(1, r), 5, MPI_DOUBLE_PRECISION, r - 1, 1, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end do
    call exchange_with_all(MPI_COMM_WORLD, out, at_once)
    call tell("collective.alltoall", all(naive == at_once))
  end subroutine check_collectives

  ! A rank has a value for itself and as many for the next one as its rank has, and one more. The last rank has no data
  ! in a gather.
  subroutine check_few()
    real(8) :: out(2 * ranks), naive(4 * ranks), few(4 * ranks), data, gathered(ranks)
    integer :: counts(0:ranks - 1), at(0:ranks - 1), received(0:ranks - 1), to(0:ranks - 1), before, r
    COMMUNICATOR :: with_data
    logical :: same
    before = mod(rank + ranks - 1, ranks)
    counts = 0
    received = 0
    counts(rank) = 1
    received(rank) = 1
    counts(mod(rank + 1, ranks)) = rank + 1
    received(before) = before + 1
    at = [(sum(counts(0:r - 1)), r = 0, ranks - 1)]
    to = [(sum(received(0:r - 1)), r = 0, ranks - 1)]
    out = [(rank * 100d0 + r, r = 1, 2 * ranks)]
    naive = 0
    few = 0
    call MPI_Alltoallv(out, counts, at, MPI_DOUBLE_PRECISION, naive, received, to, MPI_DOUBLE_PRECISION, &
                       MPI_COMM_WORLD, error)
    call exchange_with_few(MPI_COMM_WORLD, out, counts, at, few, received, to)
    call tell("sparse-exchange", all(naive == few))
    data = rank
    gathered = 0
    call create_with_data(MPI_COMM_WORLD, rank + 1 < ranks, with_data)
    same = (with_data == MPI_COMM_NULL) .eqv. (rank + 1 == ranks)
    if (with_data /= MPI_COMM_NULL) &
      call MPI_Gather(data, 1, MPI_DOUBLE_PRECISION, gathered, 1, MPI_DOUBLE_PRECISION, 0, with_data, error)
    if (rank == 0) same = same .and. all(gathered == [(real(r, 8), r = 0, ranks - 2), 0d0])
    call free_with_data(with_data)
    call tell("smaller-communicator", same .and. with_data == MPI_COMM_NULL)
  end subroutine check_few

  logical function alike(a, b)
    COMMUNICATOR, intent(in) :: a, b
    integer :: compared
    call MPI_Comm_compare(a, b, compared, error)
    alike = compared == MPI_CONGRUENT
  end function alike

  subroutine check_created()
    COMMUNICATOR :: naive, kept
    logical :: same
    call MPI_Comm_dup(MPI_COMM_WORLD, naive, error)
    call create_copy(MPI_COMM_WORLD, kept)
    same = alike(naive, kept)
    call free_copy(kept)
    call MPI_Comm_free(naive, error)
    call tell("create-once.dup", same .and. kept == MPI_COMM_NULL)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, naive, error)
    call create_part(MPI_COMM_WORLD, mod(rank, 2), -rank, kept)
    same = alike(naive, kept)
    call free_part(kept)
    call MPI_Comm_free(naive, error)
    call tell("create-once.split", same .and. kept == MPI_COMM_NULL)
  end subroutine check_created

  subroutine check_exchanges()
    real(8), asynchronous :: out(points, 2), naive(points, 2), at_once(points, 2), later(points, 2)
    REQUEST :: requests(4)
    integer :: partner(2), i
    partner = [merge(rank - 1, MPI_PROC_NULL, rank > 0), merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)]
    out = reshape([(rank * 1d3 + i, i = 1, size(out))], shape(out))
    naive = 0
    at_once = 0
    later = 0
    call MPI_Sendrecv(out(1, 2), points, MPI_DOUBLE_PRECISION, partner(2), 1, naive(1, 1), points, &
                      MPI_DOUBLE_PRECISION, partner(1), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(out(1, 1), points, MPI_DOUBLE_PRECISION, partner(1), 2, naive(1, 2), points, &
                      MPI_DOUBLE_PRECISION, partner(2), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call exchange_at_once(MPI_COMM_WORLD, partner, out, at_once)
    call tell("nonblocking", all(naive == at_once))
    call start_exchange(MPI_COMM_WORLD, partner, out, later, requests)
    call finish_exchange(requests)
    call tell("overlap", all(naive == later))
  end subroutine check_exchanges

  ! Of 10 iterations: 4 and 8, counted from 1, and the last.
  subroutine check_output()
    integer :: i
    call tell("less-output", all([(output_is_due(i, 10), i = 1, 10)] .eqv. [(any(i == [4, 8, 10]), i = 1, 10)]))
  end subroutine check_output

  ! A rank's part has as many numbers as its rank, and one more.
  subroutine check_files()
    real(8), allocatable :: own(:), everything(:)
    character(len=1), allocatable :: text(:), none(:)
    character(len=20) :: name
    real(8) :: alone(600)
    integer :: unit, r, i, failed
    own = [(rank * 100d0 + i, i = 0, rank)]
    everything = [((r * 100d0 + i, i = 0, r), r = 0, ranks - 1)]
    call write_parts(MPI_COMM_WORLD, "parts.dat", own)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call read_for_all(MPI_COMM_WORLD, "parts.dat", text)
    call tell("parallel-io", size(text) == 8 * size(everything))
    call read_for_all(MPI_COMM_WORLD, "no-such.dat", none)
    call tell("read-once", size(none) == 0 .and. all(transfer(text, everything) == everything))
    write (name, '("values.", i0)') rank
    open (newunit=unit, file=name, access="stream", form="unformatted", status="replace")
    do i = 1, 600
      call write_later(unit, real(rank + i, 8))
    end do
    call write_later(unit)
    rewind (unit)
    read (unit, iostat=failed) alone
    close (unit)
    call tell("larger-io.collected", failed == 0 .and. all(alone == [(real(rank + i, 8), i = 1, 600)]))
  end subroutine check_files
end program check
