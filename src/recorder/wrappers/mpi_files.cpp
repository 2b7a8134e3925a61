#include "recorder/wrappers/mpi_files.hpp"

#include <string.h>
#include <sys/mman.h>

#include "recorder/files/files.hpp"
#include "recorder/files/open_files.hpp"
#include "recorder/wrappers/record.hpp"

namespace leadline::recorder {

namespace {

// An open MPI file, by its number among communicators.
struct MpiFile {
  OpenFile at;   // where the last transfer with an explicit offset ended
  int64_t unit;  // bytes of what offsets count: of the view's elementary datatype
  bool has_view;
  trace::Key split;  // of the split transfer that has begun: its count and datatype
  int64_t split_bytes;
};
MpiFile* mpi_files = nullptr;

MpiFile* mpi_file(uint32_t object) {
  if (object >= recording::capacity::communicators) return nullptr;
  if (!mpi_files) {
    void* p = mmap(nullptr, recording::capacity::communicators * sizeof(MpiFile), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    mpi_files = static_cast<MpiFile*>(p);
  }
  return &mpi_files[object];
}

const char* without_prefix(const char* name) {
  const char* colon = strchr(name, ':');
  const char* slash = strchr(name, '/');
  return colon && (!slash || colon < slash) ? colon + 1 : name;
}

bool moves_bytes_in(const Call& call) { return (call.traits.moves & moves::reads) != 0; }
bool ends_with(const char* name, const char* end) {
  const size_t n = strlen(name), m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}
bool is_set_view(const Call& call) { return call.fn == Fn::File_set_view; }

}  // namespace

void before_file_open(Thread& t, const char* name) {
  t.opening = name;
  t.opened_file = 0;
}

uint32_t after_file_open(Thread& t, const char* name, bool opened) {
  t.opening = nullptr;
  if (!opened || !open_files.watching()) return 0;
  // If another rank opened it for all, the library made no call here.
  uint32_t file = t.opened_file;
  if (!file) file = open_files.number_of(name);
  if (!file) file = open_files.number_of(without_prefix(name));
  if (file) open_files.table().flag(file, trace::file_opened_by_mpi);
  return file;
}

void set_file_of_object(uint32_t object, uint32_t file) {
  if (MpiFile* f = mpi_file(object)) {
    *f = MpiFile{};
    f->at.file = file;
    f->unit = 1;
  }
}

uint32_t file_of_object(uint32_t object) {
  const MpiFile* f = mpi_file(object);
  return f ? f->at.file : 0;
}

bool begins_split(const Call& call) { return ends_with(call.traits.name, "_begin"); }
bool ends_split(const Call& call) { return ends_with(call.traits.name, "_end"); }

void begin_split_transfer(const Call& call, uint32_t object, const trace::Key& key, int64_t type_bytes) {
  MpiFile* f = mpi_file(object);
  if (!f) return;
  f->split = call.rc == 0 ? key : trace::Key{};
  f->split_bytes = call.rc == 0 ? key.count * type_bytes : 0;
}

int64_t end_split_transfer(const Call& call, uint32_t object, trace::Key* key) {
  MpiFile* f = mpi_file(object);
  key->value = 0;
  if (!f || call.rc != 0) return 0;
  key->count = f->split.count;
  key->datatype = f->split.datatype;
  key->value = trace::unknown_value;
  if (const Word status = filled_status(call)) key->value = read_status(status).bytes;
  const int64_t bytes = key->value >= 0 ? key->value : f->split_bytes;
  f->split = trace::Key{};
  f->split_bytes = 0;
  return bytes;
}

void correct_mpi_file_bytes(uint32_t object, uint8_t moved, int64_t difference) {
  const MpiFile* f = mpi_file(object);
  if (!f || !f->at.file || !difference || !open_files.watching()) return;
  const FileCount what = moved & moves::reads ? FileCount::bytes_read : FileCount::bytes_written;
  open_files.table().count(f->at.file, FileLayer::mpi, what, static_cast<uint64_t>(difference));
}

int64_t mpi_file_transfer(const Call& call, uint32_t object, int64_t bytes) {
  MpiFile* f = mpi_file(object);
  if (!f || !f->at.file || !open_files.watching()) return 0;
  FileTable& table = open_files.table();
  const int8_t role = call.roles().offset;
  if (role < 0) {
    if (moves_bytes_in(call)) table.flag(f->at.file, trace::file_offset_unknown);
    return 0;
  }
  const auto offset = static_cast<int64_t>(call.arg(role));
  int64_t distance = 0;
  const Access access = f->at.transfer(offset, bytes / f->unit, &distance);
  table.count_access(f->at.file, FileLayer::mpi, access);
  if (moves_bytes_in(call) && f->has_view) table.flag(f->at.file, trace::file_offset_unknown);
  if (moves_bytes_in(call) && !f->has_view && offset >= 0 && bytes > 0) {
    table.was_read(f->at.file, FileLayer::mpi, static_cast<uint64_t>(offset), static_cast<uint64_t>(bytes));
  }
  return distance;
}

void count_mpi_file_call(const Call& call, uint32_t object, int64_t bytes) {
  MpiFile* f = mpi_file(object);
  if (!f || !f->at.file || call.while_paused || !open_files.watching()) return;
  FileTable& table = open_files.table();
  const uint32_t file = f->at.file;
  const auto count = [&](FileCount what, uint64_t n = 1) { table.count(file, FileLayer::mpi, what, n); };
  count(FileCount::ticks, call.end - call.begin);
  if (call.traits.cls == CallClass::file_open) return count(FileCount::opens);
  if (call.traits.cls == CallClass::file_close) return count(FileCount::closes);
  if (call.traits.moves) {
    count(moves_bytes_in(call) ? FileCount::reads : FileCount::writes);
    if (bytes > 0)
      count(moves_bytes_in(call) ? FileCount::bytes_read : FileCount::bytes_written, static_cast<uint64_t>(bytes));
    return;
  }
  count(FileCount::others);
  if (!is_set_view(call) || call.rc != 0) return;
  constexpr int elementary = 2;  // MPI_File_set_view(fh, disp, etype, filetype, datarep, info)
  const int64_t unit = type_of(call, call.args[elementary]).size;
  f->unit = unit > 0 ? unit : 1;
  f->has_view = true;
  f->at.any = f->at.jumped = false;
  f->at.end = 0;
  table.flag(file, trace::file_has_view);
}

}  // namespace leadline::recorder
