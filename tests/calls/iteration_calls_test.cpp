// The calls of some iterations, counted in the tree, are those that a walk from the first call on finds.
#include "calls/iteration_calls.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "calls/thread_calls.hpp"

namespace {

using testing::check_equal;
using namespace leadline;
using calls::Wanted;
using trace::LoopTimes;
using trace::programs::below;
using trace::programs::Random;

constexpr uint32_t sites = 42;  // as many as programs use

trace::Process recorded(const char* kind, Random& r, bool turns) {
  trace::Process p;
  p.functions = {{"MPI_Send", trace::CallClass::send}};
  p.communicators.resize(2);
  recording::MemoryThread thread;
  for (const trace::Key& k : trace::programs::program(kind, r)) {
    thread.add(k, 100, 10);
    if (turns && below(r, 2000) == 0) thread.turn();
  }
  std::string error;
  p.streams.push_back(thread.decode(&error));
  check_equal(error, "", "decoded");
  trace::Stream& stream = p.streams[0];
  stream.sites.resize(sites);
  stream.loops.resize(3);
  stream.loops[2].outer = 1;
  stream.site_loops.resize(sites);
  for (uint32_t& loop : stream.site_loops) loop = static_cast<uint32_t>(below(r, 3));
  for (int i = 0; i < 40; ++i) {
    const auto from = static_cast<uint32_t>(below(r, sites)), to = static_cast<uint32_t>(below(r, sites));
    stream.back_edges.push_back({from, to, std::max<uint32_t>(stream.site_loops[to], 1)});
  }
  std::sort(stream.back_edges.begin(), stream.back_edges.end());
  return p;
}

// Of the source, or around an anchor.
LoopTimes any_loop(const trace::Stream& stream, bool source, Random& r) {
  LoopTimes loop;
  loop.source = source ? 1 + static_cast<uint32_t>(below(r, 2)) : 0;
  for (uint64_t i = 0; source && i < 200; ++i) loop.begins.push_back(below(r, sites) << 32 | below(r, sites));
  std::sort(loop.begins.begin(), loop.begins.end());
  const uint64_t positions = stream.generations[0].facts().positions - trace::first_position;
  loop.position = trace::first_position + static_cast<uint32_t>(below(r, positions));
  loop.after = below(r, 2);
  loop.anchors = 1 + below(r, 3);
  loop.skipped = below(r, 4);
  loop.first_call = below(r, 50);
  loop.occurrences = 1000 + below(r, 1u << 20);
  return loop;
}

void compare(const char* kind, bool source, uint64_t seed) {
  Random r(seed);
  trace::Process p = recorded(kind, r, source);
  trace::Stream& stream = p.streams[0];
  const LoopTimes loop = any_loop(stream, source, r);
  trace::Series series;
  series.generation = stream.generations[0].facts().number;
  series.loops.push_back(loop);
  stream.series = {series};
  std::vector<uint64_t> by_iteration;
  calls::ThreadCalls thread(p, 0, {.form = Wanted::Form::single, .loop = &loop});
  while (thread.next()) {
    if (!thread.inside() || thread.polls()) continue;
    if (by_iteration.size() <= thread.iteration()) by_iteration.resize(thread.iteration() + 1);
    ++by_iteration[thread.iteration()];
  }
  const uint64_t all = by_iteration.size();
  for (int i = 0; i < 6; ++i) {
    const uint64_t first = below(r, all + 2), end = i ? first + below(r, all + 2) : UINT64_MAX;
    uint64_t expected = 0;
    for (uint64_t n = first; n < std::min(end, all); ++n) expected += by_iteration[n];
    check_equal(calls::calls_in_iterations(p, 0, loop, first, end), expected,
                std::string(kind) + " " + std::to_string(seed) + (source ? " source " : " anchor ") +
                    std::to_string(first) + ":" + std::to_string(end) + " of " + std::to_string(all));
  }
}

}  // namespace

int main() {
  for (const char* kind : {"tree", "small alphabet", "literals first", "mixture", "sizes vary", "polls between"}) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      compare(kind, true, seed);
      compare(kind, false, seed);
    }
  }
  return testing::result();
}
