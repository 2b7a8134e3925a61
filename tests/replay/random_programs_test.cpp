// On random programs of all features the engine, with and without skipping, agrees to the picosecond with a naive one;
// derivatives are those of finite differences.

#include <cstdlib>

#include "../native/check.hpp"
#include "naive_engine.hpp"
#include "random_programs.hpp"
#include "replay/replay.hpp"

namespace {

using namespace leadline::test;

// Every time that contains the parameter becomes longer.
Program with_longer(Program program, int64_t ps, int64_t Share::* parameter) {
  const auto longer = [&](Cost& c) { c.ps += ps * (c.share.*parameter); };
  for (Cost& c : program.costs) longer(c);
  for (Transfer& t : program.transfers) {
    for (Cost* c : {&t.latency, &t.busy, &t.half_handshake, &t.port_busy}) longer(*c);
  }
  return program;
}

void check_derivative(const Program& program, const Outcome& traced, int64_t Share::* parameter,
                      const std::string& what) {
  const int64_t at = traced.whole_ps(), given = traced.share().*parameter;
  const int64_t above = replay(with_longer(program, 1, parameter)).whole_ps() - at;
  const int64_t below = at - replay(with_longer(program, -1, parameter)).whole_ps();
  if (above == below) testing::check_equal(given, above, what);  // otherwise two paths are equally long here
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const uint64_t programs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1500;
  uint64_t skipped = 0, messages = 0;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    const std::string name = "program " + std::to_string(seed);
    const RandomProgram random(seed);
    const Program& program = random.program();
    const naive::Result expected = naive::Engine(program).run();
    testing::check_equal(expected.ended, true, name + ": it ends");
    const Outcome whole = replay(program, {.skip = false}), passed = replay(program);
    testing::check_equal(whole.stuck.size(), size_t{0}, name + ": all ranks come to their end");
    testing::check_equal(whole.messages, expected.messages, name + ": messages");
    testing::check_equal(passed.messages, expected.messages, name + ": messages, skipped");
    for (size_t i = 0; i < expected.end_ps.size(); ++i) {
      const std::string rank = name + ", rank " + std::to_string(i);
      testing::check_equal(whole.end_ps[i], expected.end_ps[i], rank + ": end");
      testing::check_equal(passed.end_ps[i], expected.end_ps[i], rank + ": end, skipped");
    }
    messages += passed.messages;
    skipped += passed.messages - passed.replayed;
    if (seed % 4) continue;
    const Outcome traced = replay(program, {.skip = true, .sensitivities = true});
    testing::check_equal(traced.whole_ps(), whole.whole_ps(), name + ": with derivatives");
    check_derivative(program, traced, &Share::latencies, name + ": dT/dL");
    check_derivative(program, traced, &Share::overheads, name + ": dT/do");
    check_derivative(program, traced, &Share::gaps, name + ": dT/dg");
    check_derivative(program, traced, &Share::gap_bytes, name + ": dT/dG");
  }
  testing::check_equal(skipped * 3 > messages, true, "a third of the messages at least is skipped");
  return testing::result();
}
