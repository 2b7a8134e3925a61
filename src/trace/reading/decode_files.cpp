#include "trace/file_counts.hpp"
#include "trace/reading/decode.hpp"

namespace leadline::trace {

namespace {

void decode_layer(ByteReader& in, ProcessFile::Counts* counts) {
  uint64_t* const fields[file_counts] = {&counts->opens,         &counts->closes,  &counts->reads,
                                         &counts->writes,        &counts->others,  &counts->bytes_read,
                                         &counts->bytes_written, &counts->time_ns, &counts->sequential,
                                         &counts->strided,       &counts->random};
  for (uint64_t* field : fields) *field = in.varint();
}

void decode_runs(ByteReader& in, ProcessFile::Stretches* stretches) {
  const size_t n = in.count(3);
  stretches->complete = in.byte() == 0;
  uint64_t begin = 0;
  for (size_t i = 0; i < n && in.ok(); ++i) {
    ProcessFile::Run run;
    begin += static_cast<uint64_t>(in.svarint());
    run.begin = begin;
    run.length = in.varint();
    run.count = in.varint();
    run.stride = run.count > 1 ? in.varint() : 0;
    stretches->runs.push_back(run);
  }
}

}  // namespace

void decode_files(ByteReader& in, Process* p) {
  if (!p->files.empty()) return in.fail();
  const size_t n = in.count(8);
  p->files.reserve(n);
  for (size_t i = 0; i < n && in.ok(); ++i) {
    ProcessFile f;
    const size_t length = in.count();
    const ByteReader name = in.bytes(length);
    if (in.ok() && length) f.name.assign(reinterpret_cast<const char*>(name.data()), length);
    const uint64_t flags = in.varint();
    f.opened_by_mpi = flags & file_opened_by_mpi;
    f.mapped = flags & file_mapped;
    f.has_view = flags & file_has_view;
    f.offset_unknown = flags & file_offset_unknown;
    f.size = in.svarint();
    const uint8_t layers = in.byte();
    for (uint32_t l = 0; l < file_layers; ++l) {
      if (layers & 1 << l) decode_layer(in, &f.layers[l]);
    }
    decode_runs(in, &f.reads);
    decode_runs(in, &f.beneath);
    if (in.ok()) p->files.push_back(std::move(f));
  }
  p->files_recorded = in.ok();
}

}  // namespace leadline::trace
