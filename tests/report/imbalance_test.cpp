// Waits of runs whose times were kept for some iterations only, and ranks that compute unequally.
#include "handmade_waits.hpp"

#include "analysis/waits/imbalance.hpp"

namespace {

using namespace leadline::test;
using namespace leadline;

bool near(double value, double expected) { return std::abs(value - expected) <= 0.05 * std::abs(expected) + 1; }

// Most times were not kept: the estimate is near what is true, its interval holds it, and slow iterations, which are
// kept as well, do not spoil it.
void estimates_hold_the_truth() {
  Run run(2);
  double waited = 0;
  uint32_t seed = 1;
  constexpr uint64_t many = 60000;
  for (uint64_t i = 0; i < many; ++i) {
    seed = seed * 1664525 + 1013904223;
    const uint64_t late = 100 * us + seed % (200 * us) + (i % 10000 == 7777 ? 20 * ms : 0);
    run[0].message(send, 1, 100 * us + late, 10 * us);
    run[0].collective(barrier, 0, 10 * us);
    run[1].message(recv, 0, 100 * us, late + 10 * us);
    run[1].collective(barrier, 0, 10 * us);
    waited += static_cast<double>(late);
  }
  const RunWaits found = run.waits();
  check(found.estimated && found.iterations > 8, "estimated from " + std::to_string(found.iterations));
  expect("estimate", found, WaitKind::late_sender, recv, 1, waited, {0, Doing::computation, send});
  if (const WaitRow* row = row_of(found, WaitKind::late_sender, recv, 1))
    check(row->error_ns > 0 && std::abs(row->ns - waited) <= row->error_ns && row->error_ns < 0.2 * waited,
          "interval " + std::to_string(row->error_ns) + " about " + std::to_string(row->ns) + ", true " +
              std::to_string(waited));
}

// Calls that wait little in most iterations, and for long in a few slow ones: these stand for themselves.
void slow_iterations_stand_for_themselves() {
  Run run(2);
  double waited = 0;
  constexpr uint64_t many = 40000;
  for (uint64_t i = 0; i < many; ++i) {
    const uint64_t late = i % 10000 == 7777 ? 500 * ms : 20 * us;
    run[0].message(send, 1, 500 * us + late, 200 * us);
    run[0].collective(barrier, 0, 10 * us);
    run[1].message(recv, 0, 500 * us, late + 200 * us);
    run[1].collective(barrier, 0, 10 * us);
    waited += static_cast<double>(late);
  }
  expect("slow iterations", run.waits(), WaitKind::late_sender, recv, 1, waited, {0, Doing::computation, send});
}

// Of 8 ranks in steps of 1 ms, `excess` gives what a rank computes beside that in a step.
analysis::Imbalance imbalance(const std::function<double(size_t, uint64_t)>& excess) {
  std::vector<analysis::StepComputation> all;
  for (uint64_t pair = 0; pair < 12; ++pair) {
    for (uint64_t i = 300 * pair; i < 300 * pair + 2; ++i) {
      analysis::StepComputation& s = all.emplace_back();
      s.iteration = i;
      for (size_t r = 0; r < 8; ++r) s.ns.push_back(1e6 + excess(r, i));
    }
  }
  return analysis::imbalance_of(all, {"a", "a", "b", "b", "c", "c", "d", "d"});
}

// 10,000 steps of 60 us, of which 10 take 40 ms more on one of 4 ranks: 30 ms lost in each, 30 us in the mean step.
void slow_steps_stand_for_themselves() {
  const auto with = [](const std::vector<uint64_t>& slow) {
    std::vector<analysis::StepComputation> usual, rare;
    for (uint64_t i = 1; i <= 12; ++i) usual.push_back({700 * i, {60e3, 60e3, 60e3, 60e3}});
    for (const uint64_t i : slow) rare.push_back({i, {60e3, 60e3 + 40e6, 60e3, 60e3}});
    analysis::Imbalance found = analysis::imbalance_of(usual, {"a", "a", "a", "a"});
    add_slow_steps(rare, 10000, &found);
    return found;
  };
  std::vector<uint64_t> regular, irregular;
  for (uint64_t i = 1; i <= 10; ++i) regular.push_back(1000 * i - 1), irregular.push_back(97 * i * i);
  const analysis::Imbalance found = with(regular);
  check(found.found && near(found.lost_ns, 30e3) && near(found.rare_ns, 30e3) && found.rare_steps == 10 &&
            found.rare_period == 1000 && near(found.computation_ns, 70e3),
        "slow steps: lost " + std::to_string(found.lost_ns) + " of " + std::to_string(found.computation_ns));
  check(with(irregular).rare_period == 0, "no period: " + std::to_string(with(irregular).rare_period));
  check(!with({}).found, "no slow steps");
}

void kinds_of_imbalance_are_told_apart() {
  uint32_t seed = 7;
  const auto random = [&] {  // in [0, 1)
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) / double{1 << 24};
  };
  const auto constant = imbalance([](size_t r, uint64_t) { return r == 3 ? 8e5 : 0; });
  check(near(constant.fixed_ns, 7e5) && constant.wandering_ns == 0 && near(constant.noise_ns, 0) &&
            constant.slowest[0].first == 3,
        "the same rank: fixed " + std::to_string(constant.fixed_ns));
  const auto wandering = imbalance([](size_t r, uint64_t i) { return r == i / 300 % 8 ? 8e5 : 0; });
  check(wandering.fixed_ns == 0 && near(wandering.wandering_ns, 7e5) && near(wandering.noise_ns, 0),
        "another rank now and then: wandering " + std::to_string(wandering.wandering_ns) + ", fixed " +
            std::to_string(wandering.fixed_ns));
  for (int again = 0; again < 20; ++again) {
    // One rank in sixteen is interrupted.
    const auto noise = imbalance([&](size_t, uint64_t) { return random() < 1.0 / 16 ? 3e5 * random() : 0; });
    check(noise.fixed_ns == 0 && noise.wandering_ns == 0 && noise.changing_ns == 0 &&
              near(noise.noise_ns, noise.lost_ns) && noise.lost_ns > 2e4,
          "noise: fixed " + std::to_string(noise.fixed_ns) + ", wandering " + std::to_string(noise.wandering_ns) +
              ", changing " + std::to_string(noise.changing_ns));
    const auto uneven = imbalance([&](size_t, uint64_t) { return 9e5 * random(); });
    check(uneven.changing_ns > uneven.lost_ns / 2 && uneven.noise_ns == 0,
          "another rank in each step: changing " + std::to_string(uneven.changing_ns));
  }
  const auto in_turn = imbalance([](size_t r, uint64_t i) { return r == i % 8 ? 8e5 : 0; });
  check(near(in_turn.changing_ns, 7e5) && in_turn.fixed_ns == 0 && in_turn.wandering_ns == 0, "ranks in turn");
  const auto both = imbalance([&](size_t r, uint64_t) { return (r == 3 ? 8e5 : 0) + 1e5 * random(); });
  check(near(both.fixed_ns, 7e5) && both.wandering_ns == 0 && both.noise_ns < 1e5, "the same rank, with noise");
  const auto host = imbalance([&](size_t r, uint64_t) { return (r / 2 == 2 ? 5e5 : 0) + 1e4 * random(); });
  check(host.between_hosts > 0.9 && host.fixed_ns > 3e5, "a slow host");
  check(!imbalance([&](size_t, uint64_t) { return 5e3 * random(); }).found, "less than a hundredth");
}

}  // namespace

int main() {
  estimates_hold_the_truth();
  slow_iterations_stand_for_themselves();
  slow_steps_stand_for_themselves();
  kinds_of_imbalance_are_told_apart();
  return testing::result();
}
