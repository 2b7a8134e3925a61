// Finds the longest message that is sent before it is received, and the longest one whose send ends while its receiver
// is in no call. They show an eager limit, whatever the library calls it, and up to where the library copies messages.
//
// The first does not depend on timing: messages between two ranks keep their order, so an eager message has left when a
// later one has been answered. For the second, the receiver sleeps; what is not sure, because other work kept the
// sender from its core meanwhile, is tried again. The caller gives the messages: src/probe, whose library is loaded,
// and src/bench.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace leadline::network {

enum class EagerTag : int { message, ping, pong, next };
inline constexpr int eager_answers = 8;

// Both sides do as many tests, so that the one which receives need not be told about each.
inline int eager_tests(int64_t most) {
  int tests = 1;
  for (; most > 0; most /= 2) ++tests;
  return tests;
}

// `it`: begin(bytes) starts a nonblocking send, is_over() tests it, finish() waits for it; send(tag) and receive(tag)
// are blocking and empty; take(most) receives the message.
template <class Messages>
bool sent_unreceived(Messages& it, int64_t bytes) {
  it.begin(bytes);
  bool done = false;
  for (int i = 0; i < eager_answers; ++i) {
    it.send(EagerTag::ping);
    it.receive(EagerTag::pong);
    done = done || it.is_over();
  }
  it.send(EagerTag::next);  // now it is received
  if (!done) it.finish();
  return done;
}

// On the sending side: bytes, at most `most` (then perhaps more), -1 where not even an empty message is eager.
template <class Messages>
int64_t longest_unreceived(Messages& it, int64_t most) {
  int64_t least = -1, beyond = most + 1;  // eager; not
  for (int i = eager_tests(most); i > 0; --i) {
    const int64_t middle = least + (beyond - least) / 2;
    if (middle <= least || middle >= beyond) {
      sent_unreceived(it, 0);  // the other side counts tests
    } else {
      (sent_unreceived(it, middle) ? least : beyond) = middle;
    }
  }
  return least;
}

// On the receiving side.
template <class Messages>
void receive_late(Messages& it, int64_t most) {
  for (int i = eager_tests(most); i > 0; --i) {
    for (int answer = 0; answer < eager_answers; ++answer) {
      it.receive(EagerTag::ping);
      it.send(EagerTag::pong);
    }
    it.receive(EagerTag::next);
    it.take(most);
  }
}

inline constexpr int64_t unknown_bytes = -2;
inline constexpr int64_t falling_asleep_ns = 200'000, sure_ns = 1'000'000;
inline constexpr int first_sleep_ms = 3, longest_sleep_ms = 96, most_unsure = 24;

inline int64_t steady_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

inline void sleep_ns(int64_t ns) {
  timespec left{ns / 1'000'000'000, ns % 1'000'000'000};
  while (nanosleep(&left, &left) != 0) {
  }
}

enum class Copied { no, yes, unknown };

template <class Messages>
Copied sent_to_sleeper(Messages& it, int64_t bytes, int sleep_ms) {
  const int64_t wakes = steady_ns() + sleep_ms * int64_t{1'000'000};  // at the earliest
  it.tell(static_cast<char>(sleep_ms));
  it.receive(EagerTag::pong);
  sleep_ns(falling_asleep_ns);
  it.begin(bytes);
  const int64_t began = steady_ns();
  Copied found = Copied::unknown;
  bool done = false;
  while (!done) {
    done = it.is_over();
    const int64_t now = steady_ns();
    if (now >= wakes) break;
    if (done) {
      found = Copied::yes;
    } else if (now >= began + sure_ns) {
      found = Copied::no;
    }
  }
  if (!done) it.finish();
  return found;
}

// On the sending side: bytes, at most `most`; -1 where not even an empty message is; unknown_bytes.   `it` has besides:
// tell(number) and hear(), of one byte.
template <class Messages>
int64_t longest_copied(Messages& it, int64_t most) {
  int64_t least = -1, beyond = most + 1;  // copied; not
  int unsure = 0, sleep_ms = first_sleep_ms;
  for (int64_t next = most; beyond - least > 1 && unsure < most_unsure;) {
    const Copied found = sent_to_sleeper(it, next, sleep_ms);
    if (found == Copied::unknown) {
      ++unsure;
      sleep_ms = std::min(2 * sleep_ms, longest_sleep_ms);
      continue;
    }
    (found == Copied::yes ? least : beyond) = next;
    next = least + (beyond - least) / 2;
  }
  it.tell(0);
  return beyond - least == 1 ? least : unknown_bytes;
}

// On the receiving side.   most: of those that are taken.
template <class Messages>
void receive_asleep(Messages& it, int64_t most) {
  while (const int ms = it.hear()) {
    it.send(EagerTag::pong);
    sleep_ns(ms * int64_t{1'000'000});
    it.take(most);
  }
}

}  // namespace leadline::network
