#include "probe/eager.hpp"

#include <vector>

namespace leadline::probe {

namespace {

constexpr int message = 7, ping = 8, pong = 9, next = 10;  // tags
constexpr int rounds = 8;
constexpr int status_bytes = 128;  // more than any library's

// Whether a send to rank 1 completes while rank 1 has posted no receive for it. This does not depend on timing:
// messages between two ranks keep their order, so an eager message has left when a later one has been answered.
bool is_eager(const Library& it, std::vector<char>* buffer, long bytes) {
  alignas(16) char status[status_bytes];
  char nothing = 0;
  Handle request = 0;
  int done = 0;
  it.isend(buffer->data(), static_cast<int>(bytes), it.byte, 1, message, it.world, &request);
  for (int round = 0; round < rounds; round++) {
    it.send(&nothing, 1, it.byte, 1, ping, it.world);
    it.recv(&nothing, 1, it.byte, 1, pong, it.world, status);
    if (!done) it.test(&request, &done, status);
  }
  it.send(&nothing, 1, it.byte, 1, next, it.world);  // now it is received
  if (!done) it.wait(&request, status);
  return done != 0;
}

void answer(const Library& it, std::vector<char>* buffer) {
  alignas(16) char status[status_bytes];
  char nothing = 0;
  for (int round = 0; round < rounds; round++) {
    it.recv(&nothing, 1, it.byte, 0, ping, it.world, status);
    it.send(&nothing, 1, it.byte, 0, pong, it.world);
  }
  it.recv(&nothing, 1, it.byte, 0, next, it.world, status);
  it.recv(buffer->data(), static_cast<int>(buffer->size()), it.byte, 0, message, it.world, status);
}

int tests_for(long most) {
  int tests = 1;
  while (most > 0) {
    most /= 2;
    tests++;
  }
  return tests;
}

}  // namespace

long eager_bytes(const Library& it, long most) {
  int rank, size;
  it.rank(it.world, &rank);
  it.size(it.world, &size);
  if (size < 2 || !it.isend || !it.send || !it.recv || !it.test || !it.wait) return -1;
  std::vector<char> buffer(rank < 2 ? most + 1 : 0);
  const int tests = tests_for(most);
  long least = -1, beyond = most + 1;  // eager; not
  for (int i = 0; i < tests && rank < 2; i++) {
    if (rank == 1) {
      answer(it, &buffer);
      continue;
    }
    const long middle = least + (beyond - least) / 2;
    if (middle <= least || middle >= beyond) {
      is_eager(it, &buffer, 0);  // rank 1 counts tests
    } else {
      (is_eager(it, &buffer, middle) ? least : beyond) = middle;
    }
  }
  it.barrier(it.world);
  return least;
}

}  // namespace leadline::probe
