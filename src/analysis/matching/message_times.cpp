#include "analysis/matching/message_times.hpp"

#include "analysis/clocks.hpp"

namespace leadline::analysis {

MessageTimes::MessageTimes(const Profile& profile, uint64_t most)
    : profile_(profile),
      whole_(profile, StepReader::Part::whole, most),
      iterations_(profile, StepReader::Part::iterations, most) {}

void MessageTimes::add(const trace::Process& process, uint32_t index) {
  if (whole_.wanted()) whole_.add(process, index);
  if (iterations_.wanted()) iterations_.add(process, index);
}

std::vector<MessageTime> MessageTimes::find() {
  std::vector<OwnTime> own;
  for (const ProcessSummary& p : profile_.processes()) own.push_back(own_time(p.meta));
  const RunTime time = run_time(own);
  std::vector<MessageTime> found;
  uint32_t before = 0;  // calls of the steps before
  std::vector<Step> steps = whole_.finish();
  if (steps.empty()) steps = iterations_.finish();
  for (const Step& step : steps) {
    if (!step.timed) continue;
    const auto at = [&](uint32_t call, bool end) {
      const StepCall& c = step.calls[call];
      const ProcessTime& t = time.processes[c.process];
      return t.begin_ns + t.rate * (end ? c.end_ns : c.begin_ns);
    };
    for (const StepMessage& m : step.messages) {
      if (m.receive_done == StepMessage::none || m.send_done == StepMessage::none) continue;
      const StepCall &send = step.calls[m.send], &done = step.calls[m.receive_done];
      if (done.margin) continue;  // of an iteration that may be read itself
      const auto& processes = profile_.processes();
      const bool within_host = processes[send.process].meta.host == processes[done.process].meta.host;
      found.push_back({m.bytes, within_host, send.process, done.process, send.site, done.site, before + m.receive_done,
                       at(m.send, false), at(m.send, true), at(m.send_done, false), at(m.send_done, true),
                       at(m.receive, false), at(m.receive_done, false), at(m.receive_done, true)});
    }
    before += static_cast<uint32_t>(step.calls.size());
  }
  return found;
}

}  // namespace leadline::analysis
