"""Signal dispositions of the programs that tests start, whatever this process was given by the one that started it."""

import signal

LEFT_ALONE = {signal.SIGPIPE, signal.SIGXFSZ}  # Python ignores them itself; subprocess restores them in a child


def let_children_start_afresh() -> None:
    """Programs started from here have no ignored or blocked signals.

    nohup, or a shell without job control, leaves SIGHUP or SIGINT ignored, and every program below inherits that. A
    handler does not survive exec(): an ignored signal is caught here and dropped, and has its default in the child.
    SIGINT becomes KeyboardInterrupt, as in a process that was started with nothing ignored: what is tested in this
    process must not depend on who started it.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in signal.valid_signals() - LEFT_ALONE:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else lambda *_: None)
