// Arithmetic by several threads of each process (--threads); messages are the main thread's.
#pragma once

// Before a loop over columns of points from west to east: no iteration reads what another writes, so the result does
// not depend on the number of threads.
#define OPATM_COLUMNS_BY_THREADS _Pragma("omp parallel for schedule(static)")
