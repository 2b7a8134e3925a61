// A trace decoded from bytes that were kept is the trace as its file is read: whole, cut, damaged, and with files that
// several traces share. Times that were kept are those that would be read again.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "../native/check.hpp"
#include "../recording/memory_process.hpp"
#include "../recording/programs.hpp"
#include "recording/reading/process_files.hpp"
#include "trace/reading/kept_times.hpp"
#include "trace/reading/payloads.hpp"
#include "trace/reading/tallies.hpp"
#include "trace/structure.hpp"

namespace {

using namespace leadline::recording;
using namespace leadline::trace;
using testing::check;

void write_file(const std::string& path, const Bytes& bytes) {
  FILE* f = std::fopen(path.c_str(), "wb");
  if (!f || std::fwrite(bytes.data(), 1, bytes.size(), f) != bytes.size()) std::abort();
  std::fclose(f);
}

void fill(MemoryProcess* p, const std::string& kind, size_t limit) {
  programs::Random r(7);
  const int64_t words[] = {1, 2, 3};
  p->graph().intern(words, 3);
  size_t n = 0;
  for (Key k : programs::program(kind, r)) {
    if (n++ == limit) break;
    k.site &= 63;
    k.comm &= 0xff000001;
    k.datatype &= 3;
    if (k.extra > 1) k.extra = 2;
    p->thread().add(k, 100 + programs::below(r, 3000), 50);
  }
}

// All that tells two readings of one file apart.
std::string told(const std::string& error, const Process& p) {
  std::string text = error + "|" + p.host + "|" + std::to_string(p.complete) + "|" + std::to_string(p.file_bytes);
  for (const Loss& l : p.losses) text += "|" + l.code + " " + std::to_string(l.amount) + " " + l.message;
  for (const Stream& s : p.streams) {
    text += "|" + std::to_string(s.generations.size()) + "," + std::to_string(s.sites.size());
    for_each_tally(s, [&](const Tally& t) {
      text += ";" + std::to_string(t.key->site) + " " + std::to_string(t.times) + " " + std::to_string(t.amount);
    });
    for_each_site_time(s, [&](uint32_t site, const TimeStats& t) {
      text += ":" + std::to_string(site) + " " + std::to_string(t.count) + " " + std::to_string(t.sum_ns);
      for (size_t b = 0; b < DurationCounts::size(); ++b) text += t.hist[b] ? " " + std::to_string(t.hist[b]) : "";
    });
  }
  return text;
}

std::string read(const std::string& path, FilesRead* files, bool keep) {
  Process p;
  const std::string error = read_process(path, &p, files, keep).message;
  return told(error, p);
}

void same_in_every_way(const std::string& path, const std::string& what) {
  const std::string plain = read(path, nullptr, false);
  FilesRead files;
  check(read(path, &files, false) == plain, what + ": with shared files kept");
  for (const char* time : {"first", "second"}) {
    check(read(path, &files, true) == plain, what + ": from kept bytes, the " + time + " time");
  }
}

void any_file_is_read_alike() {
  MemoryProcess p;
  fill(&p, "mixture", 4000);
  const Bytes whole = MemoryProcess::file_of(p.chunks());
  write_file("a.trace", whole);
  same_in_every_way("a.trace", "whole");
  same_in_every_way("none.trace", "a file that is not there");
  programs::Random r(5);
  for (int round = 0; round < 60; ++round) {
    const std::string name = std::to_string(round) + ".trace";
    Bytes changed(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(programs::below(r, whole.size() + 1)));
    if (round % 3) changed = whole;
    if (round % 3 == 1)
      changed[programs::below(r, changed.size())] ^= static_cast<uint8_t>(1 + programs::below(r, 255));
    if (round % 3 == 2) {  // right checksums, wrong contents
      std::vector<Chunk> chunks = p.chunks();
      Bytes& payload = chunks[programs::below(r, chunks.size())].second;
      if (!payload.empty()) payload[programs::below(r, payload.size())] = static_cast<uint8_t>(r());
      changed = MemoryProcess::file_of(chunks);
    }
    write_file(name, changed);
    same_in_every_way(name, "changed " + std::to_string(round));
    unlink(name.c_str());
  }
}

// Kept bytes stay what they were, and are only read once.
void kept_bytes_outlive_the_file() {
  MemoryProcess p;
  fill(&p, "tree", 400);
  write_file("b.trace", MemoryProcess::file_of(p.chunks()));
  FilesRead files;
  const std::string before = read("b.trace", &files, true);
  unlink("b.trace");
  check(read("b.trace", &files, true) == before, "bytes were kept");
  check(read("b.trace", &files, false) != before, "what is not to be kept is read from the file");
}

// Long payloads stay in their file, which stays open: it may be removed, and it may be replaced. Whoever overwrites it
// does not make us read anything else.
void long_payloads_are_read_again() {
  MemoryProcess p;
  programs::Random r(9);
  for (int i = 0; i < 30000; ++i) {
    Key key;
    key.site = static_cast<uint32_t>(programs::below(r, 60));
    key.comm = 1;
    key.datatype = 1;
    key.count = static_cast<int64_t>(programs::below(r, 4000));
    key.tag = static_cast<int32_t>(programs::below(r, 64000));
    p.thread().add(key, 100 + programs::below(r, 3000), 50 + programs::below(r, 3000));
  }
  const Bytes whole = MemoryProcess::file_of(p.chunks());
  check(whole.size() > 4 * most_held, "a long payload: " + std::to_string(whole.size()) + " bytes");
  write_file("d.trace", whole);
  same_in_every_way("d.trace", "a long trace");
  FilesRead files;
  Process held;
  const std::string before = told(read_process("d.trace", &held, &files, true).message, held);
  unlink("d.trace");
  check(told("", held) == before, "the file was removed");
  write_file("d.trace", {1, 2, 3});
  check(read("d.trace", &files, true) == before, "the file was replaced");
  unlink("d.trace");

  write_file("e.trace", whole);
  Process overwritten;
  check(told(read_process("e.trace", &overwritten).message, overwritten) == before, "another reading");
  Process same = overwritten;
  write_file("e.trace", Bytes(whole.size(), 7));
  Process other;
  read_process("d.trace", &other);  // and the room for generations is somebody else's
  for (const WrittenGeneration& g : same.streams.at(0).generations) {
    check(g.decoded()->positions.empty() || g.decoded()->positions.size() == g.facts().positions, "old or nothing");
  }
}

void several_threads_read_one_file() {
  MemoryProcess p;
  fill(&p, "mixture", 2000);
  write_file("c.trace", MemoryProcess::file_of(p.chunks()));
  const std::string plain = read("c.trace", nullptr, false);
  FilesRead files;
  std::atomic<int> alike{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { alike += read("c.trace", &files, true) == plain; });
  for (std::thread& t : threads) t.join();
  check(alike == 4, "threads that read at once");
}

void times_are_read_once_while_there_is_room() {
  int reads = 0;
  const auto values = [&](size_t count) {
    return [&reads, count] {
      ++reads;
      ReadTimes times;
      times.values.resize(count, {1, 2});
      times.polled.resize(count);
      times.ends.emplace_back(0, count);
      return times;
    };
  };
  Process without;
  times_of(without, 0, 0, values(3));
  times_of(without, 0, 0, values(3));
  check(reads == 2, "nothing is kept of a process that keeps nothing");
  reads = 0;
  {
    KeptTimes kept, other;
    const auto first = kept.of(0, 1, values(5));
    check(first == kept.of(0, 1, values(9)) && first->values.size() == 5 && reads == 1, "the same times");
    check(kept.of(1, 1, values(7))->values.size() == 7 && reads == 2, "those of another stream");
    check(other.of(0, 1, values(4))->values.size() == 4 && reads == 3, "those of another process");
    for (int i = 0; i < 2; ++i) kept.of(2, 0, values(KeptTimes::most_values));
    check(reads == 5, "too many to be kept are read again");
    other.of(2, 0, values(KeptTimes::most_values - 16));
    check(reads == 6 && other.of(2, 0, values(1))->values.size() > 1, "what has room is kept");
    kept.of(3, 0, values(1));
    kept.of(3, 0, values(1));
    check(reads == 8, "no room is left for all processes together");
  }
  KeptTimes later;
  later.of(0, 0, values(KeptTimes::most_values));
  later.of(0, 0, values(KeptTimes::most_values));
  check(reads == 9, "the room of processes that are gone is free again");
}

}  // namespace

int main() {
  any_file_is_read_alike();
  kept_bytes_outlive_the_file();
  long_payloads_are_read_again();
  several_threads_read_one_file();
  times_are_read_once_while_there_is_room();
  return testing::result();
}
