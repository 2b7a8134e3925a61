#include "analysis/waits/causes.hpp"

#include <algorithm>
#include <utility>

namespace leadline::analysis {

namespace {

constexpr int most_ranks = 64;       // of a chain
constexpr size_t most_calls = 4096;  // looked at for one wait on one rank

}  // namespace

const char* name_of(Doing doing) {
  constexpr const char* names[] = {"computation", "io", "mpi", "unknown"};
  return names[static_cast<size_t>(doing)];
}

void CauseFinder::add(uint32_t call, Causes* causes) const {
  const CallWait& wait = timed_.waits[call];
  if (wait.kind != WaitKind::none) look(wait.culprit, wait.begin_ns, wait.end_ns, 0, causes);
}

// What the culprit's rank did from `from` to `to`, which is not after the culprit's begin.
void CauseFinder::look(uint32_t culprit, double from, double to, int depth, Causes* causes) const {
  const std::vector<StepCall>& calls = timed_.step->calls;
  const uint32_t process = calls[culprit].process, stream = calls[culprit].stream;
  const auto add = [&](Doing doing, uint32_t site, double ns) {
    if (ns > 0) (*causes)[{process, doing, site}] += ns;
  };
  uint32_t at = culprit;
  for (size_t looked = 0; to > from; ++looked) {
    // The gap before the call.
    const bool first = at == 0 || calls[at - 1].process != process || calls[at - 1].stream != stream;
    const double gap_begin = first ? timed_.begin_ns[at] - calls[at].gap_ns : timed_.end_ns[at - 1];
    for (const auto& [doing, begin] : {std::pair(calls[at].polled ? Doing::mpi : Doing::computation,
                                                 std::max(gap_begin, timed_.begin_ns[at] - calls[at].gap_ns)),
                                       std::pair(Doing::mpi, gap_begin)}) {  // failed polls lie before the gap
      const double since = std::max(begin, from);
      if (to <= since) continue;
      add(doing, calls[at].site, to - since);
      to = since;
    }
    if (to <= from) return;
    if (first || looked == most_calls || depth == most_ranks) return add(Doing::unknown, calls[at].site, to - from);
    --at;
    const double begin = std::max(timed_.begin_ns[at], from);
    const CallWait& wait = timed_.waits[at];
    const double waited = wait.kind == WaitKind::none ? begin : std::clamp(wait.end_ns, begin, to);
    const auto site = calls[at].site;
    const bool io = site < profile_.sites().size() &&
                    category_of(profile_.functions()[profile_.sites()[site].function].cls) == trace::Category::io;
    add(io ? Doing::io : Doing::mpi, site, to - waited);
    if (waited > begin) look(wait.culprit, begin, waited, depth + 1, causes);
    to = begin;
  }
}

}  // namespace leadline::analysis
