#include "analysis/waits/wait_states.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace leadline::analysis {

namespace {

using trace::Category;

// A library sends smaller messages without waiting for the receiver.
constexpr int64_t least_bytes_to_wait = 1 << 12;

// Each rank gets something from every rank before it only, or from neighbours only: who waits for whom is not known.
constexpr std::array<std::string_view, 4> not_all_to_all = {"MPI_Scan", "MPI_Exscan", "MPI_Neighbor", "MPI_Ineighbor"};

class Finder {
 public:
  Finder(const Step& step, const Profile& profile, const RunTime& time) : step_(step), profile_(profile) {
    const size_t n = step.calls.size();
    timed_.step = &step;
    timed_.begin_ns.resize(n);
    timed_.end_ns.resize(n);
    timed_.waits.resize(n);
    for (size_t c = 0; c < n; ++c) {
      const ProcessTime& t = time.processes[step.calls[c].process];
      timed_.begin_ns[c] = t.begin_ns + t.rate * step.calls[c].begin_ns;
      timed_.end_ns[c] = t.begin_ns + t.rate * step.calls[c].end_ns;
    }
    error_ns_ = time.clocks > 1 ? std::max(time.error_ns, 0.0) : 0;
  }

  TimedStep run() {
    for (const StepMessage& m : step_.messages) {
      if (m.receive_done != StepMessage::none) wait_for(m.receive_done, m.send, WaitKind::late_sender);
    }
    // What a send waited for is known only where its receive explains more than the receives that the call completes.
    for (const StepMessage& m : step_.messages) {
      if (m.send_done == StepMessage::none || m.bytes < least_bytes_to_wait) continue;
      if (timed_.end_ns[m.send_done] < timed_.begin_ns[m.receive]) continue;
      wait_for(m.send_done, m.receive, WaitKind::late_receiver);
    }
    for (const StepCollective& c : step_.collectives) {
      if (c.complete() && c.size > 1) collective(c);
    }
    return std::move(timed_);
  }

 private:
  void wait_for(uint32_t call, uint32_t culprit, WaitKind kind) {
    const double begin = timed_.begin_ns[call];
    const double end = std::min(timed_.begin_ns[culprit], timed_.end_ns[call]);
    CallWait& wait = timed_.waits[call];
    if (end - begin <= error_ns_ || (wait.kind != WaitKind::none && end <= wait.end_ns)) return;
    if (step_.calls[call].process == step_.calls[culprit].process) return;
    wait = {kind, culprit, begin, end};
  }

  // The member that enters last, of those whose data others need.
  static bool any(const StepCollective::Member&) { return true; }
  template <class Test>
  uint32_t last(const StepCollective& c, const Test& counts) const {
    uint32_t found = UINT32_MAX;
    for (const StepCollective::Member& m : c.members) {
      if (counts(m) && (found == UINT32_MAX || timed_.begin_ns[m.call] > timed_.begin_ns[found])) found = m.call;
    }
    return found;
  }

  void collective(const StepCollective& c) {
    const uint32_t site = step_.calls[c.members[0].call].site;
    if (site >= profile_.sites().size()) return;
    const trace::Function& function = profile_.functions()[profile_.sites()[site].function];
    if (trace::facts_of(function.cls).requests != trace::RequestUse::none) return;  // waits are where it completes
    for (const std::string_view name : not_all_to_all) {
      if (function.name.starts_with(name)) return;
    }
    if (c.members[0].rooted) return rooted(c);
    int64_t contributed = 0, collected = 0;
    for (const StepCollective::Member& m : c.members) {
      contributed += m.out_bytes;
      collected += m.in_bytes;
    }
    const bool barrier = function.name == "MPI_Barrier";
    const bool creates = trace::facts_of(function.cls).event == trace::EventForm::creation;
    if (!barrier && !creates && (!contributed || !collected)) return;
    const bool all = barrier || creates;
    const uint32_t latest = last(c, [&](const StepCollective::Member& m) { return all || m.out_bytes > 0; });
    if (latest == UINT32_MAX) return;
    for (const StepCollective::Member& m : c.members) {
      if (all || m.in_bytes > 0)
        wait_for(m.call, latest, barrier ? WaitKind::wait_at_barrier : WaitKind::wait_at_n_to_n);
    }
  }

  void rooted(const StepCollective& c) {
    const auto root =
        std::find_if(c.members.begin(), c.members.end(), [](const StepCollective::Member& m) { return m.is_root; });
    if (root == c.members.end()) return;
    const bool others_send =
        std::any_of(c.members.begin(), c.members.end(), [](const auto& m) { return !m.is_root && m.out_bytes > 0; });
    const bool others_get =
        std::any_of(c.members.begin(), c.members.end(), [](const auto& m) { return !m.is_root && m.in_bytes > 0; });
    if (others_send == others_get) return;
    if (others_send) {
      const uint32_t latest = last(c, [](const StepCollective::Member& m) { return !m.is_root && m.out_bytes > 0; });
      if (latest != UINT32_MAX) wait_for(root->call, latest, WaitKind::early_reduce);
      return;
    }
    for (const StepCollective::Member& m : c.members) {
      if (!m.is_root && m.in_bytes > 0) wait_for(m.call, root->call, WaitKind::late_broadcast);
    }
  }

  const Step& step_;
  const Profile& profile_;
  TimedStep timed_;
  double error_ns_ = 0;
};

}  // namespace

const char* name_of(WaitKind kind) {
  constexpr const char* names[wait_kinds] = {"none",           "late_sender",  "late_receiver", "wait_at_barrier",
                                             "wait_at_n_to_n", "early_reduce", "late_broadcast"};
  return names[static_cast<size_t>(kind)];
}

TimedStep wait_states(const Step& step, const Profile& profile, const RunTime& time) {
  return Finder(step, profile, time).run();
}

}  // namespace leadline::analysis
