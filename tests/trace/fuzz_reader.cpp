// Fuzzes what lies behind the checksums: payloads of chunks go straight to the decoders, and patches to the memory a
// killed process left go through the salvage. Everything the reader offers is then done with the result.
//   With libFuzzer (clang): clang++ -fsanitize=fuzzer,address,undefined -DLEADLINE_LIBFUZZER … ; see
//   test_sanitizers.py. Without it: a short run of random mutations of the built-in traces. fuzz_reader --seeds DIR
//   writes the inputs to begin with.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../recording/memory_process.hpp"
#include "../recording/programs.hpp"
#include "analysis/matching/matching.hpp"
#include "analysis/profile.hpp"
#include "calls/thread_calls.hpp"
#include "fuzz_mutator.hpp"
#include "recording/reading/salvage.hpp"
#include "trace/reading/decode.hpp"
#include "trace/reading/series_walk.hpp"

namespace {

using namespace leadline::recording;
using namespace leadline::trace;

constexpr uint64_t most_events = 20000;

// Few bytes may declare any number of events: those who walk decide how far. As long as a generation is held, whoever
// has it decoded gets the same one.
using Held = std::vector<std::shared_ptr<const Generation>>;
void hold_few_events(const Process& process, uint64_t most, Held* held) {
  for (const Stream& s : process.streams) {
    for (const WrittenGeneration& written : s.generations) {
      held->push_back(written.decoded());
      auto& g = const_cast<Generation&>(*held->back());
      g.events = std::min(g.events, most);
      g.most = std::min(g.most, most);
    }
  }
}

void use(Process* process) {
  finish_process(process);
  uint64_t sum = 0;
  Held held;
  hold_few_events(*process, most_events, &held);
  for (const Stream& s : process->streams) {
    Walker walker(s);
    Event e;
    while (walker.next(&e))
      sum += e.times + e.word_count + (e.word_count ? static_cast<uint64_t>(e.words[e.word_count - 1]) : 0);
    SeriesWalk series(s);
    TimedEvent timed;
    while (series.next(&timed)) sum += timed.duration_ns > 0 ? timed.window : 0;
    for_each_tally(s, [&](const Tally& t) { sum += t.times + t.word_count; });
    for_each_site_time(s, [&](uint32_t site, const TimeStats& t) { sum += site + t.count; });
  }
  leadline::analysis::Profile profile;
  profile.add(*process);
  for (const auto& edge : profile.edges()) sum += edge.messages;
  sum += profile.iterations().strip.size() + profile.time().clocks;
  const auto shared = std::make_shared<Process>(std::move(*process));
  hold_few_events(*shared, most_events / 10, &held);
  for (size_t i = 0; i < shared->streams.size(); ++i) {
    using leadline::calls::ThreadCalls;
    using leadline::calls::Wanted;
    ThreadCalls thread(*shared, i, {Wanted::Form::equal, true});
    while (thread.next()) {
      const auto& call = thread.decoded();
      for (const auto& part : call.parts) sum += part.comm + part.maker.number + (part.partner.real() ? 1 : 0);
      for (const int64_t n : call.collective.receive_counts) sum += static_cast<uint64_t>(n);
    }
  }
  leadline::analysis::Matching matching({shared});
  for (const uint64_t iteration : {0, 5}) sum += matching.iteration(iteration).calls.size();
  [[maybe_unused]] static volatile uint64_t kept;
  kept = sum;
}

// Input: type (1 byte), length (3 bytes), payload; and so on.
void fuzz_chunks(const uint8_t* data, size_t size) {
  Process process;
  while (size >= 4) {
    const auto type = static_cast<ChunkType>(data[0]);
    const size_t length = std::min<size_t>(data[1] | data[2] << 8 | data[3] << 16, size - 4);
    if (!decode_chunk(type, ByteReader(data + 4, length), &process).empty()) break;
    data += 4 + length;
    size -= 4 + length;
  }
  use(&process);
}

constexpr size_t all_of_it = 0;
void fill(MemoryProcess* process, int which, size_t limit = all_of_it);

// A live file in memory, and where it holds data.
struct LiveFile {
  int fd = -1;
  std::string path;
  char* base = nullptr;
  std::vector<size_t> pages;  // offsets

  LiveFile() {
    MemoryProcess process;
    fill(&process, 0);
    path =
        "/dev/shm/leadline-fuzz-" + std::to_string(getpid()) + ".live";  // readers follow no link, as in /proc/self/fd
    fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    process.write_live(fd);
    const auto size = static_cast<size_t>(lseek(fd, 0, SEEK_END));
    for (off_t at = lseek(fd, 0, SEEK_DATA); at >= 0;) {
      const off_t hole = lseek(fd, at, SEEK_HOLE);
      for (; at < hole; at += static_cast<off_t>(page)) pages.push_back(static_cast<size_t>(at));
      at = lseek(fd, hole, SEEK_DATA);
    }
    base = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  }
};

// Input: patches of 12 bytes: page (2 bytes: number among those with data), offset (2 bytes), 8 bytes to exclusive-or.
void fuzz_live(const uint8_t* data, size_t size) {
  static const LiveFile live;
  struct Patch {
    char* at;
    uint64_t value;
  };
  std::vector<Patch> patches;
  for (; size >= 12 && patches.size() < 64; data += 12, size -= 12) {
    uint16_t where[2];
    Patch p{};
    std::memcpy(where, data, sizeof(where));
    std::memcpy(&p.value, data + 4, sizeof(p.value));
    p.at = live.base + live.pages[where[0] % live.pages.size()] + where[1] % (page / 8) * 8;
    patches.push_back(p);
  }
  const auto apply_all = [&] {
    for (const Patch& p : patches) {
      uint64_t word;
      std::memcpy(&word, p.at, sizeof(word));
      word ^= p.value;
      std::memcpy(p.at, &word, sizeof(word));
    }
  };
  apply_all();
  Process process;
  if (salvage(live.path, &process).empty()) use(&process);
  apply_all();
}

void fuzz(const uint8_t* data, size_t size) {
  if (size < 1) return;
  if (data[0] == 'L') {
    fuzz_live(data + 1, size - 1);
  } else {
    fuzz_chunks(data + 1, size - 1);
  }
}

constexpr int seed_programs = 6;

void fill(MemoryProcess* process, int which, size_t limit) {
  programs::Random r(static_cast<uint64_t>(which) + 1);
  const char* kinds[seed_programs] = {"mixture", "small alphabet", "sizes vary", "polls only", "tree", "unordered"};
  const std::string kind = kinds[which];
  const std::vector<Key> log = programs::program(kind == "unordered" ? "random pairs" : kind, r);
  const int64_t words[] = {100, 200, 1, 0, 0, 3, 1, 2, 3, 0};
  process->graph().intern(words, 10);
  process->graph().intern(words, 4);
  if (kind == "unordered") process->graph().stop_ordering();
  if (limit == all_of_it) limit = which == 0 ? 20000 : 1500;
  for (size_t i = 0; i < log.size() && i < limit; ++i) {
    Key k = log[i];
    k.site &= 63;
    k.comm &= 0xff000003;
    k.datatype &= 3;
    if (k.extra > 1) k.extra &= 3;
    process->thread().add(k, 100 + programs::below(r, 3000), 50);
  }
}

Bytes input_of_chunks(const std::vector<Chunk>& chunks) {
  Bytes input{'C'};
  for (const auto& [type, payload] : chunks) {
    const size_t n = payload.size();
    for (const size_t b : {static_cast<size_t>(type), n & 0xff, n >> 8 & 0xff, n >> 16 & 0xff}) {
      input.push_back(static_cast<uint8_t>(b));
    }
    input.insert(input.end(), payload.begin(), payload.end());
  }
  return input;
}

Bytes input_of(int which, bool whole, size_t limit = all_of_it) {
  MemoryProcess process;
  fill(&process, which, limit);
  return input_of_chunks(process.chunks(whole));
}

// The tables a process has besides its calls, each with the process itself: file I/O, regions, pauses, clock, ...
std::vector<Bytes> tables() {
  MemoryProcess process;
  fill(&process, 1, 30);
  const std::vector<Chunk> all = process.chunks();
  std::vector<Bytes> inputs;
  for (const Chunk& table : all) {
    const bool calls = table.first == ChunkType::structure || table.first == ChunkType::times;
    if (!calls && table.first != ChunkType::process) inputs.push_back(input_of_chunks({all.front(), table}));
  }
  return inputs;
}

// Calls without order, as once the budget is spent; with parameters summed up.
Bytes beyond_budget() {
  MemoryProcess process;
  programs::Random r(7);
  process.thread().spend_budget();
  for (int i = 0; i < 60; ++i) {
    Key k = programs::plain(static_cast<uint32_t>(1 + i % 5), 8, i % 3, 0);
    k.count = static_cast<int64_t>(programs::below(r, 1u << 20));
    process.thread().add(k, 100 + programs::below(r, 3000), 50);
  }
  return input_of_chunks(process.chunks());
}

// A loop that is sampled: its strip, its slowest, windows.
Bytes sampled_series() {
  MemoryProcess process;
  process.graph().series().keep(4096, 4096, false, {});
  for (uint64_t i = 0; i < 40000; ++i) {
    process.thread().add(programs::plain(static_cast<uint32_t>(1 + i % 4), 8, 1, 0), 2000, i == 30001 ? 900000 : 50);
  }
  std::vector<Chunk> chunks = process.chunks();
  for (auto& [type, payload] : chunks) {
    // The bits of few calls will do: what is cut off is as good as a damaged one.
    if (type == ChunkType::series && payload.size() > 1500) payload.resize(1500);
  }
  return input_of_chunks(chunks);
}

void write_seeds(const std::string& directory) {
  const auto write = [&](const std::string& name, const Bytes& bytes) {
    if (FILE* f = std::fopen((directory + "/" + name).c_str(), "wb")) {
      std::fwrite(bytes.data(), 1, bytes.size(), f);
      std::fclose(f);
    }
  };
  for (int i = 1; i < seed_programs; ++i) {
    write("chunks" + std::to_string(i), input_of(i, i % 2));
    // Small ones are tried a hundred times as often.
    write("small" + std::to_string(i), input_of(i, i % 2 == 0, 60));
  }
  size_t n = 0;
  for (const Bytes& table : tables()) write("table" + std::to_string(++n), table);
  write("budget", beyond_budget());
  write("sampled", sampled_series());
  write("live", Bytes{'L', 0, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz(data, size);
  return 0;
}

#ifdef LEADLINE_LIBFUZZER
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);
// Half of the mutations are libFuzzer's own.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return seed % 2 ? LLVMFuzzerMutate(data, size, most) : mutator::change(data, size, most, seed / 2 + 1);
}
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::strcmp((*argv)[1], "--seeds") == 0) {
    write_seeds((*argv)[2]);
    std::exit(0);
  }
  return 0;
}
#else
int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--seeds") == 0) return write_seeds(argv[2]), 0;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 300;
  programs::Random r(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  for (int which = 1; which < seed_programs; ++which) {
    const Bytes input = input_of(which, which % 2);
    fuzz(input.data(), input.size());
    for (int round = 0; round < rounds; ++round) {
      Bytes b = input;
      for (uint64_t n = 1 + programs::below(r, 4); n > 0; --n) {
        uint8_t& at = b[1 + programs::below(r, b.size() - 1)];
        at = programs::below(r, 2) ? static_cast<uint8_t>(r()) : at ^ static_cast<uint8_t>(1u << programs::below(r, 8));
      }
      fuzz(b.data(), b.size());
    }
  }
  for (int round = 0; round < rounds; ++round) {
    Bytes b(1 + 12 * (1 + programs::below(r, 3)));
    for (uint8_t& byte : b) byte = static_cast<uint8_t>(programs::below(r, 3) ? 0 : r());
    b[0] = 'L';
    for (size_t p = 1; p < b.size(); p += 12) {
      b[p] = static_cast<uint8_t>(r()), b[p + 1] = static_cast<uint8_t>(r()), b[p + 2] = static_cast<uint8_t>(r()),
      b[p + 3] = static_cast<uint8_t>(r());
    }
    fuzz(b.data(), b.size());
  }
  std::puts("ok");
}
#endif
