// Recorded programs replayed by both engines, which must agree.
#pragma once

#include <numeric>
#include <string>

#include "../native/check.hpp"
#include "naive_engine.hpp"
#include "random_trees.hpp"
#include "replay/replay.hpp"
#include "replay/translation.hpp"

namespace leadline::test {

using leadline::network::Network;

inline double computation(const Tree& tree) {
  double sum = 0;
  for (const TreeMember& m : tree.members)
    for (const auto& ns : m.before_ns) sum = std::accumulate(ns.begin(), ns.end(), sum);
  return sum;
}

struct Replayed {
  int64_t end_ps = 0;
  uint64_t messages = 0;
};

// In a network, or with the recording's costs; the naive engine must agree.
inline Replayed replayed(const Tree& tree, const std::string& what, bool network, double copy_ns = 0,
                         bool progress = false, const MessageCosts& messages = {}) {
  const Recorded recorded(main_loop_number, std::vector<RecordedTimes>(tree.members.size()));
  const Network used = Network::uniform({.latency_ns = 700, .overhead_ns = 30, .gap_ns = 20, .per_byte_ns = 0.5}, 2000);
  Settings settings;
  settings.network = network ? &used : nullptr;
  settings.latency_ns = 200;
  settings.eager_bytes = 2000;
  settings.copies = Copies::uniform(copy_ns);
  settings.forced_progress = progress;
  settings.messages = messages;
  Differences differences;
  const Program program = program_of(recorded, tree, settings, &differences);
  testing::check_equal(differences.unknown + differences.varying, uint64_t{0}, what + ": all is known");
  const naive::Result expected = naive::Engine(program).run();
  const Outcome found = leadline::replay::replay(program);
  testing::check_equal(expected.ended && found.stuck.empty(), true, what + ": it ends");
  testing::check_equal(found.messages, expected.messages, what + ": messages");
  for (size_t i = 0; i < tree.members.size(); ++i)
    testing::check_equal(found.end_ps[i], expected.end_ps[i], what + ": end of rank " + std::to_string(i));
  return {found.whole_ps(), found.messages};
}

}  // namespace leadline::test
