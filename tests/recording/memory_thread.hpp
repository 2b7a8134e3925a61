// A thread's region in plain memory instead of the recorder's mapped file, for tests without MPI.
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "recording/encode.hpp"
#include "recording/event_graph.hpp"
#include "trace/structure.hpp"

namespace leadline::recording {

using namespace trace;

// A generation of these bytes. `wrong` is set if it can't be read back.
inline WrittenGeneration written(const std::vector<uint8_t>& bytes, std::string* wrong) {
  auto decoded = std::make_shared<Generation>();
  uint32_t thread = 0;
  *wrong = decode_generation(ByteReader(bytes.data(), bytes.size()), &thread, decoded.get());
  return {std::move(decoded), std::make_shared<const Payload>(Payload{Packing::none, bytes, {}}), true};
}

class MemoryThread {
 public:
  MemoryThread() {
    region_ = static_cast<char*>(
        mmap(nullptr, thread_at::end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    graph_.attach(&header(), region_, {[](void*, char*, char*) { return true; }, nullptr}, &lost_, &coarse_,
                  {[](void* self) { static_cast<MemoryThread*>(self)->turn(); }, this});
    graph_.reset(false);
    graph_.series().keep(series_probe, series_probe, true, {});
  }
  ~MemoryThread() { munmap(region_, thread_at::end); }

  ThreadHeader& header() { return *reinterpret_cast<ThreadHeader*>(region_); }
  EventGraph& graph() { return graph_; }
  // As the recorder does: on the thread's clock; a poll that failed is no event.
  void add(const Key& key, uint64_t duration, uint64_t gap) {
    header().last_end += duration + gap;
    if (key.comm & flag_nothing) return graph_.add_poll(key.site, duration, gap);
    graph_.add(key, duration, gap);
  }
  char* region() { return region_; }
  uint64_t lost() const { return lost_; }
  size_t encoded_bytes() const { return encoded_bytes_; }
  // Those that ended; the last one is still being made.
  const std::vector<std::vector<uint8_t>>& generations() const { return chunks_; }
  const std::vector<std::vector<uint8_t>>& series() const { return series_; }
  void spend_budget() {
    turn();
    graph_.reset(true);
  }

  // Everything so far, decoded. `error` stays empty unless a generation can't be read back.
  Stream decode(std::string* error) {
    turn();
    Stream stream;
    for (const auto& bytes : chunks_) {
      std::string wrong;
      stream.generations.push_back(written(bytes, &wrong));
      if (!wrong.empty()) *error = wrong;
    }
    for (const auto& bytes : series_) {
      ByteReader in(bytes.data(), bytes.size());
      in.varint();
      Series s;
      s.generation = static_cast<uint32_t>(in.varint());
      const std::string wrong = decode_series(in, &s);
      if (!wrong.empty()) *error = wrong;
      stream.series.push_back(std::move(s));
    }
    return stream;
  }

  void turn() {
    ByteSink sink;
    encode_generation(region_, 1ull << 32, &sink);
    encoded_bytes_ += sink.size();
    chunks_.emplace_back(sink.data(), sink.data() + sink.size());
    sink.clear();
    if (encode_series(region_, 1ull << 32, 0, true, &sink))
      series_.emplace_back(sink.data(), sink.data() + sink.size());
    ++header().generation;
    graph_.reset(header().unordered);
  }

 private:
  char* region_;
  EventGraph graph_;
  uint64_t lost_ = 0, coarse_ = 0;
  size_t encoded_bytes_ = 0;
  std::vector<std::vector<uint8_t>> chunks_, series_;
};

}  // namespace leadline::recording
