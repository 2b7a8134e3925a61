// What counting the messages of an irregular program takes in memory: nearly each of its messages has a channel of its
// own, and its calls come at positions that are visited once. Bytes are those that were asked for, whoever allocates.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <string>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "calls/thread_calls.hpp"

namespace {

constexpr size_t head = alignof(std::max_align_t);  // before each block: its size
size_t in_use = 0, most_in_use = 0;

}  // namespace

void* operator new(size_t bytes) {
  char* const block = static_cast<char*>(std::malloc(bytes + head));
  if (!block) std::abort();
  *reinterpret_cast<size_t*>(block) = bytes;
  in_use += bytes;
  most_in_use = in_use > most_in_use ? in_use : most_in_use;
  return block + head;
}
void operator delete(void* from) noexcept {
  if (!from) return;
  char* const block = static_cast<char*>(from) - head;
  in_use -= *reinterpret_cast<size_t*>(block);
  std::free(block);
}
void operator delete(void* from, size_t) noexcept { operator delete(from); }

namespace {

using testing::check;
using testing::check_equal;
using namespace leadline;

constexpr uint64_t messages = 60000;

// One send for each tag, to one of three ranks.
trace::Process irregular() {
  trace::Process p;
  p.functions = {{"MPI_Send", trace::CallClass::send}};
  p.communicators.resize(2);
  p.communicators[1].identity = 7;
  p.communicators[1].size = 4;
  p.datatypes.resize(2);
  recording::MemoryThread thread;
  trace::programs::Random r(1);
  for (uint64_t i = 0; i < messages; ++i) {
    trace::Key key;
    key.comm = 1;
    key.datatype = 1;
    key.count = static_cast<int64_t>(trace::programs::below(r, 4000));
    key.peer = 1 + static_cast<int32_t>(trace::programs::below(r, 3));
    key.tag = static_cast<int32_t>(i);
    thread.add(key, 100, 10);
  }
  std::string error;
  p.streams.push_back(thread.decode(&error));
  check_equal(error, "", "decoded");
  p.streams[0].sites.resize(1);
  return p;
}

void traffic_takes_few_bytes_a_message() {
  const trace::Process p = irregular();
  trace::Walker walker(p.streams[0]);
  trace::Event event;
  check(walker.next(&event), "the first call");  // the order is known: from here on the walk allocates nothing
  const size_t before = in_use;
  most_in_use = in_use;
  uint64_t counted = 0;
  calls::Traffic traffic(p, 0);
  do {
    const calls::CallEffects& effects = traffic.count(event);
    const std::vector<calls::MessageHalf> halves = traffic.halves_of(effects);
    counted += halves.size() == 1 && halves[0].number == 1;
  } while (walker.next(&event));
  check_equal(counted, messages, "first messages of their channels");
  // 16 for the channel, 4 to 12 to find it, 8 to 16 for its count, 4 to 8 for the position; vectors double.
  const double bytes = static_cast<double>(most_in_use - before) / messages;
  check(bytes < 80, "bytes a message: " + std::to_string(bytes));
}

void channels_are_told_apart() {
  calls::Channels channels;
  std::map<std::pair<bool, calls::Channel>, uint32_t> known;
  trace::programs::Random r(2);
  const auto some = [&](uint64_t below) { return static_cast<int32_t>(trace::programs::below(r, below)) - 1; };
  bool same = true;
  for (int i = 0; i < 200000; ++i) {
    const calls::Channel channel{1 + trace::programs::below(r, 2), some(4), some(4), some(200), some(9) == 0};
    const bool sends = trace::programs::below(r, 2) != 0;
    const auto number = static_cast<uint32_t>(known.size());
    const auto [at, fresh] = known.try_emplace({sends, channel}, number);
    same = same && channels.number_of(sends, channel, number) == at->second;
  }
  check(same, "each end of a channel has the number that it was given first");
}

}  // namespace

int main() {
  traffic_takes_few_bytes_a_message();
  channels_are_told_apart();
  return testing::result();
}
