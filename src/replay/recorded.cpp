#include "replay/recorded.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "calls/leaf_calls.hpp"

namespace leadline::replay {

using calls::ClassTrees;
using calls::Leaf;

namespace {

constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

}  // namespace

int64_t bytes_of(const Leaf& leaf, size_t member) {
  int64_t bytes = std::max<int64_t>(leaf.posted_bytes.of(member), 0);
  if (!leaf.parts.empty()) bytes = 0;
  for (const auto& part : leaf.parts) {
    const calls::LeafPart& p = part.of(member);
    bytes += std::max<int64_t>({p.posted_bytes, p.out_bytes, p.in_bytes, 0});
  }
  return bytes;
}

Recorded::Kind kind_of(const Leaf& leaf, size_t member) {
  const int64_t bytes = bytes_of(leaf, member);
  const bool collective = leaf.call.facts().category == trace::Category::collective;
  const structure::Partner& partner = leaf.partner.of(member);
  return {leaf.function, static_cast<uint32_t>(leaf.parts.size()),
          static_cast<int>(std::bit_width(static_cast<uint64_t>(bytes))), collective && partner.peer == 0};
}

void Recorded::add(const trace::Process& process, uint32_t index, const calls::RunNumbers& numbers, double begin_ns,
                   uint32_t node) {
  trees_.add(process, index, 0, numbers);
  threads_ += process.streams.size() - 1;
  for (const trace::Communicator& c : process.communicators) {
    if (c.kind == trace::Communicator::Kind::intra && c.identity) communicators_.try_emplace(c.identity, c.world);
  }
  TreeMember member;
  member.node = node;
  for (size_t c = 0; c < trees_.classes().size(); ++c) {
    const ClassTrees::Class& own = trees_.classes()[c];
    if (own.members.back().process != index) continue;
    member.of_class = c;
    member.number = own.members.size() - 1;
    read_times(process, own, numbers, begin_ns, &member);
    find_shortest(own, member.number);
  }
  members_.push_back(std::move(member));
}

void Recorded::read_times(const trace::Process& process, const ClassTrees::Class& of, const calls::RunNumbers& numbers,
                          double begin_ns, TreeMember* member) {
  const RecordedShape shape = recorded_shape(trees_, of, main_loop_);
  if (members_.empty()) steps_ = shape.entered == 1 ? shape.iterations : 0;
  member->before_ns.resize(of.numbers.size());
  member->during_ns.resize(of.numbers.size());
  const double nan = std::nan("");
  RecordedTimes times{nan, nan, nan, nan};
  uint64_t number = 0;
  double after_loop_ns = 0;
  const auto add = [&](uint32_t leaf, calls::ThreadCalls& call) {
    const auto at =
        static_cast<size_t>(std::lower_bound(of.numbers.begin(), of.numbers.end(), leaf) - of.numbers.begin());
    const trace::TimedEvent& e = call.event();
    const bool timed = call.timed();
    member->before_ns[at].push_back(timed ? static_cast<float>(e.gap_ns) : unknown);
    member->during_ns[at].push_back(timed ? static_cast<float>(e.duration_ns) : unknown);
    const double end = timed ? begin_ns + e.begin_ns + e.duration_ns : nan;
    if (!number) times.begin_ns = timed ? begin_ns + e.begin_ns : nan;
    ++number;
    if (shape.entered == 1 && number == shape.first_call) times.loop_begin_ns = end;
    if (shape.entered == 1 && number == shape.first_call + shape.calls) times.loop_end_ns = end;
    if (shape.entered == 1 && number > shape.first_call + shape.calls) {
      after_loop_ns += timed ? e.gap_ns + e.duration_ns : nan;
    }
    times.end_ns = end;
  };
  calls::for_each_leaf_call(process, 0, trees_.leaves_of(of, numbers), nullptr, add);
  // Where the last calls have no times of their own, the sums of all leaves say when they ended.
  if (std::isnan(times.end_ns)) {
    times.end_ns = begin_ns;
    for (const Leaf& leaf : of.leaves) {
      const structure::LeafTimes& t = leaf.times.of(of.members.size() - 1);
      times.end_ns += static_cast<double>(t.calls) * (t.before_ns + t.duration_ns);
    }
  }
  if (shape.entered == 1 && std::isnan(times.loop_end_ns)) times.loop_end_ns = times.end_ns - after_loop_ns;
  times_.push_back(times);
}

void Recorded::find_shortest(const ClassTrees::Class& of, size_t number) {
  for (const Leaf& leaf : of.leaves) {
    const structure::LeafTimes& t = leaf.times.of(number);
    if (!t.calls || t.most_ns <= 0) continue;
    Costs costs{t.least_ns};
    std::copy(t.low_ns.begin(), t.low_ns.end(), costs.begin() + 1);
    const auto at = shortest_ns_.try_emplace(kind_of(leaf, number), costs).first;
    for (size_t level = 0; level < costs.size(); ++level) at->second[level] = std::min(at->second[level], costs[level]);
    const auto [size, first] = sizes_[leaf.function].try_emplace(bytes_of(leaf, number), t.least_ns);
    if (!first) size->second = std::min(size->second, t.least_ns);
  }
}

Tree Recorded::tree() const {
  Tree made;
  made.main_loop = main_loop_;
  made.members = members_;
  made.communicators = communicators_;
  for (const ClassTrees::Class& own : trees_.classes()) {
    TreeClass& c = made.classes.emplace_back();
    c.shape = recorded_shape(trees_, own, main_loop_);
    c.lost_calls = own.lost_calls;
    for (size_t l = 0; l < own.leaves.size(); ++l) {
      c.leaves.push_back({own.leaves[l], own.numbers[l], 1, static_cast<uint32_t>(l)});
    }
  }
  return made;
}

}  // namespace leadline::replay
