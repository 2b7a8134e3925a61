// What happens next, in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leadline::replay {

struct Event {
  // At equal times in this order: a blocked rank is in its call when it is asked or answered; what has arrived; a
  // rank's turn; what leaves a rank's port, when all that leaves at that time is known.
  enum class Kind : uint8_t { contact, arrival, turn, leave };
  int64_t at_ps;
  uint64_t order;  // the kind, then the rank, of arrivals sender and number
  uint32_t who;    // a rank or a message

  static Event of_rank(int64_t at_ps, Kind kind, uint32_t rank) { return {at_ps, key(kind, rank), rank}; }
  static Event arrival(int64_t at_ps, uint32_t from, uint32_t number, uint32_t message) {
    return {at_ps, key(Kind::arrival, uint64_t{from} << 32 | number), message};
  }
  Kind kind() const { return static_cast<Kind>(order >> 62); }
  bool operator<(const Event& other) const { return at_ps != other.at_ps ? at_ps < other.at_ps : order < other.order; }

 private:
  static uint64_t key(Kind kind, uint64_t order) { return uint64_t{static_cast<uint8_t>(kind)} << 62 | order; }
};

// A heap in which each event has four below it: half as deep as one of two, and the four are neighbours in memory.
class Events {
 public:
  bool empty() const { return heap_.empty(); }
  const Event& top() const { return heap_.front(); }
  void push(const Event& event) {
    size_t at = heap_.size();
    heap_.push_back(event);
    while (at) {
      const size_t above = (at - 1) / 4;
      if (!(event < heap_[above])) break;
      heap_[at] = heap_[above];
      at = above;
    }
    heap_[at] = event;
  }
  Event pop() {
    const Event event = heap_.front(), last = heap_.back();
    heap_.pop_back();
    const size_t size = heap_.size();
    if (!size) return event;
    size_t at = 0;
    for (size_t below = 1; below < size; below = at * 4 + 1) {
      size_t least = below;
      const size_t end = std::min(below + 4, size);
      for (size_t i = below + 1; i < end; ++i) least = heap_[i] < heap_[least] ? i : least;
      if (!(heap_[least] < last)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = last;
    return event;
  }
  // In their order.
  std::vector<Event> all() const {
    std::vector<Event> found = heap_;
    std::sort(found.begin(), found.end());
    return found;
  }
  void delay(int64_t ps) {
    for (Event& e : heap_) e.at_ps += ps;
  }

 private:
  std::vector<Event> heap_;
};

}  // namespace leadline::replay
