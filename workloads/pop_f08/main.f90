! Steps of an ocean model with a baroclinic and a barotropic phase: ../pop in Fortran 2018; docs/reference/workloads/pop.md.
program pop_f08
  use, intrinsic :: iso_fortran_env, only: output_unit, real64
  use kit_omission, only: read_omission
  use kit_phases, only: new_phases, phases
  use kit_program, only: counted, decimal, end_program, own_rank, ranks, start_program
  use pop_barotropic, only: barotropic
  use pop_blocks, only: blocks, cut
  use pop_budget, only: all_sums, compare
  use pop_mixing, only: mixing_coefficients
  use pop_momentum, only: momentum
  use pop_ocean, only: ensemble, new_ensemble
  use pop_settings, only: read_settings, settings, usage
  use pop_transport, only: tracer_transport
  implicit none

  enum, bind(c)
    enumerator :: setup_phase = 1, baroclinic_phase, barotropic_phase
  end enum

  call start_program('pop_f08', usage)
  call run()

contains

  subroutine run()
    type(settings) :: chosen
    type(phases) :: spent
    type(blocks) :: parts
    type(ensemble), allocatable, target :: state
    real(real64), allocatable :: beginning(:, :)
    character(:), allocatable :: figures, failures, members, times
    integer :: step

    chosen = read_settings()
    spent = new_phases([character(10) :: 'setup', 'baroclinic', 'barotropic'])
    parts = cut(chosen)
    call read_omission('POP_LEAVE_OUT')
    call spent%start()
    allocate (state)
    call new_ensemble(chosen, parts, state)
    beginning = all_sums(state)
    call spent%stop(setup_phase)
    do step = 1, chosen%steps
      call advance(state, spent)
    end do
    call compare(state, beginning, figures, failures)
    times = spent%slowest()
    members = ''
    if (chosen%members > 1) members = ', '//counted(chosen%members, 'member')
    if (own_rank == 0) then
      write (output_unit, '(a)') 'pop_f08: grid '//decimal(chosen%nx)//'x'//decimal(chosen%ny)//'x'//decimal(chosen%nz)// &
        ', '//counted(chosen%tracers, 'tracer')//members//', '//counted(ranks, 'rank')//' in '//decimal(parts%columns)//' x '// &
        decimal(parts%rows)//' blocks, '//counted(chosen%steps, 'step')//', '//counted(state%iterations, 'iteration')// &
        ' with '//chosen%solver//': '//times//', '//figures
      if (len(failures) > 0) call end_program(1, failures(2:len(failures) - 1))
    end if
    call end_program(0)
  end subroutine run

  subroutine advance(state, spent)
    type(ensemble), intent(inout), target :: state
    type(phases), intent(inout) :: spent
    integer :: m

    call spent%start()
    do m = 1, size(state%members)
      call mixing_coefficients(state%members(m))
      call momentum(state%members(m))
    end do
    call spent%stop(baroclinic_phase)
    call spent%start()
    call barotropic(state)
    call spent%stop(barotropic_phase)
    call spent%start()
    do m = 1, size(state%members)
      call tracer_transport(state%members(m))
    end do
    call spent%stop(baroclinic_phase)
  end subroutine advance

end program pop_f08
