#include "interchange/exporting.hpp"

namespace leadline::interchange {

void Exporting::visit(const trace::Process& process, uint32_t index, bool timed, const Each& each, Exported* sums,
                      bool times) const {
  const analysis::ProcessLoop loop = loop_on(profile_, index, loop_);
  for (size_t s = 0; s < process.streams.size(); ++s) {
    CallStream calls(process, s, loop, time_.processes[index], window_, timed, times);
    while (calls.next()) {
      if (timed && !calls.timed()) {
        sums->untimed += calls.times();
        continue;
      }
      sums->calls += calls.times();
      each(s, calls);
    }
  }
}

uint64_t Exporting::scan(const trace::Process& process, uint32_t index, bool timed, const Seen& seen) {
  Exported sums;
  const auto see = [&](const std::vector<MessageEnd>& ends, size_t stream) {
    for (const MessageEnd& end : ends) {
      matches_.see(end, index, stream);
      if (seen) seen(end);
    }
  };
  const auto each = [&](size_t stream, const CallStream& call) {
    see(call.sends(), stream);
    see(call.receives(), stream);
  };
  visit(process, index, timed, each, &sums, false);
  ++scanned_;
  return sums.untimed;
}

uint32_t Exporting::site(uint32_t process, size_t stream, uint32_t site) const {
  const std::vector<std::vector<uint32_t>>& sites = profile_.processes()[process].site_numbers;
  return stream < sites.size() && site < sites[stream].size() ? sites[stream][site] : UINT32_MAX;
}

}  // namespace leadline::interchange
