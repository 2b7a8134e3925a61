"""How long a launch with a setting may take."""

from leadline.improve.trials import longest_trial_s


def test_a_launch_that_hangs_leaves_time_for_the_others() -> None:
    assert longest_trial_s(0.2, 60.0) == 4.0  # a fifteenth of a short search
    assert longest_trial_s(0.2, 600.0) == 30.0
    assert longest_trial_s(0.2, 36000.0) == 62.0
    assert longest_trial_s(20.0, 60.0) == 103.0  # one that is only slow goes on
