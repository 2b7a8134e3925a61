"""Measures point-to-point messages and collectives against one another (docs/bench.md).

`measure()` is what `leadline bench` is made of.
"""

from leadline.bench.measuring import MeasurementFailed, measure
from leadline.bench.rows import Measurement
from leadline.bench.statistics import Interval, interval

__all__ = ["Interval", "Measurement", "MeasurementFailed", "interval", "measure"]
