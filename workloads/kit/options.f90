! Command lines of the form `--name value` or `--name=value`; options.hpp for workloads in Fortran.
module kit_options
  use kit_program, only: decimal, usage_error
  implicit none
  private
  public :: read_options, option_text, option_whole, option_sizes, option_choice, parse_whole

  integer, parameter :: longest = 256

  type :: given_option
    character(longest) :: name = ''
    character(longest) :: value = ''
  end type given_option

  type(given_option), allocatable :: given(:)

contains

  ! Refuses an unknown or repeated name, a missing value, and a word that is no option.
  subroutine read_options(known)
    character(*), intent(in) :: known(:)
    character(longest) :: word
    type(given_option) :: option
    integer :: n, equals

    allocate (given(0))
    n = 0
    do while (n < command_argument_count())
      n = n + 1
      call get_command_argument(n, word)
      if (word(1:2) /= '--') then
        call usage_error("'"//trim(word)//"' is not an option; available: "//joined(known, '--'))
      end if
      equals = index(word, '=')
      if (equals > 0) then
        option = given_option(word(3:equals - 1), word(equals + 1:))
      else
        option%name = word(3:)
      end if
      if (all(known /= option%name)) then
        call usage_error('unknown option --'//trim(option%name)//'; available: '//joined(known, '--'))
      end if
      if (equals == 0) then
        if (n == command_argument_count()) call usage_error('--'//trim(option%name)//' needs a value')
        n = n + 1
        call get_command_argument(n, option%value)
      end if
      if (any(given%name == option%name)) call usage_error('--'//trim(option%name)//' given twice')
      given = [given, option]
    end do
  end subroutine read_options

  function option_text(name, fallback) result(text)
    character(*), intent(in) :: name, fallback
    character(:), allocatable :: text
    integer :: n

    text = fallback
    do n = 1, size(given)
      if (given(n)%name == name) text = trim(given(n)%value)
    end do
  end function option_text

  integer function option_whole(name, fallback, least, most) result(number)
    character(*), intent(in) :: name
    integer, intent(in) :: fallback, least, most

    number = parse_whole(option_text(name, decimal(fallback)), '--'//name, least, most)
  end function option_whole

  ! "4x3x2" -> [4, 3, 2]: as many numbers as the fallback has.
  function option_sizes(name, fallback, least, most) result(numbers)
    character(*), intent(in) :: name, fallback
    integer, intent(in) :: least, most
    integer, allocatable :: numbers(:)
    character(:), allocatable :: text
    integer :: at, wanted

    text = option_text(name, fallback)
    wanted = count_of('x', fallback)
    if (count_of('x', text) /= wanted) then
      call usage_error('--'//name//': expected the form '//fallback//", got '"//text//"'")
    end if
    allocate (numbers(0))
    text = text//'x'
    do while (len(text) > 0)
      at = index(text, 'x')
      numbers = [numbers, parse_whole(text(:at - 1), 'a number in --'//name, least, most)]
      text = text(at + 1:)
    end do
  end function option_sizes

  ! One of the choices, the first where none is given.
  function option_choice(name, choices) result(chosen)
    character(*), intent(in) :: name, choices(:)
    character(:), allocatable :: chosen

    chosen = option_text(name, trim(choices(1)))
    if (all(choices /= chosen)) then
      call usage_error('--'//name//': expected one of '//joined(choices, '')//", got '"//chosen//"'")
    end if
  end function option_choice

  integer function parse_whole(text, what, least, most) result(number)
    character(*), intent(in) :: text, what
    integer, intent(in) :: least, most
    integer :: status

    number = least - 1
    status = 1
    ! Not more digits than a number in Fortran's default integers may have.
    if (verify(text, '0123456789') == 0 .and. len(text) > 0 .and. len(text) < 10) read (text, *, iostat=status) number
    if (status /= 0 .or. number < least .or. number > most) then
      call usage_error(what//': expected an integer from '//decimal(least)//' to '//decimal(most)//", got '"//text//"'")
    end if
  end function parse_whole

  pure integer function count_of(letter, text)
    character(1), intent(in) :: letter
    character(*), intent(in) :: text
    integer :: n

    count_of = count([(text(n:n) == letter, n=1, len(text))])
  end function count_of

  pure function joined(names, before) result(text)
    character(*), intent(in) :: names(:), before
    character(:), allocatable :: text
    integer :: n

    text = before//trim(names(1))
    do n = 2, size(names)
      text = text//', '//before//trim(names(n))
    end do
  end function joined

end module kit_options
