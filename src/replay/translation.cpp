#include "replay/translation.hpp"

#include <algorithm>
#include <cmath>

namespace leadline::replay {

using structure::CallPart;
using trace::CallClass;
using trace::EventForm;
using trace::RequestUse;

Program Translation::make() {
  const auto ranks = static_cast<uint32_t>(tree_.members.size());
  groups_[0] = 0;  // all ranks
  std::vector<uint32_t>& all = program_.groups.emplace_back();
  for (uint32_t i = 0; i < ranks; ++i) {
    all.push_back(i);
    program_.nodes = std::max(program_.nodes, tree_.members[i].node + 1);
  }
  alone_.resize(ranks, UINT32_MAX);
  program_.marks = 2;
  std::vector<RecordedShape> shapes;
  last_stays_ = tree_.last_stays(settings_.steps, settings_.last_repeats);
  for (const TreeClass& own : tree_.classes) {
    shapes.push_back(own.shape);
    last_calls_.push_back(last_stays_ ? own.shape.in_last_iteration() : std::vector<uint64_t>(own.shape.leaves()));
    shapes.back().resize(settings_.steps, last_stays_);
    program_.shapes.push_back(shapes.back().shape);
    remove_empty(&program_.shapes.back());
  }
  find_posted_before();
  if (settings_.trace) choose_traced(shapes);
  for (uint32_t i = 0; i < ranks; ++i) {
    const TreeMember& member = tree_.members[i];
    const TreeClass& own = tree_.classes[member.of_class];
    const RecordedShape& shape = shapes[member.of_class];
    differences_.lost += shape.lost + own.lost_calls;
    RankProgram made;
    own_ = &made;
    made.shape = static_cast<uint32_t>(member.of_class);
    made.node = member.node;
    made.start_ps = picoseconds(member.begin_ns);
    made.first.push_back(0);
    for (const bool begins : {true, false}) {
      Action mark;
      mark.kind = Action::Kind::mark;
      mark.at = begins ? 0 : 1;
      mark.first = begins;
      made.actions.push_back(mark);
      made.first.push_back(static_cast<uint32_t>(made.actions.size()));
    }
    for (size_t l = 0; l < own.leaves.size(); ++l) {
      const Leaf& leaf = own.leaves[l].leaf;
      const uint64_t calls = shape.before[l] + shape.inside[l];
      if (member.before_ns[l].empty()) {  // a change put others in its place
        made.first.push_back(static_cast<uint32_t>(made.actions.size()));
        continue;
      }
      times(i, l, shape);
      const At at{i, member.number, l, own.leaves[l], leaf, leaf.times.of(member.number), calls};
      if (settings_.trace && !own.leaves[l].removed) note(l, true);
      if (own.leaves[l].one_by_one && !own.leaves[l].removed && member.varied.count(static_cast<uint32_t>(l))) {
        choose(at, shape);
      } else {
        call(at);
        if (settings_.trace && !own.leaves[l].removed) note(l, false);
      }
      made.first.push_back(static_cast<uint32_t>(made.actions.size()));
    }
    program_.ranks.push_back(std::move(made));
  }
  return std::move(program_);
}

// Nonblocking receives from any source are replayed where they complete, but the program had posted them before: its
// senders did not wait for that.
void Translation::find_posted_before() {
  for (uint32_t rank = 0; rank < tree_.members.size(); ++rank) {
    const TreeMember& member = tree_.members[rank];
    const auto look = [&](const Leaf& leaf, size_t number) {
      if (leaf.call.facts().requests != RequestUse::completes) return;
      for (size_t p = 0; p < leaf.call.parts.size(); ++p) {
        const CallPart& part = leaf.call.parts[p];
        const calls::LeafPart& mine = leaf.parts[p].of(number);
        if (!part.wildcard || !part.receives() || !part.names_message || mine.partner.world < 0) continue;
        posted_before_.insert({mine.identity, static_cast<uint32_t>(mine.partner.world), rank, mine.tag});
      }
    };
    for (const TreeLeaf& leaf : tree_.classes[member.of_class].leaves)
      if (!leaf.leaf.varies) look(leaf.leaf, member.number);
    for (const auto& [number, varied] : member.varied)
      for (const Leaf& kind : varied->kinds) look(kind, 0);
  }
}

uint32_t Translation::cost(double ns, const Share& share) {
  if (settings_.ideal) return 0;
  const int64_t ps = picoseconds(ns);
  const auto key = std::make_tuple(ps, share.latencies, share.overheads, share.gaps, share.gap_bytes);
  const auto [at, fresh] = costs_.try_emplace(key, static_cast<uint32_t>(program_.costs.size()));
  if (fresh) program_.costs.push_back({ps, share});
  return at->second;
}

// What comes before the call. Where no time was kept, the leaf's mean is taken.
void Translation::times(uint32_t rank, size_t leaf, const RecordedShape& shape) {
  const TreeMember& member = tree_.members[rank];
  const Leaf& of = tree_.classes[member.of_class].leaves[leaf].leaf;
  if (of.call.cls == CallClass::init) return;
  series(member.before_ns[leaf], of.times.of(member.number).before_ns, settings_.compute, shape, leaf);
}

void Translation::series(const std::vector<float>& ns, double mean_ns, double factor, const RecordedShape& shape,
                         size_t leaf) {
  double sum = 0;
  uint64_t kept = 0;
  for (const float each : ns) {
    if (!std::isfinite(each)) continue;
    sum += each;
    ++kept;
  }
  differences_.untimed += ns.size() - kept;
  // Those that were not kept have what is left of the sum.
  const uint64_t rest = ns.size() - kept;
  const double other =
      rest ? std::max(0.0, (mean_ns * static_cast<double>(ns.size()) - sum) / static_cast<double>(rest)) : 0;
  Action action;
  if (!kept) {
    action.ps = picoseconds(mean_ns * factor);
    own_->actions.push_back(action);
    return;
  }
  action.kind = Action::Kind::series;
  action.at = static_cast<uint32_t>(own_->series.size());
  Series series;
  series.ps.reserve(ns.size());
  for (const float each : ns) series.ps.push_back(picoseconds((std::isfinite(each) ? each : other) * factor));
  if (std::equal(series.ps.begin() + 1, series.ps.end(), series.ps.begin())) {  // then a steady state may come
    action.kind = Action::Kind::compute;
    action.ps = series.ps.front();
    own_->actions.push_back(action);
    return;
  }
  series.seed = settings_.seed;
  // Where the last iteration stays the last, its calls come after all that are drawn.
  const uint64_t apart = last_stays_ ? 1 : 0, iterations = shape.iterations - std::min(shape.iterations, apart);
  const uint64_t calls = leaf < shape.inside.size() ? shape.inside[leaf] - last_calls_[own_->shape][leaf] : 0;
  if (iterations && calls && calls % iterations == 0) {
    series.before = shape.before[leaf];
    series.per_iteration = calls / iterations;
    series.recorded = iterations;
    series.wanted = settings_.steps ? settings_.steps - apart : iterations;
  }
  own_->series.push_back(std::move(series));
  own_->actions.push_back(action);
}

// Each call does what it did. Of a longer loop, all do so over and over, on all ranks alike.
void Translation::choose(const At& at, const RecordedShape& shape) {
  const Varied& varied = *tree_.members[at.rank].varied.at(static_cast<uint32_t>(at.index));
  Action action;
  action.kind = Action::Kind::choose;
  action.at = static_cast<uint32_t>(own_->choices.size());
  own_->actions.push_back(action);
  Choice choice;
  choice.of = varied.of;
  choice.before = shape.before[at.index];
  choice.recorded = shape.inside[at.index] - last_calls_[own_->shape][at.index];
  choice.wanted = shape.calls_of(at.index) - (varied.of.size() - choice.recorded);
  for (const Leaf& kind : varied.kinds) {
    const auto begin = static_cast<uint32_t>(own_->actions.size());
    call({at.rank, at.member, at.index, at.from, kind, at.times, at.calls, true});
    if (settings_.trace) note(at.index, false);
    choice.kinds.push_back({begin, static_cast<uint32_t>(own_->actions.size())});
  }
  own_->choices.push_back(std::move(choice));
}

void Translation::call(const At& at) {
  if (at.from.removed) return;
  const structure::DecodedCall& call = at.leaf.call;
  const trace::CallFacts& facts = call.facts();
  if (at.leaf.varies && (facts.moves || facts.requests != RequestUse::none)) {
    if (facts.category != trace::Category::io) differences_.varying += at.times.calls;
    return as_long(at);
  }
  if (call.refused) return as_long(at);
  if (call.cls == CallClass::finalize) {
    Action meet;
    meet.kind = Action::Kind::meet;
    meet.own = true;
    meet.count = at.rank;
    meet.cost = cost(shortest_ns(at));
    own_->actions.push_back(meet);
    return wait({1}, true, 0);
  }
  switch (facts.requests) {
    case RequestUse::makes:
    case RequestUse::starts:
      return requests(at);
    case RequestUse::completes:
      return completions(at);
    case RequestUse::frees:
    case RequestUse::creates:
    case RequestUse::cancels:
      return as_long(at);
    case RequestUse::none:
      break;
  }
  const bool creates = facts.event == EventForm::creation;
  if (facts.event == EventForm::message || facts.event == EventForm::exchange) return messages(at);
  if (facts.event == EventForm::collective || creates) return collective(at, false);
  if (facts.event == EventForm::probe) {
    Action action;
    action.kind = Action::Kind::call;
    action.cost = cost(shortest_ns(at));
    own_->actions.push_back(action);
    return;
  }
  if (facts.category == trace::Category::one_sided) {
    if (at.leaf.function == "MPI_Win_fence" && !settings_.quick_windows && fence(at)) return;
    differences_.one_sided += at.times.calls;
    if (settings_.quick_windows) return;
  }
  as_long(at);
}

void Translation::as_long(const At& at) {
  if (at.one_of_many) return after(at.times.duration_ns);
  const TreeMember& member = tree_.members[at.rank];
  double takes = at.from.takes;
  if (settings_.old_windows && at.leaf.call.facts().category == trace::Category::one_sided) takes *= in_old_window(at);
  series(member.during_ns[at.index], at.times.duration_ns, takes, tree_.classes[member.of_class].shape, at.index);
}

// The part of its time that the call takes in a window that is not new: MPICH's first fence after a transfer in a new
// window took 90 us, all others 1 to 4.
double Translation::in_old_window(const At& at) {
  if (one_sided_ns_.empty()) {
    for (const TreeMember& member : tree_.members) {
      for (const TreeLeaf& each : tree_.classes[member.of_class].leaves) {
        const structure::LeafTimes& times = each.leaf.times.of(member.number);
        if (each.leaf.call.facts().category != trace::Category::one_sided || !times.calls) continue;
        const auto [least, fresh] = one_sided_ns_.try_emplace(each.leaf.function, times.duration_ns);
        least->second = std::min(least->second, times.duration_ns);
      }
    }
  }
  const double ns = at.times.duration_ns;
  return ns > 0 ? one_sided_ns_[at.leaf.function] / ns : 1;
}

void Translation::nothing(const At& at) {
  if (alone_[at.rank] == UINT32_MAX) {
    alone_[at.rank] = static_cast<uint32_t>(program_.groups.size());
    program_.groups.push_back({at.rank});
  }
  Action meet;
  meet.kind = Action::Kind::meet;
  meet.at = alone_[at.rank];
  own_->actions.push_back(meet);
}

void Translation::wait(const std::vector<uint32_t>& ages, bool own, double call_ns) {
  Action action;
  action.kind = Action::Kind::wait;
  action.own = own;
  action.cost = cost(call_ns);
  of_requests(action, ages);
}

void Translation::withdraw(const std::vector<uint32_t>& ages) {
  Action action;
  action.kind = Action::Kind::withdraw;
  of_requests(action, ages);
}

void Translation::of_requests(Action action, const std::vector<uint32_t>& ages) {
  action.at = static_cast<uint32_t>(own_->ages.size());
  action.count = static_cast<uint32_t>(ages.size());
  own_->ages.insert(own_->ages.end(), ages.begin(), ages.end());
  own_->actions.push_back(action);
}

void Translation::rest_of_send(double ns) {
  const double part = settings_.messages.after_send;
  if (has_messages() && part > 0) after(ns * part / (1 - part));
}

// Time of a call after its messages.
void Translation::after(double ns) {
  Action action;
  action.kind = Action::Kind::call;
  action.cost = cost(ns);
  if (action.cost) own_->actions.push_back(action);
}

// False: there is no such message.
bool Translation::message(const At& at, size_t part, bool sends, bool own, double call_ns) {
  const CallPart& p = at.leaf.call.parts[part];
  const calls::LeafPart& mine = at.leaf.parts[part].of(at.member);
  if (mine.partner.peer == trace::peer_null || p.cancelled) return false;
  const auto ranks = static_cast<int32_t>(tree_.members.size());
  if (mine.partner.world < 0 || mine.partner.world >= ranks || !mine.identity) {
    ++differences_.unknown;
    return false;
  }
  const auto other = static_cast<uint32_t>(mine.partner.world);
  const uint32_t from = sends ? at.rank : other, to = sends ? other : at.rank;
  const int64_t bytes = std::max<int64_t>(sends ? mine.out_bytes : std::max(mine.posted_bytes, mine.in_bytes), 0);
  Action action;
  action.kind = sends ? Action::Kind::send : Action::Kind::receive;
  action.own = own;
  action.at = channel(mine.identity << 1 | p.partitioned, from, to, mine.tag);
  const bool posted_before = sends && posted_before_.count({mine.identity, from, to, mine.tag});
  action.transfer = transfer(from, to, bytes, posted_before, at.from.unblocked);
  action.buffered = sends && at.leaf.modes[part] == trace::SendMode::buffered;
  action.handshake = sends && at.leaf.modes[part] == trace::SendMode::synchronous && !settings_.ideal;
  if (!settings_.network) {
    (at.from.unblocked && !sends ? action.on_wait : action.cost) = cost(call_ns);
  } else {
    const network::Link& way = link(from, to);
    const network::Piece& piece = way.piece(bytes);
    (sends ? action.cost : action.on_wait) =
        cost(sends ? piece.processor_ns(bytes) : piece.receiver_ns(bytes), {0, 1, 0, 0});
    if (!sends) action.cost = own ? 0 : cost(settings_.network->call_ns);
  }
  own_->actions.push_back(action);
  return true;
}

void Translation::messages(const At& at) {
  const bool both = at.leaf.call.parts.size() > 1;
  const bool only_sends = !both && !at.leaf.call.parts.empty() && at.leaf.call.parts.front().sends();
  const double ns = only_sends ? send_ns(at, shortest_ns(at)) : received(at, false).whole_ns;
  const bool known = !only_sends && has_messages();
  copies(at, false);
  uint32_t made = 0;
  bool receives = false;
  for (const bool sends : {false, true}) {
    for (size_t p = 0; p < at.leaf.call.parts.size(); ++p) {
      const CallPart& part = at.leaf.call.parts[p];
      if (sends ? !part.sends() : !part.receives()) continue;
      const bool there = message(at, p, sends, true, sends && !both ? ns : 0);
      made += there;
      receives = receives || (there && !sends);
    }
  }
  std::vector<uint32_t> ages;
  for (uint32_t age = made; age; --age) ages.push_back(age);
  const double call_ns = !settings_.network && (receives || !made) ? ns : 0;
  wait(ages, true, known ? 0 : call_ns);
  if (known) after(call_ns);
  if (only_sends) rest_of_send(ns);
  copies(at, true);
}

void Translation::requests(const At& at) {
  const structure::DecodedCall& call = at.leaf.call;
  const bool starts = call.facts().requests == RequestUse::starts;
  // What was blocking costs what it cost where it did not wait.
  const double mean_ns = at.from.unblocked        ? shortest_ns(at)
                         : at.from.stands_for > 1 ? packed_ns(at, at.times.duration_ns)
                                                  : at.times.duration_ns;
  const double ns = mean_ns / static_cast<double>(std::max<size_t>(1, starts ? call.parts.size() : 1));
  if (call.cls == CallClass::icoll || call.cls == CallClass::comm_icreate) return collective(at, true);
  copies(at, false);
  const auto cost_of_one = [&](size_t number) {
    const CallPart& part = call.parts[number];
    if (at.from.spread) return usual_message_ns(at.leaf.parts[number].of(at.member).posted_bytes);
    if (part.sends()) return send_ns(at, ns);
    return at.from.unblocked ? received(at, false).message_ns : ns;
  };
  const size_t count = starts ? call.parts.size() : 1;
  for (size_t i = 0; i < count; ++i) {
    const bool known = i < call.parts.size() && (starts || call.parts.size() == 1);
    const CallPart* part = known ? &call.parts[i] : nullptr;
    const bool moves = part && (part->sends() || part->receives());
    if (moves && part->wildcard && part->receives()) {
      ++differences_.wildcards;
    } else if (moves && message(at, i, part->sends(), false, cost_of_one(i))) {
      continue;
    } else if (!moves) {
      differences_.unknown += call.facts().category == trace::Category::point_to_point;
    }
    nothing(at);
  }
}

void Translation::completions(const At& at) {
  std::vector<uint32_t> ages, any_source, cancelled;
  for (size_t p = 0; p < at.leaf.call.parts.size(); ++p) {
    const CallPart& part = at.leaf.call.parts[p];
    if (part.request == RequestUse::none || part.maker.thread >= 0 || !part.maker.age) continue;
    (part.cancelled ? cancelled : ages)
        .push_back(static_cast<uint32_t>(std::min<uint64_t>(part.maker.age, UINT32_MAX)));
    if (part.wildcard && part.receives() && part.names_message && message(at, p, false, true, 0))
      any_source.push_back(0);
  }
  for (size_t i = 0; i < any_source.size(); ++i) any_source[i] = static_cast<uint32_t>(any_source.size() - i);
  if (!cancelled.empty()) withdraw(cancelled);
  const double ns = settings_.network      ? settings_.network->call_ns
                    : at.leaf.call.nothing ? at.times.duration_ns
                    : at.from.inserted     ? settings_.messages.call_ns
                                           : received(at, true).whole_ns;
  if (!any_source.empty()) wait(any_source, true, 0);
  const bool known = has_messages() && !at.leaf.call.nothing;
  wait(ages, false, known ? 0 : ns);
  if (known) after(ns);
  copies(at, true);
}

Program program_of(const Recorded& recorded, const Tree& tree, const Settings& settings, Differences* differences) {
  *differences = {};
  differences->threads = recorded.threads();
  differences->untimed = tree.filled;
  return Translation(recorded, tree, settings, differences).make();
}

}  // namespace leadline::replay
