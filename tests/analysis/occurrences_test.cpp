// In which iterations of the main loop a call site is reached, held against random programs that know it.
#include "analysis/phases/occurrences.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "structure/build_tree.hpp"

namespace {

using testing::check;
using namespace leadline;
using analysis::SiteOccurrences;
using analysis::Stretches;
using analysis::ThreadOccurrences;
using recording::MemoryThread;
using trace::Stream;
using trace::programs::below;
using trace::programs::plain;
using trace::programs::Random;

enum Site : uint32_t { none, before, step, inner, every_third, by_chance, once, after, sites };
enum Loop : uint32_t { outside, main_loop, inner_loop, loops };

void put(Stretches* stretches, uint64_t iteration) {
  if (!stretches->empty() && stretches->back().first + stretches->back().second == iteration) {
    ++stretches->back().second;
  } else if (stretches->empty() || stretches->back().first + stretches->back().second < iteration) {
    stretches->emplace_back(iteration, 1);
  }
}

Stream with_loops(Stream stream) {
  stream.sites.resize(sites);
  stream.loops.resize(loops);
  stream.loops[inner_loop].outer = main_loop;
  stream.site_loops.assign(sites, main_loop);
  stream.site_loops[before] = stream.site_loops[after] = stream.site_loops[none] = outside;
  stream.site_loops[inner] = inner_loop;
  for (const uint32_t site : {step, inner, every_third, by_chance, once}) {
    stream.back_edges.push_back({site, step, main_loop});
  }
  stream.back_edges.push_back({inner, inner, inner_loop});
  std::sort(stream.back_edges.begin(), stream.back_edges.end());
  return stream;
}

void sites_occur_where_the_program_called_them(uint64_t seed) {
  Random r(seed);
  MemoryThread thread;
  std::vector<SiteOccurrences> want(sites);
  const auto call = [&](Site site, uint64_t iteration) {
    thread.add(plain(site, 8, 1, 0), 100, 10);
    put(&want[site].iterations, iteration);
  };
  for (uint64_t i = 1 + below(r, 5); i > 0; --i, ++want[before].before) thread.add(plain(before, 8, 1, 0), 100, 10);
  const uint64_t iterations = 3 + below(r, 200);
  const uint64_t alone = below(r, iterations);
  for (uint64_t i = 0; i < iterations; ++i) {
    call(step, i);
    for (uint64_t n = below(r, 4); n > 0; --n) call(inner, i);
    if (i % 3 == 2) call(every_third, i);
    if (below(r, 5) == 0) call(by_chance, i);
    if (i == alone) call(once, i);
    if (below(r, 60) == 0) thread.turn();
  }
  for (uint64_t i = 1 + below(r, 3); i > 0; --i, ++want[after].after) thread.add(plain(after, 8, 1, 0), 100, 10);

  std::string error;
  const Stream stream = with_loops(thread.decode(&error));
  const ThreadOccurrences got = analysis::occurrences_of(structure::loop_tree(stream), stream, main_loop);
  const std::string which = "seed " + std::to_string(seed);
  check(error.empty() && got.complete, which + " " + error);
  check(got.iterations == iterations, which + ": " + std::to_string(got.iterations) + " iterations");
  for (uint32_t site = before; site < sites; ++site) {
    const std::string where = which + ", site " + std::to_string(site);
    check(got.sites[site].before == want[site].before, where + ": before");
    check(got.sites[site].after == want[site].after, where + ": after");
    check(got.sites[site].iterations == want[site].iterations, where + ": iterations");
  }
}

void without_a_main_loop_all_calls_are_before_it() {
  MemoryThread thread;
  for (int i = 0; i < 50; ++i) thread.add(plain(step, 8, 1, 0), 100, 10);
  std::string error;
  const Stream stream = with_loops(thread.decode(&error));
  const ThreadOccurrences got = analysis::occurrences_of(structure::loop_tree(stream), stream, 0);
  check(got.iterations == 0 && got.sites[step].before == 50 && got.sites[step].iterations.empty(), "no main loop");
}

void two_instances_of_the_loop_are_counted_on() {
  MemoryThread thread;
  for (int part = 0; part < 2; ++part) {
    for (int i = 0; i < 10; ++i) thread.add(plain(step, 8, 1, 0), 100, 10);
    thread.add(plain(after, 8, 1, 0), 100, 10);
  }
  std::string error;
  const Stream stream = with_loops(thread.decode(&error));
  const ThreadOccurrences got = analysis::occurrences_of(structure::loop_tree(stream), stream, main_loop);
  check(got.iterations == 20 && got.sites[step].iterations == Stretches{{0, 20}}, "two instances");
  check(got.sites[after].after == 2, "calls between instances come after the loop's begin");
}

}  // namespace

int main() {
  for (uint64_t seed = 1; seed <= 300; ++seed) sites_occur_where_the_program_called_them(seed);
  without_a_main_loop_all_calls_are_before_it();
  two_instances_of_the_loop_are_counted_on();
  return testing::result();
}
