// The times of calls as somebody has read them. A series can only be read from its beginning on, which is much of the
// work of a walk, and several analyses of a report want it: what one has read is kept for the others.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "trace/process.hpp"

namespace leadline::trace {

// Of one series.
struct ReadTimes {
  struct Value {
    double duration_ns, gap_ns;
  };
  std::vector<Value> values;
  std::vector<bool> polled;                     // of each of them
  std::vector<std::pair<size_t, size_t>> ends;  // number of the window, and where its values end
};

// Those of one process, as long as there is room for all processes together. Several threads may ask at once.
class KeptTimes {
 public:
  KeptTimes() = default;
  ~KeptTimes();
  KeptTimes(const KeptTimes&) = delete;
  KeptTimes& operator=(const KeptTimes&) = delete;

  // What was read before of the stream's series (indices), or else what read() gives.
  std::shared_ptr<const ReadTimes> of(size_t stream, size_t series, const std::function<ReadTimes()>& read);

  static constexpr size_t most_values = size_t{1} << 20;  // of all processes together: 16 MB

 private:
  std::mutex mutex_;  // whoever asks for what is being read waits for it
  std::map<std::pair<size_t, size_t>, std::shared_ptr<const ReadTimes>> by_series_;
};

// From what is kept for the process, if anything is.
std::shared_ptr<const ReadTimes> times_of(const Process& process, size_t stream, size_t series,
                                          const std::function<ReadTimes()>& read);

}  // namespace leadline::trace
