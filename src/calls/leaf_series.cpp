#include "calls/leaf_series.hpp"

#include <cmath>

namespace leadline::calls {

void for_each_leaf_call(const trace::Process& process, size_t stream, const Leaves& leaves,
                        const trace::LoopTimes* loop, const EachLeafCall& each) {
  ThreadCalls thread(process, stream, {Wanted::Form::timed, false, loop, leaves});
  while (thread.next()) {
    if (thread.polls()) continue;
    if (thread.leaf() == structure::no_call) return;
    each(thread.leaf(), thread);
  }
}

double LeafSeries::before_mean_ns() const {
  double sum = 0;
  for (const Value& v : values) sum += v.before_ns;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double LeafSeries::before_deviation_ns() const {
  const double mean = before_mean_ns();
  double squares = 0;
  for (const Value& v : values) squares += (v.before_ns - mean) * (v.before_ns - mean);
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

std::vector<LeafSeries> leaf_series(const trace::Process& process, size_t stream, const Leaves& leaves) {
  std::vector<LeafSeries> found(leaves.tree->calls.size());
  for_each_leaf_call(process, stream, leaves, nullptr, [&](uint32_t leaf, ThreadCalls& call) {
    LeafSeries& own = found[leaf];
    const uint64_t number = own.calls++;
    if (!call.timed()) return;
    const trace::TimedEvent& e = call.event();
    e.polled ? void(++own.polled) : own.values.push_back({number, e.gap_ns, e.duration_ns});
  });
  return found;
}

}  // namespace leadline::calls
