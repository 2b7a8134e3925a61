// Which loop of a nest is the program's main one, by what a trace says of each.
#include "trace/main_loop.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "../native/check.hpp"

namespace {

using namespace leadline::trace;

constexpr double second = 1e9;

struct Nest {
  std::vector<LoopWeight> loops;  // each lies in the one before
  uint32_t main() const {
    std::vector<LoopWeight> weights{LoopWeight{}};
    LoopWeight all{};
    for (const LoopWeight& w : loops) weights.push_back(w);
    all.ns = loops[0].ns * 1.02;
    all.calls = loops[0].calls + 10;
    return choose_main_loop(
        weights, static_cast<uint32_t>(weights.size()), all, [](uint32_t l) { return l - 1; },
        [](uint32_t a, uint32_t b) { return a >= b; }, [](uint32_t, uint32_t) { return false; });
  }
};

LoopWeight loop(uint64_t iterations, uint64_t entries, uint64_t calls, double ns, double concentrated = 0) {
  LoopWeight w{};
  w.repeats = iterations - entries;
  w.entries = entries;
  w.calls = calls;
  w.ns = ns;
  w.has_mpi = true;
  w.concentrated = concentrated;
  return w;
}

void expect(const Nest& nest, uint32_t main, const std::string& what) { testing::check_equal(nest.main(), main, what); }

void drivers() {
  expect({{loop(39, 1, 10260, 10 * second), loop(400, 1, 10000, 9.8 * second)}}, 2, "one command is the run");
  expect({{loop(39, 1, 10260, 0.001 * second), loop(400, 1, 10000, 0.0002 * second)}}, 2, "in no time: calls decide");
  expect({{loop(39, 1, 10260, 10 * second), loop(400, 2, 10000, 9.8 * second)}}, 2, "two commands are");
  expect({{loop(5, 1, 5000, 10 * second, 1.4), loop(400, 5, 4900, 9.8 * second)}}, 2, "the last case of a sweep is");
  expect({{loop(3, 1, 5000, 10 * second, 1.1), loop(400, 3, 4900, 9.8 * second)}}, 2,
         "two passes warm up, one is timed");
  LoopWeight solves = loop(10000, 3, 4900, 8 * second);
  expect({{loop(3, 1, 5000, 10 * second, 2.4), solves}}, 1, "a solver in each of three steps");
  solves.uneven = true;
  expect({{loop(3, 1, 5000, 10 * second, 2.4), solves}}, 2, "three sizes, each solved for a second");
  LoopWeight interpreter = loop(20, 1, 2100, 10 * second, 5);
  interpreter.varied = true;
  expect({{interpreter, loop(500, 5, 2000, 9.8 * second)}}, 2, "five of twenty commands are runs");
}

void steps() {
  expect({{loop(3, 1, 300, 10 * second, 2.9), loop(60, 3, 290, 9.8 * second)}}, 1, "three steps that are alike");
  expect({{loop(3, 1, 300, 10 * second, 2.3), loop(60, 3, 290, 9.8 * second)}}, 1, "the first of three takes longer");
  expect({{loop(5, 1, 300, 10 * second, 4.8), loop(60, 5, 290, 9.8 * second)}}, 1, "cases that take equally long");
  expect({{loop(100, 1, 5000, 10 * second, 12), loop(500, 10, 1000, 8 * second)}}, 1, "rare output takes most time");
  expect({{loop(100, 1, 5000, 10 * second, 2.5), loop(64, 1, 64, 6 * second)}}, 1, "output at the end takes most time");
  expect({{loop(20, 1, 2000, 10 * second, 2.5), loop(40, 20, 900, 9 * second)}}, 1, "the loop within makes few calls");
  expect({{loop(100, 1, 5000, 10 * second), loop(2500, 100, 4900, 9.9 * second)}}, 1, "a solver in every step");
}

// A program that reads its input line by line: most lines do nothing that takes time.
void commands() {
  LoopWeight lines = loop(31, 1, 253, 10 * second, 3.4);
  const LoopWeight run = loop(11, 2, 64, 2 * second);
  expect({{lines, run}}, 1, "a fifth of the time of iterations like others");
  lines.commands = true;
  expect({{lines, run}}, 2, "a short run, after commands that took longer");
  expect({{lines, loop(11, 2, 20, 2 * second)}}, 1, "a loop with few of the calls");
  expect({{lines, loop(11, 2, 64, 1 * second)}}, 1, "a loop with a tenth of the time");
  expect({{lines, loop(11, 2, 160, 1 * second)}}, 2, "a tenth of the time, but most of the calls");
  expect({{lines, loop(11, 2, 160, 0.2 * second)}}, 1, "most of the calls, in hardly any time");
  LoopWeight delayed = loop(11, 2, 64, 0.1 * second);
  lines.delayed_s = 12, delayed.delayed_s = 3;
  expect({{lines, delayed}}, 2, "calls that are usually short, and wait for a core now and then");
  LoopWeight short_run = loop(11, 2, 64, 0.4 * second);
  lines.delayed_s = 0;
  expect({{lines, short_run}}, 1, "hardly any of the time");
  lines.broadcasts = true;
  expect({{lines, short_run}}, 2, "after lines that are broadcast, whatever they took");
  expect({{lines, loop(11, 2, 64, 0.01 * second)}}, 1, "next to none of the time");
  lines.silent = true;
  expect({{lines, run}}, 1, "iterations that are perhaps several");
}

// Lines of an input, one of which names a file that has lines, too: the same loop of the source.
void inputs() {
  LoopWeight lines = loop(5, 1, 564, 10 * second, 1.7), data = loop(24, 1, 120, 3 * second),
             parts = loop(52, 1, 104, 2 * second);
  const auto main = [&] {
    const std::vector<LoopWeight> weights{LoopWeight{}, lines, data, parts};
    LoopWeight all{};
    all.ns = 10.1 * second, all.calls = 574;
    return choose_main_loop(
        weights, 4, all, [](uint32_t l) { return l > 1 ? 1u : 0u; },
        [](uint32_t a, uint32_t b) { return a == b || b == 1; }, [](uint32_t a, uint32_t b) { return a + b == 3; });
  };
  lines.recursive = data.recursive = lines.commands = true;
  testing::check_equal(main(), 3u, "what another line leads to");
  parts.calls = 40;
  testing::check_equal(main(), 0u, "no line leads to a loop of many calls");
  lines.commands = false;
  testing::check_equal(main(), 1u, "a tree whose branches take equally long");
}

// Loops beside one another.
uint32_t main_of(const std::vector<LoopWeight>& loops, const LoopWeight& all) {
  std::vector<LoopWeight> weights{LoopWeight{}};
  weights.insert(weights.end(), loops.begin(), loops.end());
  return choose_main_loop(
      weights, static_cast<uint32_t>(weights.size()), all, [](uint32_t) { return 0u; },
      [](uint32_t a, uint32_t b) { return a == b; }, [](uint32_t, uint32_t) { return false; });
}

void neighbours() {
  const LoopWeight all = loop(0, 0, 3000, 0.8 * second), steps = loop(10, 1, 110, 0.13 * second);
  testing::check_equal(main_of({steps, loop(191, 1, 1900, 0.004 * second)}, all), 1u, "a table printed at the end");
  testing::check_equal(main_of({steps, loop(191, 1, 1900, 0.1 * second)}, all), 2u, "about as long: calls decide");
  testing::check_equal(main_of({loop(191, 1, 1900, 0.004 * second), steps}, all), 2u, "in either order");
  LoopWeight made = loop(1830, 1, 1900, 0.2 * second);
  testing::check_equal(main_of({made}, all), 1u, "most of the calls");
  made.hidden = true;
  testing::check_equal(main_of({made}, all), 0u, "most of the calls, made by generated code");
  made.ns = 0.4 * second;
  testing::check_equal(main_of({made}, all), 1u, "which takes half of the time");
}

void unseen_iterations() {
  LoopWeight lumped = loop(10, 1, 5000, 10 * second), seen = loop(100, 10, 4900, 9.9 * second);
  lumped.silent = seen.rich = true;
  expect({{lumped, seen}}, 2, "the loop within shows the steps");
  seen.rich = false;
  expect({{lumped, seen}}, 1, "a loop over fields is no step");
  seen.rich = lumped.restarts = true;
  expect({{lumped, seen}}, 1, "the calls show where its iterations begin");
  lumped.restarts = false;
  seen.silent = true;
  expect({{lumped, seen}}, 1, "iterations of neither are seen");
  lumped.restarted = 50;
  expect({{lumped, seen}}, 1, "two of the loop within are one of the outer");
  lumped.restarted = 100;
  expect({{lumped, seen}}, 2, "each of the loop within may begin one of the outer");
  seen.rich = false;
  expect({{lumped, seen}}, 1, "which is a loop over fields");
}

}  // namespace

int main() {
  drivers();
  steps();
  commands();
  inputs();
  neighbours();
  unseen_iterations();
  return testing::result();
}
