"""leadline calibrate: measures the parameters of a network, with the job's own library, launcher and placement.

measured.py   what the program of src/bench measured in a launch
launches.py   starts the program
fitting.py    the pieces of a link from measured times
network.py    the whole network, with intervals
noise.py      why the measurements say nothing
"""

from leadline.calibration.launches import launch_all
from leadline.calibration.measured import Launch
from leadline.calibration.network import Calibration, calibration_of
from leadline.calibration.noise import why_too_noisy

__all__ = ["Calibration", "Launch", "calibration_of", "launch_all", "why_too_noisy"]
