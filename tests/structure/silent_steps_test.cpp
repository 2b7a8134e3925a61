// Iterations that no call shows: found by what the calls do, or when they are made; and then in the tree and the times.
#include "structure/silent_steps.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "structure/build_tree.hpp"
#include "structure/loop_shapes.hpp"
#include "structure/tree_check.hpp"

namespace {

using testing::check;
using namespace leadline;
using recording::MemoryThread;
using trace::programs::plain;

enum Site : uint32_t { none, exchange, sum, sites };
enum Loop : uint32_t { outside, steps, fields, loops };

// What a program does: `key(step, field)` is exchanged, after so many ticks. At every `sum_every`th step a sum follows.
struct Program {
  uint32_t steps = 40, fields = 6, sum_every = 0;
  std::function<trace::Key(uint32_t step, uint32_t field)> key = [](uint32_t, uint32_t) {
    return plain(exchange, 8, 1, 0);
  };
  std::function<uint64_t(uint32_t step, uint32_t field)> before = [](uint32_t, uint32_t) { return 100; };
  std::function<uint64_t(uint32_t step, uint32_t field)> takes = [](uint32_t, uint32_t) { return 50; };
  bool silent = true;
  uint32_t more_sites = 0;  // in the inner loop
  int32_t ranks = 0;        // of all communicators; 0: unknown
};

trace::Process recorded(const Program& p) {
  MemoryThread thread;
  uint64_t entries = 1;
  for (uint32_t step = 0; step < p.steps; ++step) {
    for (uint32_t field = 0; field < p.fields; ++field)
      thread.add(p.key(step, field), p.takes(step, field), p.before(step, field));
    if (!p.sum_every || (step + 1) % p.sum_every || step + 1 == p.steps) continue;
    thread.add(plain(sum, 1, 0, 0), 100, 10);
    ++entries;
  }
  trace::Process process;
  std::string error;
  process.streams.push_back(thread.decode(&error));
  check(error.empty(), error);
  process.communicators.resize(4);
  for (trace::Communicator& c : process.communicators) c.size = p.ranks;
  trace::Stream& stream = process.streams[0];
  stream.sites.resize(sites + p.more_sites);
  stream.loops.resize(loops);
  stream.loops[steps].silent = p.silent;
  stream.loops[steps].entries = 1;
  stream.loops[steps].repeats = entries - 1;
  stream.loops[fields].outer = steps;
  stream.loops[fields].entries = entries;
  stream.loops[fields].repeats = uint64_t{p.steps} * p.fields - entries;
  stream.site_loops = {outside, fields, steps};
  stream.site_loops.resize(sites + p.more_sites, fields);
  stream.back_edges = {{exchange, exchange, fields}, {sum, exchange, steps}};
  structure::find_silent_steps(&process);
  return process;
}

void expect(const Program& p, uint64_t found, bool about, const std::string& what) {
  const trace::Process process = recorded(p);
  const trace::Stream& stream = process.streams[0];
  const trace::SourceLoop& outer = stream.loops[steps];
  check(outer.iterations() == found, what + ": " + std::to_string(outer.iterations()) + " steps");
  check(outer.about == about, what + ": is it certain?");
  const structure::LoopTree tree = structure::loop_tree(stream);
  check(structure::difference(stream, tree).empty(), what + ": the calls stay");
  const std::vector<structure::LoopShape> shapes = structure::loop_shapes(structure::timed_tree(stream), stream);
  check(shapes[steps].iterations == outer.iterations(), what + ": steps in the tree");
  check(shapes[fields].iterations == stream.loops[fields].iterations(), what + ": fields in the tree");
  if (stream.steps.empty()) {
    check(outer.silent == p.silent, what + ": nothing is claimed");
    return;
  }
  check(!outer.silent, what + ": all are seen");
  check(shapes[fields].fewest == p.fields && shapes[fields].most == p.fields, what + ": fields in a step");
  check(stream.loops[fields].entries == p.steps, what + ": entries");
}

Program with_keys(const std::function<trace::Key(uint32_t, uint32_t)>& key) {
  Program p;
  p.key = key;
  return p;
}

void show_in_calls() {
  expect(with_keys([](uint32_t, uint32_t f) { return plain(exchange, 8, 1, static_cast<int32_t>(f)); }), 40, false,
         "a tag for each field");
  expect(with_keys([](uint32_t, uint32_t f) { return plain(exchange, 400 >> f, 1, 0); }), 40, false, "smaller grids");
  expect(with_keys([](uint32_t, uint32_t f) { return plain(exchange, 8, f < 3 ? 2 + f : f - 5, 0); }), 40, false,
         "partners that go round");
  Program p = with_keys([](uint32_t, uint32_t f) { return plain(exchange, 8, static_cast<int32_t>(f) - 2, 0); });
  p.sum_every = 10;
  expect(p, 40, false, "partners, and a sum now and then");
  p.sum_every = 1;
  expect(p, 40, false, "a sum shows each step");
  p.sum_every = 0;
  p.silent = false;
  expect(p, 1, false, "where no iteration can go unseen");
  expect(with_keys([](uint32_t s, uint32_t f) { return plain(exchange, 8 + s % 2, 1, static_cast<int32_t>(f)); }), 40,
         true, "every other step sends more");
  expect(with_keys([](uint32_t, uint32_t f) { return plain(exchange, f % 2 ? 8 : 9, 1, static_cast<int32_t>(f % 3)); }),
         1, false, "three tags within six sizes: the step may be either");
  const auto root = [](uint32_t, uint32_t f) { return plain(exchange, 8, static_cast<int32_t>(f), 0); };
  p = with_keys(root);
  p.ranks = 7;
  expect(p, 40, false, "six of seven ranks in turn");
  p.ranks = 6;
  expect(p, 1, false, "all ranks in turn: perhaps a rank for each step");
  p.before = [](uint32_t, uint32_t f) { return f ? 300 : 200000; };
  expect(p, 40, false, "all ranks in turn, and computation before the first");
  const auto record = [](uint32_t s, uint32_t f) {
    trace::Key key = plain(exchange, 100, trace::peer_none, 0);
    key.comm |= trace::flag_offset;
    if (!f && s) {  // back to the first of seven
      key.tag = -4800;
      key.extra = UINT32_MAX;
    }
    return key;
  };
  expect(with_keys(record), 40, false, "records of a file, from its beginning");
  const int shuffled[] = {5, 9, 2, 7, 1, 4};
  expect(with_keys([&](uint32_t, uint32_t f) { return plain(exchange, shuffled[f], 1, 0); }), 1, false,
         "sizes that repeat may do so within a step");
  expect(with_keys([](uint32_t s, uint32_t f) { return plain(exchange, 8 + (s * 7 + f * 5) % 11, 1, 0); }), 1, false,
         "sizes that do not repeat");
}

void show_in_times() {
  std::mt19937_64 random(7);
  Program p;
  p.before = [&](uint32_t, uint32_t f) { return f ? 200 + random() % 300 : 200000 + random() % 20000; };
  expect(p, 40, true, "computation before each step");
  p.before = [&](uint32_t, uint32_t f) {
    return (f ? 200 + random() % 300 : 200000) + (random() % 50 ? 0 : 3000000);  // a busy machine
  };
  expect(p, 40, true, "now and then the machine is busy");
  p.before = [&](uint32_t, uint32_t) { return 200 + random() % 300; };
  p.takes = [&](uint32_t, uint32_t f) { return f ? 50 + random() % 30 : 100000; };
  expect(p, 40, true, "another rank computes, and this one waits");
  p.takes = [](uint32_t, uint32_t) { return 50; };
  p.before = [&](uint32_t, uint32_t) { return random() % 6 ? 300 : 100000; };
  expect(p, 1, false, "computation at any time");
  p.before = [&](uint32_t, uint32_t f) { return f == 3 ? 200000 : 300; };
  expect(p, 1, false, "computation in the middle of the fields");
  p.before = [&](uint32_t, uint32_t f) { return f ? 100000 : 300000; };
  expect(p, 1, false, "the inner iterations compute, too: every sixth may be a longer step");
  p.before = [&](uint32_t, uint32_t f) { return f ? 300 : 200000; };
  p.more_sites = 10;
  expect(p, 1, false, "a loop with many call sites may be the step");
  p.more_sites = 0;
  p.steps = 5;
  expect(p, 1, false, "too few to be sure");
  p.steps = 40;
  p.fields = 2;
  p.key = [](uint32_t, uint32_t f) { return plain(exchange, 8, f ? 1 : -1, 0); };
  expect(p, 40, false, "two ways, and computation before the first");
}

// Random programs whose steps show in some way, and programs of one step that may look as if they had several.
void random_programs(uint64_t seed, int count) {
  int found = 0, shown = 0, wrong = 0;
  for (int i = 0; i < count; ++i) {
    std::mt19937_64 random(seed + static_cast<uint64_t>(i));
    const auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
    Program p;
    p.steps = 9 + below(60);
    p.fields = 3 + below(40);
    const uint32_t noise = 30 + below(200), whole = 50000 + below(400000), jitter = 1 + below(300);
    const auto busy = [&, noise] { return random() % noise ? 0 : random() % 5000000; };
    const auto at = [](uint32_t f) { return static_cast<int32_t>(f); };
    const uint32_t kind = below(7);
    bool shows = true;
    p.before = [&](uint32_t, uint32_t) { return 100 + random() % jitter + busy(); };
    switch (kind) {
      case 0:
        p.key = [&](uint32_t, uint32_t f) { return plain(exchange, 8, 1, at(f)); };
        break;
      case 1:
        p.key = [&](uint32_t s, uint32_t f) { return plain(exchange, 8 + s % 3, at(f) - 2, 0); };
        break;
      case 2:
        p.key = [&](uint32_t, uint32_t f) { return plain(exchange, 10000 - 9 * f, 1, 0); };
        break;
      case 3:
        p.before = [&, whole](uint32_t, uint32_t f) { return (f ? 100 + random() % jitter : whole) + busy(); };
        break;
      case 4:
        p.takes = [&, whole](uint32_t, uint32_t f) { return (f ? 100 + random() % jitter : whole) + busy(); };
        break;
      case 5:  // all compute, a neighbour list now and then
        shows = false;
        p.before = [&, whole](uint32_t, uint32_t f) { return (f ? whole : 3 * whole) - random() % 1000 + busy(); };
        p.fields = 5 + below(20);
        break;
      default:
        shows = false;
        p.before = [&, whole](uint32_t, uint32_t) { return random() % 7 ? 200 : whole + busy(); };
    }
    const uint64_t steps_found = recorded(p).streams[0].loops[steps].iterations();
    shown += shows;
    found += shows && steps_found == p.steps;
    wrong += steps_found > 1 && (!shows || steps_found != p.steps);
  }
  std::printf("%d of %d found, %d of %d wrong\n", found, shown, wrong, count);
  check(100 * found >= 98 * shown && 50 * wrong <= count, "random programs");
}

void steps_are_timed() {
  Program p = with_keys([](uint32_t, uint32_t f) { return plain(exchange, 8, 1, static_cast<int32_t>(f)); });
  p.before = [](uint32_t s, uint32_t f) -> uint64_t { return f ? 100 : s == 17 ? 90000 : 1000; };
  const trace::Process process = recorded(p);
  const trace::LoopTimes* times = nullptr;
  for (const trace::Series& s : process.streams[0].series) {
    for (const trace::LoopTimes& l : s.loops) {
      if (l.source == steps) times = &l;
    }
  }
  check(times, "steps have times");
  if (!times) return;
  check(times->iterations() == p.steps, "as many as there are");
  check(times->timed == p.steps, "all are timed");
  check(times->calls == uint64_t{p.steps} * p.fields, "with their calls");
  const auto longest =
      std::max_element(times->slow.begin(), times->slow.end(),
                       [](const trace::SlowTime& a, const trace::SlowTime& b) { return a.time_ns < b.time_ns; });
  // From its first call to that of the next step: its own computation comes before.
  check(longest != times->slow.end() && longest->iteration == 16, "the one before the long computation is slowest");
}

}  // namespace

int main() {
  show_in_calls();
  show_in_times();
  steps_are_timed();
  random_programs(20261127, 150);
  return testing::result();
}
