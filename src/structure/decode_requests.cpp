// Completions and starts of requests: links to the calls that made them, single and in lists.
#include "structure/call_decoder.hpp"
#include "trace/completions.hpp"

namespace leadline::structure {

using trace::CallClass;
using trace::EventForm;
using trace::Key;
using trace::RequestUse;
namespace moves = trace::moves;

namespace {

constexpr size_t words_per_request = 4;  // of a list

int32_t high(int64_t word) { return static_cast<int32_t>(static_cast<uint64_t>(word) >> 32); }
int32_t low(int64_t word) { return static_cast<int32_t>(static_cast<uint64_t>(word)); }

}  // namespace

// Past the last one for a thread that is not in the trace.
size_t CallDecoder::stream_of(int64_t thread) const {
  for (size_t i = 0; i < process_.streams.size(); ++i) {
    if (static_cast<int64_t>(process_.streams[i].thread) == thread) return i;
  }
  return no_stream;
}

void CallDecoder::identify(Maker* maker) const {
  if (maker->stream >= process_.streams.size()) return;
  const std::vector<trace::Site>& sites = process_.streams[maker->stream].sites;
  if (maker->site >= sites.size() || sites[maker->site].function >= functions_.size()) return;
  maker->function = sites[maker->site].function;
  maker->cls = functions_[maker->function].cls;
}

bool CallDecoder::linked(uint32_t extra, Words words, Maker* maker) const {
  const bool interned = (extra & trace::link_interned) != 0;
  if (extra == 0 || extra == trace::extra_nothing || (interned && words.size() < 2)) return false;
  maker->stream = index_;
  if (!interned) {
    maker->site = trace::link_site(extra);
    maker->age = trace::link_age(extra);
  } else if (words.size() == 2) {  // [age, site]
    maker->site = static_cast<uint32_t>(words[1]);
    maker->age = static_cast<uint64_t>(words[0]);
  } else {  // [number, site, thread]
    maker->site = static_cast<uint32_t>(words[1]);
    maker->number = static_cast<uint64_t>(words[0]);
    maker->thread = static_cast<int32_t>(words[2]);
    maker->stream = stream_of(words[2]);
  }
  identify(maker);
  return true;
}

void CallDecoder::listed(int64_t link, Maker* maker) const {
  const uint64_t age_or_number = static_cast<uint64_t>(link) >> 32;
  maker->thread = trace::listed_thread(link);
  maker->stream = maker->thread < 0 ? index_ : stream_of(maker->thread);
  maker->site = trace::listed_site(link);
  (maker->thread < 0 ? maker->age : maker->number) = age_or_number;
  identify(maker);
}

// Bytes and directions of a request by the call that made it.
void CallDecoder::describe_completion(int64_t posted, int64_t received, bool moved_told, CallPart* part) const {
  const trace::CallFacts& made = trace::facts_of(part->maker.cls);
  part->moves = moves_of(part->maker.function);
  part->partitioned = partitioned(part->maker.cls);
  if (part->sends() || part->receives()) {
    part->posted_bytes = posted;
    if (part->receives()) part->in_bytes = part->cancelled ? 0 : known(received);
    if (part->sends()) part->out_bytes = part->cancelled ? 0 : part->receives() ? bytes_unknown : posted;
    return;
  }
  if (made.event == EventForm::access || made.event == EventForm::file) part->posted_bytes = posted;
  if (made.event == EventForm::file && moved_told) {
    if (part->moves & moves::writes) part->out_bytes = received;
    if (part->moves & moves::reads) part->in_bytes = received;
    return;
  }
  if (part->moves & (moves::contributes | moves::puts | moves::writes)) part->out_bytes = bytes_unknown;
  if (part->moves & (moves::collects | moves::gets | moves::reads)) part->in_bytes = bytes_unknown;
}

void CallDecoder::completion(const Key& key, Words words, DecodedCall* call) const {
  Maker maker;
  if (!linked(key.extra, words, &maker)) return;
  if (trace::facts_of(maker.cls).event == EventForm::collective) call->partner = root(call->comm, key.peer);
  CallPart& part = add(call, 0);
  part.maker = maker;
  part.cancelled = (key.comm & trace::flag_cancelled) != 0;
  describe_completion(call->posted_bytes, key.value, (key.comm & trace::flag_bytes_told) != 0, &part);
  part.wildcard = part.receives() && !receives_matched(maker.cls) && (key.comm & wildcard_flags) != 0;
  part.names_message = part.wildcard && !part.cancelled && part.request == RequestUse::completes;
  if (part.sends() &&
      part.receives()) {  // count and datatype are the sending half's, the partner is the receiving one's
    part.posted_bytes = bytes_unknown;
    part.out_bytes = part.cancelled ? 0 : call->posted_bytes;
    part.partner_told = part.wildcard;
  }
  if (key.comm & trace::flag_only_fetches) part.moves &= static_cast<uint8_t>(~moves::puts);
}

void CallDecoder::completions(Words words, DecodedCall* call) const {
  for (size_t i = 1; i + words_per_request <= words.size(); i += words_per_request) {
    CallPart& part = add(call, 0);
    listed(words[i], &part.maker);
    part.comm = 0;
    part.identity = 0;
    part.count = 0;
    part.datatype = 0;
    // They are recorded for receives with wildcards only.
    const bool of_file = trace::facts_of(part.maker.cls).event == EventForm::file;
    const bool told = !of_file && words[i + 2] != trace::listed_cancelled;
    part.partner_told = words[i + 2] != 0 && told;
    const int64_t partner = told ? words[i + 2] : 0;
    part.partner = {high(partner), rank_unknown, rank_unknown};
    if (!part.partner.real()) part.partner.rank = part.partner.peer;
    part.tag = low(partner);
    part.cancelled = words[i + 2] == trace::listed_cancelled;
    describe_completion(words[i + 3], words[i + 1], words[i + 2] == trace::listed_bytes_told, &part);
    part.wildcard = part.receives() && part.partner_told;
    if (part.maker.cls == CallClass::rma_request) part.posted_bytes = bytes_unknown;  // as recorded: 0
  }
}

void CallDecoder::describe_start(uint32_t flags, int64_t posted, CallPart* part) const {
  if (trace::facts_of(part->maker.cls).requests != RequestUse::creates) return;  // it can't have been started
  part->moves = moves_of(part->maker.function);
  part->partitioned = partitioned(part->maker.cls);
  if (part->collective()) {  // a recorder that left the bytes out
    part->out_bytes = part->in_bytes = bytes_unknown;
    return;
  }
  part->posted_bytes = posted;
  if (part->sends()) part->out_bytes = posted;
  if (part->receives()) part->in_bytes = bytes_unknown;
  part->wildcard = part->receives() && is_open(flags, part->partner.peer, part->tag);
  part->names_message = !part->wildcard;
}

void CallDecoder::start(const Key& key, Words words, DecodedCall* call) const {
  Maker maker;
  const bool known_maker = linked(key.extra, words, &maker);
  if (key.comm & trace::flag_persistent_collective) {
    call->partner = root(call->comm, key.peer);
    CallPart& part = add(call, moves::contributes | moves::collects);
    part.maker = maker;
    part.out_bytes = known(key.value);
    part.in_bytes = known(key.count);
  } else if (known_maker) {
    CallPart& part = add(call, 0);
    part.maker = maker;
    describe_start(key.comm, call->posted_bytes, &part);
  }
}

void CallDecoder::starts(Words words, DecodedCall* call) const {
  for (size_t i = 1; i + words_per_request <= words.size(); i += words_per_request) {
    CallPart& part = add(call, 0);
    listed(words[i], &part.maker);
    // Of requests that were created while recording was paused the creation has no number.
    if (part.maker.age == UINT32_MAX) part.maker.age = 0;
    if (part.maker.number == UINT32_MAX) part.maker.number = 0;
    const auto place = static_cast<uint32_t>(words[i + 3]);
    part.comm = valid_comm(place);
    part.identity = identity(part.comm);
    part.count = 0;
    part.datatype = 0;
    if (place & trace::flag_persistent_collective) {
      part.moves = moves::contributes | moves::collects;
      part.out_bytes = known(words[i + 1]);
      part.in_bytes = known(words[i + 2]);
      part.partner = {};
      part.tag = 0;
      part.partner_told = false;
      continue;
    }
    part.partner = partner(part.comm, high(words[i + 2]));
    part.tag = low(words[i + 2]);
    describe_start(place, words[i + 1], &part);
  }
}

}  // namespace leadline::structure
