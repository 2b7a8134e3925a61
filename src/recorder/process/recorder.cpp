#include "recorder/process/recorder.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <new>

#include "host/host_name.hpp"
#include "host/immortal.hpp"
#include "host/launcher_variables.hpp"
#include "host/own_file.hpp"
#include "leadline/symbols.hpp"
#include "recorder/call_paths/code_places.hpp"
#include "recorder/clocks/clock_exchange.hpp"
#include "recorder/files/files.hpp"
#include "recorder/job/left_out.hpp"
#include "recorder/job/masking.hpp"
#include "recorder/job/run_files.hpp"
#include "recorder/library/file_functions.hpp"
#include "recorder/memory/lost_pages.hpp"
#include "recorder/process/conditions.hpp"
#include "recorder/samples/asked_rate.hpp"
#include "recording/long_work.hpp"

namespace leadline::recorder {

thread_local constinit Thread* this_thread = nullptr;

namespace {

constexpr host::Immortal<Recorder> storage_of_recorder;

pthread_key_t thread_key;
bool have_thread_key = false;

// The command line, words separated by spaces, without secrets.
void read_program(char* into, size_t size) {
  const int fd = open_own("/proc/self/cmdline", O_RDONLY);
  if (fd < 0) return;
  static char words[4096];  // the program's stack may be small
  const ssize_t got = read(fd, words, sizeof(words));
  close(fd);
  const size_t n = got > 0 ? static_cast<size_t>(got) : 0;
  if (!keeps_secrets()) return mask_words(words, n, into, size);
  for (size_t i = 0; i + 1 < size && i < n; ++i) into[i] = words[i] || i + 1 == n ? words[i] : ' ';
}

// Only one rank of the job prints it.
void say_diverted() {
  if (!is_diverted() || host::launcher_rank() > 0) return;
  tell("%s contains another job's run; this job is recorded in %s", asked_directory(), run_directory());
}

void say_refused(const char* why) {
  if (host::launcher_rank() > 0) return;
  tell("this program is not recorded: %s: %s; choose another directory (-o), or allow this one (--shared-directory)",
       run_directory(), why);
}

}  // namespace

constinit Recorder& this_process = storage_of_recorder.object;

Thread* Recorder::enter() {
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
        t->graph.forget_code();
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

bool Recorder::may_enter() const { return lock_.needed() || (have_thread_key && pthread_getspecific(thread_key)); }

void Recorder::start() {
  rate_.begin();
  const Ticks begin = now();
  const uint64_t begin_ns = processor_ns();
  state_ = State::off;
  const char* why = nullptr;
  const bool found = find_real_functions(&why);
  set_recorded(true);
  if (!found && !mpi_library_path()) {  // none is loaded yet: mpi4py asks before it loads one
    state_ = State::unknown;
    return;
  }
  if ((!*asked_directory() && run_directory_fits()) || is_left_out()) return;
  finish_at_exit();
  watch_files();          // another library's constructor may be calling, before ours
  stop_watching_files();  // until all is ready
  if (!found) return tell("this program is not recorded: %s", why);
  if (!run_directory_fits())
    return tell(
        "this program is not recorded: the path of the run's directory is too long (choose a shorter one with -o)");
  const HeldRunDirectory held;
  if (const char* why = choose_run_directory()) return say_refused(why);
  say_diverted();
  budgets_.read();
  storage_.file_limit = budgets_.files;
  pid_ = getpid();
  create_live_file();
  if (storage_.in_file()) watch_for_lost_pages([](uint64_t address) { return this_process.lose_page(address); });
  if (!attach_process()) {
    discard_live();
    return tell("this program is not recorded: its memory limit is too low (raise ulimit -v)");
  }
  if (!have_thread_key) {
    have_thread_key =
        pthread_key_create(&thread_key, [](void* t) { this_process.leave(static_cast<Thread*>(t)); }) == 0;
    pthread_atfork(nullptr, nullptr, [] { this_process.forked(); });
  }
  recording::before_long_work = [] {
    if (Thread* t = own_thread()) {
      t->time_this_call();
      t->begins_long_work();
    }
  };
  conditions_at_start(budgets_, &header_->conditions);
  live_directory_.describe(&header_->conditions);
  record_files(header_, process_region_, storage_.backing());
  header_->sampling.rate = asked_rate();
  state_ = State::on;
  const char* paused = getenv("LEADLINE_START_PAUSED");
  if (paused && *paused && strcmp(paused, "0") != 0) begin_pause(begin);
  own_processor_time(begin_ns);
}

// A process that executes another program, and one in a container, may have the number of one that was recorded before.
void Recorder::create_live_file() {
  const host::NameInFiles host;
  const auto pid = static_cast<long long>(pid_);
  live_directory_.choose(host.text);
  storage_.on_local_disk = live_directory_.on_local_disk();
  // On a node the name may also be that of a process on a node, or in a container, of the same name.
  uint32_t other = 0;
  if (live_directory_.away() && syscall(SYS_getrandom, &other, sizeof(other), GRND_NONBLOCK) != sizeof(other)) {
    other = static_cast<uint32_t>(now());
  }
  for (int again = 1; again < 100; ++again) {
    if (live_directory_.away()) {
      snprintf(stem_, sizeof(stem_), "%.64s-%lld-%08x", host.text, pid, other++);
    } else {
      snprintf(stem_, sizeof(stem_), again == 1 ? "%.64s-%lld" : "%.64s-%lld-%d", host.text, pid, again);
    }
    live_directory_.file(&live_path_, stem_, "live");
    live_directory_.file(&part_path_, stem_, "part");
    if (storage_.create(live_path_.text) || errno != EEXIST) return;
  }
}

bool Recorder::attach_process() {
  process_region_ = storage_.region(recording::process_at::end);
  if (!process_region_ || !storage_.back(process_region_, process_region_ + recording::page)) return false;
  header_ = reinterpret_cast<recording::ProcessHeader*>(process_region_);
  storage_.not_crash_safe = &header_->losses[static_cast<uint32_t>(trace::LossKind::not_crash_safe)];
  recording::ProcessHeader& h = *header_;
  h.version = recording::live_version;
  h.pid = pid_;
  h.rank = -1;
  utsname host{};
  uname(&host);
  snprintf(h.host, sizeof(h.host), "%.63s", host.nodename);
  h.tick_factor = rate_.factor(100000);  // for a program that dies in MPI_Init; then it is known better
  h.start_unix_ns = static_cast<int64_t>(wall_ns());
  clock_exchange.begin(&h.clock);
  h.first_ticks = now();
  h.last_ticks = h.first_ticks;
  read_program(h.program, sizeof(h.program));
  snprintf(h.family, sizeof(h.family), "%s", abi.family->name);
  const recording::Backing backing = storage_.backing();
  uint64_t* lost = &h.losses[static_cast<uint32_t>(trace::LossKind::path_unknown)];
  namespace at = recording::process_at;
  namespace capacity = recording::capacity;
  modules_.attach({&h.modules, process_region_ + at::modules, capacity::modules, backing, lost});
  handles_.attach({&h.communicators, process_region_ + at::communicators, capacity::communicators, backing},
                  {&h.members, process_region_ + at::members, capacity::members, backing},
                  {&h.datatypes, process_region_ + at::datatypes, capacity::datatypes, backing},
                  {&h.ops, process_region_ + at::ops, capacity::ops, backing, lost});
  region_names_.attach({&h.regions, process_region_ + at::regions, capacity::regions, backing},
                       {&h.region_names, process_region_ + at::region_names, capacity::region_names, backing, lost});
  samples_.attach({&h.samples, process_region_ + at::samples, capacity::samples, backing}, &h.sampling, &modules_);
  write_function_names();
  memcpy(h.magic, recording::live_magic, sizeof(h.magic));
  return true;
}

void Recorder::write_function_names() {
  recording::ByteTable text(&header_->functions, process_region_ + recording::process_at::functions,
                            recording::capacity::functions, storage_.backing(), &header_->losses[0]);
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

Thread* Recorder::add_thread() {
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
  t->paths.belong_to_this_thread();
  t->slot = &this_thread;
  if (t->header->last_end) {
    t->skip_to(now());
  } else {
    t->header->last_end = now();
    keep_series(t);
  }
  if (have_thread_key) pthread_setspecific(thread_key, t);
  begin_sampling(t);
  return t;
}

// Null if there are too many already, or no memory; after that no thread asks again.
Thread* Recorder::make_thread() {
  if (thread_count_ == trace::max_threads || no_more_threads_) return nullptr;
  void* p = mmap(nullptr, sizeof(Thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Thread* t = p == MAP_FAILED ? nullptr : new (p) Thread();
  if (t) t->number = static_cast<uint16_t>(thread_count_);
  if (!t || !attach_thread(t)) {
    if (t) munmap(p, sizeof(Thread));
    no_more_threads_ = true;
    tell("thread %u and all later threads are not recorded: out of memory", thread_count_);
    return nullptr;
  }
  threads_[thread_count_++] = t;
  header_->threads = thread_count_;
  return t;
}

bool Recorder::attach_thread(Thread* t) {
  namespace at = recording::thread_at;
  namespace capacity = recording::capacity;
  t->region = storage_.region(at::end);
  if (!t->region || !storage_.back(t->region, t->region + recording::page)) return false;
  t->header = reinterpret_cast<recording::ThreadHeader*>(t->region);
  t->header->thread = t->number;
  const recording::Backing backing = storage_.backing();
  const auto counter = [&](trace::LossKind k) { return &header_->losses[static_cast<uint32_t>(k)]; };
  // Modules are the process's.
  const auto lock = [] { return this_process.lock_.take(); };
  const auto unlock = [](bool taken) {
    this_process.lock_.give(taken);
    this_process.catch_up();
  };
  const auto learnt = [](void* self, uint64_t ticks) { this_process.learnt(*static_cast<Thread*>(self), ticks); };
  t->locals.attach({&t->header->locals, t->region + at::locals, capacity::locals, backing},
                   {&modules_, lock, unlock, counter(trace::LossKind::local_sites_merged), learnt, t});
  if (!t->paths.attach({&t->header->sites, t->region + at::sites, capacity::sites, backing},
                       {&t->header->contexts, t->region + at::contexts, capacity::contexts, backing},
                       {&modules_, lock, unlock, counter(trace::LossKind::path_unknown), learnt, t})) {
    return false;
  }
  t->regions.attach({&t->header->region_times, t->region + at::region_times, capacity::regions, backing},
                    {&region_names_, &header_->pauses, counter(trace::LossKind::regions_unbalanced),
                     counter(trace::LossKind::regions_merged)});
  t->graph.attach(t->header, t->region, backing, counter(trace::LossKind::order_lost),
                  counter(trace::LossKind::parameters_coarse),
                  {[](void* self) { this_process.turn_generation(static_cast<Thread*>(self)); }, t,
                   [](void* self) { static_cast<Thread*>(self)->time_this_call(); }});
  recording::CodePlaces places{[](void*, uint64_t frame, uint64_t* address) {
                                 if constexpr (!code::reads_this_processor) return false;
                                 const Locked locked(this_process.lock_);
                                 return this_process.modules_.address_of(trace::module_of(frame),
                                                                         frame & trace::frame_offset_mask, address);
                               },
                               [](void*, uint64_t frame) {
                                 const Locked locked(this_process.lock_);
                                 const uint32_t module = trace::module_of(frame);
                                 return module == trace::no_module_word || this_process.modules_.interprets(module);
                               },
                               {[](void* self, uint64_t address, code::Range* range) {
                                  if (Thread* own = own_thread()) own->begins_long_work();
                                  return static_cast<CodeSearch*>(self)->find(address, range);
                                },
                                find_import, &t->code, find_constants},
                               nullptr};
  if (budgets_.kept_code) places.most_kept_bytes = budgets_.kept_code;
  t->graph.set_places(places);
  t->graph.set_scale({__atomic_load_n(&header_->tick_factor, __ATOMIC_RELAXED)});
  t->graph.set_room(budgets_.room_of_thread(thread_count_));
  t->graph.reset(false);
  memcpy(t->header->magic, recording::live_magic, sizeof(t->header->magic));
  return true;
}

// One thread does most of the calls in most programs: the others have an eighth of its room.
void Recorder::keep_series(Thread* t) {
  for (int fn = 0; fn < function_count; ++fn) {
    using trace::CallClass;
    const CallClass cls = traits[fn].cls;
    const auto number = static_cast<uint32_t>(fn);
    if (cls == CallClass::coll) t->graph.series().know(number, recording::SeriesLog::Kind::collective);
    if (cls == CallClass::init || cls == CallClass::finalize) {
      t->graph.series().know(number, recording::SeriesLog::Kind::outside);
    }
  }
  for (uint32_t fn = first_file_function; fn < trace::max_functions; ++fn) {
    t->graph.series().know(fn, recording::SeriesLog::Kind::file);
  }
  t->graph.series().keep(t->number ? budgets_.series_entries / 8 : budgets_.series_entries, budgets_.series_in_memory,
                         budgets_.series_automatic,
                         {[](void* self) { return this_process.spill_series(static_cast<Thread*>(self), false); }, t,
                          now, [](uint64_t ticks) { this_process.own_time_between_calls(ticks); }});
}

void Recorder::leave_out(Thread& t, Ticks ticks) {
  const Ticks own = t.on_a_core(ticks, header_->tick_factor);
  if (__atomic_load_n(&header_->pauses.since, __ATOMIC_RELAXED)) return own_time(own);  // it is in no gap
  t.graph.series().pass_over(own);
  own_time_between_calls(own);
}

void Recorder::learnt(Thread& t, Ticks ticks) {
  if (t.call_returned) return t.time_this_call();
  leave_out(t, ticks);
}

void Recorder::leave(Thread* thread) {
  const Inside inside;
  const Locked one_at_a_time(entering_);
  const Locked locked(lock_);
  take_samples(*thread, no_site, Where::before_call);
  thread->ring.close();
  thread->regions.end();
  thread->paths.set_region(0);
  thread->taken = false;
  thread->slot = nullptr;
  set_own_thread(nullptr);
}

// All threads come to enter() with their next call.
void Recorder::call_in_all_threads() {
  for (uint32_t i = 0; i < thread_count_; ++i) {
    if (threads_[i]->slot) __atomic_store_n(threads_[i]->slot, nullptr, __ATOMIC_RELAXED);
  }
}

// The call that touched it finds zeros there, which lead nowhere, and is the last one that is recorded.
bool Recorder::lose_page(uint64_t address) {
  if (getpid() != pid_ || !storage_.replace_lost(address)) return false;
  pages_lost_ = true;
  state_ = State::off;
  call_in_all_threads();
  return true;
}

void Recorder::code_unloaded() {
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

void Recorder::catch_up() {
  if (unloading_pending_.exchange(false)) code_unloaded();
}

// The mapping is shared with the parent: the child must not touch it. A child of a process that has not begun with MPI
// may begin itself.
void Recorder::forked() {
  if (state_ != State::on) return;
  const bool parent_uses_mpi = is_initialized();
  set_recorded(true);
  set_own_thread(nullptr);
  if (have_thread_key) pthread_setspecific(thread_key, nullptr);
  new (&this_process) Recorder();
  if (!parent_uses_mpi) return;
  state_ = State::off;
  stop_watching_files();
}

}  // namespace leadline::recorder
