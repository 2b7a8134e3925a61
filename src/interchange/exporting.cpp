#include "interchange/exporting.hpp"

#include <utility>

namespace leadline::interchange {

void Exporting::walk(const trace::Process& process, uint32_t index, CallStream::Options options, const Each& each,
                     const std::function<void(const CallStream&)>& ended, Exported* sums) const {
  const analysis::ProcessLoop loop = loop_on(profile_, index, loop_);
  const auto opened = opened_.find(index);
  if (opened != opened_.end()) options.opened = &opened->second;
  for (size_t s = 0; s < process.streams.size(); ++s) {
    if (s) options.leaves = {};
    CallStream calls(process, s, loop, time_.processes[index], window_, options);
    while (calls.next()) {
      if (options.only_timed && !calls.timed()) {
        sums->untimed += calls.times();
        continue;
      }
      sums->calls += calls.times();
      each(s, calls);
    }
    if (ended) ended(calls);
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
  OpenedFiles opened;
  walk(
      process, index, {timed, false, nullptr, {}}, each,
      [&](const CallStream& calls) { opened.add(calls.files().uses()); }, &sums);
  opened_[index] = std::move(opened);
  ++scanned_;
  return sums.untimed;
}

uint32_t Exporting::site(uint32_t process, size_t stream, uint32_t site) const {
  const std::vector<std::vector<uint32_t>>& sites = profile_.processes()[process].site_numbers;
  return stream < sites.size() && site < sites[stream].size() ? sites[stream][site] : UINT32_MAX;
}

}  // namespace leadline::interchange
