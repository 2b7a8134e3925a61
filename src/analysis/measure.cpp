#include "analysis/measure.hpp"

#include "analysis/sums.hpp"

namespace leadline::analysis {

using trace::CallClass;
using trace::EventForm;
using trace::facts_of;
using trace::Key;
using trace::RequestUse;
namespace moves = trace::moves;

namespace {

constexpr uint32_t no_site = UINT32_MAX;

}  // namespace

Category category_of(CallClass cls) { return facts_of(cls).category; }

bool receives_only(CallClass cls) { return facts_of(cls).moves == trace::moves::receives; }

CallClass Measurer::class_of(Maker maker) const {
  if (maker.stream >= process_.streams.size()) return CallClass::other;
  const auto& sites = process_.streams[maker.stream].sites;
  if (maker.site >= sites.size()) return CallClass::other;
  const uint32_t function = sites[maker.site].function;
  return function < process_.functions.size() ? process_.functions[function].cls : CallClass::other;
}

uint8_t Measurer::moves_of(uint32_t site) const {
  if (site >= stream_.sites.size()) return 0;
  const uint32_t function = stream_.sites[site].function;
  if (function >= process_.functions.size()) return 0;
  return trace::moves_of(process_.functions[function].cls, process_.functions[function].name);
}

int64_t Measurer::posted_bytes(int64_t count, uint32_t datatype) const {
  if (count <= 0 || datatype >= process_.datatypes.size()) return 0;
  int64_t bytes = 0;
  const int64_t size = process_.datatypes[datatype].size;
  if (size < 0 || __builtin_mul_overflow(count, size, &bytes)) return 0;
  return bytes;
}

int32_t Measurer::world_partner(uint32_t comm, int32_t peer) const {
  const uint32_t id = comm & trace::comm_mask;
  if (peer < trace::first_real_peer || id >= process_.communicators.size()) return partner_unknown;
  const trace::Communicator& c = process_.communicators[id];
  // The members of a window are those of the communicator it was made over.
  const bool of_parent = c.kind == trace::Communicator::Kind::window && c.parent < process_.communicators.size();
  const std::vector<int32_t>& world = of_parent ? process_.communicators[c.parent].world : c.world;
  const int64_t member = static_cast<int64_t>(c.rank) + peer;
  if (member < 0 || member >= static_cast<int64_t>(world.size())) return partner_unknown;
  return world[static_cast<size_t>(member)];
}

// Past the last one for a thread that is not in the trace.
size_t Measurer::stream_of(int64_t thread) const {
  for (size_t i = 0; i < process_.streams.size(); ++i)
    if (static_cast<int64_t>(process_.streams[i].thread) == thread) return i;
  return process_.streams.size();
}

// Interned links are [age, site] or, of a request another thread made, [number, site, thread].
Measurer::Maker Measurer::linked(uint32_t extra, const int64_t* words, size_t word_count) const {
  if (extra == 0 || extra == trace::extra_nothing) return {index_, no_site};
  if ((extra & trace::link_interned) == 0) return {index_, trace::link_site(extra)};
  if (word_count < 2) return {index_, no_site};
  const auto site = static_cast<uint32_t>(words[1]);
  return {word_count == 2 ? index_ : stream_of(words[2]), site};
}

Measurer::Maker Measurer::listed(int64_t link) const {
  const int32_t thread = trace::listed_thread(link);
  return {thread < 0 ? index_ : stream_of(thread), trace::listed_site(link)};
}

void Measurer::measure_send(const Key& key, uint32_t site, int64_t bytes, std::vector<Transfer>* out) const {
  if (key.peer < trace::first_real_peer) return;
  out->push_back({Transfer::Kind::message, site, index_, world_partner(key.comm, key.peer), bytes});
}

void Measurer::measure_receive(const Key& key, int64_t posted, std::vector<Transfer>* out) const {
  if (key.peer == trace::peer_null) return;
  out->push_back({Transfer::Kind::received, key.site, index_, partner_unknown, key.value >= 0 ? key.value : posted});
}

void Measurer::measure_access(const Key& key, std::vector<Transfer>* out) const {
  if (key.peer < trace::first_real_peer) return;
  const uint8_t ways = moves_of(key.site);
  const int64_t bytes = key.value >= 0 ? key.value : posted_bytes(key.count, key.datatype);
  const int32_t target = world_partner(key.comm, key.peer);
  out->push_back({Transfer::Kind::operation, key.site, index_, target, bytes});
  if (ways & moves::puts && (key.comm & trace::flag_only_fetches) == 0)
    out->push_back({Transfer::Kind::put, key.site, index_, target, bytes});
  if (ways & moves::gets) out->push_back({Transfer::Kind::got, key.site, index_, target, bytes});
}

void Measurer::measure_file(const Key& key, std::vector<Transfer>* out) const {
  const uint8_t ways = moves_of(key.site);
  const int64_t bytes = key.value >= 0 ? key.value : posted_bytes(key.count, key.datatype);
  if (ways & moves::writes) out->push_back({Transfer::Kind::written, key.site, index_, partner_unknown, bytes});
  if (ways & moves::reads) out->push_back({Transfer::Kind::received, key.site, index_, partner_unknown, bytes});
}

void Measurer::measure_collective(uint32_t site, int64_t contributed, int64_t collected,
                                  std::vector<Transfer>* out) const {
  out->push_back({Transfer::Kind::contributed, site, index_, partner_unknown, contributed});
  out->push_back({Transfer::Kind::collected, site, index_, partner_unknown, collected});
}

void Measurer::measure_start(uint32_t site, Maker creator, const Key& key, int64_t bytes,
                             std::vector<Transfer>* out) const {
  const trace::CallFacts& created = facts_of(class_of(creator));
  if (created.requests != RequestUse::creates) return;
  if (created.moves & moves::sends) measure_send(key, site, bytes, out);
  if (created.moves & moves::receives && key.peer != trace::peer_null)
    out->push_back({Transfer::Kind::received, creator.site, creator.stream, partner_unknown, bytes});
  if (created.moves & moves::collects) ++unknown_bytes_;  // as recorders before this one left it
}

void Measurer::correct(Maker maker, int64_t received, int64_t posted, bool cancelled,
                       std::vector<Transfer>* out) const {
  if (!receives_only(class_of(maker))) return;
  if (cancelled) received = 0;
  if (received < 0 || received == posted) return;
  out->push_back(
      {Transfer::Kind::received, maker.site, maker.stream, partner_unknown, difference_of(received, posted)});
}

void Measurer::measure_message(const Key& key, std::vector<Transfer>* out) const {
  const trace::CallFacts& facts = facts_of(class_of(key.site));
  if (facts.requests == RequestUse::creates) return;  // each start is one
  const int64_t posted = posted_bytes(key.count, key.datatype);
  if (facts.moves & moves::sends) measure_send(key, key.site, posted, out);
  if (facts.moves & moves::receives) {
    Key known = key;  // of a matched message the size is known already, but the completion will tell it again
    if (facts.requests == RequestUse::makes) known.value = trace::unknown_value;
    measure_receive(known, posted, out);
  }
}

void Measurer::measure_exchange(const Key& key, const int64_t* words, size_t word_count,
                                std::vector<Transfer>* out) const {
  const int64_t sent = posted_bytes(key.count, key.datatype);
  measure_send(key, key.site, sent, out);
  int64_t posted = sent;  // one buffer both ways, where there is no second half
  if (word_count >= 3) {
    if (words[2] == trace::peer_null) return;
    if (class_of(key.site) != CallClass::sendrecv_replace)
      posted = posted_bytes(words[0], static_cast<uint32_t>(words[1]));
  }
  out->push_back({Transfer::Kind::received, key.site, index_, partner_unknown, key.value >= 0 ? key.value : posted});
}

void Measurer::measure_starts(const Key& key, const int64_t* words, size_t word_count,
                              std::vector<Transfer>* out) const {
  for (size_t i = 1; i + 4 <= word_count; i += 4) {
    if (static_cast<uint32_t>(words[i + 3]) & trace::flag_persistent_collective) {
      measure_collective(key.site, words[i + 1], words[i + 2], out);
      continue;
    }
    Key one = key;
    one.peer = static_cast<int32_t>(words[i + 2] >> 32);
    one.comm = static_cast<uint32_t>(words[i + 3]);
    measure_start(key.site, listed(words[i]), one, words[i + 1], out);
  }
}

void Measurer::measure_libc(const Key& key, std::vector<Transfer>* out) const {
  const int64_t moved = key.value > 0 ? key.value : 0;
  const uint8_t ways = moves_of(key.site);
  if (ways & moves::writes) out->push_back({Transfer::Kind::written, key.site, index_, partner_unknown, moved});
  if (ways & moves::reads) out->push_back({Transfer::Kind::received, key.site, index_, partner_unknown, moved});
}

void Measurer::measure_one(const Key& key, const int64_t* words, size_t word_count, std::vector<Transfer>* out) const {
  const trace::CallFacts& facts = facts_of(class_of(key.site));
  switch (facts.event) {
    case EventForm::message:
      return measure_message(key, out);
    case EventForm::exchange:
      return measure_exchange(key, words, word_count, out);
    case EventForm::completion: {
      if (facts.requests != RequestUse::completes) return;
      const Maker maker = linked(key.extra, words, word_count);
      if (maker.site == no_site || key.peer == trace::peer_null) return;
      return correct(maker, key.value, posted_bytes(key.count, key.datatype), (key.comm & trace::flag_cancelled) != 0,
                     out);
    }
    case EventForm::completions:
      if (key.extra == trace::extra_nothing) return;
      for (size_t i = 1; i + 4 <= word_count; i += 4) {
        if (static_cast<int32_t>(words[i + 2] >> 32) == trace::peer_null) continue;
        correct(listed(words[i]), words[i + 1], words[i + 3], false, out);
      }
      return;
    case EventForm::start: {
      if (key.comm & trace::flag_persistent_collective) return measure_collective(key.site, key.value, key.count, out);
      const Maker creator = linked(key.extra, words, word_count);
      return measure_start(key.site, creator, key, posted_bytes(key.count, key.datatype), out);
    }
    case EventForm::starts:
      return measure_starts(key, words, word_count, out);
    case EventForm::collective:
      if (word_count < 2 || facts.requests == RequestUse::creates) return;
      return measure_collective(key.site, words[0], words[1], out);
    case EventForm::access:
      if (facts.moves) measure_access(key, out);
      return;
    case EventForm::file:
      return measure_file(key, out);
    case EventForm::libc:
      return measure_libc(key, out);
    case EventForm::plain:
    case EventForm::probe:
    case EventForm::creation:
    case EventForm::object:
      return;
  }
}

// Beyond the budget calls of many sizes are one tally: `amount` is the sum of their counts, or of the bytes received
// where the key's value is 1; what the interned words said is gone.
void Measurer::measure_coarse(const trace::Tally& tally, std::vector<Transfer>* out) const {
  Key key = *tally.key;
  const CallClass cls = class_of(key.site);
  const bool starts_collective = cls == CallClass::start && (key.comm & trace::flag_persistent_collective) != 0;
  if (category_of(cls) == Category::collective || starts_collective) {
    unknown_bytes_ += tally.times;
    return;
  }
  if (category_of(cls) == Category::completion) return;  // corrections are lost: receives stay as posted
  const bool bytes_known = key.value == 1;
  const int64_t total = bytes_known ? tally.amount : posted_bytes(tally.amount, key.datatype);
  key.count = 0;
  key.value = trace::unknown_value;
  const size_t begin = out->size();
  measure_one(key, nullptr, 0, out);
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

void Measurer::measure(const trace::Tally& tally, std::vector<Transfer>* out) const {
  if (tally.coarse) return measure_coarse(tally, out);
  const size_t begin = out->size();
  const uint64_t unknown_before = unknown_bytes_;
  measure_one(*tally.key, tally.words, tally.word_count, out);
  unknown_bytes_ = unknown_before + (unknown_bytes_ - unknown_before) * tally.times;
  for (size_t i = begin; i < out->size(); ++i) {
    Transfer& transfer = (*out)[i];
    transfer.times = tally.times;
    transfer.bytes = static_cast<int64_t>(static_cast<uint64_t>(transfer.size) * tally.times);
  }
}

}  // namespace leadline::analysis
