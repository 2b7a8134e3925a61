"""python benchmarks [OPTIONS]: what recording costs, against the same program without it. See docs/performance.md."""

import sys

from bench.command import main

if __name__ == "__main__":
    sys.exit(main())
