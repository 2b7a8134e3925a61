#include "recorder/files/file_table.hpp"

#include <string.h>
#include <sys/mman.h>

#include <new>

namespace leadline::recorder {

using recording::FileRun;
using recording::FileRuns;
using recording::LiveFile;

namespace {

namespace capacity = recording::capacity;

constexpr size_t text_at = recording::pages(capacity::files * sizeof(LiveFile));
constexpr size_t runs_at = text_at + recording::pages(capacity::file_text);
constexpr size_t early_bytes = runs_at + recording::pages(capacity::file_runs * sizeof(FileRun));

bool always_backed(void*, char*, char*) { return true; }

uint64_t hash_path(const char* path, size_t length) {
  uint64_t hash = length;
  for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, path + at, length - at < sizeof(word) ? length - at : sizeof(word));
    hash = trace::mix(hash, word);
  }
  return hash;
}

void take(bool* lock) {
  while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE)) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}
void give(bool* lock) { __atomic_clear(lock, __ATOMIC_RELEASE); }

}  // namespace

bool FileTable::begin() {
  if (files_) return true;
  void* p = mmap(nullptr, early_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  early_ = static_cast<char*>(p);
  const recording::Backing backing{always_backed, nullptr};
  file_table_ = {&early_states_[0], early_, capacity::files, backing};
  text_ = {&early_states_[1], early_ + text_at, capacity::file_text, backing, &lost_};
  run_table_ = {&early_states_[2], early_ + runs_at, capacity::file_runs, backing};
  run_table_.append_zeroed(1);
  text_.append_zeroed(1);
  file_table_.append_zeroed(1);
  file_table_[0].size = -1;
  runs_ = run_table_.data();
  __atomic_store_n(&files_, file_table_.data(), __ATOMIC_RELEASE);
  return true;
}

void FileTable::attach(recording::ProcessHeader* header, char* region, recording::Backing backing) {
  namespace at = recording::process_at;
  const bool had = files_ != nullptr;
  const uint32_t files = had ? file_table_.size() : 1;
  const uint32_t text = had ? text_.size() : 1;
  const uint32_t runs = had ? run_table_.size() : 1;
  recording::Table<LiveFile> new_files{&header->files, region + at::files, capacity::files, backing};
  recording::ByteTable new_text{&header->file_text, region + at::file_text, capacity::file_text, backing, &lost_};
  recording::Table<FileRun> new_runs{&header->file_runs, region + at::file_runs, capacity::file_runs, backing};
  if (!new_files.ensure(files) || !new_text.ensure(text) || !new_runs.ensure(runs)) return;
  new_files.append_zeroed(files);
  new_text.append_zeroed(text);
  new_runs.append_zeroed(runs);
  new_files[0].size = -1;
  if (had) {
    memcpy(static_cast<void*>(new_files.data()), file_table_.data(), files * sizeof(LiveFile));
    memcpy(new_text.data(), text_.data(), text);
    memcpy(static_cast<void*>(new_runs.data()), run_table_.data(), runs * sizeof(FileRun));
  }
  file_table_ = new_files;
  text_ = new_text;
  run_table_ = new_runs;
  runs_ = run_table_.data();
  __atomic_store_n(&files_, file_table_.data(), __ATOMIC_RELEASE);
  // A thread may still be counting in the old tables: only their storage is given back.
  if (early_) madvise(early_, early_bytes, MADV_DONTNEED);
  early_ = nullptr;
}

void FileTable::forget() {
  map_.clear();
  files_ = nullptr;
  runs_ = nullptr;
  early_ = nullptr;
  runs_lock_ = false;
  for (recording::TableState& state : early_states_) state.used = 0;
}

uint32_t FileTable::intern(const char* path) {
  const size_t length = strlen(path);
  const uint64_t hash = hash_path(path, length);
  const uint32_t found = map_.find(hash);
  if (found && strcmp(reinterpret_cast<const char*>(text_.data()) + files_[found].name, path) == 0) return found;
  uint8_t* name = text_.room(length + 1);
  if (!name || !file_table_.ensure(uint64_t{file_table_.size()} + 1)) return no_file;
  memcpy(name, path, length + 1);
  const uint32_t at = text_.size();
  text_.advance(name + length + 1);
  const uint32_t number = file_table_.size();
  file_table_.append_zeroed(1);
  files_[number].name = at;
  files_[number].size = -1;
  map_.put(hash, number);
  return number;
}

void FileTable::count_access(uint32_t file, FileLayer layer, Access access, uint64_t n) {
  switch (access) {
    case Access::first:
    case Access::unknown:
      return;
    case Access::sequential:
      return count(file, layer, FileCount::sequential, n);
    case Access::random_was_strided:  // the one before was the first of the row
      if (files_)
        add(&files_[file].counts[static_cast<uint32_t>(layer)][static_cast<uint32_t>(FileCount::random)], ~0ull);
      return count(file, layer, FileCount::strided, 2);
    case Access::strided:
      return count(file, layer, FileCount::strided, n);
    case Access::random:
      return count(file, layer, FileCount::random, n);
  }
}

void FileTable::size_is(uint32_t file, int64_t size) {
  if (!files_) return;
  int64_t seen = __atomic_load_n(&files_[file].size, __ATOMIC_RELAXED);
  while (size > seen &&
         !__atomic_compare_exchange_n(&files_[file].size, &seen, size, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

namespace {

bool contains(const FileRun& r, uint64_t begin, uint64_t length) {
  if (begin < r.begin) return false;
  if (r.count == 1) return begin + length <= r.begin + r.length;
  const uint64_t which = (begin - r.begin) / r.stride, within = (begin - r.begin) % r.stride;
  return which < r.count && within + length <= r.length;
}

// Whether the run can take the stretch in: as its continuation, or as the next of stretches at one distance.
bool extend(FileRun* r, uint64_t begin, uint64_t length) {
  if (r->count == 1) {
    if (begin <= r->begin + r->length && begin + length >= r->begin) {
      const uint64_t end = begin + length > r->begin + r->length ? begin + length : r->begin + r->length;
      if (begin < r->begin) r->begin = begin;
      r->length = end - r->begin;
      return true;
    }
    if (length != r->length || begin < r->begin) return false;
    r->stride = begin - r->begin;
    r->count = 2;
    return true;
  }
  const uint64_t last = r->begin + r->stride * (r->count - 1);
  if (begin == last + r->stride && length == r->length) {
    ++r->count;
    return true;
  }
  return false;
}

}  // namespace

uint32_t FileTable::take_runs(uint32_t n) {
  take(&runs_lock_);
  uint32_t first = 0;
  if (run_table_.ensure(uint64_t{run_table_.size()} + n)) {
    first = run_table_.size();
    run_table_.append_zeroed(n);
  }
  give(&runs_lock_);
  return first;
}

FileRun* FileTable::new_run(FileRuns* runs) {
  if (runs->used == runs->room) {
    if (runs->room == capacity::runs_of_file) return nullptr;
    const uint32_t room = runs->room ? capacity::runs_of_file : capacity::few_runs;
    const uint32_t first = take_runs(room);
    if (!first) return nullptr;
    memcpy(static_cast<void*>(&runs_[first]), &runs_[runs->first], runs->used * sizeof(FileRun));
    runs->first = first;
    runs->room = room;
  }
  return &runs_[runs->first + runs->used++];
}

void FileTable::was_read(uint32_t file, FileLayer layer, uint64_t begin, uint64_t length) {
  if (!files_ || !file || !length) return;
  LiveFile& f = files_[file];
  FileRuns* runs = layer == FileLayer::beneath ? &f.beneath : &f.reads;
  auto* lock = reinterpret_cast<bool*>(&f.lock);
  take(lock);
  bool kept = runs->overflow != 0;
  // The newest run first: usually it is the one that grows.
  for (uint32_t i = runs->used; i > 0 && !kept; --i) {
    FileRun& r = runs_[runs->first + i - 1];
    kept = contains(r, begin, length) || (i == runs->used && extend(&r, begin, length)) ||
           (r.count == 1 && begin == r.begin + r.length && extend(&r, begin, length));
  }
  if (!kept) {
    if (FileRun* r = new_run(runs)) {
      *r = {begin, length, 0, 1};
    } else {
      runs->overflow = 1;
    }
  }
  give(lock);
}

}  // namespace leadline::recorder
