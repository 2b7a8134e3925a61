// What lies between two visits to a loop is not the loop's time.
#include "structure/gap_shares.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "structure/build_tree.hpp"

namespace {

using testing::check;
using namespace leadline;
using namespace leadline::structure;
using recording::MemoryThread;
using trace::Stream;
using trace::programs::plain;

constexpr uint64_t steps = 50;
constexpr int each = 4;

// Steps of two inner loops of four calls each, whose sites are 1 and 2: loops 2 and 3. `before`: of each call of a
// step, what comes before it.
Stream two_loops(const std::vector<uint64_t>& before, uint64_t init = 0) {
  MemoryThread thread;
  for (uint64_t step = 0; step < steps; ++step) {
    for (uint32_t call = 0; call < 2 * each; ++call)
      thread.add(plain(1 + call / each, 16, -1, 0), 10, before[call] + (step || call ? 0 : init));
  }
  std::string error;
  Stream stream = thread.decode(&error);
  check(error.empty(), "a trace that can be read");
  stream.sites.resize(3);
  stream.loops.resize(4);
  stream.loops[2].outer = stream.loops[3].outer = 1;
  stream.site_loops = {0, 2, 3};
  stream.back_edges = {{1, 1, 2}, {2, 1, 1}, {2, 2, 3}};
  return stream;
}

double share(const Stream& stream, uint32_t site, uint32_t loop) {
  for (const GapShare& s : gap_shares(stream, first_calls(loop_tree(stream)))) {
    if (s.site == site && s.loop == loop) return s.share;
  }
  return 1;
}

bool near(double a, double b) { return std::fabs(a - b) < 1e-3; }

void computation_behind_a_loop_is_not_the_loops() {
  const Stream stream = two_loops({10, 10, 10, 10, 4000, 10, 10, 10});
  check(near(share(stream, 2, 3), 40.0 / 4030), "what follows the first loop is not the second's");
  check(share(stream, 2, 1) == 1, "but is the outer loop's");
  check(near(share(stream, 1, 2), 1), "nothing follows the second loop");
}

void what_each_iteration_computes_first_is_the_loops() {
  const Stream stream = two_loops({500, 500, 500, 500, 10, 10, 10, 10});
  check(near(share(stream, 1, 2), 1), "the first iteration computes like the others");
  check(near(share(stream, 2, 3), 1), "and so does the other loop's");
}

void what_comes_before_the_outermost_loop_is_none_of_its_time() {
  const Stream stream = two_loops({20, 10, 10, 10, 10, 10, 10, 10}, 1'000'000);
  const double all = 1e6 + steps * 50.0;
  check(near(share(stream, 1, 1), steps * 50.0 / all), "the main loop without the initialisation");
  check(near(share(stream, 1, 2), steps * 40.0 / all), "and no loop within has more");
}

void calls_without_times_are_taken_to_be_alike() {
  Stream stream = two_loops({10, 10, 10, 10, 4000, 10, 10, 10});
  stream.series.clear();
  check(near(share(stream, 2, 3), 0.75), "one of four calls is the first");
}

// Of a loop that is entered for one iteration each time, nothing is known of what an iteration computes first.
void a_loop_of_one_iteration_lasts_from_its_first_call() {
  Stream stream = two_loops({10, 10, 10, 10, 4000, 10, 10, 10});
  stream.back_edges = {{1, 1, 2}, {2, 1, 1}};
  check(share(stream, 2, 3) < 0.01, "what comes before it lies outside");
}

// Iterations that only the calls' times show: the inner loop's longest gaps are those of the loop around it.
void steps_that_no_call_shows() {
  MemoryThread thread;
  for (uint64_t call = 0; call < each * steps; ++call) thread.add(plain(1, 16, -1, 0), 10, call % each ? 10 : 2000);
  std::string error;
  Stream stream = thread.decode(&error);
  check(error.empty(), "a trace that can be read");
  stream.sites.resize(2);
  stream.loops.resize(3);
  stream.loops[2].outer = 1;
  stream.site_loops = {0, 2};
  stream.back_edges = {{1, 1, 2}};
  stream.steps = {{.outer = 1, .inner = 2, .inner_iterations = each}};
  check(near(share(stream, 1, 2), 40.0 / 2030), "the inner loop has none of the computation");
  check(near(share(stream, 1, 1), 1), "the outer one has all");
}

}  // namespace

int main() {
  computation_behind_a_loop_is_not_the_loops();
  what_each_iteration_computes_first_is_the_loops();
  what_comes_before_the_outermost_loop_is_none_of_its_time();
  calls_without_times_are_taken_to_be_alike();
  a_loop_of_one_iteration_lasts_from_its_first_call();
  steps_that_no_call_shows();
  return testing::result();
}
