#include "structure/call_decoder.hpp"

namespace leadline::structure {

using trace::CallClass;
using trace::EventForm;
using trace::Key;
using trace::RequestUse;
namespace moves = trace::moves;

namespace {

int32_t rank_of(int32_t own, int32_t peer) {  // of any numbers
  return static_cast<int32_t>(static_cast<uint32_t>(own) + static_cast<uint32_t>(peer));
}

// Calls that name a partner, and have none.
bool refused(const trace::CallFacts& facts, const Key& key) {
  if (key.peer != trace::peer_none) return false;
  const EventForm form = facts.event;
  return form == EventForm::message || form == EventForm::exchange;
}

int32_t world_rank(const trace::Members& world, int64_t member) {
  return member >= 0 && member < static_cast<int64_t>(world.size()) ? world[static_cast<size_t>(member)] : rank_unknown;
}

}  // namespace

CallDecoder::CallDecoder(const trace::Process& process, size_t stream) : process_(process), index_(stream) {
  functions_.reserve(process.functions.size());
  for (const trace::Function& f : process.functions) functions_.push_back({f.cls, trace::moves_of(f.cls, f.name)});
}

CallClass CallDecoder::class_of(uint32_t site) const {
  const std::vector<trace::Site>& sites = process_.streams[index_].sites;
  const uint32_t function = site < sites.size() ? sites[site].function : no_index;
  return function < functions_.size() ? functions_[function].cls : CallClass::other;
}

int64_t CallDecoder::bytes_of(int64_t count, uint32_t datatype) const {
  if (count <= 0 || datatype >= process_.datatypes.size()) return 0;
  int64_t bytes = 0;
  const int64_t size = process_.datatypes[datatype].size;
  if (size < 0 || __builtin_mul_overflow(count, size, &bytes)) return 0;
  return bytes;
}

uint64_t CallDecoder::identity(uint32_t comm) const {
  return comm < process_.communicators.size() ? process_.communicators[comm].identity : 0;
}

Partner CallDecoder::partner(uint32_t comm, int32_t peer) const {
  if (peer < trace::first_real_peer) return {peer, peer, rank_unknown};
  if (comm >= process_.communicators.size()) return {peer, rank_unknown, rank_unknown};
  const trace::Communicator& c = process_.communicators[comm];
  // The members of a window are those of the communicator it was made over.
  const bool of_parent = c.kind == trace::Communicator::Kind::window && c.parent < process_.communicators.size();
  const trace::Members& world = of_parent ? process_.communicators[c.parent].world : c.world;
  return {peer, rank_of(c.rank, peer), world_rank(world, int64_t{c.rank} + peer)};
}

Partner CallDecoder::root(uint32_t comm, int32_t rank) const {
  if (rank < trace::first_real_peer) return {rank, rank, rank_unknown};
  if (comm >= process_.communicators.size()) return {rank_unknown, rank, rank_unknown};
  const trace::Communicator& c = process_.communicators[comm];
  return {rank_of(rank, -c.rank), rank, world_rank(c.world, rank)};
}

CallPart& CallDecoder::add(DecodedCall* call, uint8_t moved) const {
  CallPart& part = call->parts.emplace_back();
  part.moves = moved;
  part.comm = call->comm;
  part.identity = call->identity;
  part.partner = call->partner;
  part.tag = call->tag;
  part.count = call->count;
  part.datatype = call->datatype;
  const RequestUse use = call->facts().requests;
  part.request = use;
  if (use == RequestUse::makes || use == RequestUse::creates) {
    part.maker = {.stream = index_, .site = call->site, .function = call->function, .cls = call->cls};
  }
  return part;
}

void CallDecoder::message(const Key& key, DecodedCall* call) const {
  const trace::CallFacts& facts = call->facts();
  CallPart& part = add(call, facts.moves);
  part.posted_bytes = call->posted_bytes;
  if (part.sends()) part.out_bytes = part.posted_bytes;
  if (part.receives()) {
    part.in_bytes = known(key.value);
    part.wildcard = receives_matched(call->cls) ? key.peer == trace::peer_any : is_open(key.comm, key.peer, key.tag);
  }
  part.partitioned = partitioned(call->cls);
  const bool settled = key.peer != trace::peer_any && key.tag != trace::tag_any;
  part.names_message = settled && facts.requests != RequestUse::creates;
}

void CallDecoder::exchange(const Key& key, Words words, DecodedCall* call) const {
  CallPart& sent = add(call, moves::sends);
  sent.posted_bytes = sent.out_bytes = call->posted_bytes;
  sent.names_message = true;
  CallPart& received = add(call, moves::receives);
  received.in_bytes = known(key.value);
  if (words.size() < 4) {  // its arguments were not kept
    received.posted_bytes = call->posted_bytes;
    received.partner = partner(call->comm, trace::peer_any);
    received.tag = trace::tag_any;
    return;
  }
  received.count = words[0];
  received.datatype = valid_datatype(words[1]);
  received.posted_bytes = bytes_of(words[0], received.datatype);
  received.partner = partner(call->comm, static_cast<int32_t>(words[2]));
  received.tag = static_cast<int32_t>(words[3]);
  received.wildcard = is_open(key.comm, received.partner.peer, received.tag);
  received.names_message = received.partner.peer != trace::peer_any && received.tag != trace::tag_any;
}

void CallDecoder::collective(Words words, DecodedCall* call) const {
  if (words.size() < 2) return;
  CallPart& part = add(call, moves::contributes | moves::collects);
  part.out_bytes = known(words[0]);
  part.in_bytes = known(words[1]);
  if (words.size() < 5) return;
  CollectiveArguments& with = call->collective;
  with.op = words[2] >= 0 && words[2] < static_cast<int64_t>(process_.ops.size()) ? static_cast<uint32_t>(words[2]) : 0;
  with.receive_count = words[3];
  with.receive_datatype = valid_datatype(words[4]);
  size_t at = 5;
  for (std::span<const int64_t>* counts : {&with.send_counts, &with.receive_counts}) {
    if (at >= words.size()) return;
    const int64_t n = words[at++];
    with.vector_lost |= n < 0;
    if (n <= 0) continue;
    if (static_cast<uint64_t>(n) > words.size() - at) return;
    *counts = {words.data() + at, static_cast<size_t>(n)};
    at += static_cast<size_t>(n);
  }
}

void CallDecoder::access(const Key& key, DecodedCall* call) const {
  if (!call->facts().moves) return;
  uint8_t moved = moves_of(call->function);
  if (key.comm & trace::flag_only_fetches) moved &= static_cast<uint8_t>(~moves::puts);
  CallPart& part = add(call, moved);
  part.posted_bytes = key.value >= 0 ? key.value : call->posted_bytes;
  if (moved & moves::puts) part.out_bytes = part.posted_bytes;
  if (moved & moves::gets) part.in_bytes = part.posted_bytes;
}

void CallDecoder::file(const Key& key, DecodedCall* call) const {
  if (key.comm & trace::flag_offset) {
    call->positioned = true;
    call->distance = static_cast<int64_t>(uint64_t{key.extra} << 32 | static_cast<uint32_t>(key.tag));
  }
  const uint8_t moved = moves_of(call->function);
  if (!moved) return;
  CallPart& part = add(call, moved);
  part.posted_bytes = call->posted_bytes;
  if (moved & moves::writes) part.out_bytes = known(key.value);
  if (moved & moves::reads) part.in_bytes = known(key.value);
}

void CallDecoder::libc(const Key& key, DecodedCall* call) const {
  call->open_file = key.tag;
  call->tag = 0;
  call->error = static_cast<int32_t>(key.extra);
  const uint8_t moved = moves_of(call->function);
  if (!moved) return;
  call->positioned = true;
  call->distance = key.count;
  CallPart& part = add(call, moved);
  part.count = 0;
  const int64_t bytes = key.value > 0 ? key.value : 0;
  if (moved & moves::writes) part.out_bytes = bytes;
  if (moved & moves::reads) part.in_bytes = bytes;
}

void CallDecoder::describe(const Key& key, DecodedCall* call) const {
  const std::vector<trace::Site>& sites = process_.streams[index_].sites;
  call->site = key.site;
  if (key.site < sites.size() && sites[key.site].function < functions_.size()) {
    call->function = sites[key.site].function;
    call->cls = functions_[call->function].cls;
  }
  const bool rooted = call->facts().event == EventForm::collective;
  call->flags = key.comm & ~trace::comm_mask;
  call->nothing = (call->flags & trace::flag_nothing) != 0;
  call->comm = valid_comm(key.comm);
  call->identity = identity(call->comm);
  call->partner = rooted ? root(call->comm, key.peer) : partner(call->comm, key.peer);
  call->tag = call->flags & trace::flag_offset ? 0 : key.tag;
  call->count = key.count;
  call->datatype = valid_datatype(key.datatype);
  call->datatype_bytes = bytes_of(1, call->datatype);
  call->posted_bytes = bytes_of(key.count, call->datatype);
  call->value = key.value;
}

void CallDecoder::decode(const Key& key, const int64_t* data, size_t count, DecodedCall* call) const {
  call->parts.clear();
  static_cast<CallFields&>(*call) = CallFields{};
  describe(key, call);
  if (call->nothing) return;
  call->refused = refused(call->facts(), key);
  if (call->refused) return;
  const Words words{data, count};
  switch (call->facts().event) {
    case EventForm::message:
      return message(key, call);
    case EventForm::exchange:
      return exchange(key, words, call);
    case EventForm::completion:
      return completion(key, words, call);
    case EventForm::completions:
      return completions(words, call);
    case EventForm::start:
      return start(key, words, call);
    case EventForm::starts:
      return starts(words, call);
    case EventForm::collective:
      return collective(words, call);
    case EventForm::creation:
      call->made = valid_comm(key.extra);
      if (call->facts().requests == RequestUse::makes) add(call, 0);
      return;
    case EventForm::object:
      call->made = valid_comm(key.extra);
      return;
    case EventForm::access:
      return access(key, call);
    case EventForm::file:
      return file(key, call);
    case EventForm::libc:
      return libc(key, call);
    case EventForm::plain:
    case EventForm::probe:
      return;
  }
}

}  // namespace leadline::structure
