"""python benchmarks [OPTIONS]: what recording costs, with and without the recorder (docs/record/performance.md)."""

import sys

from bench.command import main

if __name__ == "__main__":
    sys.exit(main())
