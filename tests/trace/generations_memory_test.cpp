// What the trace of an irregular program takes in memory: a part of its bytes, for long payloads stay in their file,
// and one decoded generation at a time, whose positions take ten times as much as in the file. Bytes are those that
// were asked for, whoever allocates.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "../native/check.hpp"
#include "../recording/memory_process.hpp"
#include "../recording/programs.hpp"
#include "recording/reading/process_files.hpp"
#include "trace/reading/series_walk.hpp"

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
using namespace leadline::recording;
using namespace leadline::trace;

constexpr int parts = 6;
constexpr uint64_t calls = 20000;  // of each part: nearly as many positions

// Calls of which no two are alike, in several generations. Returns the bytes of the file.
size_t write_irregular(const std::string& path) {
  MemoryProcess p;
  programs::Random r(3);
  for (int part = 0; part < parts; ++part) {
    for (uint64_t i = 0; i < calls; ++i) {
      Key key;
      key.comm = 1;
      key.datatype = 1;
      key.site = static_cast<uint32_t>(programs::below(r, 8));
      key.count = static_cast<int64_t>(programs::below(r, 4000));
      key.peer = 1 + static_cast<int32_t>(programs::below(r, 3));
      key.tag = static_cast<int32_t>(programs::below(r, 64000));
      p.thread().add(key, 100 + programs::below(r, 3000), 50 + programs::below(r, 3000));
    }
    if (part + 1 < parts) p.thread().turn();
  }
  const Bytes file = MemoryProcess::file_of(p.chunks());
  FILE* f = std::fopen(path.c_str(), "wb");
  if (!f || std::fwrite(file.data(), 1, file.size(), f) != file.size()) std::abort();
  std::fclose(f);
  return file.size();
}

// The most bytes that `work` had at once, beyond what was there.
template <class Work>
size_t most_of(Work&& work) {
  const size_t before = in_use;
  most_in_use = in_use;
  work();
  return most_in_use - before;
}

void a_process_holds_less_than_the_file() {
  const auto file = static_cast<double>(write_irregular("irregular.trace"));
  const size_t before = in_use;
  Process p;
  check_equal(read_process("irregular.trace", &p).message, "", "read");
  const Stream& stream = p.streams.at(0);
  check_equal(stream.generations.size(), size_t{parts}, "generations");
  size_t largest = 0;
  for (const WrittenGeneration& g : stream.generations) {
    largest = std::max(largest, most_of([&] { g.decoded(); }));
  }
  {
    const auto last = stream.generations.back().decoded();
  }
  const double held = static_cast<double>(in_use - before);
  std::printf("file %.0f bytes, held %.2f times, decoded generation %.2f times\n", file, held / file,
              static_cast<double>(largest) / file);
  // One decoded generation stays for whoever needs it next.
  check(held < 0.4 * file + static_cast<double>(largest), "held: " + std::to_string(held / file) + " times the file");

  uint64_t walked = 0;
  const size_t walk = most_of([&] {
    SeriesWalk all(stream);
    TimedEvent event;
    while (all.next(&event)) ++walked;
  });
  check_equal(walked, calls * parts, "calls");
  uint64_t tallied = 0;
  const size_t tally = most_of([&] { for_each_tally(stream, [&](const Tally& t) { tallied += t.times; }); });
  check_equal(tallied, calls * parts, "tallied calls");
  // To walk takes the order of one generation, too.
  const auto one = static_cast<double>(largest);
  check(static_cast<double>(walk) < 2 * one, "a walk takes " + std::to_string(walk) + " bytes");
  check(static_cast<double>(tally) < 1.5 * one, "counting takes " + std::to_string(tally) + " bytes");
}

}  // namespace

int main() {
  a_process_holds_less_than_the_file();
  return testing::result();
}
