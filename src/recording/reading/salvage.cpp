#include "recording/reading/salvage.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "recording/chunks.hpp"
#include "recording/reading/live_reader.hpp"
#include "trace/checksum.hpp"
#include "trace/end_of_trace.hpp"
#include "trace/reading/decode.hpp"
#include "trace/reading/reader.hpp"

namespace leadline::recording {

namespace {

class File {
 public:
  explicit File(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// The process that the memory becomes, and its chunks as those of a trace, if somebody wants them.
struct Target {
  trace::Process* process;
  std::vector<uint8_t>* chunks;

  std::string take(trace::ChunkType type, const trace::ByteSink& sink) const {
    if (!sink.ok()) return "out of memory";
    std::string wrong = trace::decode_chunk(type, trace::ByteReader(sink.data(), sink.size()), process);
    if (wrong.empty()) write(type, sink);
    return wrong;
  }

  void write(trace::ChunkType type, const trace::ByteSink& sink) const {
    if (!chunks) return;
    trace::ChunkHeader h{trace::chunk_magic, static_cast<uint32_t>(type), static_cast<uint32_t>(sink.size()), 0};
    h.crc = trace::crc32c(sink.data(), sink.size(), trace::crc32c(&h.type, sizeof(h.type) + sizeof(h.size)));
    const auto* head = reinterpret_cast<const uint8_t*>(&h);
    chunks->insert(chunks->end(), head, head + sizeof(h));
    if (sink.size()) chunks->insert(chunks->end(), sink.data(), sink.data() + sink.size());
  }
};

// Returns the error in a chunk that must be there; an error in a chunk that may be missing goes into `damage`.
std::string salvage_process(const ProcessView& view, const Target& target, std::string* damage) {
  trace::ByteSink sink;
  for (const ProcessChunk& chunk : process_chunks) {
    if (chunk.is_there && !chunk.is_there(view)) continue;
    sink.clear();
    chunk.encode(view, &sink);
    const std::string wrong = target.take(chunk.type, sink);
    if (wrong.empty()) continue;
    if (!chunk.is_there) return wrong;
    *damage = "invalid table of the process (type " + std::to_string(static_cast<uint32_t>(chunk.type)) + "): " + wrong;
  }
  return "";
}

// True if the generation was read before: the process was killed after writing it and before beginning the next.
bool has_generation(const trace::Process& p, const ThreadHeader& h) {
  for (const trace::Stream& s : p.streams) {
    if (s.thread != h.thread) continue;
    for (const trace::WrittenGeneration& g : s.generations) {
      if (g.facts().number == h.generation) return true;
    }
  }
  return false;
}

std::string salvage_thread(char* region, const ThreadView& view, const Target& target) {
  trace::ByteSink sink;
  classify_loops(region);
  const bool has = has_generation(*target.process, *reinterpret_cast<const ThreadHeader*>(region));
  for (const ThreadChunk& chunk : thread_chunks) {
    if (chunk.pieces == Pieces::apart || (has && trace::facts_of(chunk.type).in_part)) continue;
    sink.clear();
    if (!chunk.encode(view, &sink)) continue;
    std::string wrong = target.take(chunk.type, sink);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// Adds the call that the thread was in, and the end of the previous one; its stream must be there already.
void salvage_end(const char* region, const ProcessHeader& process, trace::Process* p) {
  const auto& h = *reinterpret_cast<const ThreadHeader*>(region);
  trace::Stream* stream = nullptr;
  for (trace::Stream& s : p->streams) {
    if (s.thread == h.thread) stream = &s;
  }
  if (!stream || h.last_end <= process.first_ticks) return;
  const TickScale scale{process.tick_factor};
  const auto since_begin = [&](uint64_t ticks) { return static_cast<double>(scale.ns(ticks - process.first_ticks)); };
  stream->last_end_ns = since_begin(h.last_end);
  const uint32_t call = h.aborted_site ? h.aborted_site : h.call;
  if (!call || process.pauses.since) return;  // calls are not observed during pauses
  const uint64_t last = h.call_begin > h.last_end ? h.call_begin : h.last_end;
  const uint64_t begin = h.aborted_site && h.aborted_at > process.first_ticks ? h.aborted_at : last;
  if (call >= in_function) {
    if (call - in_function >= trace::max_functions) return;
    stream->under_way = {true, call - in_function, UINT32_MAX, since_begin(begin)};
  } else {
    const uint32_t site = call - in_site;
    if (site >= stream->sites.size()) return;
    stream->under_way = {true, stream->sites[site].function, site, since_begin(begin)};
  }
}

// Damaged memory may contain any number.
uint64_t whole_ns(double ns) { return ns > 0 && ns < 0x1p63 ? static_cast<uint64_t>(ns) : 0; }

void write_end(const Target& target, uint64_t missing, bool damaged) {
  if (!target.chunks) return;
  trace::ByteSink sink;
  sink.varint(trace::end_killed | (target.process->finalized ? trace::end_finalized : 0) |
              (damaged ? trace::end_damaged : 0) | missing << trace::end_missing_shift);
  for (const trace::Stream& s : target.process->streams) {
    const trace::CallUnderWay& call = s.under_way;
    if (s.last_end_ns <= 0 && !call.known) continue;
    sink.varint(s.thread);
    sink.varint(call.known && call.site != UINT32_MAX ? uint64_t{call.site} + 1 : 0);
    sink.varint(call.known ? call.function : trace::end_in_no_call);
    sink.varint(whole_ns(call.begin_ns));
    sink.varint(whole_ns(s.last_end_ns));
  }
  target.write(trace::ChunkType::end, sink);
}

}  // namespace

// 128 ns per tick: with longer ticks the times of a call, 32 bits of ticks, would not fit the histogram.
constexpr uint64_t largest_tick_factor = uint64_t{1} << 39;

std::string salvage(const std::string& path, trace::Process* p, std::vector<uint8_t>* chunks) {
  const Target target{p, chunks};
  const File file(path);
  if (file.fd() < 0) return std::strerror(errno);
  struct stat s{};
  if (fstat(file.fd(), &s) != 0 || !S_ISREG(s.st_mode)) return "not a file";
  const LiveMap map(file.fd(), static_cast<uint64_t>(s.st_size));
  if (!map.error().empty()) return map.error();
  const RegionMemory process(file.fd(), map, 0, process_at::end);
  if (!process.base()) return "out of memory";
  auto* h = reinterpret_cast<ProcessHeader*>(process.base());
  if (std::memcmp(h->magic, live_magic, sizeof(live_magic)) != 0) return "not the state of a recorded process";
  if (h->version != live_version) return "written by another version of Leadline";
  p->file_bytes += static_cast<uint64_t>(s.st_blocks) * 512;
  uint64_t generations = 0;
  for (const trace::Stream& stream : p->streams) generations += stream.generations.size();
  ProcessView view{process.base()};
  std::string damage = map.damage();
  if (h->tick_factor == 0 || h->tick_factor > largest_tick_factor) {
    damage = "invalid time unit";
    h->tick_factor = uint64_t{1} << 32;
  }
  uint64_t last = h->last_ticks;
  const uint32_t threads = h->threads < trace::max_threads ? h->threads : trace::max_threads;
  for (uint32_t i = 0; i < threads; ++i) {
    const RegionMemory thread(file.fd(), map, process_at::end + i * thread_at::end, thread_at::end);
    if (!thread.base()) return "out of memory";
    const auto* th = reinterpret_cast<const ThreadHeader*>(thread.base());
    if (std::memcmp(th->magic, live_magic, sizeof(live_magic)) != 0) continue;  // the region was still being made
    if (th->thread != i) {
      damage = "thread " + std::to_string(i) + ": numbered " + std::to_string(th->thread);
      continue;
    }
    view.add_thread(thread.base());
    if (th->last_end > last) last = th->last_end;
    const ThreadView of_thread{thread.base(), h->tick_factor, h->first_ticks, has_regions(process.base())};
    const std::string wrong = salvage_thread(thread.base(), of_thread, target);
    if (!wrong.empty()) damage = "thread " + std::to_string(i) + ": " + wrong;
    salvage_end(thread.base(), *h, p);
  }
  if (!h->finalized) h->last_ticks = last;
  const std::string wrong = salvage_process(view, target, &damage);
  if (!wrong.empty()) return wrong;
  const uint64_t missing = generations < h->generations_written ? h->generations_written - generations : 0;
  if (missing) p->losses.push_back({"trace-damaged", missing, "blocks missing or damaged in the .part file"});
  write_end(target, missing, !damage.empty());
  if (!damage.empty()) p->losses.push_back({"trace-damaged", 1, damage + "; skipped"});
  p->losses.push_back({trace::ended_early, 1, trace::said_of_killed(h->finalized)});
  return "";
}

std::string chunks_of_killed(const std::string& path, std::vector<uint8_t>* chunks) {
  trace::Process process;
  trace::read_part(path.substr(0, path.size() - std::string_view(".live").size()) + ".part", &process);
  return salvage(path, &process, chunks);
}

}  // namespace leadline::recording
