// Which loop is the program's main one. A recording process uses this rule to choose whose iterations it times, and the
// reader uses it to find that loop again.
#pragma once

#include <cstdint>

namespace leadline::trace {

struct LoopWeight {
  uint64_t repeats, entries, calls;
  double ns;
  bool has_mpi;  // file calls of libc alone make no main loop
  uint64_t iterations() const { return repeats + entries; }
};

inline constexpr uint64_t least_iterations_of_main_loop = 3;

// The outermost loop that most of the run is spent in, 0: none. `all`: the whole run; `outer(a)`: the next loop around
// a; `within(a, b)`: loop a lies in loop b; `same_code(a, b)`: they are one loop of the source in two calling contexts.
// Shared by the recorder, which chooses whose iterations to time, and the reader, which has seen the whole run.
//
// Time decides, and half as much the number of calls: in a short run the first phase, when connections are made, may
// take longer than everything else, and so may any delay by the machine. A loop that is also part of another loop's
// iterations is not the step, however long it took elsewhere: programs warm up before they time themselves.
template <class Weights, class Outer, class Within, class SameCode>
uint32_t choose_main_loop(const Weights& weights, uint32_t count, const LoopWeight& all, Outer outer, Within within,
                          SameCode same_code) {
  constexpr double least = 5e-4;       // a tenth of the time and a twentieth of the calls, say
  constexpr uint64_t least_calls = 8;  // an eighth of them is enough: code outside all loops may take the time
  constexpr uint32_t few_loops = 1000;
  constexpr double noise_ns = 5e7;  // delay that a busy machine may add anywhere: calls decide below it
  const auto size_of = [](double ns, double calls) { return (ns + noise_ns) * (ns + noise_ns) * calls; };
  const auto size = [&](const LoopWeight& w) { return size_of(w.ns, static_cast<double>(w.calls)); };
  // Adds the time of the same loop in other calling contexts: a program may call its solver twice.
  const auto size_everywhere = [&](uint32_t loop) {
    double ns = weights[loop].ns, calls = static_cast<double>(weights[loop].calls);
    for (uint32_t l = 1; l < count && count <= few_loops; ++l) {
      if (l == loop || !weights[l].iterations() || outer(l) != outer(loop) || !same_code(l, loop)) continue;
      ns += weights[l].ns;
      calls += static_cast<double>(weights[l].calls);
    }
    return size_of(ns, calls);
  };
  const auto is_step_of = [&](uint32_t whole, uint32_t part) {
    for (uint32_t l = 1; l < count; ++l) {
      if (l != part && weights[l].iterations() && same_code(l, part) && within(l, whole)) return true;
    }
    return false;
  };
  uint32_t best = 0;
  for (uint32_t l = 1; l < count; ++l) {
    const LoopWeight& w = weights[l];
    if (w.iterations() < least_iterations_of_main_loop || !w.has_mpi) continue;
    if (size(w) < least * size(all) && least_calls * w.calls < all.calls) continue;
    if (!best || within(best, l) || is_step_of(l, best)) {
      best = l;
    } else if (!within(l, best) && !is_step_of(best, l)) {
      const bool larger =
          same_code(l, best) ? size(w) > size(weights[best]) : size_everywhere(l) > size_everywhere(best);
      if (larger) best = l;
    }
  }
  return best;
}

}  // namespace leadline::trace
