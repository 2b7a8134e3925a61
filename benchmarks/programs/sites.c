// Many call sites, and one routine reached by many paths.
#include "bench.h"

static char buffer[64];

// One halo routine, five frames below one of eight callers: six return addresses make the path.
static NOINLINE void halo(void) {
  MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
  KEEP_FRAME();
}
#define FRAME(name, callee)         \
  static NOINLINE void name(void) { \
    callee();                       \
    KEEP_FRAME();                   \
  }
FRAME(exchange, halo)
FRAME(update, exchange)
FRAME(sweep, update)
FRAME(solve, sweep)

static NOINLINE void from_eight_sites(void) {
  solve();
  KEEP_FRAME();
  solve();
  KEEP_FRAME();
  solve();
  KEEP_FRAME();
  solve();
  KEEP_FRAME();
  solve();
  KEEP_FRAME();
  solve();
  KEEP_FRAME();
  solve();
  KEEP_FRAME();
  solve();
  KEEP_FRAME();
}

static int64_t call_paths(int64_t iterations) {
  for (int64_t i = 0; i < iterations; ++i) {
    from_eight_sites();
    KEEP_FRAME();
  }
  return 16 * iterations;
}

// The same sends without the frames between: what the path itself costs is the difference.
static int64_t one_path(int64_t iterations) {
  for (int64_t i = 0; i < 8 * iterations; ++i) {
    MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
  }
  return 16 * iterations;
}

// The same sends so many frames further down.
static NOINLINE int64_t further_down(int frames, int64_t iterations) {
  const int64_t calls = frames ? further_down(frames - 1, iterations) : one_path(iterations);
  KEEP_FRAME();
  return calls;
}

static int64_t frames_10(int64_t iterations) { return further_down(7, iterations); }
static int64_t frames_50(int64_t iterations) { return further_down(47, iterations); }

#define SITE MPI_Send(buffer, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
#define TEN(x) x x x x x x x x x x
#define HUNDRED(x) TEN(TEN(x))
static NOINLINE void hundred_sites(void) { HUNDRED(SITE) }
static NOINLINE void thousand_sites(void) { TEN(HUNDRED(SITE)) }
static NOINLINE void ten_thousand_sites(void) { HUNDRED(HUNDRED(SITE)) }

static int64_t rounds_of(int64_t iterations, int sites, void (*all)(void)) {
  for (int64_t i = 0; i < iterations; ++i) all();
  return iterations * sites;
}

static int64_t sites_100(int64_t iterations) { return rounds_of(iterations, 100, hundred_sites); }
static int64_t sites_1000(int64_t iterations) { return rounds_of(iterations, 1000, thousand_sites); }
static int64_t sites_10000(int64_t iterations) { return rounds_of(iterations, 10000, ten_thousand_sites); }

const Case site_cases[] = {
    {"call-paths", call_paths, 25000}, {"one-path", one_path, 25000},
    {"frames-10", frames_10, 25000},   {"frames-50", frames_50, 25000},
    {"sites-100", sites_100, 4000},    {"sites-1000", sites_1000, 400},
    {"sites-10000", sites_10000, 40},  {0, 0, 0},
};
