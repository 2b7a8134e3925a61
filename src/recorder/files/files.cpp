#include "recorder/files/files.hpp"

#include <string.h>

#include "host/tell.hpp"
#include "recorder/files/open_files.hpp"
#include "recorder/files/real_calls.hpp"
#include "recorder/library/file_functions.hpp"

namespace leadline::recorder {

constinit FileWatch file_watch;

// New files come one after the other, so a loop that makes one in each step repeats itself exactly.
int64_t number_in_event(Thread& t, uint32_t file) {
  const bool is_next = file == t.highest_file + 1;
  if (file > t.highest_file) t.highest_file = file;
  return is_next ? 0 : file;
}

void count_characters(OpenFile* file) {
  if (!(file->characters_read | file->characters_written)) return;
  FileTable& files = open_files.table();
  const FileLayer layer = open_files.early() || file_watch.outside ? FileLayer::outside : FileLayer::program;
  // Those that found the end of the file moved nothing.
  const uint64_t moved = file->characters_read + file->characters_written - file->characters_at_end;
  const bool reads = file->characters_read != 0;
  if (!reads && moved) file->wrote = true;
  files.count(file->file, layer, FileCount::reads, file->characters_read);
  files.count(file->file, layer, FileCount::writes, file->characters_written);
  files.count(file->file, layer, reads ? FileCount::bytes_read : FileCount::bytes_written, moved);
  files.count(file->file, layer, FileCount::ticks, file->character_ticks);
  int64_t delta = 0;
  const int64_t offset = file->position - static_cast<int64_t>(moved);
  files.count_access(file->file, layer, file->transfer(offset, static_cast<int64_t>(moved), &delta));
  if (moved > 1) files.count_access(file->file, layer, Access::sequential, moved - 1);
  if (reads && offset >= 0) files.was_read(file->file, layer, static_cast<uint64_t>(offset), moved);
  file->characters_read = file->characters_written = file->characters_at_end = file->character_ticks = 0;
}

void watch_files() { open_files.begin(); }

void stop_watching_files() { open_files.stop(); }

void record_files(recording::ProcessHeader* header, char* region, recording::Backing backing) {
  file_watch.outside = true;  // the first MPI call may be another one than MPI_Init
  file_watch.paused = false;
  const char* function = nullptr;
  if (const char* library = passed_by(&function)) {
    tell("preload %s before Leadline: loaded after it, that library misses calls to %s and similar functions", library,
         function);
  }
  open_files.record(header, region, backing);
}

void files_outside(bool outside_mpi) {
  open_files.for_each([](OpenFile* file) { count_characters(file); });
  __atomic_store_n(&file_watch.outside, outside_mpi, __ATOMIC_RELAXED);
}

void pause_files(bool pause) { __atomic_store_n(&file_watch.paused, pause, __ATOMIC_RELAXED); }

void finish_files() {
  if (!open_files.watching()) return;
  open_files.for_each([](OpenFile* file) { count_characters(file); });
  open_files.note_sizes();
  open_files.stop();
}

void write_file_function_names(recording::ByteTable* text) {
  const auto put = [&](const char* name, CallClass cls) {
    const size_t n = strlen(name) + 1;
    uint8_t* p = text->room(n + 1);
    if (!p) return;
    memcpy(p, name, n);
    p[n] = static_cast<uint8_t>(cls);
    text->advance(p + n + 1);
  };
  put("", CallClass::other);  // the number of unknown call sites
  for (const FileFunction& function : file_functions) put(function.name, function.cls);
}

}  // namespace leadline::recorder
