#include "recorder/call_paths/regions.hpp"

#include <string.h>

namespace leadline::recorder {

namespace {

void count(uint64_t* loss, uint64_t n = 1) { __atomic_fetch_add(loss, n, __ATOMIC_RELAXED); }

}  // namespace

void RegionNames::attach(recording::Table<recording::LiveRegion> regions, recording::ByteTable names) {
  regions_ = regions;
  names_ = names;
  regions_.append_zeroed(1);  // 0: none
}

uint32_t RegionNames::find(uint32_t parent, const char* name, size_t length, uint64_t hash) {
  const Locked locked(lock_);
  if (const uint32_t known = map_.find(hash)) {
    const recording::LiveRegion& r = regions_[known];
    if (r.parent == parent && r.length == length && memcmp(names_.data() + r.name, name, length) == 0) return known;
  }
  // The map forgets where hashes meet.
  for (uint32_t i = 1; i < regions_.size(); ++i) {
    const recording::LiveRegion& r = regions_[i];
    if (r.parent == parent && r.length == length && memcmp(names_.data() + r.name, name, length) == 0) return i;
  }
  const uint32_t at = names_.size();
  uint8_t* room = names_.room(length);
  recording::LiveRegion* made = room ? regions_.append() : nullptr;
  if (!made) return parent;
  memcpy(room, name, length);
  names_.advance(room + length);
  *made = {parent, at, static_cast<uint32_t>(length)};
  const uint32_t index = regions_.size() - 1;
  map_.put(hash, index);
  return index;
}

uint64_t RegionStack::hash_of(uint32_t parent, const char* name, size_t length) {
  uint64_t hash = trace::mix(parent + 0x5bd1e995u, length);
  for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, name + at, length - at < sizeof(word) ? length - at : sizeof(word));
    hash = trace::mix(hash, word);
  }
  return hash;
}

Ticks RegionStack::recorded_now() const {
  const Ticks since = shared_.pauses->since;
  return (since ? since : now()) - shared_.pauses->ticks;
}

uint32_t RegionStack::enter(const char* name, size_t length) {
  if (length > RegionNames::longest_name) length = RegionNames::longest_name;
  const uint32_t parent = current();
  if (depth_ == most_open) {
    ++beyond_;
    count(shared_.merged);
    return parent;
  }
  const uint64_t hash = hash_of(parent, name, length);
  Cached& cached = cache_[hash >> 58];
  if (cached.hash != hash) {
    const uint32_t region = shared_.names->find(parent, name, length, hash);
    if (region == parent) count(shared_.merged);
    cached = {hash, region};
  }
  open_[depth_++] = {hash, recorded_now(), cached.region, shared_.pauses->since != 0};
  return cached.region;
}

void RegionStack::close(const Open& open, Ticks end) {
  if (open.region == 0 || (open.paused && shared_.pauses->since && end <= open.begin)) return;
  while (times_.size() <= open.region) {
    recording::LiveRegionTimes* made = times_.append();
    if (!made) return;
    *made = {};
  }
  recording::LiveRegionTimes& t = times_[open.region];
  const Ticks took = end > open.begin ? end - open.begin : 0;
  if (!t.entries || took < t.shortest) t.shortest = took;
  if (took > t.longest) t.longest = took;
  t.ticks += took;
  ++t.entries;
}

uint32_t RegionStack::leave(const char* name, size_t length) {
  if (length > RegionNames::longest_name) length = RegionNames::longest_name;
  if (beyond_) {
    --beyond_;
    return current();
  }
  const Ticks end = recorded_now();
  // The innermost one with that name; those within it were not left.
  uint32_t depth = depth_;
  while (depth) {
    const uint32_t parent = depth > 1 ? open_[depth - 2].region : 0;
    if (open_[depth - 1].hash == hash_of(parent, name, length)) break;
    --depth;
  }
  if (!depth) {
    count(shared_.unbalanced);
    return current();
  }
  count(shared_.unbalanced, depth_ - depth);
  while (depth_ >= depth) close(open_[--depth_], end);
  return current();
}

void RegionStack::end() {
  const Ticks end = recorded_now();
  count(shared_.unbalanced, depth_ + beyond_);
  beyond_ = 0;
  while (depth_) close(open_[--depth_], end);
}

}  // namespace leadline::recorder
