// Which loop is the program's main one. A recording process uses this rule to choose whose iterations it times, and the
// reader uses it to find that loop again.
#pragma once

#include <cstdint>

namespace leadline::trace {

struct LoopWeight {
  uint64_t repeats, entries, calls;
  double ns;
  bool has_mpi;  // file calls of libc alone make no main loop
  // Only the reader, which has seen all iterations, knows these.
  bool hidden;          // code that was made while the program ran leads to it: loops around it go unseen
  bool silent;          // it may have had more iterations
  bool restarts;        // the calls within show where its iterations begin, although it is silent
  float delayed_s;      // like `ns`, with what delayed single calls
  uint64_t restarted;   // how often its inner loop's iterations restart; 0: unknown
  bool varied;          // its iterations are of several kinds, none of which is the usual one
  bool rich;            // an iteration makes many different calls: it may well be a step
  bool commands;        // its usual iteration does next to nothing: it reads a command
  bool broadcasts;      // and nothing else: rank 0 has read it
  bool recursive;       // its routine is called in its iterations, directly or not: for an input named in another
  bool uneven;          // some of the iterations around it make ten times as many of its as others
  double concentrated;  // the iterations that its calls or time are spread over ((sum t)^2 / sum t^2); 0: unknown
  uint64_t iterations() const { return repeats + entries; }
};

inline constexpr uint64_t least_iterations_of_main_loop = 3;
inline constexpr double loop_noise_ns = 5e7;  // delay that a busy machine may add anywhere: calls decide below it

// Whether the steps are those of the loop `inner` within `outer`, which takes most of the time but does not spread it
// over its iterations: one command of a program's input is the whole run, one size of a sweep takes longer than all
// before it, most of an interpreter's commands only prepare one of a few runs, or iterations cannot be told apart.
inline bool makes_the_steps(const LoopWeight& inner, const LoopWeight& outer) {
  constexpr uint64_t few_cases = 10, many_more = 10;
  constexpr double least_of_cases = 0.3, calls_of_cases = 0.9;  // small cases leave ranks without work: they wait
  // The commands that prepare it may take longer than a short run, and much longer on cores that ranks share.
  constexpr double least_of_run = 0.15, least_of_most_calls = 0.05, least_of_broadcast = 0.02;
  constexpr double most_effective = 3, most_part = 0.6, least_share = 0.7, least_of_varied = 0.9, least_of_silent = 0.8;
  if (inner.iterations() < least_iterations_of_main_loop || !inner.has_mpi || !outer.calls) return false;
  const double of_calls = static_cast<double>(inner.calls) / static_cast<double>(outer.calls);
  const double share = (inner.ns + loop_noise_ns * of_calls) / (outer.ns + loop_noise_ns);
  const bool most_calls = 2 * inner.calls >= outer.calls;
  // On cores that ranks share, a few commands wait as long as many calls of a step do, whose usual time is short.
  const double delayed = outer.delayed_s > 0 ? double{inner.delayed_s} / double{outer.delayed_s} : 0;
  const double least = outer.broadcasts ? least_of_broadcast : most_calls ? least_of_most_calls : least_of_run;
  if (outer.commands && !outer.silent && of_calls >= least_of_run && (share > delayed ? share : delayed) >= least)
    return true;
  if (!most_calls) return false;
  const bool cases = inner.uneven && outer.iterations() < few_cases &&  // each solved as often as takes a second
                     inner.iterations() >= many_more * outer.iterations();
  if (cases && of_calls >= calls_of_cases && share >= least_of_cases) return true;
  if (share < least_share) return false;
  const auto iterations = static_cast<double>(outer.iterations());
  // Its share lies in as many iterations at most as those that enter it.
  const double entered = static_cast<double>(inner.entries) / (share * share);
  const bool known = outer.concentrated > 0 && outer.concentrated < entered;
  const double effective = known ? outer.concentrated : entered;
  const auto more = static_cast<double>(inner.iterations());
  if (effective < most_effective && effective < most_part * iterations && more >= 2 * effective) return true;
  if (outer.varied && 2 * inner.entries <= outer.iterations() && of_calls > least_of_varied)
    return more >= 2 * static_cast<double>(inner.entries);
  // Calls show all iterations of the inner one, or each of these may begin one of the outer.
  const bool seen = inner.silent ? outer.restarted == inner.iterations() : !outer.restarts;
  return outer.silent && seen && inner.rich && more > iterations && share > least_of_silent;
}

// The outermost loop that most of the run is spent in, 0: none. `all`: the whole run; `outer(a)`: the next loop around
// a; `within(a, b)`: loop a lies in loop b; `same_code(a, b)`: they are one loop of the source in two calling contexts.
// Shared by the recorder, which chooses whose iterations to time, and the reader, which has seen the whole run.
//
// Time decides, and half as much the number of calls: in a short run the first phase, when connections are made, may
// take longer than everything else, and so may any delay by the machine. A loop that is also part of another loop's
// iterations is not the step, however long it took elsewhere: programs warm up before they time themselves. Nor is a
// loop whose time is not spread over its iterations, if one within it makes the steps; nor one that reads an input of
// which one line leads to it again.
template <class Weights, class Outer, class Within, class SameCode>
uint32_t choose_main_loop(const Weights& weights, uint32_t count, const LoopWeight& all, Outer outer, Within within,
                          SameCode same_code) {
  constexpr double least = 5e-4;       // a tenth of the time and a twentieth of the calls, say
  constexpr uint64_t least_calls = 8;  // an eighth of them is enough: code outside all loops may take the time
  constexpr uint32_t few_loops = 1000;
  constexpr double least_of_hidden = 3;  // a third of the time
  constexpr double much_longer = 10;
  const auto size_of = [](double ns, double calls) { return (ns + loop_noise_ns) * (ns + loop_noise_ns) * calls; };
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
  const auto larger = [&](uint32_t a, uint32_t b) {
    return same_code(a, b) ? size(weights[a]) > size(weights[b]) : size_everywhere(a) > size_everywhere(b);
  };
  // Whatever the machine added, and however many calls the other makes: a printed table, say.
  const auto longer = [&](uint32_t a, uint32_t b) {
    return weights[a].ns > much_longer * weights[b].ns + loop_noise_ns && !same_code(a, b);
  };
  const auto in_itself = [&](uint32_t loop) {
    for (uint32_t l = weights[loop].recursive ? outer(loop) : 0; l; l = outer(l)) {
      if (same_code(l, loop)) return true;
    }
    return false;
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
    if (w.hidden && least_of_hidden * w.ns < all.ns) continue;
    if (in_itself(l)) continue;
    if (size(w) < least * size(all) && least_calls * w.calls < all.calls) continue;
    if (!best || within(best, l) || is_step_of(l, best)) {
      best = l;
    } else if (!within(l, best) && !is_step_of(best, l)) {
      if (longer(l, best) || (!longer(best, l) && larger(l, best))) best = l;
    }
  }
  for (uint32_t found = best; found;) {
    found = 0;
    for (uint32_t l = 1; l < count; ++l) {
      if (l == best || !within(l, best) || !makes_the_steps(weights[l], weights[best]) || in_itself(l)) continue;
      if (!found || within(found, l) || (!within(l, found) && size(weights[l]) > size(weights[found]))) found = l;
    }
    if (found) best = found;
  }
  return weights[best].recursive && weights[best].commands ? 0 : best;
}

}  // namespace leadline::trace
