// A walk that goes to a place at once gives what one gives that has passed every event before, and says what it passed.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <tuple>

#include "../native/check.hpp"
#include "memory_thread.hpp"
#include "programs.hpp"

namespace {

using testing::check;
using namespace leadline::recording;
using namespace leadline::trace;
using programs::below;
using programs::Random;

struct Entry {
  Event event;  // times = 1, or a run of polls
  size_t generation;
  uint64_t number;  // within the generation
};

std::vector<Entry> entries_of(const Stream& stream) {
  std::vector<Entry> all;
  Walker walker(stream);
  Event e;
  size_t generation = 0;
  uint64_t number = 0;
  while (walker.next(&e)) {
    if (e.generation != generation) number = 0;
    generation = e.generation;
    for (uint64_t i = 0; i < (e.run ? 1 : e.times); ++i) {
      all.push_back({e, generation, number++});
      if (!e.run) all.back().event.times = 1;
    }
  }
  return all;
}

bool same(const Event& a, const Event& b) {
  return a.key == b.key && a.position == b.position && a.run == b.run && a.generation == b.generation &&
         (!a.run || a.times == b.times);
}

// The events from there on are those of the whole walk.
bool goes_on(Walker& walker, const std::vector<Entry>& all, size_t from, size_t count) {
  Event e;
  for (size_t at = from; at < std::min(all.size(), from + count);) {
    if (!walker.next(&e)) return false;
    for (uint64_t i = 0; i < (e.run ? 1 : e.times) && at < all.size(); ++i, ++at) {
      if (!same(e, all[at].event)) return false;
    }
  }
  return from + count < all.size() || !walker.next(&e);
}

using Tally = std::map<std::string, uint64_t>;

std::string text_of(const Key& k) { return std::string(reinterpret_cast<const char*>(&k), sizeof(k)); }

void any_place_can_be_gone_to(const char* kind, uint64_t seed) {
  Random r(seed);
  MemoryThread thread;
  for (const Key& k : programs::program(kind, r)) {
    thread.add(k, 100, 10);
    if (below(r, 30000) == 0) thread.turn();
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  const std::vector<Entry> all = entries_of(stream);
  const std::string name = std::string(kind) + " " + std::to_string(seed);
  check(error.empty(), name + ": " + error);
  if (all.empty()) return;
  Walker anywhere(stream), forwards(stream);
  Tally passed, expected;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> steps, expected_steps;
  uint32_t site = 0;
  size_t before = 0;
  for (int i = 0; i < 40; ++i) {
    const size_t to = below(r, all.size());
    anywhere.seek(all[to].generation, all[to].number);
    check(goes_on(anywhere, all, to, 1 + below(r, 2000)), name + ": from entry " + std::to_string(to));
  }
  for (int i = 0; i < 6; ++i) {
    const size_t to = before + below(r, all.size() - before);
    forwards.pass(all[to].generation, all[to].number,
                  {[&](const Event& e) { passed[text_of(e.key)] += e.times; },
                   [&](uint32_t a, uint32_t b, uint64_t times) {
                     if (times) steps[{a, b}] += times;
                   }});
    for (; before < to; ++before) {
      if (all[before].event.run) continue;
      ++expected[text_of(all[before].event.key)];
      ++expected_steps[{site, all[before].event.key.site}];
      site = all[before].event.key.site;
    }
    check(steps == expected_steps, name + ": steps on the way to entry " + std::to_string(to));
    check(passed == expected, name + ": passed on the way to entry " + std::to_string(to));
  }
  check(goes_on(forwards, all, before, 1000), name + ": after passing " + std::to_string(before));
}

void regular_calls_are_passed_at_once() {
  MemoryThread thread;
  constexpr uint64_t steps = 300000;
  for (uint64_t i = 0; i < steps; ++i) {
    for (uint32_t c = 1; c <= 50; ++c)
      thread.add(programs::plain(c, 8, 1, static_cast<int32_t>(c == 7 ? i : 0)), 100, 10);
    if (i % 20 == 0) thread.add(programs::plain(60, 8, 1, 0), 100, 10);
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  for (const uint64_t step : {steps / 50, steps - steps / 50}) {
    const auto begin = std::chrono::steady_clock::now();
    Walker walker(stream);
    const uint64_t entry = step * 50 + (step + 19) / 20;
    walker.seek(0, entry + 6);
    Event e;
    const bool found = walker.next(&e);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    std::printf("to step %llu: %.3f ms\n", static_cast<unsigned long long>(step), took.count());
    check(found && e.key.site == 7 && e.key.tag == static_cast<int32_t>(step), "a tag that is the step");
  }
}

}  // namespace

// seek_test [SEEDS]: of each kind of program.
int main(int argc, char** argv) {
  const uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 3;
  for (const char* kind : {"tree", "small alphabet", "literals first", "mixture", "tag is the step", "sizes vary",
                           "random few", "random pairs", "polls only", "polls between", "many distinct"}) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) any_place_can_be_gone_to(kind, seed);
  }
  regular_calls_are_passed_at_once();
  return testing::result();
}
