#include "analysis/measure.hpp"

#include "analysis/sums.hpp"

namespace leadline::analysis {

using structure::CallPart;
using structure::DecodedCall;
using trace::CallClass;
using trace::EventForm;
using trace::facts_of;
using trace::Key;
using trace::RequestUse;
namespace moves = trace::moves;

Category category_of(CallClass cls) { return facts_of(cls).category; }

bool receives_only(CallClass cls) { return facts_of(cls).moves == trace::moves::receives; }

void Measurer::add(Transfer::Kind kind, uint32_t site, int64_t bytes, std::vector<Transfer>* out) const {
  out->push_back({kind, site, decoder_.stream(), partner_unknown, bytes});
}

void Measurer::measure_send(uint32_t site, const CallPart& part, std::vector<Transfer>* out) const {
  if (!part.partner.real()) return;
  out->push_back({Transfer::Kind::message, site, decoder_.stream(), part.partner.world, part.posted_bytes});
}

// The call that makes a request counts what it posted, even if more is known (of a matched message): the completion
// will report it again. A start counts at the call that created the request.
void Measurer::measure_receive(uint32_t site, const CallPart& part, std::vector<Transfer>* out) const {
  if (part.partner.peer == trace::peer_null) return;
  const bool told = part.request == RequestUse::none && part.in_bytes >= 0;
  const bool started = part.request == RequestUse::starts;
  out->push_back({Transfer::Kind::received, started ? part.maker.site : site,
                  started ? part.maker.stream : decoder_.stream(), partner_unknown,
                  told ? part.in_bytes : part.posted_bytes});
}

void Measurer::measure_collective(uint32_t site, const CallPart& part, std::vector<Transfer>* out) const {
  if (part.out_bytes < 0 || part.in_bytes < 0) {  // as earlier recorders left the starts of persistent ones
    ++unknown_bytes_;
    return;
  }
  add(Transfer::Kind::contributed, site, part.out_bytes, out);
  add(Transfer::Kind::collected, site, part.in_bytes, out);
}

void Measurer::measure_access(uint32_t site, const CallPart& part, std::vector<Transfer>* out) const {
  if (!part.partner.real()) return;
  const auto transfer = [&](Transfer::Kind kind) {
    out->push_back({kind, site, decoder_.stream(), part.partner.world, part.posted_bytes});
  };
  transfer(Transfer::Kind::operation);
  if (part.moves & moves::puts) transfer(Transfer::Kind::put);
  if (part.moves & moves::gets) transfer(Transfer::Kind::got);
}

void Measurer::measure_file(uint32_t site, const CallPart& part, std::vector<Transfer>* out) const {
  const auto bytes = [&](int64_t moved) { return moved >= 0 ? moved : part.posted_bytes; };
  if (part.moves & moves::writes) add(Transfer::Kind::written, site, bytes(part.out_bytes), out);
  if (part.moves & moves::reads) add(Transfer::Kind::received, site, bytes(part.in_bytes), out);
}

void Measurer::correct(const CallPart& part, std::vector<Transfer>* out) const {
  if (facts_of(part.maker.cls).event == EventForm::file) {
    const bool reads = part.moves & moves::reads;
    const int64_t moved = reads ? part.in_bytes : part.out_bytes;
    if (moved < 0 || moved == part.posted_bytes) return;
    out->push_back({reads ? Transfer::Kind::received : Transfer::Kind::written, part.maker.site, part.maker.stream,
                    partner_unknown, difference_of(moved, part.posted_bytes)});
    return;
  }
  if (!receives_only(part.maker.cls) || part.partner.peer == trace::peer_null) return;
  if (part.in_bytes < 0 || part.in_bytes == part.posted_bytes) return;
  out->push_back({Transfer::Kind::received, part.maker.site, part.maker.stream, partner_unknown,
                  difference_of(part.in_bytes, part.posted_bytes)});
}

void Measurer::measure_one(const DecodedCall& call, std::vector<Transfer>* out) const {
  for (const CallPart& part : call.parts) {
    switch (part.request) {
      case RequestUse::creates:  // each start is one
      case RequestUse::frees:
      case RequestUse::cancels:
        continue;
      case RequestUse::completes:
        correct(part, out);
        continue;
      case RequestUse::none:
      case RequestUse::makes:
      case RequestUse::starts:
        break;
    }
    if (part.sends()) measure_send(call.site, part, out);
    if (part.receives()) measure_receive(call.site, part, out);
    if (part.collective()) measure_collective(call.site, part, out);
    if (call.facts().event == EventForm::access) measure_access(call.site, part, out);
    measure_file(call.site, part, out);
  }
}

// Beyond the budget calls of many sizes are one tally: `amount` is the sum of their counts, or of the bytes received
// where the key's value is 1; the interned words are lost.
void Measurer::measure_coarse(const trace::Tally& tally, std::vector<Transfer>* out) const {
  Key key = *tally.key;
  const bool bytes_known = key.value == 1;
  key.count = 0;
  key.value = trace::unknown_value;
  decoder_.decode(key, nullptr, 0, &call_);
  const CallClass cls = call_.cls;
  const bool starts_collective = !call_.parts.empty() && call_.parts[0].collective();
  if (category_of(cls) == Category::completion) return;  // corrections are lost: receives stay as posted
  if (category_of(cls) == Category::collective || starts_collective) {
    unknown_bytes_ += tally.times;
    return;
  }
  const int64_t total = bytes_known ? tally.amount : decoder_.bytes_of(tally.amount, call_.datatype);
  const size_t begin = out->size();
  measure_one(call_, out);
  const bool both_ways = facts_of(cls).event == EventForm::exchange && cls != CallClass::sendrecv_replace;
  if (both_ways || facts_of(cls).requests == RequestUse::starts) unknown_bytes_ += tally.times;
  for (size_t i = begin; i < out->size(); ++i) {
    Transfer& transfer = (*out)[i];
    // A message both ways has one sum: of what was received if that is known, else of what was sent.
    const bool is_receive = transfer.kind == Transfer::Kind::received;
    const bool is_message = transfer.kind == Transfer::Kind::message;
    const bool lost = bytes_known ? is_message : both_ways && is_receive;
    if (lost && !both_ways) unknown_bytes_ += tally.times;
    transfer.times = tally.times;
    transfer.bytes = lost ? 0 : total;
    const bool countable = tally.times > 0 && tally.times <= INT64_MAX;
    transfer.size = countable ? transfer.bytes / static_cast<int64_t>(tally.times) : 0;
    transfer.exact_size = false;
  }
}

void CallEnds::add(const CallEnds& other, uint64_t times) {
  collectives += times * other.collectives;
  refused += times * other.refused;
  cancelled_sends += times * other.cancelled_sends;
  cancelled_receives += times * other.cancelled_receives;
  posted += times * other.posted;
  taken += times * other.taken;
}

void Measurer::find_ends() const {
  ends_ = CallEnds{};
  ends_.refused = call_.refused;
  const trace::CallFacts& facts = call_.facts();
  if (facts.event == EventForm::collective) ends_.collectives = facts.requests != RequestUse::creates;
  for (const CallPart& part : call_.parts) {
    const bool completes = part.request == RequestUse::completes;
    if (part.request == RequestUse::starts) ends_.collectives += part.collective();
    if (completes && part.cancelled) {
      ends_.cancelled_sends += part.sends() && !part.receives();
      ends_.cancelled_receives += part.receives();
    }
    if (!part.receives() || part.partner.peer == trace::peer_null) continue;
    const bool blocks = part.request == RequestUse::none;
    ends_.posted += blocks || part.request == RequestUse::makes || part.request == RequestUse::starts;
    ends_.taken += (blocks || completes) && part.in_bytes > 0;
  }
}

void Measurer::measure(const trace::Tally& tally, std::vector<Transfer>* out) const {
  if (tally.coarse) {
    measure_coarse(tally, out);
    return find_ends();
  }
  const size_t begin = out->size();
  const uint64_t unknown_before = unknown_bytes_;
  decoder_.decode(tally, &call_);
  measure_one(call_, out);
  find_ends();
  unknown_bytes_ = unknown_before + (unknown_bytes_ - unknown_before) * tally.times;
  for (size_t i = begin; i < out->size(); ++i) {
    Transfer& transfer = (*out)[i];
    transfer.times = tally.times;
    transfer.bytes = static_cast<int64_t>(static_cast<uint64_t>(transfer.size) * tally.times);
  }
}

}  // namespace leadline::analysis
