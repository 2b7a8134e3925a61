#include "interchange/predicted/made_keys.hpp"

#include <algorithm>

#include "replay/changes/change.hpp"
#include "trace/call_class.hpp"

namespace leadline::interchange::predicted {

using replay::TreeLeaf;
using structure::CallPart;
using trace::CallClass;
using trace::EventForm;
using trace::Key;

namespace {

constexpr size_t words_per_request = 4;  // of a list

int64_t pair(int32_t peer, int32_t tag) {
  return static_cast<int64_t>(uint64_t{static_cast<uint32_t>(peer)} << 32 | static_cast<uint32_t>(tag));
}

Key key_at(uint32_t site) {
  Key key;
  key.site = site;
  key.peer = trace::peer_none;
  return key;
}

bool has_wildcard(const Key& key) { return (key.comm & (trace::flag_any_source | trace::flag_any_tag)) != 0; }

}  // namespace

MadeKeys::MadeKeys(const trace::Process& process, uint32_t bytes_type, size_t member)
    : process_(process), bytes_type_(bytes_type), member_(member) {
  for (size_t i = 1; i < process.communicators.size(); ++i) {
    const trace::Communicator& c = process.communicators[i];
    if (c.identity) communicators_.try_emplace(c.identity, static_cast<uint32_t>(i));
  }
}

std::vector<trace::Function> MadeKeys::functions_of(const TreeLeaf& leaf) {
  const std::string& name = leaf.leaf.function;
  const CallClass cls = leaf.leaf.call.cls;
  if (leaf.unblocked) {
    std::vector<trace::Function> found;
    for (const CallPart& p : leaf.leaf.call.parts)
      found.push_back(p.sends() ? trace::Function{"MPI_Isend", CallClass::isend}
                                : trace::Function{"MPI_Irecv", CallClass::irecv});
    return found;
  }
  if (cls == CallClass::waitall) return {{"MPI_Waitall", cls}};
  if (leaf.relaxed && name == "MPI_Ssend") return {{"MPI_Send", cls}};
  if (leaf.relaxed && name == "MPI_Issend") return {{"MPI_Isend", cls}};
  return {{name, cls}};
}

uint32_t MadeKeys::communicator(uint64_t identity) const {
  const auto found = communicators_.find(identity);
  return found == communicators_.end() ? 0 : found->second;
}

// In elements of the recorded datatype, if these are as many bytes.
void MadeKeys::set_bytes(int64_t bytes, const RecordedKey* like, Key* key) const {
  bytes = std::max<int64_t>(bytes, 0);
  const uint32_t type = like ? like->key.datatype : 0;
  const int64_t size = type && type < process_.datatypes.size() ? process_.datatypes[type].size : 0;
  const bool whole = size > 0 && bytes % size == 0;
  key->count = whole ? bytes / size : bytes;
  key->datatype = whole ? type : bytes_type_;
}

void MadeKeys::set_partner(const TreeLeaf& leaf, size_t p, Key* key) const {
  const calls::LeafPart& mine = part(leaf, p);
  key->comm = communicator(mine.identity) | (leaf.leaf.call.flags & ~trace::comm_mask);
  key->peer = mine.partner.peer;
  key->tag = mine.tag;
}

RecordedKey MadeKeys::message(const TreeLeaf& leaf, size_t p, uint32_t site, const RecordedKey* like) const {
  const calls::LeafPart& mine = part(leaf, p);
  Key key = key_at(site);
  set_partner(leaf, p, &key);
  const bool receives = leaf.leaf.call.parts[p].receives();
  set_bytes(receives ? std::max(mine.posted_bytes, mine.in_bytes) : mine.out_bytes, like, &key);
  if (receives) key.value = leaf.unblocked || replay::requests_of(leaf) ? trace::unknown_value : mine.in_bytes;
  return {key, {}};
}

RecordedKey MadeKeys::exchange(const TreeLeaf& leaf, uint32_t site) const {
  Key key = key_at(site);
  Key received = key;
  received.peer = trace::peer_null;
  for (size_t p = 0; p < leaf.leaf.call.parts.size(); ++p) {
    const calls::LeafPart& mine = part(leaf, p);
    if (leaf.leaf.call.parts[p].receives()) {
      set_partner(leaf, p, &received);
      received.count = std::max({mine.posted_bytes, mine.in_bytes, int64_t{0}});
      received.value = mine.in_bytes;
    } else {
      set_partner(leaf, p, &key);
      set_bytes(mine.out_bytes, nullptr, &key);
    }
  }
  key.value = received.value;
  return {key, {received.count, int64_t{bytes_type_}, received.peer, received.tag}};
}

RecordedKey MadeKeys::completion(const TreeLeaf& leaf, uint32_t site, const MadeRequests& requests) const {
  if (leaf.leaf.call.parts.empty()) return {key_at(site), {}};
  const CallPart& of = leaf.leaf.call.parts.front();
  const calls::LeafPart& mine = part(leaf, 0);
  const Key* maker = requests.made_ago(of.maker.age);
  if (!maker) return {key_at(site), {}};
  Key key = *maker;
  key.site = site;
  key.value = of.receives() ? mine.in_bytes : 0;
  if (has_wildcard(*maker) && mine.partner.real()) key.peer = mine.partner.peer, key.tag = mine.tag;
  if (of.cancelled) key.comm |= trace::flag_cancelled;
  key.extra = 0;
  if (trace::link_fits(of.maker.age, maker->site)) {
    key.extra = trace::link_pack(of.maker.age, maker->site);
    return {key, {}};
  }
  key.extra = trace::link_interned;
  return {key, {static_cast<int64_t>(of.maker.age), int64_t{maker->site}}};
}

RecordedKey MadeKeys::completions(const TreeLeaf& leaf, uint32_t site, const MadeRequests& requests) const {
  RecordedKey made{key_at(site), {0}};
  for (size_t p = 0; p < leaf.leaf.call.parts.size(); ++p) {
    const CallPart& of = leaf.leaf.call.parts[p];
    const calls::LeafPart& mine = part(leaf, p);
    const Key* maker = requests.made_ago(of.maker.age);
    if (!maker) continue;
    const bool told = has_wildcard(*maker) && mine.partner.real();
    int64_t posted = maker->count;
    const int64_t size = maker->datatype < process_.datatypes.size() ? process_.datatypes[maker->datatype].size : 1;
    if (maker->datatype != bytes_type_) posted *= size;
    ++made.words[0];
    made.words.push_back(trace::listed_link(of.maker.age, maker->site, -1));
    made.words.push_back(of.receives() ? mine.in_bytes : 0);
    made.words.push_back(of.cancelled ? static_cast<int64_t>(uint64_t{static_cast<uint32_t>(trace::peer_null)} << 32)
                         : told       ? pair(mine.partner.peer, mine.tag)
                                      : 0);
    made.words.push_back(posted);
  }
  made.key.count = made.words[0];
  return made;
}

// Of persistent requests: as recorded, with other bytes.
RecordedKey MadeKeys::started(const TreeLeaf& leaf, uint32_t site, const RecordedKey& like) const {
  RecordedKey made = like;
  made.key.site = site;
  const std::vector<CallPart>& parts = leaf.leaf.call.parts;
  if (trace::facts_of(leaf.leaf.call.cls).event == EventForm::start) {
    if (!parts.empty() && !parts.front().collective()) set_bytes(part(leaf, 0).posted_bytes, &like, &made.key);
    return made;
  }
  for (size_t p = 0; p < parts.size() && 1 + (p + 1) * words_per_request <= made.words.size(); ++p) {
    if (!parts[p].collective()) made.words[1 + p * words_per_request + 1] = part(leaf, p).posted_bytes;
  }
  return made;
}

RecordedKey MadeKeys::collective(const TreeLeaf& leaf, uint32_t site, const RecordedKey* like) const {
  RecordedKey made{key_at(site), {}};
  if (leaf.leaf.parts.empty()) return made;
  const calls::LeafPart& mine = part(leaf, 0);
  const int64_t out = std::max<int64_t>(mine.out_bytes, 0), in = std::max<int64_t>(mine.in_bytes, 0);
  made.key.comm = communicator(mine.identity) | (leaf.leaf.call.flags & ~trace::comm_mask);
  made.key.peer = leaf.leaf.partner.of(member_).rank;  // the root
  const int64_t posted = leaf.leaf.posted_bytes.of(member_);
  const bool merged = like && !leaf.gathers;
  set_bytes(merged && out ? std::max(posted, out) : posted > 0 ? posted : std::max(out, in), like, &made.key);
  const int64_t op = merged && like->words.size() > 2 ? like->words[2] : 0;
  made.words = {out, in, op, in, int64_t{bytes_type_}, 0, 0};
  return made;
}

std::vector<RecordedKey> MadeKeys::of(const TreeLeaf& leaf, const std::vector<uint32_t>& sites, const RecordedKey* like,
                                      const MadeRequests& requests) const {
  const uint32_t site = sites.empty() ? 0 : sites.front();
  const CallClass cls = leaf.leaf.call.cls;
  const std::vector<CallPart>& parts = leaf.leaf.call.parts;
  if (leaf.unblocked) {
    std::vector<RecordedKey> halves;
    for (size_t p = 0; p < parts.size(); ++p)
      halves.push_back(message(leaf, p, sites[p], parts.size() > 1 ? nullptr : like));
    return halves;
  }
  switch (trace::facts_of(cls).event) {
    case EventForm::message:
      if (!parts.empty()) return {message(leaf, 0, site, like)};
      break;
    case EventForm::exchange:
      return {exchange(leaf, site)};
    case EventForm::completion:
      return {completion(leaf, site, requests)};
    case EventForm::completions:
      return {completions(leaf, site, requests)};
    case EventForm::start:
    case EventForm::starts:
      if (like) return {started(leaf, site, *like)};
      break;
    case EventForm::collective:
      return {collective(leaf, site, like)};
    case EventForm::object:
    case EventForm::creation:
    case EventForm::plain:
    case EventForm::probe:
    case EventForm::access:
    case EventForm::file:
    case EventForm::libc:
      break;
  }
  if (!like) return {};
  RecordedKey same = *like;
  same.key.site = site;
  return {same};
}

}  // namespace leadline::interchange::predicted
