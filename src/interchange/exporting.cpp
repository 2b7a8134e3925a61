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

// Goes call by call, not through trees: sends of a leaf times its iterations would give how many messages a channel
// has, but not the rest. Which numbers are exported depends on the calls between whose times were kept; a receive
// counts where its request is completed, not cancelled or given up, and one from anybody has its channel only there; a
// channel keeps the sizes of its messages in their order; and what a transfer is about depends on the files then open.
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
