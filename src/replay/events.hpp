// What happens next, in the order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace leadline::replay {

struct Event {
  enum class Kind : uint8_t { question, answer, rank };
  int64_t at_ps;
  uint64_t order;  // of messages: sender and number
  uint32_t who;    // a rank or a message
  Kind kind;
  bool operator>(const Event& other) const {
    if (at_ps != other.at_ps) return at_ps > other.at_ps;
    if (kind != other.kind) return kind > other.kind;
    return order > other.order;
  }
};

class Events {
 public:
  bool empty() const { return queue_.empty(); }
  const Event& top() const { return queue_.top(); }
  void push(const Event& event) { queue_.push(event); }
  Event pop() {
    const Event event = queue_.top();
    queue_.pop();
    return event;
  }
  // In their order.
  std::vector<Event> all() const {
    std::vector<Event> found;
    for (auto rest = queue_; !rest.empty(); rest.pop()) found.push_back(rest.top());
    return found;
  }
  void delay(int64_t ps) {
    std::vector<Event> events = all();
    for (Event& e : events) e.at_ps += ps;
    queue_ = std::priority_queue<Event, std::vector<Event>, std::greater<>>(std::greater<>(), std::move(events));
  }

 private:
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
};

}  // namespace leadline::replay
