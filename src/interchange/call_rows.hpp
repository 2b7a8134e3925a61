// Calls as rows of a table, in batches: what is held is one batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "interchange/exporting.hpp"

namespace leadline::interchange {

// A row for each call, or for each run of polls that found nothing. -1: an unknown integer; NaN: an unknown time.
struct CallRows {
  std::vector<int32_t> thread, site;  // site: the profile's number
  std::vector<int64_t> iteration, calls;
  std::vector<uint8_t> polls;
  std::vector<double> begin_s, end_s;
  std::vector<int64_t> messages_sent, messages_received, bytes_sent, bytes_received;
  std::vector<int32_t> partner, tag;  // of the call's message, if it has one only: rank in the communicator
  std::vector<uint8_t> has_message;   // whether these two are known

  size_t size() const { return site.size(); }
};

// Calls of a process in batches of at most so many rows.
void visit_rows(const Exporting& exporting, const trace::Process& process, uint32_t index, size_t most,
                const std::function<void(CallRows&&)>& give);

}  // namespace leadline::interchange
