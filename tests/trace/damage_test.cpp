// Damaged and foreign files: the reader says what is wrong or gives what is left, never crashes, hangs or takes memory
// beyond a small multiple of the file's size (docs/reference/format.md, Limits).
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "../native/check.hpp"
#include "../recording/memory_process.hpp"
#include "../recording/programs.hpp"
#include "recording/reading/process_files.hpp"
#include "trace/reading/byte_models.hpp"
#include "trace/reading/inflate.hpp"
#include "trace/reading/payloads.hpp"
#include "trace/reading/unpacker.hpp"

namespace {
size_t in_use = 0, peak = 0;
}

void* operator new(size_t n) {
  void* p = std::malloc(n);
  if (!p) throw std::bad_alloc();
  in_use += malloc_usable_size(p);
  peak = in_use > peak ? in_use : peak;
  return p;
}
void operator delete(void* p) noexcept {
  if (p) in_use -= malloc_usable_size(p);
  std::free(p);
}
void operator delete(void* p, size_t) noexcept { operator delete(p); }

namespace {

using namespace leadline::recording;
using namespace leadline::trace;

constexpr uint64_t most_events = 2000000;

struct Outcome {
  std::string error;
  bool damaged = false;  // a loss says so
  uint64_t events = 0;   // walked
  uint64_t calls = 0;    // counted
};

using testing::check;

int rare = 1;  // 1 in so many of the cases that are many

// What unpacks payloads serves all reads to come, so it stays behind.
void unpack_once() {
  static const Payload payload{Packing::modelled, {0, 0}, {}};
  const Unpacked unpacked(payload);
}

// Reads and uses all that the file gives.
Outcome read(const std::string& path, size_t file_bytes, const std::string& what) {
  unpack_once();
  Outcome out;
  const size_t before = in_use;
  peak = in_use;
  {
    Process p;
    out.error = read_process(path, &p).message;
    for (const Loss& l : p.losses) out.damaged |= l.code == "trace-damaged" || l.code == "process-ended-early";
    check(out.error.empty() || !p.complete, what + ": an error, yet complete");
    check(p.complete || out.damaged || !out.error.empty(), what + ": not complete, and nothing says why");
    for (const Stream& s : p.streams) {
      Walker walker(s);
      Event e;
      uint64_t calls = 0;
      for (; out.events < most_events && walker.next(&e); out.events += e.times) calls += e.run ? 0 : e.times;
      Walker elsewhere(s);
      elsewhere.seek(s.generations.size() / 2, out.events / 3);
      elsewhere.next(&e);
      uint64_t passed = 0, timed = 0;
      Walker at_once(s);
      at_once.pass(s.generations.size(), 0, {[&](const Event& event) { passed += event.times; }, [](auto...) {}});
      check(passed == calls || (out.damaged && passed <= calls), what + ": passes other calls than it walks");
      for_each_tally(s, [&](const Tally& t) { out.calls += t.times; });
      for_each_site_time(s, [&](uint32_t, const TimeStats& t) { timed += t.count; });
    }
  }
  const size_t taken = peak - before, left = in_use - before;
  check(taken <= 160 * file_bytes + (size_t{1} << 20), what + ": takes " + std::to_string(taken) + " bytes");
  check(left <= 2 * out.error.capacity() + 16, what + ": leaves " + std::to_string(left) + " bytes behind");
  return out;
}

void write_file(const std::string& path, const uint8_t* data, size_t size) {
  FILE* f = std::fopen(path.c_str(), "wb");
  if (!f || (size && std::fwrite(data, 1, size, f) != size)) std::abort();
  std::fclose(f);
}

// One file, overwritten each time. Not by /proc/self/fd: that is a link, and readers follow none.
Outcome read_bytes(const Bytes& bytes, const std::string& what, size_t size = SIZE_MAX) {
  static const int fd = open("bytes.trace", O_RDWR | O_CREAT | O_TRUNC, 0600);
  size = std::min(size, bytes.size());
  if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes.data(), size, 0) != static_cast<ssize_t>(size)) std::abort();
  return read("bytes.trace", size, what);
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

Bytes trace_of(const std::string& kind, size_t limit) {
  MemoryProcess p;
  fill(&p, kind, limit);
  return MemoryProcess::file_of(p.chunks());
}

void cuts_are_noticed() {
  for (const char* kind : {"tree", "mixture"}) {
    const bool small = std::string(kind) == "tree";
    const Bytes whole = trace_of(kind, small ? 400 : 40000);
    const Outcome all = read_bytes(whole, "whole");
    check(all.error.empty() && !all.damaged && all.calls == (small ? 400 : 40000), "a whole trace is read");
    for (size_t size = 0; size < whole.size(); size += small ? 1 : whole.size() / 200) {
      const Outcome o = read_bytes(whole, std::string(kind) + " cut at " + std::to_string(size), size);
      check(!o.error.empty() || o.damaged, std::string(kind) + ": cut at " + std::to_string(size) + " is not noticed");
    }
  }
}

void flipped_bits_are_noticed() {
  Bytes bytes = trace_of("polls only", 300);
  for (size_t bit = 0; bit < 8 * bytes.size(); bit += static_cast<size_t>(rare)) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    const std::string what = "bit " + std::to_string(bit);
    const Outcome o = read_bytes(bytes, what);
    const bool reserved = bit / 8 >= 12 && bit / 8 < 16;
    const bool older = bit < 8 * 12 && bytes[8] >= oldest_version && bytes[8] < format_version;  // which is read, too
    check(reserved || older || !o.error.empty() || o.damaged, what + " is not noticed");
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
}

// Right checksums, wrong contents.
void nonsense_is_survived() {
  programs::Random r(3);
  const Bytes header = MemoryProcess::file_of({});
  const Bytes process = MemoryProcess().chunks()[0].second;
  for (int round = 0; round < 3000 / rare; ++round) {
    Bytes payload(programs::below(r, 300));
    for (uint8_t& b : payload) b = static_cast<uint8_t>(programs::below(r, 3) ? r() : 0);
    // Declared sizes of any magnitude, the largest included.
    if (round % 3 == 0) {
      uint8_t number[max_varint_bytes];
      uint8_t* end = put_varint(number, round % 2 ? UINT64_MAX : r() >> programs::below(r, 64));
      const size_t at = programs::below(r, std::min<size_t>(payload.size(), 12) + 1);
      payload.insert(payload.begin() + static_cast<std::ptrdiff_t>(at), number, end);
    }
    Bytes file = header;
    MemoryProcess::append_chunk(&file, ChunkType::process, process);
    MemoryProcess::append_chunk(&file, static_cast<ChunkType>(1 + programs::below(r, 15)), payload);
    read_bytes(file, "nonsense " + std::to_string(round));
    read_bytes(payload, "garbage " + std::to_string(round));
  }
}

// The whole structure is there, with a single byte of a payload changed and the checksum made right again.
void changed_bytes_are_survived() {
  MemoryProcess p;
  fill(&p, "mixture", 3000);
  const std::vector<Chunk> chunks = p.chunks();
  programs::Random r(5);
  for (int round = 0; round < 4000 / rare; ++round) {
    std::vector<Chunk> changed = chunks;
    Bytes& payload = changed[programs::below(r, changed.size())].second;
    if (payload.empty()) continue;
    for (uint64_t n = 1 + programs::below(r, 2); n > 0; --n)
      payload[programs::below(r, payload.size())] = static_cast<uint8_t>(r());
    read_bytes(MemoryProcess::file_of(changed), "changed " + std::to_string(round));
  }
}

// As traces of version 2 have it.
Bytes modelled(const Bytes& payload) {
  const Scratchpad<BitModel> memory(ByteModels::models(payload.size()));
  ByteModels models(payload.size(), memory.get());
  ByteSink out;
  RangeWriter<ByteSink> coder(&out);
  for (const uint8_t byte : payload) models.code(coder, byte);
  coder.end();
  return {out.data(), out.data() + out.size()};
}

void packed_chunks_come_back(programs::Random& r) {
  for (int round = 0; round < 400 / rare; ++round) {
    const uint64_t letters = 1 + programs::below(r, round % 2 ? 4 : 256);
    Bytes payload(programs::below(r, 2000));
    for (uint8_t& b : payload) b = static_cast<uint8_t>(programs::below(r, letters));
    if (round % 8 == 0) payload.assign(payload.size(), 7);
    const Bytes older = modelled(payload);
    Bytes from_older(payload.size());
    Unpacker unpacker;
    check(unpacker.unpack(older.data(), older.size(), from_older.data(), from_older.size()) && from_older == payload,
          "packed as before " + std::to_string(round));
    ByteSink plain, packed;
    plain.bytes(payload.data(), payload.size());
    if (!pack_payload(plain, &packed)) continue;
    ByteReader in(packed.data(), packed.size());
    const uint64_t size = in.varint(), bytes = in.varint();
    Bytes again(size);
    check(packed.size() < payload.size() && size == payload.size() && bytes == in.left() &&
              inflate_bytes(in.data(), bytes, again.data(), size) && again == payload,
          "packed " + std::to_string(round));
  }
}

// What other writers of DEFLATE may do, and Leadline's does not: bytes as they are, and several blocks.
void other_writers_streams_are_read() {
  const Bytes stream{0x00, 3, 0, 0xfc, 0xff, 'a', 'b', 'c', 0x01, 1, 0, 0xfe, 0xff, 'd'};
  const Bytes payload{'a', 'b', 'c', 'd'};
  Bytes read(payload.size()), more(payload.size() + 1);
  check(inflate_bytes(stream.data(), stream.size(), read.data(), read.size()) && read == payload, "plain blocks");
  check(!inflate_bytes(stream.data(), stream.size(), more.data(), more.size()), "more than there is");
  for (size_t cut = 0; cut < stream.size(); ++cut) {
    check(!inflate_bytes(stream.data(), cut, read.data(), read.size()), "cut off at " + std::to_string(cut));
  }
}

void packed_nonsense_is_survived() {
  programs::Random r(11);
  packed_chunks_come_back(r);
  other_writers_streams_are_read();
  const Bytes header = MemoryProcess::file_of({});
  const Bytes process = MemoryProcess().chunks()[0].second;
  for (int round = 0; round < 1000 / rare; ++round) {
    Bytes coded(1 + programs::below(r, 300)), payload;
    for (uint8_t& b : coded) b = static_cast<uint8_t>(r());
    uint8_t number[2 * max_varint_bytes];
    const uint64_t size = round % 4 ? programs::below(r, most_ratio * coded.size()) : r() >> programs::below(r, 64);
    payload.insert(payload.end(), number, put_varint(put_varint(number, size), coded.size()));
    payload.insert(payload.end(), coded.begin(), coded.end());
    Bytes file = header;
    MemoryProcess::append_chunk(&file, ChunkType::process, process);
    MemoryProcess::append_chunk(&file, static_cast<ChunkType>(1 + programs::below(r, 15)), payload,
                                round % 3 ? packed_flag : modelled_flag);
    const auto outcome = read_bytes(file, "packed nonsense " + std::to_string(round));
    check(size < most_ratio * (coded.size() + 1) || !outcome.error.empty() || outcome.damaged,
          "it claims to hold too much");
  }
}

void declared_sizes_are_not_believed() {
  Bytes file = trace_of("tree", 100);
  for (const uint32_t size : {UINT32_MAX, 1u << 31, 1u << 28, (1u << 28) + 1}) {
    Bytes b(file.begin(), file.begin() + 16);
    const ChunkHeader h{chunk_magic, 1, size, 0};
    b.insert(b.end(), reinterpret_cast<const uint8_t*>(&h), reinterpret_cast<const uint8_t*>(&h + 1));
    check(!read_bytes(b, "declared size").error.empty(), "a chunk of " + std::to_string(size) + " bytes");
    // The same where the file seems to be that large.
    write_file("sparse.trace", b.data(), b.size());
    if (truncate("sparse.trace", off_t{1} << 40) == 0) {
      check(!read("sparse.trace", size_t{1} << 31, "sparse").error.empty(), "a sparse file");
    }
  }
  std::remove("sparse.trace");
}

void other_things_are_refused() {
  check(!read("nothing.trace", 0, "no file").error.empty(), "no file");
  mkdir("directory.trace", 0755);
  check(!read("directory.trace", 0, "directory").error.empty(), "a directory");
  rmdir("directory.trace");
  if (mkfifo("pipe.trace", 0644) == 0) check(!read("pipe.trace", 0, "pipe").error.empty(), "a pipe");
  if (mkfifo("pipe.live", 0644) == 0) check(!read("pipe.live", 0, "pipe").error.empty(), "a pipe as live file");
  std::remove("pipe.trace"), std::remove("pipe.live");
  check(!read("/dev/zero", 0, "device").error.empty(), "a device");
  check(!read_bytes({}, "empty").error.empty(), "an empty file");
  Bytes newer = trace_of("tree", 10);
  newer[8] = format_version + 1;
  check(read_bytes(newer, "version").error.find("version " + std::to_string(format_version + 1)) != std::string::npos,
        "a newer version is named");
}

Outcome read_here(const Bytes& bytes, const std::string& what) {
  write_file("damaged.trace", bytes.data(), bytes.size());
  return read("damaged.trace", bytes.size(), what);
}

// Sites and structure in another file.
void shared_files_are_checked() {
  MemoryProcess p;
  fill(&p, "tree", 200);
  std::vector<Chunk> own, shared;
  for (Chunk& c : p.chunks()) {
    const bool moves = c.first == ChunkType::sites || c.first == ChunkType::structure;
    (moves ? shared : own).push_back(c);
  }
  shared.emplace_back(ChunkType::end, Bytes());
  const std::string digits = "00112233445566778899aabbccddeeff";
  const auto trace_with = [&](const std::string& name, size_t times) {
    std::vector<Chunk> all = own;
    for (size_t i = 0; i < times; ++i)
      all.insert(all.begin() + 1, Chunk{ChunkType::shared, Bytes(name.begin(), name.end())});
    return MemoryProcess::file_of(all);
  };
  const Bytes file = MemoryProcess::file_of(shared);
  const std::string path = "shared-" + digits + ".structure";
  check(read_here(trace_with(digits, 1), "no shared file").damaged, "a shared file that is not there");
  write_file(path, file.data(), file.size());
  const Outcome whole = read_here(trace_with(digits, 1), "shared");
  check(whole.error.empty() && !whole.damaged && whole.calls == 200, "a shared file is read");
  const size_t both = file.size() + trace_with(digits, 1).size();
  for (size_t size = 0; size < file.size(); size += 7) {
    write_file(path, file.data(), size);
    const Bytes trace = trace_with(digits, 1);
    write_file("damaged.trace", trace.data(), trace.size());
    check(read("damaged.trace", both, "shared cut").damaged, "a shared file cut at " + std::to_string(size));
  }
  write_file(path, file.data(), file.size());
  const Bytes often = trace_with(digits, 1000);
  check(read_here(often, "shared often").damaged, "a shared file that is named twice");
  for (const std::string name : {"../../../../../../../../etc/hosts", "0011", "00112233445566778899aabbccddeefF"}) {
    check(read_here(trace_with(name, 1), "name").damaged, "a shared file called " + name);
  }
  std::remove(path.c_str());
}

class LiveCopy {
 public:
  explicit LiveCopy(MemoryProcess* p) : fd_(open("damaged.live", O_RDWR | O_CREAT | O_TRUNC, 0644)) {
    p->write_live(fd_);
  }
  ~LiveCopy() {
    close(fd_);
    std::remove("damaged.live");
  }
  LiveCopy(const LiveCopy&) = delete;
  LiveCopy& operator=(const LiveCopy&) = delete;
  int fd() const { return fd_; }
  void flip(size_t bit) const {
    uint8_t byte = 0;
    const auto at = static_cast<off_t>(bit / 8);
    if (pread(fd_, &byte, 1, at) != 1) return;
    byte ^= static_cast<uint8_t>(1u << bit % 8);
    if (pwrite(fd_, &byte, 1, at) != 1) std::abort();
  }
  std::vector<size_t> pages() const {
    std::vector<size_t> all;
    for (off_t at = lseek(fd_, 0, SEEK_DATA); at >= 0; at = lseek(fd_, at, SEEK_DATA)) {
      const off_t hole = lseek(fd_, at, SEEK_HOLE);
      for (; at < hole; at += static_cast<off_t>(page)) all.push_back(static_cast<size_t>(at));
    }
    return all;
  }

 private:
  int fd_;
};

constexpr size_t live_bytes = process_at::end + thread_at::end;

void damaged_live_files_are_survived() {
  MemoryProcess p;
  fill(&p, "mixture", 3000);
  p.header().finalized = 0;
  const LiveCopy live(&p);
  const Outcome whole = read("damaged.live", live_bytes, "live");
  check(whole.error.empty() && whole.damaged && whole.calls == 3000, "a live file is read: " + whole.error);
  const auto flip = [&](size_t bit) {
    live.flip(bit);
    const Outcome o = read("damaged.live", live_bytes, "live, bit " + std::to_string(bit));
    check(o.events < most_events, "live, bit " + std::to_string(bit) + ": an endless walk");
    live.flip(bit);
  };
  // The headers, which hold all counts, then anywhere.
  const size_t counts_of_process = offsetof(ProcessHeader, initialized);
  const size_t of_process = 8 * MemoryProcess::place_in(live.fd(), 0);
  const size_t of_thread = 8 * MemoryProcess::place_in(live.fd(), process_at::end);
  check(of_process && of_thread, "the headers have a place");
  for (size_t bit = 0; bit < 8 * 16; ++bit) flip(of_process + bit);
  for (size_t bit = 8 * counts_of_process; bit < 8 * sizeof(ProcessHeader); bit += 5 * static_cast<size_t>(rare))
    flip(of_process + bit);
  for (size_t bit = 0; bit < 8 * sizeof(ThreadHeader); bit += 3 * static_cast<size_t>(rare)) flip(of_thread + bit);
  const auto step = static_cast<size_t>(1 + rare / 40);  // each bit where a run is not among the shortest
  for (size_t bit = 0; bit < 8 * (offsetof(LiveDirectory, stretches) + 8 * sizeof(LiveStretch)); bit += step) flip(bit);
  const std::vector<size_t> pages = live.pages();
  programs::Random r(11);
  for (int i = 0; i < 1500 / rare; ++i)
    flip(8 * pages[programs::below(r, pages.size())] + programs::below(r, 8 * page));
  for (size_t i = 0; i < pages.size(); i += 1 + pages.size() / 60) {
    const size_t size = pages[pages.size() - 1 - i] + programs::below(r, page);
    if (ftruncate(live.fd(), static_cast<off_t>(size)) != 0) break;
    const Outcome o = read("damaged.live", live_bytes, "live, cut at " + std::to_string(size));
    check(!o.error.empty() || o.damaged, "live, cut at " + std::to_string(size));
  }
}

// Killed after a part was written and before the state said so: what is in both counts once.
void parts_and_live_file_are_put_together() {
  MemoryProcess p;
  fill(&p, "tree", 500);
  p.thread().turn();
  fill(&p, "tree", 300);
  p.header().generations_written = 1;
  p.header().finalized = 0;
  const LiveCopy live(&p);
  check(read("damaged.live", live_bytes, "no part").calls == 300, "without its part the rest is read");
  const auto with_part = [&](const std::vector<Chunk>& chunks, uint64_t calls, const char* what) {
    const Bytes part = MemoryProcess::file_of(chunks);
    write_file("damaged.part", part.data(), part.size());
    const Outcome o = read("damaged.live", live_bytes, what);
    check(o.calls == calls, std::string(what) + ": " + std::to_string(o.calls) + " calls");
  };
  const std::vector<Chunk> all = p.chunks(true);
  with_part({all[0]}, 800, "a part and the rest");
  with_part(all, 800, "a file that was almost finished");
  std::remove("damaged.part");
}

}  // namespace

// damage_test [RARE]: one in so many cases of each kind that has many.
int main(int argc, char** argv) {
  if (argc > 1) rare = std::max(1, std::atoi(argv[1]));
  // A loop without end is a failure; a busy machine is none, so the processor's time counts. Who waits is ended by the
  // limit of the test that runs this.
  const itimerval limit = {{0, 0}, {280, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  cuts_are_noticed();
  flipped_bits_are_noticed();
  nonsense_is_survived();
  packed_nonsense_is_survived();
  changed_bytes_are_survived();
  declared_sizes_are_not_believed();
  other_things_are_refused();
  shared_files_are_checked();
  damaged_live_files_are_survived();
  parts_and_live_file_are_put_together();
  std::remove("damaged.trace"), std::remove("bytes.trace");
  return testing::result();
}
