// A loop of several processes: what it is where they do not say the same of its iterations.
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "analysis/loops.hpp"
#include "trace/process.hpp"

namespace {

using testing::check;
using namespace leadline;

enum Loop : uint32_t { outside, outer, loops };

// A process whose outer loop began so often, as far as its calls show.
trace::Process process(uint64_t iterations, bool silent, bool by_time, bool about) {
  trace::Process p;
  p.streams.emplace_back();
  std::vector<trace::SourceLoop>& all = p.streams[0].loops;
  all.resize(loops);
  all[outer].header = {0, 100};
  all[outer].entries = 1;
  all[outer].repeats = iterations - 1;
  all[outer].silent = silent;
  all[outer].by_time = by_time;
  all[outer].about = about;
  return p;
}

struct Told {
  uint64_t iterations;
  bool at_least;
};

Told told(const std::vector<trace::Process>& processes) {
  analysis::RunLoops all;
  std::vector<std::vector<uint32_t>> numbers;
  for (uint32_t i = 0; i < processes.size(); ++i) all.add(processes[i], i, {0}, &numbers);
  return {all.iterations(1), all.all()[1].silent};
}

void is(const Told& found, const Told& expected, const std::string& what) {
  check(found.iterations == expected.iterations && found.at_least == expected.at_least,
        what + ": " + std::to_string(found.iterations) + (found.at_least ? " or more" : ""));
}

}  // namespace

int main() {
  const trace::Process shown = process(100, false, false, false), timed = process(100, false, true, false),
                       about = process(100, false, true, true), unseen = process(1, true, false, false);
  is(told({shown, shown}), {100, false}, "shown on all");
  is(told({shown, unseen}), {100, true}, "shown on one, which prints in each");
  // A rank that alternates with another one computes longer in every second iteration; the other one waits then.
  is(told({timed, unseen}), {1, true}, "as many say that time shows nothing");
  is(told({about, unseen}), {1, true}, "the same of about so many");
  is(told({timed, timed, unseen}), {100, false}, "time shows it on most");
  return testing::result();
}
