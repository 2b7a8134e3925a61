#include "analysis/timeline/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "structure/decoded_call.hpp"

namespace leadline::analysis {

namespace {

using Role = MatchedCall::Role;

constexpr double never_s = std::numeric_limits<double>::quiet_NaN();
constexpr const char* role_names[] = {"other", "send", "receive", "both", "collective"};

Matching matching_of(const Profile& profile, const std::vector<std::shared_ptr<trace::Process>>& processes,
                     const std::vector<uint32_t>& indices, uint32_t loop) {
  std::vector<const std::vector<ProcessLoop>*> each;
  for (const ProcessSummary& p : profile.processes()) each.push_back(&p.loops);
  const uint32_t main = loop ? loop : profile.loops().main();
  const std::vector<const ProcessLoop*> all = loops_to_merge(each, main);
  const RunTime time = profile.time();
  std::vector<ProcessLoop> loops;
  std::vector<ProcessTime> times;
  for (const uint32_t index : indices) {
    loops.push_back(*all[index]);
    times.push_back(time.processes[index]);
  }
  return {processes, loops, times, usual_count(all, main)};
}

// Damaged traces may contain any value.
bool is_timed(const MatchedCall& c) {
  return std::isfinite(c.begin_ns) && std::isfinite(c.duration_ns) && std::isfinite(c.gap_ns) && c.duration_ns >= 0;
}

// Rows of the calls: by process, each process's in their order; -1 for calls of other iterations.
std::vector<int64_t> rows_of(const std::vector<MatchedCall>& calls, uint64_t iteration,
                             const std::vector<uint32_t>& indices, const std::vector<WorldRank>& world_ranks,
                             std::vector<size_t>* order) {
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].iteration == iteration && is_timed(calls[i])) order->push_back(i);
  }
  const auto row = [&](size_t i) { return world_ranks[indices[calls[i].process]].process; };
  std::stable_sort(order->begin(), order->end(), [&](size_t a, size_t b) { return row(a) < row(b); });
  std::vector<int64_t> rows(calls.size(), -1);
  for (size_t row = 0; row < order->size(); ++row) rows[(*order)[row]] = static_cast<int64_t>(row);
  return rows;
}

}  // namespace

Timeline::Timeline(const Profile& profile, const std::vector<std::shared_ptr<trace::Process>>& processes,
                   const std::vector<uint32_t>& indices, uint32_t loop)
    : profile_(profile),
      processes_(processes),
      indices_(indices),
      matching_(matching_of(profile, processes, indices, loop)) {
  for (const auto& process : processes_) {
    auto& known = communicators_.emplace_back();
    for (const trace::Communicator& c : process->communicators) {
      if (c.identity && c.kind == trace::Communicator::Kind::intra) known.emplace(c.identity, &c);
    }
  }
}

// The profile's number of a call site; UINT32_MAX: none.
uint32_t Timeline::site_of(uint32_t process, size_t stream, uint32_t site) const {
  const std::vector<std::vector<uint32_t>>& sites = profile_.processes()[indices_[process]].site_numbers;
  return stream < sites.size() && site < sites[stream].size() ? sites[stream][site] : UINT32_MAX;
}

std::vector<Timeline::Time> Timeline::times() {
  struct Span {
    double begin_ns, end_ns;
  };
  struct Sum {
    double total_ns = 0, longest_ns = -1;
    uint32_t process = 0;
    size_t processes = 0;
  };
  std::map<uint64_t, Sum> sums;
  std::map<uint64_t, Span> own;
  uint32_t process = UINT32_MAX;
  const auto finish = [&] {
    for (const auto& [iteration, span] : own) {
      Sum& sum = sums[iteration];
      const double time_ns = span.end_ns - span.begin_ns;
      sum.total_ns += time_ns;
      ++sum.processes;
      if (time_ns > sum.longest_ns) sum.longest_ns = time_ns, sum.process = indices_[process];
    }
    own.clear();
  };
  matching_.visit_all([&](const Matching::LoopCall& c) {
    if (c.process != process) finish();
    process = c.process;
    const auto [at, fresh] = own.try_emplace(c.iteration, Span{c.begin_ns - c.gap_ns, c.end_ns});
    if (!fresh) at->second.end_ns = std::max(at->second.end_ns, c.end_ns);
  });
  finish();
  std::vector<Time> times;
  for (const auto& [iteration, sum] : sums) {
    if (sum.processes < matching_.processes() || !std::isfinite(sum.total_ns)) continue;
    times.push_back({iteration, sum.total_ns / static_cast<double>(sum.processes), sum.longest_ns, sum.process});
  }
  return times;
}

Timeline::Sums Timeline::sums(const std::vector<uint64_t>& iterations, const std::vector<int32_t>& groups) {
  Sums found;
  const auto add = [&](std::vector<double>& to, size_t at, double ns) {
    to.resize(iterations.size());
    to[at] += ns * 1e-9;
  };
  matching_.visit_all([&](const Matching::LoopCall& c) {
    const auto at = std::lower_bound(iterations.begin(), iterations.end(), c.iteration);
    const bool timed = std::isfinite(c.begin_ns) && c.end_ns >= c.begin_ns && std::isfinite(c.end_ns + c.gap_ns);
    if (at == iterations.end() || *at != c.iteration || !timed) return;
    const size_t index = static_cast<size_t>(at - iterations.begin());
    const uint32_t site = site_of(c.process, c.stream, c.site);
    const int32_t group = site < groups.size() ? groups[site] : -1;
    if (group >= 0) add(found.groups[group], index, c.end_ns - c.begin_ns);
    if (!c.polled) add(found.gaps[indices_[c.process]], index, c.gap_ns);
  });
  return found;
}

std::map<uint64_t, std::set<uint32_t>> Timeline::sites_besides(uint64_t iteration) {
  std::set<std::pair<uint32_t, uint32_t>> usual;  // process, site
  std::map<std::pair<uint32_t, uint32_t>, std::set<uint64_t>> others;
  matching_.visit_all([&](const Matching::LoopCall& c) {
    const std::pair<uint32_t, uint32_t> where{c.process, site_of(c.process, c.stream, c.site)};
    if (c.iteration == iteration) {
      usual.insert(where);
      others.erase(where);
    } else if (!usual.count(where)) {
      others[where].insert(c.iteration);
    }
  });
  std::map<uint64_t, std::set<uint32_t>> found;
  for (const auto& [where, iterations] : others) {
    for (const uint64_t at : iterations) found[at].insert(where.second);
  }
  return found;
}

// In MPI_COMM_WORLD. The message's ranks are those of its communicator, which knows them unless it connects two groups.
int32_t Timeline::partner_rank(const MatchedCall& call) const {
  if (call.role == Role::other || call.role == Role::collective) return -1;
  const int32_t partner = call.role == Role::receive ? call.source : call.dest;
  const auto found = communicators_[call.process].find(call.comm);
  if (found == communicators_[call.process].end() || partner < 0) return -1;
  const trace::Members& world = found->second->world;
  return static_cast<size_t>(partner) < world.size() ? world[static_cast<size_t>(partner)] : -1;
}

void Timeline::add_wait(const MatchedCall& call, const std::vector<WorldRank>& world_ranks, const CallWaits* waits,
                        TimelineColumns* to) const {
  const WaitOfCall* wait =
      waits ? waits->of(indices_[call.process], call.stream, call.begin_ns, call.duration_ns) : nullptr;
  to->waited_s.push_back(!waits ? never_s : wait ? std::min<double>(wait->waited_ns, call.duration_ns) * 1e-9 : 0);
  to->wait.add(!waits ? "unknown" : name_of(wait ? wait->what() : WaitKind::none));
  to->waited_process.push_back(wait ? world_ranks[wait->culprit].process : -1);
  to->waited_index.push_back(wait ? static_cast<int32_t>(wait->culprit) : -1);
}

TimelineColumns Timeline::iteration(uint64_t number, const std::vector<int32_t>& groups,
                                    const std::vector<WorldRank>& world_ranks, const CallWaits* waits) {
  const MatchedIteration matched = matching_.iteration(number);
  std::vector<size_t> order;
  const std::vector<int64_t> rows = rows_of(matched.calls, number, indices_, world_ranks, &order);
  const auto row = [&](int64_t call) { return call < 0 ? -1 : rows[static_cast<size_t>(call)]; };
  TimelineColumns t;
  std::map<std::pair<int32_t, std::string_view>, int32_t> kinds;
  for (const size_t i : order) {
    const MatchedCall& c = matched.calls[i];
    const WorldRank& at = world_ranks[indices_[c.process]];
    t.process.push_back(at.process);
    t.world.push_back(at.world);
    t.rank.push_back(at.rank);
    const uint32_t site = site_of(c.process, c.stream, c.site);
    t.site.push_back(site < groups.size() ? groups[site] : -1);
    const auto [kind, fresh] = kinds.try_emplace({t.site.back(), c.function}, static_cast<int32_t>(kinds.size()));
    if (fresh) t.kinds.emplace_back(t.site.back(), c.function);
    t.kind.push_back(kind->second);
    t.function.add(c.function);
    t.role.add(role_names[static_cast<size_t>(c.role)]);
    t.iteration.push_back(static_cast<int64_t>(std::min<uint64_t>(c.iteration, INT64_MAX)));
    t.begin_s.push_back(c.begin_ns * 1e-9);
    t.end_s.push_back((c.begin_ns + c.duration_ns) * 1e-9);
    t.gap_s.push_back(c.gap_ns * 1e-9);
    t.polled.push_back(c.polled);
    add_wait(c, world_ranks, waits, &t);
    const bool message = c.role != Role::other && c.role != Role::collective;
    const bool met = message && c.partner >= 0;
    const WorldRank* other =
        met ? &world_ranks[indices_[matched.calls[static_cast<size_t>(c.partner)].process]] : nullptr;
    t.partner_process.push_back(other ? other->process : -1);
    t.partner_rank.push_back(other ? other->rank : partner_rank(c));
    t.partner_row.push_back(row(c.partner));
    t.source_row.push_back(row(c.role == Role::receive ? c.partner : c.second_partner));
    t.completion_row.push_back(row(c.completion));
    const MatchedCall& last = c.completion >= 0 ? matched.calls[static_cast<size_t>(c.completion)] : c;
    const bool known = (c.completion >= 0 || !c.makes_request) && is_timed(last);
    t.completed_s.push_back(known ? (last.begin_ns + last.duration_ns) * 1e-9 : never_s);
    t.bytes.push_back(c.out_bytes);
    t.bytes_received.push_back(c.in_bytes);
  }
  for (const auto& [send, receive] : matched.messages) {
    if (rows[send] < 0 && rows[receive] < 0) continue;
    t.sends.push_back(rows[send]);
    t.receives.push_back(rows[receive]);
  }
  t.unmatched = matched.unmatched_sends + matched.unmatched_receives;
  return t;
}

}  // namespace leadline::analysis
