#include "analysis/matching/traffic.hpp"

#include <algorithm>

namespace leadline::analysis {

using trace::CallClass;
using trace::EventForm;
using trace::Key;
using trace::RequestUse;

void Traffic::pass(const trace::Event& e) {
  other_ = {};
  of(e, &other_);
  for (const Acts::Half& half : other_.halves) counts_[half.counter] += e.times;
  if (other_.collective) counts_[*other_.collective] += e.times;
}

// A position's calls are all alike but where parameters vary.
const Acts& Traffic::count(const trace::Event& e) {
  receives_.follow(e);
  if (e.generation != generation_) known_.clear();
  generation_ = e.generation;
  const bool fixed = e.position != 0 && e.word_count == 0;
  if (fixed && e.position >= known_.size()) known_.resize(e.position + 1);
  Acts& acts = fixed ? known_[e.position] : other_;
  if (!fixed || !acts.known || !(acts.key == e.key)) {
    acts = {};
    acts.key = e.key;
    acts.known = true;
    of(e, &acts);
  }
  for (const Acts::Half& half : acts.halves) ++counts_[half.counter];
  if (acts.collective) ++counts_[*acts.collective];
  return acts;
}

std::vector<Part> Traffic::parts_of(const Acts& acts) const {
  std::vector<Part> parts(acts.halves.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Acts::Half& half = acts.halves[i];
    uint64_t later = 0;
    for (size_t j = i + 1; j < parts.size(); ++j) later += acts.halves[j].counter == half.counter;
    parts[i] = {half.sends, half.channel, counts_[half.counter] - later};
  }
  return parts;
}

void Traffic::go_back(const Mark& mark) {
  std::fill(std::copy(mark.counts.begin(), mark.counts.end(), counts_.begin()), counts_.end(), 0);
  receives_.go_back(mark.receives);
}

uint32_t Traffic::counter(std::map<Channel, uint32_t>* counters, const Channel& channel) {
  const auto [at, fresh] = counters->try_emplace(channel, static_cast<uint32_t>(counts_.size()));
  if (fresh) counts_.push_back(0);
  return at->second;
}

void Traffic::of(const trace::Event& e, Acts* parts) {
  const Key& k = e.key;
  const CallClass cls = measurer_.class_of(k.site);
  parts->comm = identity(k.comm);
  const trace::CallFacts& facts = trace::facts_of(cls);
  switch (facts.event) {
    case EventForm::message: {
      if (facts.requests == RequestUse::creates) return;
      // Whose message it is that a receive from anybody gets is known when it completes.
      const bool open = cls == CallClass::irecv && k.comm & (trace::flag_any_source | trace::flag_any_tag);
      if (!open) add((facts.moves & trace::moves::sends) != 0, k.comm, k.peer, k.tag, parts);
      return;
    }
    case EventForm::exchange:
      add(true, k.comm, k.peer, k.tag, parts);
      if (e.word_count >= 4) {
        add(false, k.comm, static_cast<int32_t>(e.words[2]), static_cast<int32_t>(e.words[3]), parts);
      }
      return;
    case EventForm::completion:
      if (facts.requests == RequestUse::completes) completed(e, parts);
      return;
    case EventForm::completions:
      return all_completed(e, parts);
    case EventForm::start:
      return started(e, parts);
    case EventForm::starts:
      return all_started(e, parts);
    case EventForm::collective:
    case EventForm::creation:
      // Not what is only made ready here, nor a communicator that is there later.
      if (parts->comm && cls != CallClass::coll_init && cls != CallClass::comm_icreate) {
        const auto [at, fresh] = collectives_.try_emplace(parts->comm, static_cast<uint32_t>(counts_.size()));
        if (fresh) counts_.push_back(0);
        parts->collective = at->second;
      }
      return;
    case EventForm::plain:
    case EventForm::probe:
    case EventForm::object:
    case EventForm::access:
    case EventForm::file:
    case EventForm::libc:
      return;
  }
}

uint64_t Traffic::identity(uint32_t comm) const {
  const uint32_t id = comm & trace::comm_mask;
  return id < process_.communicators.size() ? process_.communicators[id].identity : 0;
}

void Traffic::add(bool sends, uint32_t comm, int32_t peer, int32_t tag, Acts* parts) {
  const uint64_t id = identity(comm);
  if (!id || peer < trace::first_real_peer) return;
  const int32_t own = process_.communicators[comm & trace::comm_mask].rank;
  const auto other = static_cast<int32_t>(static_cast<uint32_t>(own) + static_cast<uint32_t>(peer));
  const Channel channel = sends ? Channel{id, own, other, tag} : Channel{id, other, own, tag};
  parts->halves.push_back({sends, channel, counter(sends ? &sent_ : &received_, channel)});
}

// A receive from anybody, or of any tag, got its message.
void Traffic::completed(const trace::Event& e, Acts* parts) {
  const CallClass maker = measurer_.class_of(measurer_.linked(e.key.extra, e.words, e.word_count));
  if (!receives_later(maker) || e.key.comm & trace::flag_cancelled) return;
  if (e.key.comm & (trace::flag_any_source | trace::flag_any_tag)) {
    add(false, e.key.comm, e.key.peer, e.key.tag, parts);
  }
}

void Traffic::all_completed(const trace::Event& e, Acts* parts) {
  for (size_t i = 1; i + 4 <= e.word_count; i += 4) {
    if (!receives_later(measurer_.class_of(measurer_.listed(e.words[i])))) continue;
    const uint32_t comm = receives_.communicator(e.words[i]);
    const auto whom = static_cast<uint64_t>(e.words[i + 2]);
    if (comm) add(false, comm, static_cast<int32_t>(whom >> 32), static_cast<int32_t>(whom), parts);
  }
}

bool Traffic::receives_later(CallClass c) { return c == CallClass::irecv || c == CallClass::recv_init; }

// Of a receive from anybody the message counts when it completes.
void Traffic::start_one(CallClass creator, uint32_t comm, int32_t peer, int32_t tag, Acts* parts) {
  if (creator == CallClass::send_init) add(true, comm, peer, tag, parts);
  const bool open = comm & (trace::flag_any_source | trace::flag_any_tag) || tag == trace::tag_any;
  if (creator == CallClass::recv_init && !open) add(false, comm, peer, tag, parts);
}

void Traffic::started(const trace::Event& e, Acts* parts) {
  const CallClass creator = measurer_.class_of(measurer_.linked(e.key.extra, e.words, e.word_count));
  start_one(creator, e.key.comm, e.key.peer, e.key.tag, parts);
}

void Traffic::all_started(const trace::Event& e, Acts* parts) {
  for (size_t i = 1; i + 4 <= e.word_count; i += 4) {
    const auto whom = static_cast<uint64_t>(e.words[i + 2]);
    start_one(measurer_.class_of(measurer_.listed(e.words[i])), static_cast<uint32_t>(e.words[i + 3]),
              static_cast<int32_t>(whom >> 32), static_cast<int32_t>(whom), parts);
  }
}

}  // namespace leadline::analysis
