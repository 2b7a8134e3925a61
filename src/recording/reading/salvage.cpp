#include "recording/reading/salvage.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "recording/encode.hpp"
#include "recording/reading/live_reader.hpp"
#include "trace/reading/decode.hpp"

namespace leadline::trace {

namespace {

class File {
 public:
  explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

std::string decode(ChunkType type, const ByteSink& sink, Process* p) {
  if (!sink.ok()) return "no memory";
  return decode_chunk(type, ByteReader(sink.data(), sink.size()), p);
}

std::string salvage_process(const char* region, const uint8_t (&used)[max_functions], Process* p) {
  ByteSink sink;
  const auto take = [&](ChunkType type, void (*encode)(const char*, ByteSink*)) {
    sink.clear();
    encode(region, &sink);
    return decode(type, sink, p);
  };
  std::string wrong = take(ChunkType::process, encode_process);
  if (wrong.empty()) wrong = take(ChunkType::modules, encode_modules);
  if (wrong.empty()) wrong = take(ChunkType::communicators, encode_communicators);
  if (wrong.empty()) wrong = take(ChunkType::datatypes, encode_datatypes);
  if (wrong.empty()) wrong = take(ChunkType::ops, encode_ops);
  if (wrong.empty()) wrong = take(ChunkType::losses, encode_losses);
  if (wrong.empty()) wrong = take(ChunkType::files, encode_files);
  if (wrong.empty()) wrong = take(ChunkType::clock, encode_clock);
  if (wrong.empty() && has_placement(region)) wrong = take(ChunkType::placement, encode_placement);
  if (!wrong.empty()) return wrong;
  sink.clear();
  encode_functions(region, used, &sink);
  return decode(ChunkType::functions, sink, p);
}

// True if the generation was read before: the process was killed after it had written it and before it began the next.
bool has_generation(const Process& p, const ThreadHeader& h) {
  for (const Stream& s : p.streams) {
    if (s.thread != h.thread) continue;
    for (const Generation& g : s.generations) {
      if (g.number == h.generation) return true;
    }
  }
  return false;
}

std::string salvage_thread(char* region, uint64_t tick_factor, uint64_t origin_ticks, Process* p) {
  ByteSink sink;
  classify_loops(region);
  encode_sites(region, &sink);
  std::string wrong = decode(ChunkType::sites, sink, p);
  if (!wrong.empty()) return wrong;
  if (!has_generation(*p, *reinterpret_cast<const ThreadHeader*>(region))) {
    sink.clear();
    encode_generation(region, tick_factor, &sink);
    wrong = decode(ChunkType::generation, sink, p);
    if (!wrong.empty()) return wrong;
    sink.clear();
    if (encode_series(region, tick_factor, origin_ticks, true, &sink)) wrong = decode(ChunkType::series, sink, p);
    if (!wrong.empty()) return wrong;
  }
  sink.clear();
  encode_loops(region, &sink);
  wrong = decode(ChunkType::loops, sink, p);
  if (!wrong.empty()) return wrong;
  sink.clear();
  encode_locals(region, tick_factor, &sink);
  wrong = decode(ChunkType::locals, sink, p);
  if (!wrong.empty()) return wrong;
  sink.clear();
  encode_region_times(region, tick_factor, &sink);
  return decode(ChunkType::region_times, sink, p);
}

// What the thread sat in, and when it came out of the call before that; after its stream is there.
void salvage_end(const char* region, const ProcessHeader& process, Process* p) {
  const auto& h = *reinterpret_cast<const ThreadHeader*>(region);
  Stream* stream = nullptr;
  for (Stream& s : p->streams) {
    if (s.thread == h.thread) stream = &s;
  }
  if (!stream || h.last_end <= process.first_ticks) return;
  const TickScale scale{process.tick_factor};
  const auto since_begin = [&](uint64_t ticks) { return static_cast<double>(scale.ns(ticks - process.first_ticks)); };
  stream->last_end_ns = since_begin(h.last_end);
  if (!h.call || process.pauses.since) return;  // while paused calls are not looked at
  const uint64_t begin = h.call_begin > h.last_end ? h.call_begin : h.last_end;
  if (h.call >= in_function) {
    if (h.call - in_function >= max_functions) return;
    stream->under_way = {true, h.call - in_function, UINT32_MAX, since_begin(begin)};
  } else {
    const uint32_t site = h.call - in_site;
    if (site >= stream->sites.size()) return;
    stream->under_way = {true, stream->sites[site].function, site, since_begin(begin)};
  }
}

}  // namespace

// 128 ns per tick: beyond that the times of a call, 32 bits of ticks, would not fit the histogram.
constexpr uint64_t largest_tick_factor = uint64_t{1} << 39;

std::string salvage(const std::string& path, Process* p) {
  const File file(path);
  if (file.fd() < 0) return std::strerror(errno);
  struct stat s{};
  if (fstat(file.fd(), &s) != 0 || !S_ISREG(s.st_mode)) return "not a file";
  const LiveMap map(file.fd(), static_cast<uint64_t>(s.st_size));
  if (!map.error().empty()) return map.error();
  const RegionMemory process(file.fd(), map, 0, process_at::end);
  if (!process.base()) return "no memory";
  auto* h = reinterpret_cast<ProcessHeader*>(process.base());
  if (std::memcmp(h->magic, live_magic, sizeof(live_magic)) != 0) return "not the state of a recorded process";
  if (h->version != live_version) return "made by another version of Leadline";
  p->file_bytes += static_cast<uint64_t>(s.st_blocks) * 512;
  uint64_t generations = 0;
  for (const Stream& stream : p->streams) generations += stream.generations.size();
  uint8_t used[max_functions] = {};
  std::string damage = map.damage();
  if (h->tick_factor == 0 || h->tick_factor > largest_tick_factor) {
    damage = "the unit of its times";
    h->tick_factor = uint64_t{1} << 32;
  }
  uint64_t last = h->last_ticks, calls = 0;
  const uint32_t threads = h->threads < max_threads ? h->threads : max_threads;
  for (uint32_t i = 0; i < threads; ++i) {
    const RegionMemory thread(file.fd(), map, process_at::end + i * thread_at::end, thread_at::end);
    if (!thread.base()) return "no memory";
    const auto* th = reinterpret_cast<const ThreadHeader*>(thread.base());
    if (std::memcmp(th->magic, live_magic, sizeof(live_magic)) != 0) continue;  // it was being made
    if (th->thread != i) {
      damage = "thread " + std::to_string(i) + ": it calls itself " + std::to_string(th->thread);
      continue;
    }
    mark_functions(thread.base(), &used);
    if (th->call >= in_function && th->call - in_function < max_functions) used[th->call - in_function] = 1;
    calls += calls_aside(thread.base());
    if (th->last_end > last) last = th->last_end;
    const std::string wrong = salvage_thread(thread.base(), h->tick_factor, h->first_ticks, p);
    if (!wrong.empty()) damage = "thread " + std::to_string(i) + ": " + wrong;
    salvage_end(thread.base(), *h, p);
  }
  if (!h->finalized) h->last_ticks = last;
  const std::string wrong = salvage_process(process.base(), used, p);
  if (!wrong.empty()) return wrong;
  if (has_regions(process.base())) {
    ByteSink sink;
    encode_regions(process.base(), &sink);
    const std::string regions = decode(ChunkType::regions, sink, p);
    if (!regions.empty()) damage = "regions: " + regions;
  }
  if (was_paused(process.base())) {
    ByteSink sink;
    encode_pauses(process.base(), calls, &sink);
    const std::string pauses = decode(ChunkType::pauses, sink, p);
    if (!pauses.empty()) damage = "pauses: " + pauses;
  }
  if (generations < h->generations_written) {
    p->losses.push_back({"trace-damaged", h->generations_written - generations,
                         "parts written before the end are missing from the .part file or damaged"});
  }
  if (!damage.empty()) p->losses.push_back({"trace-damaged", 1, damage + "; it was left out"});
  p->losses.push_back({"process-ended-early", 1,
                       h->finalized ? "the process ended after MPI_Finalize without closing its trace (killed?)"
                                    : "the process ended without closing its trace (killed?); what it had recorded "
                                      "until then was used"});
  return "";
}

}  // namespace leadline::trace
