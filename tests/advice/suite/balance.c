/* Uneven computation. Each step ends with a sum that all ranks need. */
#include "suite.h"

CASE(slow_rank) { /* the last rank has 1.6 times as much to do */
  for (int step = 0; step < steps; ++step) {
    compute(mended ? 1000 + 600 / size : rank == size - 1 ? 1600 : 1000);
    sum();
  }
}

CASE(idle_rank) { /* the first rank only waits for what the others do */
  for (int step = 0; step < steps; ++step) {
    if (mended)
      compute(1500 * (size - 1) / size);
    else if (rank)
      compute(1500);
    sum();
  }
}

CASE(triangle) { /* rows of a triangle in blocks: more from rank to rank */
  for (int step = 0; step < steps; ++step) {
    compute(mended ? 1200 : 1200 * 2 * (rank + 1) / (size + 1));
    sum();
  }
}

CASE(wandering_load) { /* another rank has more in each step */
  for (int step = 0; step < steps; ++step) {
    compute(mended ? 800 + 800 / size : step % size == rank ? 1600 : 800);
    sum();
  }
}

CASE(drifting_load) { /* what takes long moves from the first rank to the last */
  for (int step = 0; step < steps; ++step) {
    compute(mended ? 800 + 800 / size : step * size / steps == rank ? 1600 : 800);
    sum();
  }
}

CASE(serial_part) { /* in every tenth step one rank alone analyses the field */
  for (int step = 0; step < steps; ++step) {
    compute(600);
    if (step % 10 == 9) compute(mended ? 6000 / size : rank ? 0 : 6000);
    sum();
  }
}

CASE(slow_in_parts) { /* the first rank has more before one sum, the others before the next */
  for (int step = 0; step < steps; ++step) {
    compute(mended ? 1000 : rank ? 800 : 800 + 200 * size);
    sum();
    compute(mended ? 1000 : rank ? 800 + 200 * size / (size - 1) : 800);
    part = total / size;
    sum();
  }
}

HEALTHY(healthy_sum) { /* even computation, one sum that is needed */
  for (int step = 0; step < steps; ++step) {
    compute(1500);
    sum();
    part = total / size;
  }
}

HEALTHY(healthy_alone) { /* nothing to exchange before the end */
  for (int step = 0; step < steps; ++step) {
    compute(1500);
    if (step % 50 == 49) sum();
  }
}

PROGRAM(IS(slow_rank), IS(idle_rank), IS(triangle), IS(wandering_load), IS(drifting_load), IS(serial_part),
        IS(slow_in_parts), IS(healthy_sum), IS(healthy_alone))
