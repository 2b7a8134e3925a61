"""Measures point-to-point messages and collectives against one another (docs/tune/bench.md).

`measure()` is the function behind `leadline bench`.
"""

from leadline.bench.measuring import measure
from leadline.bench.rows import Measurement
from leadline.errors import MeasurementFailed
from leadline.statistics.interval import Interval, interval

__all__ = ["Interval", "Measurement", "MeasurementFailed", "interval", "measure"]
