#include "calls/traffic.hpp"

#include <algorithm>

namespace leadline::calls {

using structure::CallPart;
using trace::CallClass;
using trace::EventForm;
using trace::RequestUse;

void Traffic::decode(const trace::Event& e) {
  is_decoded_ = true;
  decoder_.decode(e, &call_);
  if (sites_.alike()) return sites_.resolve(decoder_, &call_);
  if (!e.run) requests_.follow(&call_, e.times);
}

void Traffic::pass(const trace::Event& e) {
  const bool completes = trace::facts_of(decoder_.class_of(e.key.site)).requests == RequestUse::completes;
  if (completes && !sites_.wildcards()) return;
  decode(e);
  other_ = {};
  find_effects(&other_);
  for (const CallEffects::Half& half : other_.halves) counts_[half.counter] += e.times;
  if (other_.collective) counts_[*other_.collective] += e.times;
}

// A position's calls are all alike unless parameters vary. What a call on a list completes may depend on the calls
// before it.
const CallEffects& Traffic::count(const trace::Event& e) {
  is_decoded_ = false;
  if (!sites_.alike()) decode(e);
  if (e.generation != generation_) known_at_.clear(), known_.clear();
  generation_ = e.generation;
  const bool fixed = e.position != 0 && (sites_.alike() || e.word_count == 0);
  CallEffects& effects = fixed ? effects_at(e.position) : other_;
  if (&effects == &other_ || !effects.known || !(effects.key == e.key)) {
    effects = {};
    effects.key = e.key;
    effects.known = true;
    if (sites_.alike()) decode(e);
    find_effects(&effects);
  }
  for (const CallEffects::Half& half : effects.halves) ++counts_[half.counter];
  if (effects.collective) ++counts_[*effects.collective];
  return effects;
}

// What is known of calls at the position, to be found out at the second visit.
CallEffects& Traffic::effects_at(uint32_t position) {
  if (position >= known_at_.size()) known_at_.resize(std::max<size_t>(position + 1, 2 * known_at_.size()));
  uint32_t& known = known_at_[position];
  if (known == never) {
    known = once;
    return other_;
  }
  if (known == once) {
    known = again + static_cast<uint32_t>(known_.size());
    known_.emplace_back();
  }
  return known_[known - again];
}

// Most analyses need only what a call does, which is known by its position.
const structure::DecodedCall& Traffic::decoded(const trace::Event& e) {
  if (!is_decoded_) decode(e);
  return call_;
}

std::vector<MessageHalf> Traffic::halves_of(const CallEffects& effects) const {
  std::vector<MessageHalf> parts(effects.halves.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const CallEffects::Half& half = effects.halves[i];
    uint64_t later = 0;
    for (size_t j = i + 1; j < parts.size(); ++j) later += effects.halves[j].counter == half.counter;
    parts[i] = {half.sends, half.channel, counts_[half.counter] - later};
  }
  return parts;
}

void Traffic::go_back(const Mark& mark) {
  std::fill(std::copy(mark.counts.begin(), mark.counts.end(), counts_.begin()), counts_.end(), 0);
  requests_.go_to(mark.requests);
}

// The halves of messages that the call names, and the collective that it takes part in.
void Traffic::find_effects(CallEffects* effects) {
  effects->comm = call_.identity;
  add_requests(effects);
  add_bytes(effects);
  for (const CallPart& part : call_.parts) {
    if (!part.names_message || (part.partitioned && !sites_.only_one(part))) continue;
    if (part.sends() && part.request != RequestUse::completes) add(true, part, effects);
    if (part.receives()) add(false, part, effects);
  }
  if (!effects->comm || !by_all()) return;
  const auto [at, fresh] = collectives_.try_emplace(effects->comm, static_cast<uint32_t>(counts_.size()));
  if (fresh) counts_.push_back(0);
  effects->collective = at->second;
}

// Whether all ranks of the communicator or window make the call, in the same order.
bool Traffic::by_all() const {
  const bool fence = call_.function < fences_.size() && fences_[call_.function];
  if (fence || call_.cls == CallClass::win_create || call_.cls == CallClass::win_free) return true;
  // What is only prepared here, and communicators made by the call, do not count.
  if (call_.cls == CallClass::coll_init || call_.cls == CallClass::comm_icreate) return false;
  const EventForm form = call_.facts().event;
  return form == EventForm::collective || form == EventForm::creation;
}

// As structure::Requests counts them.
void Traffic::add_requests(CallEffects* effects) const {
  const RequestUse use = call_.facts().requests;
  if (call_.nothing || call_.parts.empty()) return;
  if (use == RequestUse::makes) effects->made.push_back({call_.parts.back().maker.site, 0});
  for (const CallPart& part : call_.parts) {
    if (use == RequestUse::starts) effects->made.push_back({part.maker.site, 0});
    if (use == RequestUse::completes) effects->completed.push_back({part.maker.site, part.maker.age});
  }
}

void Traffic::add_bytes(CallEffects* effects) const {
  const auto add = [](int64_t bytes, int64_t* to) {
    *to = bytes < 0 || *to < 0 ? structure::bytes_unknown : *to + bytes;
  };
  for (const CallPart& part : call_.parts) {
    if (part.request != RequestUse::completes) add(part.out_bytes, &effects->out_bytes);  // else counted where it began
    add(part.in_bytes, &effects->in_bytes);
  }
}

void Traffic::add(bool sends, const CallPart& part, CallEffects* effects) {
  if (!part.identity || !part.partner.real()) return;
  const int32_t own = process_.communicators[part.comm].rank, other = part.partner.rank;
  const Channel channel{part.identity, sends ? own : other, sends ? other : own, part.tag, part.partitioned};
  const auto fresh = static_cast<uint32_t>(counts_.size());
  const uint32_t counter = channels_.number_of(sends, channel, fresh);
  if (counter == fresh) {
    if (counts_.size() == counts_.capacity()) counts_.reserve(counts_.size() + counts_.size() / 4 + 16);
    counts_.push_back(0);
  }
  effects->halves.push_back({sends, channel, counter});
}

}  // namespace leadline::calls
