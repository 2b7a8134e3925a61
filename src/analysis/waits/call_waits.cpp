#include "analysis/waits/call_waits.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace leadline::analysis {

namespace {

constexpr double rounding_ns = 1;
constexpr uint32_t most_processes = 1U << 28;

template <class Threads>
auto place_of(Threads& threads, uint32_t process, uint32_t stream) {
  return std::lower_bound(
      threads.begin(), threads.end(), std::make_pair(process, stream),
      [](const auto& t, const auto& wanted) { return std::make_pair(t.process, t.stream) < wanted; });
}

}  // namespace

CallWaits::Thread& CallWaits::thread(uint32_t process, uint32_t stream) {
  const auto at = place_of(threads_, process, stream);
  if (at != threads_.end() && at->process == process && at->stream == stream) return *at;
  return *threads_.insert(at, {process, stream, {}});
}

void CallWaits::add(const TimedStep& timed) {
  const std::vector<StepCall>& calls = timed.step->calls;
  for (size_t c = 0; c < calls.size(); ++c) {
    const CallWait& wait = timed.waits[c];
    if (calls[c].margin || wait.kind == WaitKind::none) continue;
    const uint32_t culprit = calls[wait.culprit].process;
    if (culprit >= most_processes || !std::isfinite(timed.begin_ns[c])) continue;
    WaitOfCall found;
    found.begin_ns = timed.begin_ns[c];
    found.waited_ns = static_cast<float>(wait.waited_ns());
    found.kind = static_cast<uint32_t>(wait.kind);
    found.culprit = culprit;
    thread(calls[c].process, calls[c].stream).waits.push_back(found);
  }
  for (Thread& t : threads_) {
    const auto earlier = [](const WaitOfCall& a, const WaitOfCall& b) { return a.begin_ns < b.begin_ns; };
    if (!std::is_sorted(t.waits.begin(), t.waits.end(), earlier)) std::sort(t.waits.begin(), t.waits.end(), earlier);
  }
}

const WaitOfCall* CallWaits::of(uint32_t process, uint32_t stream, double begin_ns, double duration_ns) const {
  const auto at = place_of(threads_, process, stream);
  if (at == threads_.end() || at->process != process || at->stream != stream) return nullptr;
  const auto first = std::lower_bound(at->waits.begin(), at->waits.end(), begin_ns - rounding_ns,
                                      [](const WaitOfCall& w, double time) { return w.begin_ns < time; });
  const WaitOfCall* found = nullptr;
  for (auto w = first; w != at->waits.end() && w->begin_ns <= begin_ns + rounding_ns; ++w) {
    if (w->waited_ns > duration_ns + rounding_ns) continue;
    if (!found || std::abs(w->begin_ns - begin_ns) < std::abs(found->begin_ns - begin_ns)) found = &*w;
  }
  return found;
}

}  // namespace leadline::analysis
