#include "recording/at_most.hpp"
#include "recording/encode.hpp"

namespace leadline::recording {

namespace {

// The contents of the tables; nothing in them is trusted.
struct Tables {
  const LiveFile* files;
  const char* text;
  const FileRun* runs;
  uint64_t file_count, text_size, run_count;
};

Tables tables_of(const char* region) {
  const auto& h = *reinterpret_cast<const ProcessHeader*>(region);
  return {reinterpret_cast<const LiveFile*>(region + process_at::files),
          region + process_at::file_text,
          reinterpret_cast<const FileRun*>(region + process_at::file_runs),
          at_most(h.files.used, capacity::files),
          at_most(h.file_text.used, capacity::file_text),
          at_most(h.file_runs.used, capacity::file_runs)};
}

void encode_layer(const uint64_t (&counts)[trace::file_counts], const TickScale& scale, trace::ByteSink* out) {
  for (uint32_t i = 0; i < trace::file_counts; ++i) {
    out->varint(i == static_cast<uint32_t>(trace::FileCount::ticks) ? scale.ns(counts[i]) : counts[i]);
  }
}

bool any(const uint64_t (&counts)[trace::file_counts]) {
  for (const uint64_t c : counts) {
    if (c) return true;
  }
  return false;
}

void encode_runs(const FileRuns& runs, const Tables& t, uint64_t* runs_left, trace::ByteSink* out) {
  const bool kept = runs.first <= t.run_count && runs.used <= t.run_count - runs.first && runs.used <= *runs_left;
  const uint32_t n = kept ? runs.used : 0;
  *runs_left -= n;
  out->varint(n);
  out->byte(runs.overflow != 0 || !kept);
  uint64_t before = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const FileRun& r = t.runs[runs.first + i];
    out->svarint(static_cast<int64_t>(r.begin - before));
    out->varint(r.length);
    out->varint(r.count);
    if (r.count > 1) out->varint(r.stride);
    before = r.begin;
  }
}

}  // namespace

void encode_files(const char* region, trace::ByteSink* out) {
  const Tables t = tables_of(region);
  const TickScale scale{reinterpret_cast<const ProcessHeader*>(region)->tick_factor};
  uint64_t runs_left = t.run_count;  // no two files share runs
  uint64_t text_left = t.text_size;
  out->varint(t.file_count);
  for (uint64_t i = 0; i < t.file_count; ++i) {
    const LiveFile& f = t.files[i];
    const uint64_t room = f.name < t.text_size ? at_most(t.text_size - f.name, text_left) : 0;
    const size_t length = strnlen(t.text + f.name * (room != 0), room);
    text_left -= length;
    out->string(t.text + f.name * (room != 0), length);
    out->varint(f.flags);
    out->svarint(f.size);
    uint8_t layers = 0;
    for (uint32_t l = 0; l < trace::file_layers; ++l) layers |= static_cast<uint8_t>(any(f.counts[l]) << l);
    out->byte(layers);
    for (uint32_t l = 0; l < trace::file_layers; ++l) {
      if (layers & 1 << l) encode_layer(f.counts[l], scale, out);
    }
    encode_runs(f.reads, t, &runs_left, out);
    encode_runs(f.beneath, t, &runs_left, out);
  }
}

}  // namespace leadline::recording
