// Loop trees expand to exactly the calls of the trace; and where a program's loops are known, they are the tree.
#include "structure/build_tree.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "structure/tree_check.hpp"

namespace {

using testing::check;
using namespace leadline;
using namespace leadline::structure;
using recording::MemoryThread;
using trace::Key;
using trace::Stream;
using trace::programs::below;
using trace::programs::plain;
using trace::programs::Random;

void expands_to_the_trace(const char* kind, uint64_t seed) {
  Random r(seed);
  MemoryThread thread;
  for (const Key& k : trace::programs::program(kind, r)) {
    thread.add(k, 100, 10);
    if (below(r, 30000) == 0) thread.turn();
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  const std::string wrong = difference(stream, loop_tree(stream));
  check(error.empty() && wrong.empty(), std::string(kind) + " " + std::to_string(seed) + ": " + error + wrong);
}

// --- Programs whose loops are known ---

// The first of a loop's steps is a call that is always made, so that calls tell each iteration.
struct Source {
  struct Step {
    uint32_t site = 0;  // of a call; 0: an inner loop
    uint32_t inner = 0;
    uint64_t every = 1;  // made in every so manyth iteration
  };
  struct Loop {
    uint32_t outer = 0;
    uint64_t least = 1, most = 1;
    std::vector<Step> steps;
  };
  std::vector<Loop> loops{1};  // number 0: what is outside of all
  uint32_t sites = 1;
};

uint32_t random_loop(Random& r, uint32_t outer, int depth, Source* s) {
  const auto number = static_cast<uint32_t>(s->loops.size());
  s->loops.emplace_back();
  Source::Loop l;
  l.outer = outer;
  l.least = 1 + below(r, 5);
  l.most = l.least + (below(r, 2) ? below(r, 4) : 0);
  l.steps.push_back({s->sites++, 0, 1});
  for (uint64_t i = below(r, 5); i > 0; --i) {
    const uint64_t every = below(r, 3) ? 1 : 2 + below(r, 4);
    if (depth > 0 && below(r, 3) == 0) {
      l.steps.push_back({0, random_loop(r, number, depth - 1, s), every});
    } else {
      l.steps.push_back({s->sites++, 0, every});
    }
  }
  s->loops[number] = l;
  return number;
}

class Row {  // alike things that follow one another are counted
 public:
  void add(const std::string& thing, uint64_t times = 1) {
    if (thing == last_) {
      times_ += times;
      return;
    }
    flush();
    last_ = thing;
    times_ = times;
  }
  std::string text() {
    flush();
    return text_;
  }

 private:
  void flush() {
    if (times_) text_ += (times_ > 1 ? std::to_string(times_) + "x" : "") + last_ + " ";
    times_ = 0;
  }
  std::string text_, last_;
  uint64_t times_ = 0;
};

std::string run_loop(Random& r, const Source& s, uint32_t loop, std::vector<uint32_t>* sites) {
  const Source::Loop& l = s.loops[loop];
  Row iterations;
  const uint64_t count = l.least + (l.most > l.least ? below(r, l.most - l.least + 1) : 0);
  for (uint64_t t = 0; t < count; ++t) {
    Row body;
    for (const Source::Step& step : l.steps) {
      if (t % step.every) continue;
      if (step.site) sites->push_back(step.site);
      body.add(step.site ? std::to_string(step.site) : run_loop(r, s, step.inner, sites));
    }
    iterations.add("(" + body.text() + ")");
  }
  return "L" + std::to_string(loop) + "[" + iterations.text() + "]";
}

Stream with_loops(Stream stream, const Source& s) {
  stream.sites.resize(s.sites);
  stream.loops.resize(s.loops.size());
  stream.site_loops.assign(s.sites, 0);
  for (uint32_t l = 0; l < s.loops.size(); ++l) {
    stream.loops[l].outer = s.loops[l].outer;
    for (const Source::Step& step : s.loops[l].steps) {
      if (step.site) stream.site_loops[step.site] = l;
    }
  }
  for (uint32_t l = 1; l < s.loops.size(); ++l) {
    for (uint32_t site = 1; site < s.sites; ++site) {
      if (stream.within(stream.site_loops[site], l)) stream.back_edges.push_back({site, s.loops[l].steps[0].site, l});
    }
  }
  std::sort(stream.back_edges.begin(), stream.back_edges.end());
  return stream;
}

void print(const LoopTree& tree, Sequence sequence, Row* into) {
  for (const Element& e : tree.sequences.elements(sequence)) {
    if (e.is_sequence) {
      for (uint64_t i = 0; i < e.times; ++i) print(tree, static_cast<Sequence>(e.id), into);
      continue;
    }
    const Item item(e.id);
    Row inner;
    switch (item.kind()) {
      case Item::Kind::call:
        into->add(std::to_string(tree.calls[item.index()].key.site), e.times);
        break;
      case Item::Kind::variant:
        print(tree, item.index(), &inner);
        into->add("(" + inner.text() + ")", e.times);
        break;
      case Item::Kind::instance:
        print(tree, tree.instances[item.index()].iterations, &inner);
        into->add("L" + std::to_string(tree.instances[item.index()].loop) + "[" + inner.text() + "]", e.times);
        break;
      case Item::Kind::lost:
        into->add("lost");
    }
  }
}

void tree_is_that_of_the_source(uint64_t seed) {
  Random r(seed);
  Source s;
  Row main;
  std::vector<uint32_t> sites;
  const uint64_t parts = 1 + below(r, 3);
  std::vector<uint32_t> tops;
  for (uint64_t i = 0; i < parts; ++i) {
    const uint32_t before = s.sites++;
    s.loops[0].steps.push_back({before, 0, 1});
    tops.push_back(random_loop(r, 0, 3, &s));
    sites.push_back(before);
    main.add(std::to_string(before));
    main.add(run_loop(r, s, tops.back(), &sites));
  }
  MemoryThread thread;
  const bool varies = below(r, 3) == 0;  // sizes that are new each time: a position whose parameters vary
  int64_t fresh = 100;
  for (const uint32_t site : sites) {
    thread.add(plain(site, varies && site % 3 == 0 ? fresh++ : 8, 1, 0), 100, 10);
    if (below(r, 5000) == 0) thread.turn();
  }
  std::string error;
  const Stream stream = with_loops(thread.decode(&error), s);
  const LoopTree tree = loop_tree(stream);
  const std::string wrong = difference(stream, tree);
  Row got;
  print(tree, tree.root, &got);
  const std::string text = got.text(), want = main.text();
  check(error.empty() && wrong.empty(), "source " + std::to_string(seed) + ": " + error + wrong);
  if (!varies)
    check(text == want,
          "source " + std::to_string(seed) + ":\n" + text.substr(0, 600) + "\nfor\n" + want.substr(0, 600));
}

void regular_program_costs_nothing() {
  constexpr uint64_t steps = 1000000;
  Source s;
  s.sites = 101;
  s.loops.resize(2);
  for (uint32_t c = 1; c <= 100; ++c) s.loops[1].steps.push_back({c, 0, 1});
  MemoryThread thread;
  for (uint64_t i = 0; i < steps; ++i) {
    for (uint32_t c = 1; c <= 100; ++c) thread.add(plain(c, 8, 1, 0), 100, 10);
  }
  std::string error;
  const Stream stream = with_loops(thread.decode(&error), s);
  const auto begin = std::chrono::steady_clock::now();
  const LoopTree tree = loop_tree(stream);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  const std::vector<uint64_t> calls = tree.count_calls(), occur = tree.count_occurrences();
  std::printf("%.0e calls: %.3f ms, %u sequences\n", 100.0 * steps, took.count(), tree.sequences.size());
  check(calls[tree.root] == 100 * steps && tree.instances.size() == 1 &&
            tree.sequences.items(tree.instances[0].iterations) == steps && tree.sequences.size() < 100,
        "a regular program");
}

}  // namespace

// loop_tree_test [PROGRAMS]: so many whose loops are known.
int main(int argc, char** argv) {
  const uint64_t programs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 500;
  for (const char* kind : {"tree", "small alphabet", "literals first", "mixture", "tag is the step", "sizes vary",
                           "random few", "random pairs", "polls only", "polls between", "many distinct"}) {
    for (uint64_t seed = 1; seed <= 2 + programs / 1000; ++seed) expands_to_the_trace(kind, seed);
  }
  for (uint64_t seed = 1; seed <= programs; ++seed) tree_is_that_of_the_source(seed);
  regular_program_costs_nothing();
  return testing::result();
}
