#include "recording/loop_finder.hpp"

namespace leadline::recording {

namespace {

constexpr uint32_t least_occurrences = 8;
constexpr double least_cover = 0.9;
constexpr int distance_bins = 24;

// The facts about a call that comes often enough to be looked at.
struct Recurring {
  uint32_t position;  // the first position with its key
  uint32_t count, last, first;
  uint32_t span[distance_bins];   // calls in distances of each order of magnitude
  uint32_t times[distance_bins];  // number of distances
  float cover, period;
  uint32_t collective;
};

int bin_of(uint32_t distance) {
  const int bin = 31 - __builtin_clz(distance | 1);
  return bin < distance_bins ? bin : distance_bins - 1;
}

// Regular if two neighbouring bins hold nearly all of the way from its first occurrence to the end.
void judge(Recurring* r, uint64_t n) {
  const double way = static_cast<double>(n - r->first);
  for (int b = 0; b + 1 < distance_bins; ++b) {
    const double span = static_cast<double>(r->span[b]) + r->span[b + 1];
    const uint32_t times = r->times[b] + r->times[b + 1];
    const auto cover = static_cast<float>(span / (way > 0 ? way : 1));
    if (cover <= r->cover || !times) continue;
    r->cover = cover;
    r->period = static_cast<float>(span / times);
  }
}

class Finder {
 public:
  Finder(const SeriesEntry* entries, uint64_t n, const uint32_t* first_of, uint64_t positions, Recurring* recurring,
         uint32_t* slot)
      : entries_(entries), n_(n), first_of_(first_of), positions_(positions), all_(recurring), slot_(slot) {}

  uint32_t id(uint64_t i) const {
    const auto p = static_cast<uint32_t>(entries_[i].position);
    return p < positions_ ? first_of_[p] : 0;
  }

  void measure() {
    for (uint64_t i = 0; i < n_; ++i) ++slot_[id(i)];
    for (uint64_t p = 0; p < positions_; ++p) {
      const bool often = p >= trace::first_position && slot_[p] >= least_occurrences;
      slot_[p] = often ? ++count_ : 0;
      if (often) all_[count_] = Recurring{static_cast<uint32_t>(p), 0, 0, 0, {}, {}, 0, 0, 0};
    }
    for (uint64_t i = 0; i < n_; ++i) {
      const uint32_t s = slot_[id(i)];
      if (!s) continue;
      Recurring& r = all_[s];
      const auto at = static_cast<uint32_t>(i);
      if (r.count++) {
        const int bin = bin_of(at - r.last);
        r.span[bin] += at - r.last;
        ++r.times[bin];
      } else {
        r.first = at;
      }
      r.last = at;
    }
    for (uint32_t s = 1; s <= count_; ++s) judge(&all_[s], n_);
  }

  bool candidate(const Recurring& r) const {
    return r.cover >= least_cover && r.first < n_ / 2 && static_cast<double>(n_ - r.last) < 2.0 * r.period + 16;
  }
  static bool same_level(const Recurring& a, const Recurring& b) {
    const uint32_t more = a.count > b.count ? a.count : b.count, less = a.count + b.count - more;
    return more - less <= more / 8 + 1;
  }
  uint32_t level_size(const Recurring& level, bool collectives) const {
    uint32_t size = 0;
    for (uint32_t s = 1; s <= count_; ++s) {
      if (candidate(all_[s]) && same_level(all_[s], level) && (!collectives || all_[s].collective)) ++size;
    }
    return size;
  }

  // From the most frequent level outwards.
  const Recurring* choose(const Position* positions, const CallKinds& kinds) {
    bool collectives = false;
    for (uint32_t s = 1; s <= count_; ++s) {
      const trace::Key& key = positions[all_[s].position].key;
      if (kinds.is_on_file(key)) all_[s].cover = 0;
      all_[s].collective = candidate(all_[s]) && kinds.is_collective(key);
      collectives |= all_[s].collective != 0;
    }
    const Recurring* chosen = nullptr;
    for (uint64_t below = UINT64_MAX;;) {
      const Recurring* next = nullptr;
      for (uint32_t s = 1; s <= count_; ++s) {
        const Recurring& r = all_[s];
        if (!candidate(r) || (collectives && !r.collective) || r.count >= below) continue;
        if (chosen && same_level(r, *chosen)) continue;
        if (!next || r.count > next->count) next = &r;
      }
      if (!next) return chosen;
      if (!chosen || level_size(*next, collectives) >= 2 * level_size(*chosen, collectives)) chosen = next;
      below = next->count - next->count / 8;
    }
  }

  uint64_t next_of(uint32_t position, uint64_t from) const {
    while (from < n_ && id(from) != position) ++from;
    return from;
  }

  // Where the loop begins: from the first regular distance back as far as the iterations are alike. Then the call of
  // the level that lies nearest to the begin or the end of an iteration is the anchor.
  bool place(const Recurring& level, FoundLoop* found) const {
    uint64_t a = next_of(level.position, 0), b = next_of(level.position, a + 1);
    const double low = level.period / 2.0, high = level.period * 2.0;
    while (b < n_ && (static_cast<double>(b - a) < low || static_cast<double>(b - a) > high)) {
      a = b;
      b = next_of(level.position, b + 1);
    }
    if (b >= n_) return false;
    uint64_t back = 0;
    while (back < a && back + 1 < b - a && id(a - back - 1) == id(b - back - 1)) ++back;
    const uint64_t start = a - back, length = b - a;
    const auto of_level = [&](uint64_t i) {
      const uint32_t slot = slot_[id(i)];
      return slot && candidate(all_[slot]) && same_level(all_[slot], level);
    };
    uint64_t head = 0, tail = 0;
    while (head < length && !of_level(start + head)) ++head;
    while (tail < length && !of_level(start + length - 1 - tail)) ++tail;
    if (head == length) return false;
    found->after = tail < head;
    found->anchor = id(found->after ? start + length - 1 - tail : start + head);
    found->start = start;
    found->skipped = 0;
    for (uint64_t i = next_of(found->anchor, 0); i < start; i = next_of(found->anchor, i + 1)) ++found->skipped;
    found->period = level.period;
    return true;
  }

 private:
  const SeriesEntry* entries_;
  uint64_t n_;
  const uint32_t* first_of_;
  uint64_t positions_;
  Recurring* all_;  // from 1 on
  uint32_t* slot_;
  uint32_t count_ = 0;
};

}  // namespace

bool find_loop(const SeriesEntry* entries, uint64_t n, const Position* positions, uint64_t position_count,
               const uint32_t* first_of, const CallKinds& kinds, FoundLoop* found) {
  if (n < 2 * least_occurrences || n > UINT32_MAX || position_count <= trace::first_position) return false;
  const trace::Scratchpad<Recurring> recurring(n / least_occurrences + 2);
  const trace::Scratchpad<uint32_t> slot(position_count);
  if (!recurring || !slot) return false;
  Finder finder(entries, n, first_of, position_count, recurring.get(), slot.get());
  finder.measure();
  const Recurring* level = finder.choose(positions, kinds);
  return level && finder.place(*level, found);
}

bool positions_by_key(const Position* positions, uint64_t count, uint32_t* first_of) {
  uint64_t size = 16;
  while (size < 2 * count) size *= 2;
  const trace::Scratchpad<uint32_t> map(size);
  if (!map) return false;
  for (uint64_t i = 0; i < count; ++i) {
    first_of[i] = static_cast<uint32_t>(i);
    if (i < trace::first_position) continue;
    const Position& p = positions[i];
    for (uint64_t at = trace::mix(0x13, p.hash) & (size - 1);; at = (at + 1) & (size - 1)) {
      if (!map[at]) {
        map[at] = static_cast<uint32_t>(i);
        break;
      }
      if (positions[map[at]].hash == p.hash && positions[map[at]].key == p.key) {
        first_of[i] = map[at];
        break;
      }
    }
  }
  return true;
}

}  // namespace leadline::recording
