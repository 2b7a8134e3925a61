// Finds the longest message that is sent before it is received. It shows an eager limit, whatever the library calls it.
//
// This does not depend on timing: messages between two ranks keep their order, so an eager message has left when a
// later one has been answered. The caller gives the messages: src/probe, whose library is loaded, and src/bench.
#pragma once

#include <cstdint>

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

}  // namespace leadline::network
