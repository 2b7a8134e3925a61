#include "interchange/actions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

namespace leadline::interchange {

namespace {

// What simulators call the collectives.
std::string collective_name(std::string_view function) {
  static const std::map<std::string_view, const char*> names{
      {"Barrier", "barrier"},       {"Bcast", "bcast"},        {"Reduce", "reduce"},   {"Allreduce", "allreduce"},
      {"Gather", "gather"},         {"Scatter", "scatter"},    {"Scan", "scan"},       {"Exscan", "exscan"},
      {"Allgather", "allgather"},   {"Alltoall", "alltoall"},  {"Gatherv", "gatherv"}, {"Scatterv", "scatterv"},
      {"Allgatherv", "allgatherv"}, {"Alltoallv", "alltoallv"}};
  if (!function.starts_with("MPI_")) return "";
  function.remove_prefix(4);
  if (function.ends_with("_c")) function.remove_suffix(2);
  if (function.ends_with("_init")) function.remove_suffix(5);
  const auto at = names.find(function);
  return at == names.end() ? "" : at->second;
}

}  // namespace

class Actions::Reading {
 public:
  Reading(Actions* actions, const trace::Process& process, const calls::Membership& member, const Give& give)
      : actions_(*actions), process_(process), member_(member), give_(give) {}

  void call(const CallStream& c) {
    const structure::DecodedCall& call = c.call();
    if (c.polls()) return;  // waiting, which the simulator derives again
    if (call.cls != trace::CallClass::init) compute(c);
    const bool io = call.facts().category == trace::Category::io;
    if (io && c.timed()) compute_ns(c.end_ns() - c.begin_ns());
    if (call.cls == trace::CallClass::coll_init) return;
    if (c.collective()) return collective(call);
    if (call.facts().requests == trace::RequestUse::starts) start_collectives(c);
    const bool both = !c.sends().empty() && !c.receives().empty() && c.completed().empty() && c.made().empty();
    for (const RequestUnderWay& r : c.made()) receive_later(r);
    if (both) {  // neither half may wait for the other one
      for (const MessageEnd& m : c.receives()) message(m, Action::Kind::receive, own_request_ + 1);
    }
    for (const MessageEnd& m : c.sends()) message(m, Action::Kind::send, m.request);
    if (both) {
      for (const MessageEnd& m : c.receives()) wait(m, ++own_request_);
      return;
    }
    if (c.completed().empty()) {
      for (const MessageEnd& m : c.receives()) message(m, Action::Kind::receive, 0);
    }
    for (const RequestUnderWay& r : c.completed()) {
      if (!r.exported) continue;
      if (r.sent) wait(*r.sent, r.number);
      if (r.receives) told(r);
    }
  }

  void finish() {
    actions_.sums_.untold += open_.size();
    for (const auto& [request, at] : open_) held_[at - first_].reset();
    open_.clear();
    flush();
  }

 private:
  void put(Action action) {
    held_.emplace_back(std::move(action));
    flush();
  }
  void flush() {
    if (!open_.empty()) return;
    for (; !held_.empty(); held_.pop_front(), ++first_) {
      if (!held_.front()) continue;
      ++actions_.sums_.actions;
      give_(*held_.front());
    }
  }

  void compute(const CallStream& c) {
    if (c.timed()) return compute_ns(c.event().gap_ns);
    ++actions_.sums_.estimated;
    compute_ns(mean_before_ns(c));
  }
  // The mean of its place's calls, because a place distinguishes calls of one leaf; otherwise of the leaf's calls
  // without a place. The sum over all calls is thus the thread's.
  double mean_before_ns(const CallStream& c) const {
    if (const trace::TimeStats* own = c.distribution()) return own->gap_sum_ns / static_cast<double>(own->count);
    const calls::Leaf* leaf = actions_.leaf(c, member_);
    return leaf ? leaf->times.of(member_.member).shared_before_ns : 0;
  }
  void compute_ns(double ns) {
    Action action;
    action.ns = ns;
    if (std::isfinite(ns) && ns > 0) put(std::move(action));
  }

  // The partner as a rank of MPI_COMM_WORLD; -1: unknown.
  int32_t world_rank(const MessageEnd& m) const {
    const int32_t rank = m.sends ? m.dest() : m.source();
    for (const trace::Communicator& c : process_.communicators) {
      if (c.identity != m.identity() || c.kind == trace::Communicator::Kind::window) continue;
      return rank >= 0 && static_cast<size_t>(rank) < c.world.size() ? c.world[static_cast<size_t>(rank)] : -1;
    }
    return -1;
  }

  bool matched(const MessageEnd& m) const { return actions_.exporting_.matches().number(m) && world_rank(m) >= 0; }

  Action of(const MessageEnd& m, Action::Kind kind, uint64_t request) const {
    Action action;
    action.kind = kind;
    action.partner = world_rank(m);
    action.tag = actions_.tag_of(m);
    action.sends = m.sends;
    action.request = request;
    action.bytes = std::max<int64_t>(bytes_of(m), 0);
    return action;
  }
  // Where a receive begins, only its buffer is known: the sender knows what will come.
  int64_t bytes_of(const MessageEnd& m) const {
    const int64_t sent = m.sends ? structure::bytes_unknown : actions_.exporting_.matches().sent_bytes(m);
    return sent == structure::bytes_unknown ? m.bytes : sent;
  }
  void message(const MessageEnd& m, Action::Kind kind, uint64_t request) {
    if (!matched(m)) return;
    actions_.sums_.messages += m.sends;
    put(of(m, kind, request));
  }
  void wait(const MessageEnd& m, uint64_t request) {
    if (matched(m)) put(of(m, Action::Kind::wait, request));
  }

  // The size of a receive is known when it ends, and so, perhaps, is its sender.
  void receive_later(const RequestUnderWay& r) {
    if (!r.receives || (r.received && !matched(*r.received))) return;
    Action action;
    if (r.received) action = of(*r.received, Action::Kind::receive, r.number);
    action.kind = Action::Kind::receive;
    action.request = r.number;
    if (!r.received) open_[r.number] = first_ + held_.size();
    held_.emplace_back(std::move(action));
    flush();
  }
  void told(const RequestUnderWay& r) {
    const bool known = r.received && matched(*r.received);
    const auto at = open_.find(r.number);
    if (at != open_.end()) {
      std::optional<Action>& action = held_[at->second - first_];
      open_.erase(at);
      if (known) {
        action = of(*r.received, Action::Kind::receive, r.number);
      } else {
        action.reset();
        actions_.sums_.untold += !r.received;
      }
    }
    if (known) put(of(*r.received, Action::Kind::wait, r.number));
    flush();
  }

  int64_t receive_bytes(const structure::DecodedCall& call) const {
    const uint32_t type = call.collective.receive_datatype;
    const int64_t size = type < process_.datatypes.size() ? process_.datatypes[type].size : 0;
    return std::max<int64_t>(call.collective.receive_count, 0) * size;
  }
  static std::vector<int64_t> scaled(std::span<const int64_t> counts, int64_t bytes) {
    std::vector<int64_t> found(counts.begin(), counts.end());
    for (int64_t& n : found) n = std::max<int64_t>(n, 0) * bytes;
    return found;
  }

  // All ranks start them in the same order, so each is written where it starts.
  void start_collectives(const CallStream& c) {
    for (const structure::CallPart& part : c.call().parts) {
      if (!part.collective()) continue;
      if (const structure::DecodedCall* created = c.created(part)) {
        collective(*created);
      } else {
        ++actions_.sums_.parts;
      }
    }
  }

  void collective(const structure::DecodedCall& call) {
    const trace::Communicator* comm =
        call.comm < process_.communicators.size() ? &process_.communicators[call.comm] : nullptr;
    const bool created = call.facts().event == trace::EventForm::creation;
    const std::string name =
        call.function < process_.functions.size() ? collective_name(process_.functions[call.function].name) : "";
    const bool all = comm && comm->kind == trace::Communicator::Kind::intra && comm->size == process_.world_size;
    if (created && all) return;  // its cost is the library's
    const uint32_t type = call.collective.receive_datatype;
    const int64_t size = type < process_.datatypes.size() ? process_.datatypes[type].size : 0;
    Action action;
    action.kind = Action::Kind::collective;
    action.collective = name;
    action.bytes = std::max<int64_t>(call.posted_bytes, 0);
    action.in_bytes = receive_bytes(call);
    const auto root = static_cast<size_t>(std::max(call.partner.rank, 0));
    action.root = all && call.partner.rank >= 0 && root < comm->world.size() ? comm->world[root] : call.partner.rank;
    action.counts = scaled(call.collective.send_counts, call.datatype_bytes);
    action.in_counts = scaled(call.collective.receive_counts, size);
    if (!all || name.empty() || call.collective.vector_lost || !vectors_known(action, comm->size)) {
      ++actions_.sums_.parts;
      return;
    }
    ++actions_.sums_.collectives;
    put(std::move(action));
  }
  static bool vectors_known(const Action& a, int32_t size) {
    const auto ranks = static_cast<size_t>(size);
    if (a.collective == "alltoallv") return a.counts.size() == ranks && a.in_counts.size() == ranks;
    if (a.collective == "allgatherv") return a.in_counts.size() == ranks;
    return a.collective != "gatherv" && a.collective != "scatterv";  // only the root knows all sizes
  }

  Actions& actions_;
  const trace::Process& process_;
  const calls::Membership member_;
  const Give& give_;
  std::deque<std::optional<Action>> held_;
  size_t first_ = 0;                           // number of the first one held
  std::unordered_map<uint64_t, size_t> open_;  // by request: the receive whose sender is not known yet
  uint64_t own_request_ = uint64_t{1} << 62;   // of calls that send and receive
};

calls::RunNumbers Actions::numbers(uint32_t index) const {
  const analysis::ProcessSummary& process = exporting_.profile().processes()[index];
  return {process.site_numbers[0], process.loop_numbers[0]};
}

void Actions::scan(const trace::Process& process, uint32_t index) {
  if (!process.streams.empty()) members_[index] = classes_.add(process, index, 0, numbers(index));
  exporting_.scan(process, index, false, [this](const MessageEnd& end) {
    const std::pair<uint64_t, int32_t> key{end.identity(), end.tag()};
    if (tags_.count(key)) return;
    const auto [at, fresh] = taken_.try_emplace(end.tag(), end.identity());
    tags_[key] = fresh ? end.tag() : free_tag_++;
  });
}

int32_t Actions::tag_of(const MessageEnd& end) const {
  const auto at = tags_.find({end.identity(), end.tag()});
  return at == tags_.end() ? end.tag() : at->second;
}

void Actions::visit(const trace::Process& process, uint32_t index, const Give& give) {
  const auto member = members_.find(index);
  const calls::Membership own = member == members_.end() ? calls::Membership{} : member->second;
  Reading reading(this, process, own, give);
  Exported exported;
  calls::Leaves leaves;
  if (member != members_.end()) leaves = classes_.leaves_of(classes_.classes()[own.of], numbers(index));
  exporting_.visit(
      process, index, false,
      [&](size_t stream, const CallStream& c) {
        if (stream) {
          sums_.threads += c.times();
        } else {
          reading.call(c);
        }
      },
      &exported, leaves);
  reading.finish();
}

ActionSums Actions::sums() const {
  ActionSums sums = sums_;
  sums.unmatched = exporting_.matches().unmatched();
  return sums;
}

}  // namespace leadline::interchange
