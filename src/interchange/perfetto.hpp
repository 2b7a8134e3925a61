// Perfetto's trace: a track for each thread, a slice for each call, a flow for each message.
//
// Packets of one track are written in their order, track after track; Perfetto sorts them. Names are interned: each is
// written once a track. A flow ends with the end of the call that receives, which never comes before the send.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "interchange/exporting.hpp"
#include "interchange/output.hpp"
#include "interchange/protobuf.hpp"

namespace leadline::interchange {

class PerfettoExport {
 public:
  // sites: what to call each of the profile's call sites.
  PerfettoExport(const std::string& path, const analysis::Profile& profile, uint32_t loop, const Window& window,
                 std::vector<std::string> sites);

  void scan(const trace::Process& process, uint32_t index) { exporting_.scan(process, index); }
  void begin();  // after the last scan()
  void write(const trace::Process& process, uint32_t index, const std::string& label);
  int finish(Exported* sums);  // errno of a failure, or 0

 private:
  enum class Names : uint8_t { category = 1, event = 2, annotation = 3 };  // fields of InternedData
  class Track;
  void packet(const Message& packet);

  Exporting exporting_;
  Output out_;
  std::vector<std::string> sites_;
  uint64_t tracks_ = 1;  // the first one is above all
  Exported sums_;
};

}  // namespace leadline::interchange
