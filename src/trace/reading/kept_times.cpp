#include "trace/reading/kept_times.hpp"

#include <atomic>

namespace leadline::trace {

namespace {
std::atomic<size_t> kept_values{0};  // of all processes
}

KeptTimes::~KeptTimes() {
  for (const auto& [series, times] : by_series_) kept_values -= times->values.size();
}

std::shared_ptr<const ReadTimes> KeptTimes::of(size_t stream, size_t series, const std::function<ReadTimes()>& read) {
  const std::lock_guard locked(mutex_);
  const auto known = by_series_.find({stream, series});
  if (known != by_series_.end()) return known->second;
  auto fresh = std::make_shared<const ReadTimes>(read());
  const size_t values = fresh->values.size();
  if (kept_values.fetch_add(values) + values <= most_values) {
    by_series_.emplace(std::pair(stream, series), fresh);
  } else {
    kept_values -= values;
  }
  return fresh;
}

std::shared_ptr<const ReadTimes> times_of(const Process& process, size_t stream, size_t series,
                                          const std::function<ReadTimes()>& read) {
  if (process.kept_times) return process.kept_times->of(stream, series, read);
  return std::make_shared<const ReadTimes>(read());
}

}  // namespace leadline::trace
