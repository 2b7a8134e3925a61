// Writes a recording: generations and series during the run, the rest when the process ends.

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/kept_errno.hpp"
#include "host/launcher_variables.hpp"
#include "recorder/files/files.hpp"
#include "recorder/job/run_files.hpp"
#include "recorder/process/node_file.hpp"
#include "recorder/process/recorder.hpp"
#include "recorder/process/trace_file.hpp"
#include "recording/chunks.hpp"

extern "C" int __cxa_atexit(void (*)(void*), void*, void*);

namespace leadline::recorder {

namespace {

bool holds_something(const char* path) {
  const int fd = open_in_run(path, O_RDONLY);
  struct stat s;
  const bool holds = fd >= 0 && fstat(fd, &s) == 0 && s.st_size > 0;
  if (fd >= 0) close(fd);
  return holds;
}

bool is_of_directory(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ENOENT || error == ENOTDIR || error == ELOOP;
}

// Whether nobody else says why there is no trace in a directory that could not be written from the start: neither
// `leadline exec` did before the program began, nor another rank of this host does.
bool speaks_for_host() {
  const char* local_rank = host::from_launchers(&host::LauncherVariables::local_rank);
  return !getenv("LEADLINE_UNWRITABLE") && (!local_rank || atoll(local_rank) == 0);
}

}  // namespace

// Writes the series so far to the file.
bool Recorder::spill_series(Thread* t, bool last) {
  const Inside inside;
  trace::ByteSink sink;
  if (!recording::encode_series(t->region, header_->tick_factor, header_->first_ticks, last, &sink)) return true;
  const int saved = errno;
  const HeldSignals held;
  const Locked locked(lock_);
  if (budgets_.files_given && written_ + sink.size() > budgets_.files / 4) return false;
  TraceFile file(part_path_.text);
  file.chunk(trace::ChunkType::series, sink);
  const bool written = file.finish() == 0;
  if (budgets_.files_given) written_ += file.written();
  has_part_ |= written;
  errno = saved;
  return written;
}

// The generation is full: writes it out and begins the next one. Beyond the budget, or if it can't be written, calls
// are only counted from now on.
void Recorder::turn_generation(Thread* t) {
  const Inside inside;
  const Ticks begin = now();
  const int saved = errno;
  const HeldSignals held;
  t->graph.finish();
  trace::ByteSink sink;
  recording::encode_generation(t->region, header_->tick_factor, &sink);
  bool written = false;
  uint64_t in_files = 0;
  {
    const Locked locked(lock_);
    TraceFile file(part_path_.text);
    file.chunk(trace::ChunkType::generation, sink);
    written = file.finish() == 0;
    in_files = written_ += file.written();
    if (written) ++header_->generations_written;
  }
  if (written) {
    spill_series(t, true);
    // Leaves room for the rest of the recording. This comes before the new number: a half-cleared generation is
    // dropped, not counted twice.
    constexpr uint64_t bytes_per_site = 256;  // including the figures that are always counted by site
    t->graph.reset(in_files + 2 * sink.size() + t->header->sites.used * bytes_per_site + budgets_.files / 4 >=
                   budgets_.files);
    ++t->header->generation;
  } else {
    lose(trace::LossKind::write_failed);
    t->graph.stop_ordering();
  }
  errno = saved;
  const Ticks ticks = now() - begin;
  t->graph.series().pass_over(ticks);
  own_time_between_calls(ticks);
}

void Recorder::sample_own_time() {
  Ticks stamp = now();
  constexpr int stamps = 64;
  for (int i = 0; i < stamps; ++i) stamp = now() - stamp + stamp;
  const Ticks before = now();
  for (int i = 0; i < stamps; ++i) asm volatile("" ::"r"(now()));
  const double stamp_ticks = static_cast<double>(now() - before) / stamps;
  double all = 0, calls = 0;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& t = *threads_[i];
    const double per_call =
        (t.samples ? static_cast<double>(t.sampled_ticks) / static_cast<double>(t.samples) : 0) + stamp_ticks;
    const auto events = static_cast<double>(t.header->calls_before + recording::calls_of(*t.header));
    all += per_call * events;
    calls += events;
  }
  header_->own_ticks += static_cast<uint64_t>(all);
  if (calls > 0) header_->fast_call_ticks_x1000 = static_cast<uint64_t>(1000 * all / calls);
}

void Recorder::discard_live() {
  if (storage_.in_file()) unlink_in_run(live_path_.text);
  if (!live_directory_.away()) return;
  if (has_part_ || (header_ && header_->generations_written > 0)) unlink_in_run(part_path_.text);
  live_directory_.leave();
}

void Recorder::write_process(TraceFile* file, bool last) {
  recording::ProcessView view{process_region_};
  view.variables = &variables_;
  view.settings = &settings_;
  for (uint32_t i = 0; i < thread_count_; ++i) view.add_thread(threads_[i]->region);
  trace::ByteSink sink;
  for (const recording::ProcessChunk& chunk : recording::process_chunks) {
    if (chunk.last != last || (chunk.is_there && !chunk.is_there(view))) continue;
    sink.clear();
    chunk.encode(view, &sink);
    file->chunk(chunk.type, sink);
  }
}

void Recorder::write_thread(const char* region, TraceFile* file) {
  const recording::ThreadView view{region, header_->tick_factor, header_->first_ticks,
                                   recording::has_regions(process_region_)};
  trace::ByteSink sites, structure, rest;
  recording::encode_sites(region, &sites);
  recording::encode_structure(region, &structure);
  if (file->fits(sites.size() + structure.size()) && share_structure(stem_, sites, structure, &rest)) {
    file->chunk(trace::ChunkType::shared, rest);
  } else {
    file->chunk(trace::ChunkType::sites, sites);
    file->chunk(trace::ChunkType::structure, structure);
  }
  for (const recording::ThreadChunk& chunk : recording::thread_chunks) {
    if (chunk.pieces == recording::Pieces::whole || trace::facts_of(chunk.type).shared) continue;
    rest.clear();
    if (chunk.encode(view, &rest)) file->chunk(chunk.type, rest);
  }
}

// Puts what was gathered into the node's file. False: it belongs into one of its own.
bool Recorder::append_trace(const trace::ByteSink& gathered) {
  file_in_run(&trace_path_, "rank-%05d-%s.trace", header_->rank, stem_);
  return append_to_node_file(strrchr(trace_path_.text, '/') + 1, gathered);
}

// Renames the part to the name that readers look for, but never over another trace. Returns 0 or errno.
int Recorder::name_trace(const FilePath& part) {
  FilePath* path = &trace_path_;
  for (int again = 1; again < 100; ++again) {
    file_in_run(path, again == 1 ? "rank-%05d-%s.trace" : "rank-%05d-%s-%d.trace", header_->rank, stem_, again);
    if (rename_to_fresh_in_run(part.text, path->text) == 0) return 0;
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

// The call that the thread sits in although the process ends: an error handler of the library has ended it.
void Recorder::put_call_under_way(const Thread& t, trace::ByteSink* sink) const {
  const recording::ThreadHeader& h = *t.header;
  const bool by_function = h.call >= recording::in_function;
  const uint32_t site = by_function ? 0 : h.call - recording::in_site;
  const uint64_t begin = h.call_begin > header_->first_ticks ? h.call_begin - header_->first_ticks : 0;
  sink->varint(t.number);
  sink->varint(by_function ? 0 : site + 1);
  sink->varint(by_function ? h.call - recording::in_function : 0);
  sink->varint(static_cast<uint64_t>(recording::TickScale{header_->tick_factor}.ns(begin)));
}

void Recorder::finish() {
  if (state_ == State::unknown && *asked_directory() && mpi_was_initialized()) {
    tell(
        "this program is not recorded: it loaded an MPI library in a way that bypasses Leadline (RTLD_DEEPBIND, "
        "dlmopen "
        "or dlvsym)");
  }
  if (pages_lost_ && getpid() == pid_) {
    tell("the recording of this program ended early and is lost: %s was truncated while being written",
         live_path_.text);
  }
  if (state_ != State::on || getpid() != pid_) return;
  const Thread* own = own_thread();
  const Thread* ended_in = own && own->header->call && own->is_in_call(__builtin_frame_address(0)) ? own : nullptr;
  finish_files();
  const Inside inside;
  const int saved = errno;
  const HeldSignals held;
  const Locked locked(lock_);
  const HeldRunDirectory directory;
  state_ = State::off;
  call_in_all_threads();  // threads that still run are not recorded any more
  const uint64_t begin_ns = processor_ns();
  if (!header_->finalized) header_->last_ticks = now();
  uint64_t events = 0;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    events += threads_[i]->header->calls_before + recording::calls_of(*threads_[i]->header);
  }
  if (header_->initialized == trace::mpi_not_begun && !events) {
    discard_live();
    return;
  }
  for (uint32_t i = 0; i < thread_count_; ++i) {
    // Computation after MPI_Finalize is not part of anything reported.
    if (!header_->finalized) take_samples(*threads_[i], no_site, Where::before_call);
    threads_[i]->regions.end();
    threads_[i]->graph.finish();
  }
  if (header_->rank < 0) header_->rank = static_cast<int32_t>(host::launcher_rank());
  header_->tick_factor = rate_.factor();
  sample_own_time();
  own_processor_time(begin_ns);
  const bool has_part = has_part_ || header_->generations_written > 0;
  // On the node, parts keep their names until the trace is there. Processes in containers may be namesakes.
  const bool appended = has_part && !live_directory_.away();
  FilePath& path = appended ? part_path_ : unfinished_path_;
  if (!appended) file_in_run(&path, "%s.%d.tmp", stem_, header_->rank);
  using Start = TraceFile::Start;
  const Start start = appended ? Start::appended : !has_part && has_node_file() ? Start::gathered : Start::fresh;
  int error = 0;
  bool named = false;
  {
    TraceFile file(path.text, start, has_part && !appended ? part_path_.text : nullptr);
    if (budgets_.files_given) file.set_limit(budgets_.files > written_ ? budgets_.files - written_ : 0);
    write_process(&file, false);
    trace::ByteSink sink;
    for (uint32_t i = 0; i < thread_count_; ++i) write_thread(threads_[i]->region, &file);
    if (file.left_out()) lose(trace::LossKind::over_disk_budget, file.left_out());
    write_process(&file, true);
    sink.varint(header_->finalized);
    if (ended_in) put_call_under_way(*ended_in, &sink);
    file.chunk(trace::ChunkType::end, sink);
    const trace::ByteSink* gathered = file.gathered();
    named = gathered && append_trace(*gathered);
    if (!named) error = file.finish();
  }
  if (!error && !named) error = name_trace(path);
  if (!error) {
    discard_live();
  } else {
    if (!appended) unlink_in_run(path.text);
    const bool live_left = storage_.in_file() && holds_something(live_path_.text);
    if (!live_left && storage_.in_file()) unlink_in_run(live_path_.text);  // the disk was full from the start
    if (storage_.in_file() || !is_of_directory(error) || speaks_for_host())
      tell("rank %d: cannot write the trace to %s: %s%s", header_->rank, run_directory(), strerror(error),
           live_left ? " (its .live file can still be read with leadline report)" : "; its recording is lost");
  }
  errno = saved;
}

// Runs last of all, after the destructors of every library, which may call MPI_Finalize. Handlers are called in reverse
// order, and this one, which belongs to no library, comes before the one that calls those destructors.
__attribute__((constructor(103))) void finish_at_exit() {
  const host::KeptErrno kept;
  static constinit std::atomic_flag asked = ATOMIC_FLAG_INIT;
  if (!asked.test_and_set()) __cxa_atexit([](void*) { this_process.finish(); }, nullptr, nullptr);
}

}  // namespace leadline::recorder
