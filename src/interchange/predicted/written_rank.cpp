#include "interchange/predicted/written_rank.hpp"

#include <algorithm>
#include <cstring>

#include "interchange/predicted/copied_tables.hpp"
#include "replay/changes/change.hpp"

namespace leadline::interchange::predicted {

using replay::RecordedShape;
using replay::TreeLeaf;
using structure::no_index;
using trace::CallClass;
using trace::RequestUse;

namespace {

constexpr int64_t ps_per_tick = 1000;
constexpr int64_t first_tick_ps = 1'000'000'000'000;  // times of ranks may be before that of the first

bool same_requests(const calls::Leaf& a, const calls::Leaf& b) {
  if (a.call.parts.size() != b.call.parts.size()) return false;
  for (size_t p = 0; p < a.call.parts.size(); ++p)
    if (a.call.parts[p].maker.age != b.call.parts[p].maker.age) return false;
  return true;
}

}  // namespace

// Through the loops, with the calls that the replay made.
struct WrittenRank::Walk {
  explicit Walk(const std::vector<replay::TracedCall>& of) : calls(of) {}
  const std::vector<replay::TracedCall>& calls;
  size_t next = 0;
  struct Loop {
    uint32_t loop;
    bool begun;
  };
  std::vector<Loop> open;   // around the place, outermost first
  size_t depth = SIZE_MAX;  // of the outermost loop that began another iteration since the last call
  uint32_t repeats = 0;     // that loop
};

WrittenRank::WrittenRank(const Of& of, const Rank& rank)
    : of_(of),
      member_(of.now.members.at(rank.rank)),
      then_(of.before.classes.at(of.before.members.at(rank.rank).of_class)),
      now_(of.now.classes.at(member_.of_class)),
      stream_(of.process.streams.at(0)),
      keys_(of.recorded, of.process, rank.rank, of.numbers, then_.leaves.size()),
      process_(rank.path, facts_of(of.process, rank.host, rank.clock), UINT64_MAX),
      thread_(process_.add_thread()) {
  copy_tables(of.process, &process_);
  copy_source(of.process, stream_, &process_, thread_);
  made_.emplace(of.process, process_.bytes_type(), member_.number);
  for (uint32_t s = 0; s < stream_.sites.size(); ++s) loops_of_sites_.push_back(stream_.loop_around(s));
  for (uint32_t l = 0; l < now_.leaves.size(); ++l) same_.push_back(same(l));
}

bool WrittenRank::same(uint32_t leaf) const {
  const TreeLeaf& now = now_.leaves[leaf];
  return leaf < then_.leaves.size() && now.number != no_index && !now.relaxed &&
         same_requests(now.leaf, then_.leaves[leaf].leaf);
}

// The recorded leaf that a change made it from; none: there is none.
uint32_t WrittenRank::origin(uint32_t leaf) const {
  for (size_t i = 0; leaf >= then_.leaves.size() && i < now_.leaves.size(); ++i) {
    if (now_.leaves[leaf].of == leaf) return none;
    leaf = now_.leaves[leaf].of;
  }
  return leaf < then_.leaves.size() ? leaf : none;
}

// The thread's loops around calls, which changes may have moved out of them.
void WrittenRank::find_loops(const RecordedShape& shape, uint32_t body, uint32_t loop) {
  if (shape.loop_of[body]) {
    const std::vector<uint32_t>& loops = of_.numbers.loops;
    const auto own = std::find(loops.begin(), loops.end(), shape.loop_of[body]);
    if (own != loops.end()) loop = static_cast<uint32_t>(own - loops.begin());
  }
  for (const replay::Element& e : shape.shape.bodies[body]) {
    if (e.is_body) {
      find_loops(shape, e.index, loop);
    } else if (e.index >= RecordedShape::marks && loop_of_[e.index - RecordedShape::marks] == none) {
      loop_of_[e.index - RecordedShape::marks] = loop;
    }
  }
}

// Of a call at the site that a change made. If it is in another loop now, it has a context of its own, or the old one
// if no other calls are left there.
uint32_t WrittenRank::context_of(uint32_t site, uint32_t leaf) {
  const uint32_t context = stream_.sites[site].context;
  const uint32_t loop = loop_of_[leaf] == none ? stream_.loop_around(site) : loop_of_[leaf];
  if (loop == stream_.loop_around(site) || context < trace::first_context) return context;
  const auto [known, fresh] = contexts_.try_emplace({context, loop}, context);
  if (!fresh) return known->second;
  const uint32_t of_run = of_.numbers.sites[site];
  bool left = false;
  for (uint32_t l = 0; l < now_.leaves.size(); ++l)
    left = left || (same_[l] && now_.leaves[l].leaf.site == of_run && shape_.calls_of(l));
  if (left) known->second = thread_->add_context(thread_->frame_of(context), stream_.contexts[context].parent);
  thread_->set_around(known->second, loop);
  return known->second;
}

const std::vector<uint32_t>& WrittenRank::sites_of(uint32_t leaf) {
  const auto [known, fresh] = sites_.try_emplace(leaf);
  if (!fresh) return known->second;
  const std::vector<uint32_t>& sites = of_.numbers.sites;
  const auto at = std::find(sites.begin(), sites.end(), now_.leaves[leaf].leaf.site);
  const auto old = at == sites.end() ? 0 : static_cast<uint32_t>(at - sites.begin());
  const uint32_t context = old ? context_of(old, leaf) : trace::context_unknown;
  for (const trace::Function& f : MadeKeys::functions_of(now_.leaves[leaf])) {
    const uint32_t function = process_.function(f.name, f.cls);
    const uint32_t site = thread_->site(function, context, old ? stream_.sites[old].region : 0);
    known->second.push_back(site);
    if (site >= loops_of_sites_.size()) loops_of_sites_.resize(site + 1);
    loops_of_sites_[site] = loop_of_[leaf] == none ? 0 : loop_of_[leaf];
  }
  return known->second;
}

std::vector<RecordedKey> WrittenRank::events_of(uint32_t leaf, uint64_t call) {
  if (same_[leaf]) {
    // With other iterations than were recorded, those come over and over, as they are replayed.
    const uint64_t before = shape_.before[leaf], recorded = shape_.inside[leaf] - last_calls_[leaf];
    if (steps_ && recorded && call >= before) {
      const uint64_t inside = call - before, wanted = shape_.calls_of(leaf) - (then_.shape.calls_of(leaf) - recorded);
      call = inside < wanted ? before + inside % recorded : call - wanted + recorded;
    }
    const RecordedKey* known = keys_.of(leaf, call);
    return known ? std::vector<RecordedKey>{*known} : std::vector<RecordedKey>{};
  }
  const uint32_t from = origin(leaf);
  return made_->of(now_.leaves[leaf], sites_of(leaf), from == none ? nullptr : keys_.of(from, 0), requests_);
}

uint64_t WrittenRank::ticks(int64_t ps) const {
  return static_cast<uint64_t>((ps - base_ps_ + first_tick_ps) / ps_per_tick);
}

// The loop whose next iteration begins between the calls at two sites. Where both were recorded so, as it was known
// then, otherwise as the walk through the loops shows.
uint32_t WrittenRank::repeated(uint32_t from, uint32_t to, uint32_t repeats) const {
  const auto within = [&](uint32_t site, uint32_t loop) {
    return site < loops_of_sites_.size() && stream_.within(loops_of_sites_[site], loop);
  };
  if (keys_.followed(from, to)) {
    const trace::BackEdge least{from, to, 0};
    const auto edge = std::lower_bound(stream_.back_edges.begin(), stream_.back_edges.end(), least);
    if (edge == stream_.back_edges.end() || edge->from != from || edge->to != to) return 0;
    if (within(from, edge->loop) && within(to, edge->loop)) return edge->loop;
  }
  return repeats;
}

void WrittenRank::put(const RecordedKey& event, int64_t begin_ps, int64_t end_ps, uint32_t repeats) {
  trace::Key key = event.key;
  if (!event.words.empty()) key.extra |= thread_->intern(event.words);
  thread_->know_step(last_site_, key.site, repeated(last_site_, key.site, repeats));
  last_site_ = key.site;
  thread_->add(key, ticks(begin_ps), ticks(end_ps));
  ++result_.calls;
}

void WrittenRank::add_requests(uint32_t leaf, const std::vector<RecordedKey>& events) {
  const TreeLeaf& l = now_.leaves[leaf];
  uint32_t made = replay::requests_of(l);
  for (size_t i = 0; i < events.size() && made; ++i, --made) requests_.add(events[i].key);
  for (; made; --made) requests_.add(events.back().key);
  const CallClass cls = l.leaf.call.cls;
  thread_->header().requests_made += replay::requests_of(l);
  if (trace::facts_of(cls).requests == RequestUse::creates) ++thread_->header().persistent_made;
}

void WrittenRank::emit(uint32_t leaf, Walk* walk) {
  const TreeLeaf& l = now_.leaves[leaf];
  const uint64_t number = used_[leaf]++;
  if (l.removed || member_.before_ns[leaf].empty()) return;
  if (walk->next >= walk->calls.size()) return;
  const replay::TracedCall& call = walk->calls[walk->next++];
  if (call.call != RecordedShape::call_of(leaf)) {
    result_.error = "the replay and the tree differ";
    return;
  }
  const std::vector<RecordedKey> events = events_of(leaf, number);
  result_.left_out += events.empty();
  const auto halves = static_cast<int64_t>(events.size());
  for (int64_t i = 0; i < halves; ++i) {
    const int64_t took = call.end_ps - call.begin_ps;
    put(events[static_cast<size_t>(i)], call.begin_ps + took * i / halves, call.begin_ps + took * (i + 1) / halves,
        walk->repeats);
    walk->repeats = 0;
    walk->depth = SIZE_MAX;
  }
  if (!events.empty()) add_requests(leaf, events);
  if (l.leaf.call.cls == CallClass::finalize) process_.ends(ticks(call.end_ps));
}

void WrittenRank::walk(uint32_t body, Walk* walk) {
  const uint32_t loop = shape_.loop_of[body];
  if (loop) {
    const std::vector<uint32_t>& loops = of_.numbers.loops;
    const auto own = std::find(loops.begin(), loops.end(), loop);
    walk->open.push_back({own == loops.end() ? 0 : static_cast<uint32_t>(own - loops.begin()), false});
  }
  if (shape_.is_iteration[body] && !walk->open.empty()) {
    Walk::Loop& around = walk->open.back();
    if (around.begun && walk->open.size() - 1 < walk->depth) {
      walk->depth = walk->open.size() - 1;
      walk->repeats = around.loop;
    }
    around.begun = true;
  }
  for (const replay::Element& e : shape_.shape.bodies[body]) {
    for (uint64_t t = 0; t < e.times && result_.error.empty(); ++t) {
      if (e.is_body) {
        this->walk(e.index, walk);
      } else if (e.index >= RecordedShape::marks) {
        emit(e.index - RecordedShape::marks, walk);
      }
    }
  }
  if (loop) walk->open.pop_back();
}

Written WrittenRank::write(const std::vector<replay::TracedCall>& calls, uint64_t steps, bool last_stays) {
  shape_ = now_.shape;
  last_calls_ = last_stays ? shape_.in_last_iteration() : std::vector<uint64_t>(now_.leaves.size());
  shape_.resize(steps_ = steps, last_stays);
  loop_of_.assign(now_.leaves.size(), none);
  find_loops(shape_, shape_.shape.root, 0);
  used_.assign(now_.leaves.size(), 0);
  if (!calls.empty()) {
    base_ps_ = 0;
    process_.begins(ticks(calls.front().begin_ps), of_.process.start_unix_ns);
    thread_->begins(ticks(calls.front().begin_ps));
  }
  Walk through(calls);
  walk(shape_.shape.root, &through);
  if (!result_.error.empty()) return result_;
  for (const trace::LocalCalls& local : stream_.locals) {
    const trace::Function& f = of_.process.functions.at(local.function);
    const uint32_t module = local.caller.module == trace::no_module ? trace::no_module_word : local.caller.module;
    thread_->add_locals(process_.function(f.name, f.cls), trace::frame_word(module, local.caller.offset), local.calls,
                        static_cast<uint64_t>(local.sum_ns));
  }
  if (const int error = process_.finish(true)) result_.error = std::strerror(error);
  return result_;
}

}  // namespace leadline::interchange::predicted
