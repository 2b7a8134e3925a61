// Threads that went the same way through their loops share one tree; others do not.
#include "structure/shape_pool.hpp"

#include <string>
#include <utility>
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

struct Program {
  uint64_t steps = 300;
  int64_t first_count = 8, count = 8;
  bool sizes_vary = false;
  uint64_t duration = 100;
};

// Steps of two calls, of which the second is made in an inner loop of three iterations.
Stream stream_of(const Program& p) {
  MemoryThread thread;
  int64_t fresh = 1000;
  for (uint64_t step = 0; step < p.steps; ++step) {
    thread.add(plain(1, p.sizes_vary ? fresh++ : step ? p.count : p.first_count, 1, 0), p.duration + step % 7, 10);
    for (int k = 0; k < 3; ++k) thread.add(plain(2, 16, -1, 0), p.duration, 10);
  }
  std::string error;
  Stream stream = thread.decode(&error);
  check(error.empty(), "a trace that can be read");
  stream.sites.resize(3);
  stream.loops.resize(3);
  stream.loops[2].outer = 1;
  stream.site_loops = {0, 1, 2};
  stream.back_edges = {{1, 1, 1}, {2, 1, 1}, {2, 2, 2}};
  return stream;
}

bool same(const std::vector<LoopShape>& a, const std::vector<LoopShape>& b) {
  if (a.size() != b.size()) return false;
  for (size_t l = 0; l < a.size(); ++l) {
    if (a[l].iterations != b[l].iterations || a[l].variants != b[l].variants || a[l].fewest != b[l].fewest ||
        a[l].usual != b[l].usual || a[l].most != b[l].most || a[l].varying != b[l].varying) {
      return false;
    }
  }
  return true;
}

void ranks_that_behave_alike_share_one_tree() {
  ShapePool pool;
  for (uint64_t rank = 0; rank < 64; ++rank) {
    const Stream stream = stream_of({.duration = 100 + rank});  // times are their own
    check(same(pool.of(stream).loops, loop_shapes(timed_tree(stream), stream)), "a rank's own shape");
  }
  check(pool.trees() == 1, "64 ranks that behave alike have one tree");
}

void others_have_their_own() {
  ShapePool pool;
  const Program programs[] = {{}, {.steps = 301}, {.first_count = 9}, {.count = 9}, {.sizes_vary = true}};
  for (const Program& p : programs) {
    const Stream stream = stream_of(p);
    check(same(pool.of(stream).loops, loop_shapes(timed_tree(stream), stream)), "a shape of its own");
  }
  check(pool.trees() == 5, "what differs has trees of its own");
  Stream other_back_edges = stream_of({});
  other_back_edges.back_edges.pop_back();
  pool.of(other_back_edges);
  check(pool.trees() == 6, "and what repeats otherwise");
}

void what_varies_without_end_is_no_variant() {
  ShapePool pool;
  const ThreadShape& varies = pool.of(stream_of({.sizes_vary = true}));
  // The first iterations' sizes are still told apart.
  check(varies.loops[1].iterations == 300 && varies.loops[1].variants < 20, "sizes that vary make few variants");
  check(varies.loops[1].varying == 1 && varies.loops[2].varying == 0, "where sizes vary");
  check(pool.of(stream_of({})).loops[1].varying == 0, "where none do");
}

// Commands that a loop reads in one call each. Of those that `run`, one makes 200 calls.
bool reads_commands(uint64_t commands, uint64_t each_runs, uint64_t duration, std::vector<bool> messages = {}) {
  MemoryThread thread;
  for (uint64_t n = 0; n < commands; ++n) {
    thread.add(plain(1, 8, 0, 0), duration, 10);
    for (int step = 0; n % each_runs == each_runs / 2 && step < 200; ++step) thread.add(plain(2, 16, 1, 0), 1000, 10);
  }
  std::string error;
  Stream stream = thread.decode(&error);
  check(error.empty(), "a trace of commands");
  stream.sites.resize(3);
  stream.loops.resize(3);
  stream.loops[2].outer = 1;
  stream.site_loops = {0, 1, 2};
  stream.back_edges = {{1, 1, 1}, {2, 1, 1}, {2, 2, 2}};
  return loop_shapes(timed_tree(stream), stream, {{}, std::move(messages), {}})[1].commands;
}

void most_commands_do_next_to_nothing() {
  check(reads_commands(30, 30, 100), "one of thirty runs");
  check(reads_commands(30, 5, 100), "six of thirty run");
  check(!reads_commands(30, 1, 100), "all run: these are steps");
  check(!reads_commands(30, 30, 100000), "the others take their time: these are steps, too");
  check(!reads_commands(5, 5, 100), "too few to tell");
  check(!reads_commands(30, 30, 100, {false, true, false}), "with a message in each, one of thirty steps has output");
  check(reads_commands(30, 30, 100, {false, false, true}), "the messages are those of what a command runs");
}

void lost_order_is_counted() {
  MemoryThread thread;
  for (int i = 0; i < 10; ++i) thread.add(plain(1, 8, 1, 0), 100, 10);
  thread.spend_budget();
  for (int i = 0; i < 25; ++i) thread.add(plain(1, 8, 1, 0), 100, 10);
  std::string error;
  Stream stream = thread.decode(&error);
  stream.sites.resize(2);
  stream.loops.resize(2);
  stream.site_loops = {0, 1};
  stream.back_edges = {{1, 1, 1}};
  ShapePool pool;
  const ThreadShape& shape = pool.of(stream);
  check(error.empty() && shape.lost_calls == 25 && shape.loops[1].iterations == 10, "calls whose order is lost");
}

}  // namespace

int main() {
  ranks_that_behave_alike_share_one_tree();
  others_have_their_own();
  what_varies_without_end_is_no_variant();
  most_commands_do_next_to_nothing();
  lost_order_is_counted();
  return testing::result();
}
