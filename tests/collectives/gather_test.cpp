// Gather's rounds, messages and bytes are those of the published formulas, its bound is what the root's port must let
// through, and both algorithms take any root. (That blocks arrive where they belong is checked of every algorithm.)

#include "../native/check.hpp"
#include "collectives/cost.hpp"
#include "portfolio.hpp"

namespace {

using namespace leadline::test;
using namespace leadline::network;

void check(const char* name, int p, const char* what, double is, double should) {
  testing::check_equal(is, should, std::string(name) + ", " + std::to_string(p) + " processes: " + what);
}

struct Figures {
  double rounds = 0, messages = 0, blocks = 0;
};

Figures measured(const char* name, int p, int root) {
  constexpr int64_t count = 6;
  Problem problem;
  problem.processes = p;
  problem.root = root;
  problem.count = count;
  const auto schedules = schedules_of(*find_algorithm(Operation::gather, name), problem);
  // A port lets one message through in a unit of time, when it is waited for; nothing else takes any.
  Figures figures;
  figures.rounds = modelled_ns(schedules, 1, Network::uniform({.gap_ns = 1}, 0));
  for (const Schedule& schedule : schedules)
    for (const Step& step : schedule.steps)
      if (step.kind == Step::Kind::send) {
        ++figures.messages;
        figures.blocks += static_cast<double>(step.from.count) / count;
      }
  return figures;
}

void check_formulas(int p, int root) {
  const int l = rounds_at_least(p, 2);
  const Figures linear = measured("linear", p, root), binomial = measured("binomial", p, root);
  check("linear", p, "rounds", linear.rounds, p - 1);
  check("linear", p, "messages", linear.messages, p - 1);
  check("linear", p, "blocks", linear.blocks, p - 1);
  check("binomial", p, "rounds", binomial.rounds, l);
  check("binomial", p, "messages", binomial.messages, p - 1);
  check("knomial", p, "rounds", measured("knomial", p, root).rounds, l);  // radix 2
  if ((p & (p - 1)) == 0) check("binomial", p, "blocks", binomial.blocks, p * l / 2);
}

void check_bound(int p) {
  const Network network = Network::uniform({.gap_ns = 10, .per_byte_ns = 2});
  const double least = lower_bound(movement_of(Operation::gather), p, 1000, network).ns();
  check("the bound", p, "nanoseconds", least, 10 + 2000 * (p - 1));
  Problem problem;
  problem.processes = p;
  problem.count = 1000;
  const auto schedules = schedules_of(*find_algorithm(Operation::gather, "linear"), problem);
  check("linear", p, "nanoseconds", modelled_ns(schedules, 1, network), 2010 * (p - 1));
}

}  // namespace

int main() {
  for (const int p : {2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 64, 100}) {
    for (const int root : {0, p / 2, p - 1}) check_formulas(p, root);
    check_bound(p);
  }
  return testing::result();
}
