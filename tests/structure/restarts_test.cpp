// How often calls restart where a loop's iterations make all their calls in an inner loop.
#include "structure/restarts.hpp"

#include <functional>
#include <set>
#include <string>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "structure/build_tree.hpp"

namespace {

using testing::check;
using namespace leadline;
using recording::MemoryThread;
using structure::Restarts;
using trace::programs::plain;

enum Site : uint32_t { none, exchange, sum, sites };
enum Loop : uint32_t { outside, sweeps, steps, loops };

// A loop of sweeps around one of steps, which exchanges with partner(step) and gives messages the tag `tag(sweep)`. In
// every `sum_every`th sweep a sum follows, which shows that the loop of steps is entered again.
Restarts restarts(int sweep_count, int step_count, const std::function<int(int)>& partner,
                  const std::function<int(int)>& tag, int sum_every = 0, bool silent = true) {
  MemoryThread thread;
  uint64_t entries = 1;
  for (int sweep = 0; sweep < sweep_count; ++sweep) {
    for (int step = 0; step < step_count; ++step) thread.add(plain(exchange, 8, partner(step), tag(sweep)), 100, 10);
    if (sum_every && sweep % sum_every == sum_every - 1 && sweep + 1 < sweep_count) {
      thread.add(plain(sum, 1, 0, 0), 100, 10);
      ++entries;
    }
  }
  std::string error;
  trace::Stream stream = thread.decode(&error);
  check(error.empty(), error);
  stream.sites.resize(sites);
  stream.loops.resize(loops);
  stream.loops[sweeps].silent = silent;
  stream.loops[sweeps].entries = 1;
  stream.loops[sweeps].repeats = entries - 1;
  stream.loops[steps].outer = sweeps;
  stream.site_loops = {outside, steps, sweeps};
  stream.back_edges = {{exchange, exchange, steps}, {sum, exchange, sweeps}};
  return structure::restarts_of(structure::loop_tree(stream), stream)[sweeps];
}

// A loop of steps around one of stages, of which each step makes one: an exchange. At some steps a sum follows.
// `inner`: a loop in the stage makes the exchange, that many times, with one partner and then with others.
Restarts single_stages(int step_count, const std::set<int>& sums, int inner = 0) {
  enum : uint32_t { time_steps = 1, stages, parts, all };
  MemoryThread thread;
  uint64_t entries = 1;
  for (int step = 1; step <= step_count; ++step) {
    thread.add(plain(exchange, 8, 1, 0), 100, 10);
    for (int part = 1; part < inner; ++part) thread.add(plain(exchange, 8, 1 + part, 0), 100, 10);
    if (!sums.count(step)) continue;
    thread.add(plain(sum, 1, 0, 0), 100, 10);
    if (step < step_count) ++entries;
  }
  std::string error;
  trace::Stream stream = thread.decode(&error);
  check(error.empty(), error);
  const uint32_t innermost = inner ? parts : stages;
  stream.sites.resize(sites);
  stream.loops.resize(all);
  stream.loops[time_steps].silent = stream.loops[stages].silent = true;
  stream.loops[time_steps].repeats = entries - 1;
  stream.loops[time_steps].entries = 1;
  stream.loops[stages].outer = time_steps;
  stream.loops[parts].outer = stages;
  stream.site_loops = {outside, innermost, time_steps};
  stream.back_edges = {{exchange, exchange, innermost}, {sum, exchange, time_steps}};
  return structure::restarts_of(structure::loop_tree(stream), stream)[time_steps];
}

int up_and_down(int step) { return step < 4 ? 1 : -1; }
int same(int) { return 1; }
int no_tag(int) { return 0; }
int own_tag(int sweep) { return sweep; }

void expect(const Restarts& r, uint64_t times, uint64_t iterations, const std::string& what) {
  check(r.times == times && r.iterations == iterations,
        what + ": " + std::to_string(r.times) + " after " + std::to_string(r.iterations));
}

}  // namespace

int main() {
  expect(restarts(5, 9, up_and_down, no_tag), 5, 9, "sweeps of nine steps");
  expect(restarts(5, 9, up_and_down, own_tag), 5, 9, "with a tag for each sweep");
  expect(restarts(12, 9, up_and_down, no_tag, 4), 12, 9, "four sweeps between two sums");
  expect(restarts(13, 9, up_and_down, no_tag, 4), 13, 9, "one sweep after the last sum");
  expect(restarts(5, 9, same, no_tag), 0, 0, "steps that are all alike say nothing");
  expect(restarts(1, 9, up_and_down, no_tag), 0, 0, "one sweep");
  expect(restarts(5, 9, up_and_down, no_tag, 0, false), 0, 0, "where no iteration can go unseen");
  expect(single_stages(300, {4, 5, 100, 200}), 300, 1, "a step of one stage was seen");
  expect(single_stages(300, {100, 200}), 0, 0, "a hundred stages may be a step");
  expect(single_stages(300, {4, 100, 200}), 0, 0, "so may four");
  expect(single_stages(60, {4, 5, 20}, 3), 60, 0, "three parts of a stage, which restarts");
  return testing::result();
}
