#include "recorder/recording.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <new>

#include "host/own_file.hpp"
#include "leadline/symbols.hpp"
#include "recorder/clock_exchange.hpp"
#include "recorder/files/files.hpp"
#include "recorder/learned.hpp"
#include "recorder/tool_variables.hpp"
#include "recorder/trace_file.hpp"

namespace leadline::recorder {

thread_local constinit Thread* this_thread = nullptr;
thread_local constinit uint32_t inside_recorder = 0;

namespace {

// Never destroyed: MPI calls come from other libraries' destructors too.
union Static {
  Recording recording;
  constexpr Static() : recording() {}
  ~Static() {}
};
constinit Static storage_of_recording;

pthread_key_t thread_key;
bool have_thread_key = false;

uint64_t bytes_from(const char* text, uint64_t otherwise) {
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  double n = strtod(text, &end);
  if (end == text || n < 0) return otherwise;
  switch (*end) {
    case 'k':
    case 'K':
      n *= 1 << 10;
      break;
    case 'm':
    case 'M':
      n *= 1 << 20;
      break;
    case 'g':
    case 'G':
      n *= 1 << 30;
      break;
    default:
      break;
  }
  return static_cast<uint64_t>(n);
}

// Entries of the series that fit: a call takes about five quarters of a byte.
void read_series_setting(const char* text, uint64_t* entries, bool* automatic) {
  constexpr uint64_t everything = uint64_t{1} << 50;
  *automatic = !text || !*text || strcmp(text, "auto") == 0;
  if (*automatic) {
    *entries = trace::series_probe;
  } else if (strcmp(text, "all") == 0) {
    *entries = everything;
  } else if (strcmp(text, "none") == 0) {
    *entries = 0;
  } else {
    *entries = bytes_from(text, trace::series_probe * 5 / 4) / 5 * 4;
  }
}

// The command line, words separated by spaces.
void read_program(char* into, size_t size) {
  const int fd = open_own("/proc/self/cmdline", O_RDONLY);
  if (fd < 0) return;
  const ssize_t got = read(fd, into, size - 1);
  close(fd);
  const size_t n = got > 0 ? static_cast<size_t>(got) : 0;
  for (size_t i = 0; i + 1 < n; ++i) {
    if (!into[i]) into[i] = ' ';
  }
}

int64_t rank_from_environment() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    if (const char* text = getenv(name)) return strtoll(text, nullptr, 10);
  }
  return -1;
}

bool world_begun = false;  // MPI_Init was called: its end is MPI_Finalize, not that of a session

// What tells one MPI_COMM_WORLD of a job from those it spawned: the namespace the launcher gave it, or, with Hydra,
// that it was spawned and in which order (Intel's; MPICH's does not say). 0 for the first one.
uint64_t world_number() {
  const char* name = getenv("PMIX_NAMESPACE");
  uint64_t number = 0;
  if (!name && getenv("PMI_SPAWNED")) {
    name = getenv("HYDRA_BSTRAP_PGID");
    number = 1;
  }
  for (; name && *name; ++name) number = trace::mix(number, static_cast<unsigned char>(*name));
  return number;
}

}  // namespace

Recording& recording = storage_of_recording.recording;

void tell(const char* format, ...) {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  if (told.test_and_set()) return;
  char text[512];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  char line[600];
  const int m = snprintf(line, sizeof(line), "leadline: %.*s\n", n < 0 ? 0 : 500, text);
  if (m > 0) write_to_standard_error(line, static_cast<size_t>(m));
}

Thread* Recording::enter() {
  if (state_ == State::off) return nullptr;
  const Inside inside;
  const int saved = errno;
  Thread* t = nullptr;
  {
    const HeldSignals held;
    const Locked one_at_a_time(entering_);
    const Locked locked(lock_);
    if (state_ == State::unknown) start();
    if (state_ == State::on) {
      t = have_thread_key ? static_cast<Thread*>(pthread_getspecific(thread_key)) : nullptr;
      if (t) {  // called in: see code_unloaded
        t->paths.forget();
        t->locals.forget();
      } else {
        t = add_thread();
      }
    }
  }
  errno = saved;
  set_own_thread(t);
  return t;
}

bool Recording::may_enter() const { return lock_.needed() || (have_thread_key && pthread_getspecific(thread_key)); }

void Recording::start() {
  rate_.begin();
  const Ticks begin = now();
  state_ = State::off;
  const char* why = nullptr;
  const bool found = find_real_functions(&why);
  set_recorded(true);
  if (!found && !mpi_library_path()) {  // none is loaded yet: mpi4py asks before it loads one
    state_ = State::unknown;
    return;
  }
  if (!*run_directory() && run_directory_fits()) return;
  stop_watching_files();  // until all is ready
  if (!found) return tell("this program is not recorded: %s", why);
  if (!run_directory_fits()) return tell("this program is not recorded: the path of the run's directory is too long");
  budget_ = bytes_from(getenv("LEADLINE_BUDGET"), uint64_t{64} << 20);
  read_series_setting(getenv("LEADLINE_SERIES"), &series_entries_, &series_automatic_);
  memory_ = bytes_from(getenv("LEADLINE_MEMORY"), 0);
  storage_.file_limit = budget_;
  has_budget_ = getenv("LEADLINE_BUDGET") != nullptr;
  if (memory_ && series_entries_ > memory_ / 128) series_entries_ = memory_ / 128;
  pid_ = getpid();
  create_live_file();
  const Storage::Open open(storage_);
  if (!attach_process()) {
    discard_live();
    return tell("this program is not recorded: the memory that it may use (ulimit -v) is too little for that");
  }
  if (!have_thread_key) {
    have_thread_key = pthread_key_create(&thread_key, [](void* t) { recording.leave(static_cast<Thread*>(t)); }) == 0;
    pthread_atfork(nullptr, nullptr, [] { recording.forked(); });
  }
  record_files(header_, process_region_, storage_.backing());
  state_ = State::on;
  const char* paused = getenv("LEADLINE_START_PAUSED");
  if (paused && *paused && strcmp(paused, "0") != 0) begin_pause(begin);
  own_time(now() - begin);
}

// A process that executes another program, and one in a container, may have the number of one that was recorded before.
void Recording::create_live_file() {
  utsname host{};
  uname(&host);
  const auto pid = static_cast<long long>(pid_);
  for (int again = 1; again < 100; ++again) {
    snprintf(stem_, sizeof(stem_), again == 1 ? "%.64s-%lld" : "%.64s-%lld-%d", host.nodename, pid, again);
    file_in_run(&live_path_, "%s.live", stem_);
    file_in_run(&part_path_, "%s.part", stem_);
    if (storage_.create(live_path_.text) || errno != EEXIST) return;
  }
}

bool Recording::attach_process() {
  process_region_ = storage_.region(trace::process_at::end);
  if (!process_region_ || !storage_.back(process_region_, process_region_ + trace::page)) return false;
  header_ = reinterpret_cast<trace::ProcessHeader*>(process_region_);
  storage_.not_crash_safe = &header_->losses[static_cast<uint32_t>(trace::LossKind::not_crash_safe)];
  trace::ProcessHeader& h = *header_;
  h.version = trace::live_version;
  h.pid = pid_;
  h.rank = -1;
  utsname host{};
  uname(&host);
  snprintf(h.host, sizeof(h.host), "%.63s", host.nodename);
  h.tick_factor = rate_.factor();
  h.start_unix_ns = static_cast<int64_t>(wall_ns());
  clock_exchange.begin(&h.clock);
  h.first_ticks = now();
  h.last_ticks = h.first_ticks;
  read_program(h.program, sizeof(h.program));
  snprintf(h.family, sizeof(h.family), "%s", abi.family->name);
  const trace::Backing backing = storage_.backing();
  uint64_t* lost = &h.losses[static_cast<uint32_t>(trace::LossKind::path_unknown)];
  namespace at = trace::process_at;
  namespace capacity = trace::capacity;
  modules_.attach({&h.modules, process_region_ + at::modules, capacity::modules, backing, lost});
  handles_.attach({&h.communicators, process_region_ + at::communicators, capacity::communicators, backing},
                  {&h.members, process_region_ + at::members, capacity::members, backing},
                  {&h.datatypes, process_region_ + at::datatypes, capacity::datatypes, backing},
                  {&h.ops, process_region_ + at::ops, capacity::ops, backing, lost});
  region_names_.attach({&h.regions, process_region_ + at::regions, capacity::regions, backing},
                       {&h.region_names, process_region_ + at::region_names, capacity::region_names, backing, lost});
  write_function_names();
  memcpy(h.magic, trace::live_magic, sizeof(h.magic));
  return true;
}

void Recording::write_function_names() {
  trace::ByteTable text(&header_->functions, process_region_ + trace::process_at::functions, trace::capacity::functions,
                        storage_.backing(), &header_->losses[0]);
  for (const Traits& t : traits) {
    const size_t n = strlen(t.name) + 1;
    uint8_t* p = text.room(n + 1);
    if (!p) return;
    memcpy(p, t.name, n);
    p[n] = static_cast<uint8_t>(t.cls);
    text.advance(p + n + 1);
  }
  write_file_function_names(&text);
}

Thread* Recording::add_thread() {
  Thread* t = nullptr;
  for (uint32_t i = 0; i < thread_count_ && !t; ++i) {
    if (!threads_[i]->taken) t = threads_[i];
  }
  if (!t) t = make_thread();
  if (!t) {
    lose(trace::LossKind::threads_unrecorded);
    return nullptr;
  }
  t->taken = true;
  t->depth = 0;
  t->slot = &this_thread;
  const bool first_use = !t->header->last_end;
  t->header->last_end = now();
  if (first_use) keep_series(t);
  if (have_thread_key) pthread_setspecific(thread_key, t);
  return t;
}

// Null where there are too many already or no memory; nobody asks for that again and again.
Thread* Recording::make_thread() {
  if (thread_count_ == trace::max_threads || no_more_threads_) return nullptr;
  void* p = mmap(nullptr, sizeof(Thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Thread* t = p == MAP_FAILED ? nullptr : new (p) Thread();
  if (t) t->number = static_cast<uint16_t>(thread_count_);
  if (!t || !attach_thread(t)) {
    if (t) munmap(p, sizeof(Thread));
    no_more_threads_ = true;
    tell("thread %u of this program and later ones are not recorded: no memory", thread_count_);
    return nullptr;
  }
  threads_[thread_count_++] = t;
  header_->threads = thread_count_;
  return t;
}

bool Recording::attach_thread(Thread* t) {
  const Storage::Open open(storage_);
  namespace at = trace::thread_at;
  namespace capacity = trace::capacity;
  t->region = storage_.region(at::end);
  if (!t->region || !storage_.back(t->region, t->region + trace::page)) return false;
  char* locals = t->region + at::locals;
  const size_t locals_size = capacity::locals * sizeof(trace::LiveLocal);
  if (!storage_.back(locals, locals + locals_size)) return false;
  t->header = reinterpret_cast<trace::ThreadHeader*>(t->region);
  t->header->thread = t->number;
  const trace::Backing backing = storage_.backing();
  const auto counter = [&](trace::LossKind k) { return &header_->losses[static_cast<uint32_t>(k)]; };
  // Modules are the process's.
  const auto lock = [] { return recording.lock_.take(); };
  const auto unlock = [](bool taken) {
    recording.lock_.give(taken);
    recording.catch_up();
  };
  t->locals.attach(reinterpret_cast<trace::LiveLocal*>(locals),
                   {&modules_, lock, unlock, counter(trace::LossKind::local_sites_merged)});
  if (!t->paths.attach({&t->header->sites, t->region + at::sites, capacity::sites, backing},
                       {&t->header->paths, t->region + at::paths, capacity::path_words, backing},
                       {&modules_, lock, unlock, counter(trace::LossKind::path_unknown)})) {
    return false;
  }
  t->regions.attach({&t->header->region_times, t->region + at::region_times, capacity::regions, backing},
                    {&region_names_, &header_->pauses, counter(trace::LossKind::regions_unbalanced),
                     counter(trace::LossKind::regions_merged)});
  t->graph.attach(t->header, t->region, backing, counter(trace::LossKind::order_lost),
                  counter(trace::LossKind::parameters_coarse),
                  {[](void* self) { recording.turn_generation(static_cast<Thread*>(self)); }, t});
  t->graph.set_scale({header_->tick_factor});
  t->graph.set_room(room_of_thread());
  t->graph.reset(false);
  memcpy(t->header->magic, trace::live_magic, sizeof(t->header->magic));
  return true;
}

// One thread does most of the calls in most programs: the others have an eighth of its room.
void Recording::keep_series(Thread* t) {
  t->graph.series().keep(t->number ? series_entries_ / 8 : series_entries_, series_automatic_,
                         {[](void* self) { return recording.spill_series(static_cast<Thread*>(self), false); }, t});
}

// What the series has so far goes to the file.
bool Recording::spill_series(Thread* t, bool last) {
  const Inside inside;
  trace::ByteSink sink;
  if (!trace::encode_series(t->region, header_->tick_factor, header_->first_ticks, last, &sink)) return true;
  const int saved = errno;
  const HeldSignals held;
  const Locked locked(lock_);
  if (has_budget_ && written_ + sink.size() > budget_ / 4) return false;
  TraceFile file(part_path_.text);
  file.chunk(trace::ChunkType::series, sink);
  if (has_budget_) written_ += file.written();
  const bool written = file.ok();
  has_part_ |= written;
  errno = saved;
  return written;
}

// Bytes of tables that calls without order may fill, a generation in order an eighth of it: what is kept of them takes
// a fifth in the file. Of the budget for memory it is half of what other threads have left: tables grow by doubling.
uint64_t Recording::room_of_thread() const {
  const uint64_t disk = budget_ < (uint64_t{16} << 20) ? budget_ / 2 : 2 * budget_;
  if (!memory_) return disk;
  constexpr uint64_t needed = uint64_t{2} << 20, least = 1 << 17;
  const uint64_t tables = memory_ > needed ? memory_ - needed : 0;
  const uint32_t halvings = thread_count_ + 2 < 63 ? thread_count_ + 2 : 63;
  const uint64_t memory = tables >> halvings;
  const uint64_t room = memory < disk ? memory : disk;
  return room > least ? room : least;
}

// The generation is full: writes it out and begins the next one. Beyond the budget, or where it can't be written, calls
// are only counted from now on.
void Recording::turn_generation(Thread* t) {
  const Inside inside;
  const Ticks begin = now();
  const int saved = errno;
  const HeldSignals held;
  trace::ByteSink sink;
  trace::encode_generation(t->region, header_->tick_factor, &sink);
  bool written = false;
  uint64_t in_files = 0;
  {
    const Locked locked(lock_);
    TraceFile file(part_path_.text);
    file.chunk(trace::ChunkType::generation, sink);
    written = file.ok();
    in_files = written_ += file.written();
    if (written) ++header_->generations_written;
  }
  if (written) {
    spill_series(t, true);
    // Room must be left for what is recorded from now on. Before the new number: a half-cleared generation is dropped,
    // not counted twice.
    constexpr uint64_t bytes_per_site = 256;  // with what is always counted by site
    t->graph.reset(in_files + 2 * sink.size() + t->header->sites.used * bytes_per_site + budget_ / 4 >= budget_);
    ++t->header->generation;
  } else {
    lose(trace::LossKind::write_failed);
    t->graph.stop_ordering();
  }
  errno = saved;
  own_time(now() - begin);
}

void Recording::began(Ticks begin) {
  trace::ProcessHeader& h = *header_;
  h.initialized = 1;
  // The series' times are told from here on: the same moment on the system's clock.
  const trace::TickScale scale{h.tick_factor};
  if (begin > h.first_ticks) h.start_unix_ns += static_cast<int64_t>(scale.ns(begin - h.first_ticks));
  h.first_ticks = begin;
  h.world = world_number();
  settings_.clear();
  read_library_settings(&settings_);
  if (!has_real(Fn::Get_library_version)) return;
  static char text[16384];  // the program's stack may be small
  int32_t length = 0;
  call_real(Fn::Get_library_version, text, &length);
  snprintf(h.library, sizeof(h.library), "%.*s", static_cast<int>(strcspn(text, "\n\r")), text);
}

void Recording::initialized(Ticks begin) {
  trace::ProcessHeader& h = *header_;
  int32_t flag = 0, level = 0;
  if (call_real(Fn::Initialized, &flag) != 0 || !flag) return;
  if (!h.initialized) began(begin);
  world_begun = true;
  h.finalized = 0;
  files_after_finalize(false);
  call_real(Fn::Comm_rank, abi.comm_world, &h.rank);
  call_real(Fn::Comm_size, abi.comm_world, &h.world_size);
  // With MPI_THREAD_SERIALIZED too: calls on files come from several threads at once.
  const bool known = !open_sessions_ && call_real(Fn::Query_thread, &level) == 0;
  if (known) lock_.set_needed(level >= (abi.thread_multiple + 1) / 2);
  learn_library(abi.comm_world);
  handles_.comm(abi.comm_world);
  clock_exchange.in_init(h.rank, h.world_size);
}

void Recording::finalizes() {
  const Ticks begin = now();
  const int saved = errno;
  variables_.clear();
  read_tool_variables(&variables_);
  errno = saved;
  const trace::TickScale scale{header_->tick_factor};
  clocks_from_ = clock_exchange.in_finalize(scale.ns(now() - header_->first_ticks)) ? begin : 0;
  own_time(now() - begin);
}

void Recording::finalized(Ticks end) {
  header_->finalized = 1;
  header_->last_ticks = end;
  files_after_finalize(true);
}

void Recording::session_opened(uint64_t session, Ticks begin) {
  lock_.set_needed(true);  // each session has its own level of threads
  ++open_sessions_;
  header_->finalized = 0;
  files_after_finalize(false);
  if (!header_->initialized) began(begin);
  if (handles_.session()) return;
  handles_.set_session(session);
  if (header_->rank < 0) read_rank_of(session);
}

void Recording::read_rank_of(uint64_t session) {
  uint64_t group = 0;
  if (call_real(Fn::Group_from_session_pset, session, "mpi://WORLD", &group) != 0) return;
  call_real(Fn::Group_rank, group, &header_->rank);
  call_real(Fn::Group_size, group, &header_->world_size);
  call_real(Fn::Group_free, &group);
}

void Recording::session_closes(uint64_t session) {
  if (handles_.session() == session) handles_.set_session(0);
}

void Recording::session_closed(Ticks end) {
  if (open_sessions_) --open_sessions_;
  if (!open_sessions_ && !world_begun) finalized(end);
}

void Recording::leave(Thread* thread) {
  const Inside inside;
  const Locked one_at_a_time(entering_);
  const Locked locked(lock_);
  thread->regions.end();
  thread->paths.set_region(0);
  thread->taken = false;
  thread->slot = nullptr;
  set_own_thread(nullptr);
}

// All threads come to enter() with their next call.
void Recording::call_in_all_threads() {
  for (uint32_t i = 0; i < thread_count_; ++i) {
    if (threads_[i]->slot) __atomic_store_n(threads_[i]->slot, nullptr, __ATOMIC_RELAXED);
  }
}

void Recording::code_unloaded() {
  if (state_ != State::on) return;
  set_own_thread(nullptr);
  bool taken = false;
  if (!lock_.try_take(&taken)) {  // its owner may wait for the dynamic linker
    unloading_pending_ = true;
    return;
  }
  call_in_all_threads();
  lock_.give(taken);
}

void Recording::catch_up() {
  if (unloading_pending_.exchange(false)) code_unloaded();
}

// The mapping is shared with the parent: the child must not touch it. A child of a process that has not begun with MPI
// may begin itself.
void Recording::forked() {
  if (state_ != State::on) return;
  const bool parent_uses_mpi = header_->initialized;
  set_recorded(true);
  set_own_thread(nullptr);
  if (have_thread_key) pthread_setspecific(thread_key, nullptr);
  new (&storage_of_recording.recording) Recording();
  if (!parent_uses_mpi) return;
  state_ = State::off;
  stop_watching_files();
}

void Recording::sample_own_time() {
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
    const auto events = static_cast<double>(t.header->events_before + trace::events_of(*t.header));
    all += per_call * events;
    calls += events;
  }
  header_->own_ticks += static_cast<uint64_t>(all);
  if (calls > 0) header_->fast_call_ticks_x1000 = static_cast<uint64_t>(1000 * all / calls);
}

void Recording::discard_live() {
  if (storage_.in_file()) unlink(live_path_.text);
}

void Recording::write_definitions(TraceFile* file) {
  using trace::ChunkType;
  trace::ByteSink sink;
  const auto put = [&](ChunkType type, void (*encode)(const char*, trace::ByteSink*)) {
    sink.clear();
    encode(process_region_, &sink);
    file->chunk(type, sink);
  };
  put(ChunkType::process, trace::encode_process);
  uint8_t used[trace::max_functions] = {};
  for (uint32_t i = 0; i < thread_count_; ++i) trace::mark_functions(threads_[i]->region, &used);
  sink.clear();
  trace::encode_functions(process_region_, used, &sink);
  file->chunk(ChunkType::functions, sink);
  put(ChunkType::modules, trace::encode_modules);
  put(ChunkType::communicators, trace::encode_communicators);
  put(ChunkType::datatypes, trace::encode_datatypes);
  put(ChunkType::ops, trace::encode_ops);
  if (trace::has_regions(process_region_)) put(ChunkType::regions, trace::encode_regions);
  if (variables_.size()) file->chunk(ChunkType::variables, variables_);
  if (settings_.size()) file->chunk(ChunkType::settings, settings_);
  if (trace::was_paused(process_region_)) {
    uint64_t calls = 0;
    for (uint32_t i = 0; i < thread_count_; ++i) calls += trace::calls_aside(threads_[i]->region);
    sink.clear();
    trace::encode_pauses(process_region_, calls, &sink);
    file->chunk(ChunkType::pauses, sink);
  }
  put(ChunkType::files, trace::encode_files);
  put(ChunkType::clock, trace::encode_clock);
}

void Recording::write_thread(const char* region, TraceFile* file) {
  using trace::ChunkType;
  trace::ByteSink sites, structure, rest;
  trace::encode_sites(region, &sites);
  trace::encode_structure(region, &structure);
  if (file->fits(sites.size() + structure.size()) && share_structure(stem_, sites, structure, &rest)) {
    file->chunk(ChunkType::shared, rest);
  } else {
    file->chunk(ChunkType::sites, sites);
    file->chunk(ChunkType::structure, structure);
  }
  rest.clear();
  trace::encode_times(region, header_->tick_factor, &rest);
  file->chunk(ChunkType::times, rest);
  rest.clear();
  if (trace::encode_series(region, header_->tick_factor, header_->first_ticks, true, &rest)) {
    file->chunk(ChunkType::series, rest);
  }
  rest.clear();
  trace::encode_locals(region, header_->tick_factor, &rest);
  file->chunk(ChunkType::locals, rest);
  if (!trace::has_regions(process_region_)) return;
  rest.clear();
  trace::encode_region_times(region, header_->tick_factor, &rest);
  file->chunk(ChunkType::region_times, rest);
}

// Renames the part to what readers look for; never over another trace. Returns 0 or errno.
int Recording::name_trace() {
  FilePath* path = &trace_path_;
  for (int again = 1; again < 100; ++again) {
    file_in_run(path, again == 1 ? "rank-%05d-%s.trace" : "rank-%05d-%s-%d.trace", header_->rank, stem_, again);
    if (access(path->text, F_OK) == 0) continue;
    return rename(part_path_.text, path->text) == 0 ? 0 : errno;
  }
  return EEXIST;
}

void Recording::finish() {
  if (state_ != State::on || getpid() != pid_) return;
  finish_files();
  const Inside inside;
  const int saved = errno;
  const HeldSignals held;
  const Locked locked(lock_);
  state_ = State::off;
  call_in_all_threads();  // those that still run are not recorded any more
  const Ticks begin = now();
  if (!header_->finalized) header_->last_ticks = begin;
  uint64_t events = 0;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    events += threads_[i]->header->events_before + trace::events_of(*threads_[i]->header);
  }
  if (!header_->initialized && !events) {
    discard_live();
    return;
  }
  for (uint32_t i = 0; i < thread_count_; ++i) threads_[i]->regions.end();
  if (header_->rank < 0) header_->rank = static_cast<int32_t>(rank_from_environment());
  header_->tick_factor = rate_.factor();
  sample_own_time();
  own_time(now() - begin);
  const bool has_part = has_part_ || header_->generations_written > 0;
  if (!has_part) file_in_run(&part_path_, "%s.tmp", stem_);
  int error = 0;
  {
    TraceFile file(part_path_.text);
    if (has_budget_) file.set_limit(budget_ > written_ ? budget_ - written_ : 0);
    write_definitions(&file);
    trace::ByteSink sink;
    for (uint32_t i = 0; i < thread_count_; ++i) write_thread(threads_[i]->region, &file);
    if (file.left_out()) lose(trace::LossKind::over_disk_budget, file.left_out());
    sink.clear();
    trace::encode_losses(process_region_, &sink);
    file.chunk(trace::ChunkType::losses, sink);
    sink.clear();
    sink.varint(header_->finalized);
    file.chunk(trace::ChunkType::end, sink);
    error = file.error();
  }
  if (!error) error = name_trace();
  if (!error) {
    discard_live();
  } else {
    if (!has_part) unlink(part_path_.text);
    tell("rank %d: the trace could not be written to %s: %s%s", header_->rank, run_directory(), strerror(error),
         storage_.in_file() && access(live_path_.text, F_OK) == 0 ? " (what the .live file holds can still be read)"
                                                                  : "; what was recorded is lost");
  }
  errno = saved;
}

namespace {
__attribute__((destructor)) void at_exit() { recording.finish(); }
}  // namespace

}  // namespace leadline::recorder
