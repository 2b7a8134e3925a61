#include "analysis/waits/wait_states.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "trace/send_mode.hpp"

namespace leadline::analysis {

namespace {

using trace::Category;

// A library sends smaller messages without waiting for the receiver.
constexpr int64_t least_waited_bytes = 1 << 12;

// The size without all bits but the three highest ones.
int64_t size_class(int64_t bytes) {
  const auto width = static_cast<int>(std::bit_width(static_cast<uint64_t>(bytes)));
  return width > 3 ? bytes >> (width - 3) << (width - 3) : bytes;
}

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> any) {
  return std::any_of(any.begin(), any.end(), [&](std::string_view one) { return name.starts_with(one); });
}
// The neighbours of neighbourhood collectives are unknown.
bool between_neighbours(std::string_view f) { return begins_with_any(f, {"MPI_Neighbor", "MPI_Ineighbor"}); }
// Each rank gets something from the ranks before it only.
bool scans(std::string_view f) { return begins_with_any(f, {"MPI_Scan", "MPI_Exscan", "MPI_Iscan", "MPI_Iexscan"}); }
bool is_barrier(std::string_view f) { return f == "MPI_Barrier" || f == "MPI_Ibarrier"; }
// Calls of all ranks of a window, or that make one.
bool is_fence(std::string_view f) { return f == "MPI_Win_fence"; }
bool is_of_window(trace::CallClass c) {
  return c == trace::CallClass::rma_sync || c == trace::CallClass::win_create || c == trace::CallClass::win_free;
}
// These end when the receive has begun, whatever their size, or never wait for it.
bool synchronous(std::string_view f) { return trace::send_mode_of(f) == trace::SendMode::synchronous; }
bool buffered(std::string_view f) { return trace::send_mode_of(f) == trace::SendMode::buffered; }

std::string_view function_at(const Profile& profile, uint32_t site) {
  if (site >= profile.sites().size()) return {};
  return profile.functions()[profile.sites()[site].function].name;
}
bool same_host(const Profile& profile, uint32_t a, uint32_t b) {
  return profile.processes()[a].meta.host == profile.processes()[b].meta.host;
}
double error_of(const RunTime& time) { return time.clocks > 1 ? std::max(time.error_ns, 0.0) : 0; }

class WaitStateFinder {
 public:
  WaitStateFinder(const Step& step, const Profile& profile, const RunTime& time, const SeenToReturn& seen)
      : step_(step), profile_(profile), seen_(seen) {
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
    error_ns_ = error_of(time);
  }

  TimedStep run() {
    for (const StepMessage& m : step_.messages) {
      if (m.receive_done != StepMessage::none) wait_for(m.receive_done, m.send, WaitKind::late_sender);
      if (m.probe != StepMessage::none) wait_for(m.probe, m.send, WaitKind::late_sender);
    }
    // The cause of a send's wait is known only if its receive explains more of it than the receives that the call
    // completes.
    for (const StepMessage& m : step_.messages) {
      if (m.send_done != StepMessage::none && may_wait(m)) wait_for(m.send_done, m.receive, WaitKind::late_receiver);
    }
    for (const StepCollective& c : step_.collectives) {
      if (c.complete() && c.size > 1) collective(c);
    }
    for (const StepEpoch& e : step_.epochs) {
      wait_for(e.start, e.post, WaitKind::late_post);
      wait_for(e.complete, e.post, WaitKind::late_post);
      if (e.wait != StepOperation::none) wait_for(e.wait, e.complete, WaitKind::late_complete);
    }
    return std::move(timed_);
  }

 private:
  bool may_wait(const StepMessage& m) const {
    const StepCall &from = step_.calls[m.send], &to = step_.calls[m.receive];
    const std::string_view function = function_at(profile_, from.site);
    if (synchronous(function)) return true;
    const bool within_host = same_host(profile_, from.process, to.process);
    return !buffered(function) && m.bytes >= least_waited_bytes && !seen_.returns_early(m.bytes, within_host);
  }

  void wait_for(uint32_t call, uint32_t culprit, WaitKind kind) {
    // It ended before, so it needed nothing from the other call.
    const double rounding = step_.calls[call].rounding_ns + step_.calls[culprit].rounding_ns;
    if (timed_.end_ns[call] + error_ns_ + 2 * rounding < timed_.begin_ns[culprit]) return;
    const double begin = timed_.begin_ns[call];
    const double end = std::min(timed_.begin_ns[culprit], timed_.end_ns[call]);
    CallWait& wait = timed_.waits[call];
    if (end - begin <= error_ns_ + rounding || (wait.kind != WaitKind::none && end <= wait.end_ns)) return;
    if (step_.calls[call].process == step_.calls[culprit].process) return;
    wait = {kind, culprit, begin, end};
  }

  // The member that enters last, of those whose data others need.
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
    const std::string_view function = function_at(profile_, site);
    if (function.empty() || between_neighbours(function)) return;
    if (c.members[0].rooted) return rooted(c);
    const trace::CallClass cls = step_.calls[c.members[0].call].cls;
    const bool of_window = is_of_window(cls);
    if (of_window && seen_.left_early(site)) return;
    const bool all = is_barrier(function) || of_window || trace::facts_of(cls).event == trace::EventForm::creation;
    const WaitKind kind = kind_of(function, cls);
    std::vector<const StepCollective::Member*> latest;  // first
    for (const StepCollective::Member& m : c.members) {
      if (all || m.out_bytes > 0) latest.push_back(&m);
    }
    std::stable_sort(latest.begin(), latest.end(),
                     [&](const auto* a, const auto* b) { return timed_.begin_ns[a->call] > timed_.begin_ns[b->call]; });
    const bool before_only = scans(function);
    for (const StepCollective::Member& m : c.members) {
      if (m.done == StepMessage::none || (!all && m.in_bytes <= 0)) continue;
      for (const StepCollective::Member* other : latest) {
        if (timed_.begin_ns[other->call] <= timed_.begin_ns[m.done]) break;
        if (before_only && other->rank >= m.rank) continue;
        if (m.by_rank && !gets_from(m, other->rank)) continue;
        wait_for(m.done, other->call, kind);
        break;
      }
    }
  }

  // Freeing a window is a barrier of its ranks.
  static WaitKind kind_of(std::string_view function, trace::CallClass cls) {
    if (is_fence(function)) return WaitKind::wait_at_fence;
    const bool barrier = is_barrier(function) || cls == trace::CallClass::win_free;
    return barrier ? WaitKind::wait_at_barrier : WaitKind::wait_at_n_to_n;
  }

  static bool gets_from(const StepCollective::Member& m, int32_t rank) {
    return m.from && rank >= 0 && static_cast<size_t>(rank) < m.from->size() && (*m.from)[static_cast<size_t>(rank)];
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
      if (latest != UINT32_MAX && root->done != StepMessage::none) wait_for(root->done, latest, WaitKind::early_reduce);
      return;
    }
    for (const StepCollective::Member& m : c.members) {
      if (!m.is_root && m.in_bytes > 0 && m.done != StepMessage::none)
        wait_for(m.done, root->call, WaitKind::late_broadcast);
    }
  }

  const Step& step_;
  const Profile& profile_;
  const SeenToReturn& seen_;
  TimedStep timed_;
  double error_ns_ = 0;
};

}  // namespace

const char* name_of(WaitKind kind) {
  constexpr const char* names[wait_kinds] = {"none",           "late_sender",  "late_receiver",  "wait_at_barrier",
                                             "wait_at_n_to_n", "early_reduce", "late_broadcast", "wait_at_fence",
                                             "late_post",      "late_complete"};
  return names[static_cast<size_t>(kind)];
}

void SeenToReturn::learn(const Step& step, const Profile& profile, const RunTime& time) {
  learn_sends(step, profile, time);
  learn_fences(step, time);
}

void SeenToReturn::learn_fences(const Step& step, const RunTime& time) {
  const double error = error_of(time);
  for (const StepCollective& c : step.collectives) {
    if (!c.complete() || !is_of_window(step.calls[c.members[0].call].cls)) continue;
    double first_end = INFINITY, last_begin = -INFINITY, rounding = 0;
    for (const StepCollective::Member& m : c.members) {
      const StepCall& call = step.calls[m.call];
      const ProcessTime& own = time.processes[call.process];
      first_end = std::min(first_end, own.begin_ns + own.rate * call.end_ns);
      last_begin = std::max(last_begin, own.begin_ns + own.rate * call.begin_ns);
      rounding = std::max(rounding, call.rounding_ns);
    }
    if (first_end + error + 2 * rounding >= last_begin) continue;
    for (const StepCollective::Member& m : c.members) left_early_.insert(step.calls[m.call].site);
  }
}

void SeenToReturn::learn_sends(const Step& step, const Profile& profile, const RunTime& time) {
  const double error = error_of(time);
  for (const StepMessage& m : step.messages) {
    if (m.send_done == StepMessage::none) continue;
    const StepCall &done = step.calls[m.send_done], &receive = step.calls[m.receive];
    const std::string_view function = function_at(profile, step.calls[m.send].site);
    if (done.process == receive.process || synchronous(function) || buffered(function)) continue;
    const ProcessTime &here = time.processes[done.process], &there = time.processes[receive.process];
    const double certain = error + 2 * (done.rounding_ns + receive.rounding_ns);
    const double begin = here.begin_ns + here.rate * done.begin_ns, end = here.begin_ns + here.rate * done.end_ns;
    const double posted = there.begin_ns + there.rate * receive.begin_ns;
    if (posted <= begin) continue;
    Late& late = late_[same_host(profile, done.process, receive.process)][size_class(m.bytes)];
    (end + certain < posted ? late.returned_ns += posted - end : late.waited_ns += std::min(posted, end) - begin);
  }
}

bool SeenToReturn::returns_early(int64_t bytes, bool within_host) const {
  const std::map<int64_t, Late>& late = late_[within_host];
  const int64_t own = size_class(bytes);
  double returned = 0, waited = 0;
  for (auto size = late.lower_bound(own); size != late.end(); ++size) {
    if (size->first == own) {
      returned += size->second.returned_ns;
      waited += size->second.waited_ns;
    } else {
      returned += std::max(size->second.returned_ns - size->second.waited_ns, 0.0);
    }
  }
  return returned > waited;
}

TimedStep wait_states(const Step& step, const Profile& profile, const RunTime& time, const SeenToReturn& seen) {
  return WaitStateFinder(step, profile, time, seen).run();
}

}  // namespace leadline::analysis
