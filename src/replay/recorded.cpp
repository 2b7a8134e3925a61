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
constexpr size_t most_varied = 200'000;  // of a run: some 200 MB
constexpr double no_work_ns = 2000;      // what lies between two polls is work of the program from there on
constexpr double of_power = 1.5;         // a number that is known to a power of two is this times that in the middle

bool polls(trace::CallClass cls) {
  using enum trace::CallClass;
  return cls == iprobe || cls == improbe || cls == test || cls == testall || cls == testany || cls == testsome ||
         cls == parrived;
}

// Failed polls since the last call.
struct Polled {
  double before_ns = 0, ns = 0;  // of all of them, with what lies between them
  double work_ns = 0;            // of that, what certainly lies between them
  VainPolls run;

  Polled() = default;
  Polled(const calls::ThreadCalls& thread, const calls::RunNumbers& numbers) {
    const trace::TimedEvent& e = thread.event();
    if (!thread.timed()) return;
    const double one_ns = thread.mean_poll_ns(), number = of_power * static_cast<double>(thread.times());
    before_ns = e.gap_ns;
    ns = e.duration_ns;
    if (ns / number > one_ns + no_work_ns) work_ns = ns - number * one_ns;
    run.site = e.event.key.site < numbers.sites.size() ? numbers.sites[e.event.key.site] : structure::no_index;
    run.polls = thread.times();
    run.ns = static_cast<float>(ns);
    run.one_ns = static_cast<float>(std::min(one_ns, ns));
  }
};

// Where times of some calls were not kept, these have their part of the computation, and as many polls as the others.
// mean_ns: of all calls, without polls.   polled_ns: in the times that were kept.
void fill_beside_polls(double mean_ns, double polled_ns, std::vector<float>* ns) {
  double sum_ns = 0;
  size_t kept = 0;
  for (const float each : *ns) {
    if (!std::isfinite(each)) continue;
    sum_ns += each;
    ++kept;
  }
  if (kept == ns->size()) return;
  const double rest_ns = mean_ns * static_cast<double>(ns->size()) - (sum_ns - polled_ns);
  const double other_ns =
      std::max(rest_ns / static_cast<double>(ns->size() - kept), 0.0) + polled_ns / static_cast<double>(kept);
  for (float& each : *ns)
    if (!std::isfinite(each)) each = static_cast<float>(other_ns);
}

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
    if (!c.identity) continue;
    if (c.kind == trace::Communicator::Kind::window && c.parent < process.communicators.size())
      communicators_.try_emplace(c.identity, process.communicators[c.parent].world.ranks());
    if (c.kind != trace::Communicator::Kind::intra) continue;
    communicators_.try_emplace(c.identity, c.world.ranks());
    if (!c.grid.empty()) grids_.try_emplace(c.identity, c.grid);
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
  Polled polled;
  std::vector<double> polled_ns_of(of.numbers.size());
  std::vector<uint8_t> varies;
  for (const Leaf& leaf : of.leaves) varies.push_back(Varying::wanted(leaf));
  Varying varying;
  const auto add = [&](uint32_t leaf, calls::ThreadCalls& call) {
    const auto at =
        static_cast<size_t>(std::lower_bound(of.numbers.begin(), of.numbers.end(), leaf) - of.numbers.begin());
    const trace::TimedEvent& e = call.event();
    const bool timed = call.timed();
    // Polls that a success ends have waited for it, and the replay knows how long that takes. Others wait for nothing.
    const bool vain = polled.ns > 0 && !polls(call.decoded().cls);
    const double polled_ns = polled.before_ns + (vain ? polled.ns : polled.work_ns);
    if (vain && timed) {
      polled.run.leaf = static_cast<uint32_t>(at);
      polled.run.call = static_cast<uint32_t>(member->before_ns[at].size());
      member->polls.push_back(polled.run);
    }
    if (timed) polled_ns_of[at] += polled_ns;
    polled = Polled();
    member->before_ns[at].push_back(timed ? static_cast<float>(e.gap_ns + polled_ns) : unknown);
    member->during_ns[at].push_back(timed ? static_cast<float>(e.duration_ns) : unknown);
    if (varies[at] && varied_ + varying.kinds() <= most_varied) {
      varying.add(static_cast<uint32_t>(at), calls::leaf_of(call.decoded(), process, 0, numbers),
                  member->during_ns[at].back());
    }
    const double end = timed ? begin_ns + e.begin_ns + e.duration_ns : nan;
    if (!number) times.begin_ns = timed ? begin_ns + e.begin_ns : nan;
    ++number;
    if (shape.entered == 1 && number == shape.first_call) times.loop_begin_ns = end;
    if (shape.entered == 1 && number == shape.first_call + shape.calls) times.loop_end_ns = end;
    if (shape.entered == 1 && number > shape.first_call + shape.calls) {
      after_loop_ns += timed ? polled_ns + e.gap_ns + e.duration_ns : nan;
    }
    times.end_ns = end;
  };
  calls::for_each_leaf_call(process, 0, trees_.leaves_of(of, numbers), nullptr, add,
                            [&](const calls::ThreadCalls& run) { polled = Polled(run, numbers); });
  varied_ += varying.kinds();
  member->varied = varying.take();
  varying.for_each_kind([&](const Leaf& leaf, std::vector<float> ns) { add_shortest(leaf, std::move(ns)); });
  for (size_t l = 0; l < polled_ns_of.size(); ++l) {
    const double mean_ns = of.leaves[l].times.of(of.members.size() - 1).before_ns;
    if (polled_ns_of[l] > 0) fill_beside_polls(mean_ns, polled_ns_of[l], &member->before_ns[l]);
  }
  // Where the last calls have no times of their own, the sums of all leaves say when they ended.
  if (std::isnan(times.end_ns)) {
    times.end_ns = begin_ns;
    for (const Leaf& leaf : of.leaves) {
      const structure::LeafTimes& t = leaf.times.of(of.members.size() - 1);
      times.end_ns += static_cast<double>(t.calls) * (t.before_ns + t.duration_ns);
    }
    // Which leave out what the recorder took between the calls: the loop's end, if it is known, may be later.
    times.end_ns = std::fmax(times.end_ns, times.loop_end_ns);
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
    take_shorter(kind_of(leaf, number), costs);
    const auto [size, first] = sizes_[leaf.function].try_emplace(bytes_of(leaf, number), t.least_ns);
    if (!first) size->second = std::min(size->second, t.least_ns);
  }
}

void Recorded::add_shortest(const Leaf& leaf, std::vector<float> ns) {
  if (ns.empty()) return;
  std::sort(ns.begin(), ns.end());
  Costs costs{ns.front()};
  for (size_t part = 0; part < structure::low_parts.size(); ++part) {
    costs[part + 1] = ns[static_cast<size_t>(structure::low_parts[part] * static_cast<double>(ns.size() - 1))];
  }
  take_shorter(kind_of(leaf, 0), costs);
}

void Recorded::take_shorter(const Kind& kind, const Costs& costs) {
  const auto at = shortest_ns_.try_emplace(kind, costs).first;
  for (size_t level = 0; level < costs.size(); ++level) at->second[level] = std::min(at->second[level], costs[level]);
}

void Recorded::for_each_call(const trace::Process& process, uint32_t rank, const calls::RunNumbers& numbers,
                             const EachCall& each) const {
  const ClassTrees::Class& of = trees_.classes()[members_[rank].of_class];
  calls::for_each_leaf_call(process, 0, trees_.leaves_of(of, numbers), nullptr,
                            [&](uint32_t leaf, calls::ThreadCalls& call) {
                              const auto at = std::lower_bound(of.numbers.begin(), of.numbers.end(), leaf);
                              each(static_cast<uint32_t>(at - of.numbers.begin()), call);
                            });
}

Tree Recorded::tree() const {
  Tree made;
  made.main_loop = main_loop_;
  made.members = members_;
  for (size_t i = 0; i < times_.size() && i < made.members.size(); ++i) made.members[i].begin_ns = times_[i].begin_ns;
  made.communicators = communicators_;
  made.grids = grids_;
  const bool one_by_one = varied_ <= most_varied;
  if (!one_by_one)
    for (TreeMember& member : made.members) member.varied.clear();
  for (const ClassTrees::Class& own : trees_.classes()) {
    TreeClass& c = made.classes.emplace_back();
    c.shape = recorded_shape(trees_, own, main_loop_);
    c.lost_calls = own.lost_calls;
    for (size_t l = 0; l < own.leaves.size(); ++l) {
      c.leaves.push_back({own.leaves[l], own.numbers[l], 1, static_cast<uint32_t>(l)});
      c.leaves.back().one_by_one = one_by_one && Varying::wanted(own.leaves[l]);
    }
  }
  return made;
}

}  // namespace leadline::replay
