#include "recorder/file_wrappers/file_call.hpp"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "recorder/files/files.hpp"
#include "recorder/files/real_calls.hpp"
#include "recorder/wrappers/call.hpp"

namespace leadline::recorder {

namespace {

constexpr uint32_t within_file_call = 2;  // Thread::depth; 1 is within an MPI call

// Signal handlers may run on a separate stack: then frames do not tell who called whom.
bool on_other_stack() {
  stack_t stack;
  return sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK);
}

// The data of a call that add_event (record.hpp) needs.
struct Timed {
  Thread& thread;
  Ticks begin, end;
};

FileTable& table() { return open_files.table(); }

}  // namespace

FileCall::FileCall(FileFn fn, OpenFile* file, Caller caller) : fn_(fn), file_(file), caller_(caller) {
  where_ = look_around(caller);
  if (file && file->by_mpi && of_program()) where_ = Where::beneath_mpi;
  if (where_ == Where::event) {
    enter_call(thread_, caller);
    thread_->depth = within_file_call;
  }
  begin_ = now();
}

FileCall::Where FileCall::look_around(Caller caller) {
  if (inside_recorder) return Where::beneath_file;
  if (open_files.early()) return Where::outside;
  Thread* t = own_thread();
  if (__builtin_expect(!t, 0)) t = this_process.may_enter() ? this_process.enter() : nullptr;
  if (!t) return file_watch.paused ? Where::paused : Where::outside;
  thread_ = t;
  if (__builtin_expect(t->depth != 0, 0)) {
    if (nested(t, caller)) return t->depth == within_file_call ? Where::beneath_file : Where::beneath_mpi;
    if (on_other_stack()) return Where::beneath_file;
  }
  if (__atomic_load_n(&file_watch.paused, __ATOMIC_RELAXED)) return Where::paused;
  return __atomic_load_n(&file_watch.outside, __ATOMIC_RELAXED) ? Where::outside : Where::event;
}

FileLayer FileCall::layer() const {
  return where_ == Where::event     ? FileLayer::program
         : where_ == Where::outside ? FileLayer::outside
                                    : FileLayer::beneath;
}

bool FileCall::counts() const {
  if (!file_ || where_ == Where::beneath_file || where_ == Where::paused) return false;
  return where_ != Where::beneath_mpi || file_->by_mpi;
}

void FileCall::count_end(FileCount what, uint64_t n) { table().count(file_->file, layer(), what, n); }

void FileCall::add_event(const trace::Key& made) {
  if (where_ != Where::event) return;
  trace::Key key = made;
  thread_->call_returned = true;
  key.site = thread_->paths.site(number_of(fn_), caller_);
  thread_->call_returned = false;
  key.peer = trace::peer_none;
  if (key.site == no_site) return;
  Timed timed{*thread_, begin_, end_};
  recorder::add_event(timed, key);
}

void FileCall::finish() {
  if (where_ == Where::event) thread_->depth = 0;
}

void FileCall::end_transfer(int fd, int64_t bytes, bool reads) {
  end_ = now();
  if (!counts() && where_ != Where::paused) return finish();
  const int64_t moved = bytes > 0 ? bytes : 0;
  if (fd >= 0 && file_->ask && moved) {
    const int64_t after = OpenFiles::position_of(fd);
    if (after >= moved) file_->position = after - moved;
  }
  const int64_t offset = file_->position;
  file_->position += moved;
  transferred(offset, bytes, reads);
}

void FileCall::end_transfer_at(int64_t offset, int64_t bytes, bool reads) {
  end_ = now();
  if (!counts() && where_ != Where::paused) return finish();
  transferred(offset, bytes, reads);
}

void FileCall::transferred(int64_t offset, int64_t bytes, bool reads) {
  const int saved = errno;
  const int64_t moved = bytes > 0 ? bytes : 0;
  trace::Key key;
  if (!reads && moved) file_->wrote = true;
  const Access access = file_->transfer(offset, moved, &key.count);
  if (where_ == Where::paused) return finish();
  count_end(reads ? FileCount::reads : FileCount::writes);
  count_end(reads ? FileCount::bytes_read : FileCount::bytes_written, static_cast<uint64_t>(moved));
  count_end(FileCount::ticks, end_ - begin_);
  table().count_access(file_->file, layer(), access);
  if (reads && offset >= 0) {
    table().was_read(file_->file, layer(), static_cast<uint64_t>(offset), static_cast<uint64_t>(moved));
  }
  key.tag = open_files.number_of(file_);
  key.value = moved;
  if (bytes < 0) key.extra = static_cast<uint32_t>(saved);
  add_event(key);
  finish();
  errno = saved;
}

// Within MPI calls, only the file that MPI_File_open was asked for counts. All other files are the library's, as are
// those that its own threads open.
OpenFile* FileCall::opened(int fd, int flags) const {
  if (of_program() && !Modules::in_mpi_library(reinterpret_cast<uint64_t>(caller_.return_address))) {
    return open_files.opened(fd, flags, nullptr);
  }
  if (where_ == Where::beneath_mpi && thread_->opening) return open_files.opened(fd, flags, thread_->opening);
  open_files.not_recorded(fd);
  return nullptr;
}

void FileCall::end_open(OpenFile* opened, int flags, bool failed) {
  end_ = now();
  const int saved = errno;
  file_ = opened;
  trace::Key key;
  key.value = flags;
  if (opened && where_ == Where::paused) {
    return finish();
  } else if (opened) {
    if (where_ == Where::beneath_mpi && thread_) thread_->opened_file = opened->file;
    count_end(FileCount::opens);
    count_end(FileCount::ticks, end_ - begin_);
    key.tag = open_files.number_of(opened);
    if (where_ == Where::event) key.count = number_in_event(*thread_, opened->file);
    add_event(key);
  } else if (failed) {
    key.extra = static_cast<uint32_t>(saved);
    add_event(key);
  }
  finish();
  errno = saved;
}

void FileCall::end_close(uint32_t file, int32_t place) {
  end_ = now();
  if (!counts()) return finish();
  const int saved = errno;
  table().count(file, layer(), FileCount::closes, 1);
  table().count(file, layer(), FileCount::ticks, end_ - begin_);
  trace::Key key;
  key.tag = place;
  add_event(key);
  finish();
  errno = saved;
}

void FileCall::end_seek(int64_t position) {
  end_ = now();
  const int64_t from = file_ ? file_->position : 0;
  if (file_ && position >= 0) file_->position = position;
  if (!counts()) return finish();
  counted(file_->position - from, 0, position < 0);
}

void FileCall::end_other(int64_t count, int64_t value, bool failed) {
  end_ = now();
  if (!counts()) return finish();
  counted(count, value, failed);
}

void FileCall::counted(int64_t count, int64_t value, bool failed) {
  const int saved = errno;
  count_end(FileCount::others);
  count_end(FileCount::ticks, end_ - begin_);
  trace::Key key;
  key.tag = open_files.number_of(file_);
  key.count = count;
  key.value = value;
  if (failed) key.extra = static_cast<uint32_t>(saved);
  add_event(key);
  finish();
  errno = saved;
}

CharacterCall::CharacterCall(FileFn fn, OpenFile* file, Caller caller) : file_(file) {
  Thread* t = own_thread();
  const bool is_outside = __atomic_load_n(&file_watch.outside, __ATOMIC_RELAXED);
  if (inside_recorder || open_files.early() || !t || t->depth || file_watch.paused || is_outside) {
    return;
  }
  local_ = t->locals.find(number_of(fn), caller.return_address);
  if (!local_) return;
  const uint64_t calls = ++local_->calls;
  if (!LocalCalls::timed(calls)) return;
  weight_ = LocalCalls::weight(calls);
  begin_ = now();
}

void CharacterCall::end(bool moved, bool reads) {
  if (weight_) {
    const Ticks took = (now() - begin_) * weight_;
    local_->ticks += took;
    file_->character_ticks += took;
  }
  if (file_watch.paused) {
    file_->position += moved;
    return;
  }
  ++(reads ? file_->characters_read : file_->characters_written);
  if (moved) {
    ++file_->position;
  } else {
    ++file_->characters_at_end;
  }
}

void count_unseen(OpenFile* file, int64_t bytes, bool reads) {
  const FileLayer layer = open_files.early() || file_watch.outside ? FileLayer::outside : FileLayer::program;
  table().count(file->file, layer, reads ? FileCount::bytes_read : FileCount::bytes_written,
                static_cast<uint64_t>(bytes));
  if (reads) {
    table().was_read(file->file, layer, static_cast<uint64_t>(file->position), static_cast<uint64_t>(bytes));
  } else {
    file->wrote = true;
  }
  file->position += bytes;
  file->end = file->position;
  file->any = true;
}

}  // namespace leadline::recorder
