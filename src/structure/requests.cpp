#include "structure/requests.hpp"

#include <algorithm>

namespace leadline::structure {

using trace::EventForm;
using trace::RequestUse;

namespace {

constexpr uint64_t most_active = uint64_t{1} << 16;  // the oldest are forgotten

// The message of a receive that a call on a list completes: the record has its partner and tag.
void name_message(const CallDecoder& decoder, CallPart* part) {
  part->wildcard = part->partner_told = true;
  part->partner = decoder.partner(part->comm, part->partner.peer);
  part->names_message = true;
}

}  // namespace

void Requests::make(const CallPart& part, uint64_t times) {
  state_.made += times;
  if (keep_ == Keep::wildcards && !part.wildcard) return;
  for (uint64_t n = std::min(times, most_active); n > 0; --n) {
    state_.active.insert_or_assign(state_.active.end(), state_.made - n + 1, part);
    if (state_.active.size() > most_active) state_.active.erase(state_.active.begin());
  }
}

void Requests::follow(const DecodedCall& call, uint64_t times) {
  if (call.nothing || call.refused) return;
  switch (call.facts().requests) {
    case RequestUse::makes:
      // Of a call that sends and receives the receiving half comes last: what it lacks is known later.
      return call.parts.empty() ? void(state_.made += times) : make(call.parts.back(), times);
    case RequestUse::creates:
      state_.created += times;
      return;
    case RequestUse::starts: {
      if (call.parts.empty()) return;
      const uint64_t kept = std::min(times, most_active / call.parts.size() + 1);
      state_.made += (times - kept) * call.parts.size();
      for (uint64_t n = 0; n < kept; ++n) {
        for (const CallPart& part : call.parts) make(part, 1);
      }
      return;
    }
    case RequestUse::completes:
    case RequestUse::frees:
      for (const CallPart& part : call.parts) end(part);
      return;
    case RequestUse::none:
    case RequestUse::cancels:  // still to be completed
      return;
  }
}

void Requests::end(const CallPart& part) {
  const bool persistent = trace::facts_of(part.maker.cls).requests == RequestUse::creates;
  if (persistent && part.request == RequestUse::frees) return;  // most are inactive, and then creations were counted
  const auto at = state_.active.find(made_ago(part.maker.age));
  if (at != state_.active.end() && at->second.maker.site == part.maker.site) state_.active.erase(at);
}

const CallPart* Requests::find(uint64_t number, uint32_t site) const {
  const auto at = state_.active.find(number);
  return at != state_.active.end() && at->second.maker.site == site ? &at->second : nullptr;
}

const Requests& ProcessRequests::of(size_t stream) {
  std::unique_ptr<Requests>& other = others_[stream];
  if (!other) {
    other = std::make_unique<Requests>(keep_);
    const CallDecoder decoder(process_, stream);
    trace::Walker walker(process_.streams[stream]);
    trace::Event e;
    DecodedCall call;
    while (walker.next(&e)) {
      decoder.decode(e, &call);
      other->follow(call, e.times);
    }
  }
  return *other;
}

void ProcessRequests::resolve(CallPart* part, bool listed) {
  Maker& maker = part->maker;
  if (maker.thread < 0) maker.number = own_.made_ago(maker.age);
  if (!listed && part->partner_told) return;
  if (!maker.number || maker.stream >= process_.streams.size()) return;
  const CallPart* made = (maker.thread < 0 ? own_ : of(maker.stream)).find(maker.number, maker.site);
  if (!made) return;
  part->comm = made->comm;
  part->identity = made->identity;
  if (part->posted_bytes < 0) part->posted_bytes = made->posted_bytes;
  part->count = made->count;
  part->datatype = made->datatype;
  if (made->wildcard) {
    if (listed && !part->cancelled) name_message(decoder_, part);
    return;
  }
  part->wildcard = false;
  part->partner = made->partner;
  part->tag = made->tag;
  part->partner_told = made->partner_told;
}

void ProcessRequests::follow(DecodedCall* call, uint64_t times) {
  const bool listed = call->facts().event == EventForm::completions;
  const RequestUse use = call->facts().requests;
  for (CallPart& part : call->parts) {
    if (use == RequestUse::completes) resolve(&part, listed);
    if (use == RequestUse::starts && part.maker.thread < 0) part.maker.number = own_.created_ago(part.maker.age);
  }
  own_.follow(*call, times);
}

RequestSites::RequestSites(const trace::Process& process) {
  for (const trace::Stream& stream : process.streams) sites_.emplace_back(stream.sites.size());
  DecodedCall call;
  for (size_t s = 0; s < process.streams.size(); ++s) {
    const CallDecoder decoder(process, s);
    trace::for_each_tally(process.streams[s], [&](const trace::Tally& t) {
      const RequestUse use = trace::facts_of(decoder.class_of(t.key->site)).requests;
      if (use != RequestUse::makes && use != RequestUse::starts && use != RequestUse::creates) return;
      decoder.decode(t, &call);
      for (const CallPart& part : call.parts) {
        if (part.partitioned && use == RequestUse::creates) partitioned_[pair_of(part)] += t.times;
        if (use == RequestUse::creates) continue;
        if (use == RequestUse::makes && &part != &call.parts.back()) continue;
        const Made made{part.wildcard ? part.comm : 0, part.wildcard};
        wildcards_ |= part.wildcard;
        std::optional<Made>* const site = of(part.maker);
        if (!site) continue;
        alike_ &= !*site || **site == made;
        *site = made;
      }
    });
  }
}

bool RequestSites::only_one(const CallPart& partitioned) const {
  const auto at = partitioned_.find(pair_of(partitioned));
  return at != partitioned_.end() && at->second == 1;
}

void RequestSites::resolve(const CallDecoder& decoder, DecodedCall* call) {
  if (!wildcards_ || call->facts().event != EventForm::completions) return;
  for (CallPart& part : call->parts) {
    if (!part.receives() || part.cancelled) continue;
    const std::optional<Made>* const site = of(part.maker);
    if (!site || !*site || !(*site)->wildcard) continue;
    part.comm = (*site)->comm;
    part.identity = decoder.identity(part.comm);
    name_message(decoder, &part);
  }
}

}  // namespace leadline::structure
