#include "interchange/importing/location_reader.hpp"

#include <algorithm>
#include <utility>

#include "trace/frames.hpp"

namespace leadline::interchange::importing {

using Kind = Effect::Kind;

namespace {

constexpr uint32_t most_depth = trace::most_frames - 2;
constexpr int most_parents = 256;

}  // namespace

// --- The path ---

uint32_t LocationReader::context_of_call(const Routine& callee, uint32_t line) const {
  if (frames_.empty()) return trace::context_unknown;
  const Frame& caller = frames_.back();
  if (caller.depth >= most_depth && callee.kind != Routine::Kind::call) return caller.context;
  const uint64_t frame = map_.frame(*caller.routine, callee, line);
  return frame ? thread_.context(trace::frame_word(0, frame), caller.context) : trace::context_unknown;
}

// A calling context of OTF2's has its whole path.
uint32_t LocationReader::context_of(uint32_t context, uint32_t* line) {
  std::vector<std::pair<uint32_t, Definitions::Context>> path;
  const Definitions& definitions = map_.definitions();
  for (uint32_t at = context; static_cast<int>(path.size()) < most_parents;) {
    const auto found = definitions.contexts.find(at);
    if (found == definitions.contexts.end()) break;
    path.emplace_back(at, found->second);
    at = found->second.parent;
  }
  const auto line_of = [&](const Definitions::Context& c) {
    const auto line = definitions.source_lines.find(c.source_line);
    return line == definitions.source_lines.end() ? 0 : line->second.line;
  };
  if (path.empty()) return trace::context_unknown;
  *line = line_of(path.front().second);
  uint32_t at = trace::context_begin;
  for (size_t i = path.size(); i-- > 1;) {
    const auto [known, fresh] = contexts_.try_emplace(path[i - 1].first, at);
    if (fresh && path.size() - i < most_depth) {
      const uint64_t frame = map_.frame(map_.routine(path[i].second.region), map_.routine(path[i - 1].second.region),
                                        line_of(path[i].second));
      known->second = frame ? thread_.context(trace::frame_word(0, frame), at) : trace::context_unknown;
    }
    at = known->second;
  }
  return path.size() > 1 ? at : trace::context_unknown;
}

// Where a call was made in that calling context, which has no context of its own.
uint32_t LocationReader::context_made_in(uint32_t caller, const Routine& callee) {
  const auto [known, fresh] = made_in_.try_emplace(uint64_t{caller} << 32 | callee.region, trace::context_unknown);
  const Definitions& definitions = map_.definitions();
  const auto found = definitions.contexts.find(caller);
  if (!fresh || found == definitions.contexts.end()) return known->second;
  uint32_t line = 0;
  const bool outermost = !definitions.contexts.count(found->second.parent);
  const uint32_t around = outermost ? trace::context_begin : context_of(caller, &line);
  const auto source = definitions.source_lines.find(found->second.source_line);
  const uint32_t at = source == definitions.source_lines.end() ? 0 : source->second.line;
  const uint64_t frame = map_.frame(map_.routine(found->second.region), callee, at);
  if (frame) known->second = thread_.context(trace::frame_word(0, frame), around);
  return known->second;
}

void LocationReader::push(uint64_t time, const Routine& routine, uint32_t context) {
  if (frames_.size() >= most_frames) return void(++deeper_);
  uint32_t region = frames_.empty() ? 0 : frames_.back().region;
  if (routine.kind == Routine::Kind::named) region = process_.region(region, routine.name);
  const uint32_t depth = frames_.empty() ? 1 : frames_.back().depth + 1;
  frames_.push_back({&routine, frames_.empty() ? trace::context_begin : context, region, depth, time});
}

void LocationReader::pop(uint64_t time) {
  const Frame& left = frames_.back();
  if (left.routine->kind == Routine::Kind::named) {
    thread_.add_region_time(left.region, time > left.since ? time - left.since : 0);
  }
  frames_.pop_back();
}

// --- Events ---

void LocationReader::enter(uint64_t time, uint32_t region, const Attributes& with) {
  if (in_call_) {
    missing_.nested_calls += map_.routine(region).kind == Routine::Kind::call;
    ++nested_;
    return;
  }
  const Routine& routine = map_.routine(region);
  if (routine.kind == Routine::Kind::nothing) return;
  const uint32_t context =
      with.made_in == otf2::undefined ? context_of_call(routine, 0) : context_made_in(with.made_in, routine);
  if (routine.kind != Routine::Kind::call) return push(time, routine, context);
  begin_call(time, routine, context);
  if (with.file != otf2::undefined) call_.effects.push_back({.kind = Kind::file_named, .comm = with.file});
}

void LocationReader::leave(uint64_t time, uint32_t region) {
  if (in_call_) return nested_ ? void(--nested_) : end_call(time);
  if (map_.routine(region).kind == Routine::Kind::nothing) return;
  if (deeper_) return void(--deeper_);
  // A region that was left without its own event ends with the one around it.
  const auto is_it = [&](const Frame& f) { return f.routine->region == region; };
  const auto at = std::find_if(frames_.rbegin(), frames_.rend(), is_it);
  if (at == frames_.rend()) return void(++missing_.unbalanced);
  for (auto n = at - frames_.rbegin(); n > 0; --n) {
    ++missing_.unbalanced;
    pop(time);
  }
  pop(time);
}

void LocationReader::enter_context(uint64_t time, uint32_t context) {
  const auto found = map_.definitions().contexts.find(context);
  if (found == map_.definitions().contexts.end()) return void(++missing_.unbalanced);
  if (in_call_) return void(++nested_);
  const Routine& routine = map_.routine(found->second.region);
  uint32_t line = 0;
  const uint32_t path = context_of(context, &line);
  routine.kind == Routine::Kind::call ? begin_call(time, routine, path) : push(time, routine, path);
}

void LocationReader::leave_context(uint64_t time, uint32_t context) {
  const auto found = map_.definitions().contexts.find(context);
  if (found == map_.definitions().contexts.end()) return void(++missing_.unbalanced);
  leave(time, found->second.region);
}

void LocationReader::effect(uint64_t, const Effect& effect) {
  if (effect.kind == Kind::collective_begin) return;  // its end says all
  if (effect.kind == Kind::parameter && !(in_call_ && call_.routine->polls)) return void(++missing_.unknown_records);
  if (effect.kind == Kind::receive_done || effect.kind == Kind::collective_done) tell(effect);
  if (!in_call_) return void(++missing_.outside_calls);
  if (call_.effects.size() >= most_effects) return void(++missing_.left_over);
  if (!effect.told) {
    untold_[effect.id] = {first_ + waiting_.size(), static_cast<uint32_t>(call_.effects.size())};
    ++call_.untold;
  }
  call_.effects.push_back(effect);
}

// What the call that made the request lacks.
void LocationReader::tell(const Effect& effect) {
  const auto at = untold_.find(effect.id);
  if (at == untold_.end()) return;
  const uint64_t number = at->second.call;
  Call* made = number == first_ + waiting_.size() ? &call_ : number >= first_ ? &waiting_[number - first_] : nullptr;
  if (made && at->second.effect < made->effects.size() && !made->effects[at->second.effect].told) {
    Effect& told = made->effects[at->second.effect];
    const Kind kind = told.kind;
    told = effect;
    told.kind = kind;
    --made->untold;
  }
  untold_.erase(at);
}

// --- Calls ---

void LocationReader::begin_call(uint64_t time, const Routine& routine, uint32_t context) {
  in_call_ = true;
  nested_ = 0;
  call_.routine = &routine;
  call_.context = context;
  call_.region = frames_.empty() ? 0 : frames_.back().region;
  call_.begin = time;
  call_.untold = 0;
  call_.effects.clear();
  missing_.without_path += frames_.empty() && context == trace::context_unknown;
}

void LocationReader::end_call(uint64_t time) {
  in_call_ = false;
  call_.end = time;
  ++calls_;
  if (call_.routine->cls == trace::CallClass::local || call_.routine->cls == trace::CallClass::type_free) {
    translator_.local(call_);
    return;
  }
  if (waiting_.empty() && !call_.untold) {
    ++first_;
    return translator_.translate(call_);
  }
  effects_ += call_.effects.size();
  waiting_.push_back(std::exchange(call_, {}));
  release(false);
}

void LocationReader::release(bool all) {
  while (!waiting_.empty()) {
    Call& next = waiting_.front();
    if (next.untold) {
      if (!all && waiting_.size() < most_waiting && effects_ < most_effects) return;
      missing_.open_requests += next.untold;
      for (const Effect& e : next.effects) {
        if (!e.told) untold_.erase(e.id);
      }
    }
    translator_.translate(next);
    effects_ -= next.effects.size();
    waiting_.pop_front();
    ++first_;
  }
}

void LocationReader::finish() {
  release(true);
  const uint64_t end = thread_.header().last_end;
  if (in_call_) ++missing_.unbalanced;
  in_call_ = false;
  missing_.unbalanced += frames_.size() + deeper_;
  while (!frames_.empty()) pop(end);
}

}  // namespace leadline::interchange::importing
