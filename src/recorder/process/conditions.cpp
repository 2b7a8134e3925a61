#include "recorder/process/conditions.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/control_group.hpp"
#include "host/launcher_variables.hpp"
#include "host/own_file.hpp"
#include "recorder/clocks/clock.hpp"

namespace leadline::recorder {
namespace {

using host::open_own;
using recording::LiveConditions;

constexpr uint32_t most_threads = 1024;
constexpr uint32_t most_processors = 8192;

uint64_t cpu_before = 0, waited_before = 0;
pid_t thread_of_init = 0;
bool waiting_known = false;

size_t read_file(const char* path, char* text, size_t size) {
  const int fd = open_own(path, O_RDONLY);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, text, size - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  return n > 0 ? static_cast<size_t>(n) : 0;
}

struct Processors {
  unsigned long bits[most_processors / (8 * sizeof(unsigned long))] = {};

  void add_of(pid_t thread) {
    Processors own;
    if (sched_getaffinity(thread, sizeof(own.bits), reinterpret_cast<cpu_set_t*>(own.bits)) != 0) return;
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); ++i) bits[i] |= own.bits[i];
  }
  bool has(uint32_t i) const {
    constexpr uint32_t width = 8 * sizeof(bits[0]);
    return i < most_processors && (bits[i / width] >> i % width & 1);
  }
  void set(uint32_t i) {
    constexpr uint32_t width = 8 * sizeof(bits[0]);
    if (i < most_processors) bits[i / width] |= 1UL << i % width;
  }
};

void put_runs(const Processors& processors, LiveConditions* conditions) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < most_processors && n < LiveConditions::most_runs; ++i) {
    if (!processors.has(i)) continue;
    uint32_t end = i;
    while (processors.has(end)) ++end;
    conditions->allowed[n++] = {i, end - i};
    i = end;
  }
  conditions->runs = n;
}

Processors runs_of(const LiveConditions& conditions) {
  Processors processors;
  for (uint32_t i = 0; i < conditions.runs; ++i) {
    const LiveConditions::Run& run = conditions.allowed[i];
    for (uint32_t p = run.first; p < run.first + run.count; ++p) processors.set(p);
  }
  return processors;
}

// How long a thread could run and had no processor. Source: Linux, Documentation/scheduler/sched-stats.rst.
bool read_waited(pid_t thread, uint64_t* ns) {
  char path[64], text[96];
  snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", thread);
  unsigned long long ran = 0, waited = 0;
  if (!read_file(path, text, sizeof(text)) || sscanf(text, "%llu %llu", &ran, &waited) != 2) return false;
  *ns = waited;
  return true;
}

// The kernel's clock of a thread's processor time. Source: Linux, include/linux/posix-timers.h (CPUCLOCK_*).
uint64_t cpu_of(pid_t thread) {
  constexpr uint32_t per_thread = 4, scheduler = 2;
  timespec t{};
  const auto id = static_cast<clockid_t>(~static_cast<uint32_t>(thread) << 3 | per_thread | scheduler);
  if (clock_gettime(id, &t) != 0) return 0;
  return static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec);
}

// Calls back with each thread of the process, up to `most`. False: the system does not tell.
template <class Each>
bool for_each_thread(uint32_t most, Each each) {
  const int fd = open_own("/proc/self/task", O_RDONLY | O_DIRECTORY);
  DIR* tasks = fd >= 0 ? fdopendir(fd) : nullptr;
  if (!tasks) {
    if (fd >= 0) close(fd);
    return false;
  }
  uint32_t n = 0;
  while (const dirent* task = n < most ? readdir(tasks) : nullptr) {
    const pid_t thread = atoi(task->d_name);
    if (thread <= 0) continue;
    each(thread);
    ++n;
  }
  closedir(tasks);
  return true;
}

// What threads ran for before MPI_Init returned does not count: those that libraries start are busy only then.
struct EarlyThreads {
  static constexpr uint32_t most = 256;
  pid_t thread[most] = {};
  uint64_t ran[most] = {};
  uint32_t number = 0;

  void note() {
    number = 0;
    for_each_thread(most, [this](pid_t each) {
      thread[number] = each;
      ran[number++] = cpu_of(each);
    });
  }
  uint64_t ran_before(pid_t of) const {
    for (uint32_t i = 0; i < number; ++i) {
      if (thread[i] == of) return ran[i];
    }
    return 0;
  }
};
constinit EarlyThreads early_threads;

void count_threads(LiveConditions* conditions) {
  static uint64_t ran[most_threads];
  // A thread that OpenMP bound has fewer processors than the process.
  Processors processors = runs_of(*conditions);
  uint32_t n = 0;
  uint64_t longest = 0;
  const bool told = for_each_thread(most_threads, [&](pid_t thread) {
    const uint64_t all = cpu_of(thread), before = early_threads.ran_before(thread);
    ran[n] = all > before ? all - before : 0;
    if (ran[n] > longest) longest = ran[n];
    processors.add_of(thread);
    ++n;
  });
  if (!told) return;
  conditions->threads = n;
  conditions->busy = 0;
  for (uint32_t i = 0; i < n; ++i) conditions->busy += ran[i] && 10 * ran[i] >= longest;
  if (!conditions->busy) conditions->busy = 1;
  put_runs(processors, conditions);
}

uint32_t quota() {
  char text[2048];
  if (!read_file("/proc/self/cgroup", text, sizeof(text))) return 0;
  return host::control_group_quota("/sys/fs/cgroup", text, read_file);
}

}  // namespace

void conditions_at_start(const Budgets& budgets, LiveConditions* conditions) {
  LiveConditions& p = *conditions;
  p.known = 1;
  p.launcher_rank = -1;
  p.budget_files = budgets.files;
  p.budget_memory = budgets.memory;
  p.budgets_given = (budgets.files_given ? 1u : 0u) | (budgets.memory ? 2u : 0u);
  for (const host::LauncherVariables& launcher : host::launchers) {
    const char *size = host::variable(launcher.size), *rank = host::variable(launcher.rank);
    if (!size || !rank || atoi(size) <= 0) continue;
    p.launcher_ranks = atoi(size);
    p.launcher_rank = atoi(rank);
    snprintf(p.launcher, sizeof(p.launcher), "%s", launcher.size);
    break;
  }
}

void conditions_in_init(LiveConditions* conditions) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  conditions->processors = online > 0 ? static_cast<uint32_t>(online) : 0;
  conditions->quota = quota();
  Processors processors;
  processors.add_of(0);
  put_runs(processors, conditions);
  cpu_before = system_ns(CLOCK_PROCESS_CPUTIME_ID);
  early_threads.note();
  thread_of_init = static_cast<pid_t>(syscall(SYS_gettid));  // gettid() came with glibc 2.30
  waiting_known = read_waited(thread_of_init, &waited_before);
}

void conditions_meanwhile(LiveConditions* conditions) {
  if (!conditions->processors) return;
  conditions->cpu_ns = system_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
  uint64_t waited = 0;
  const bool known = waiting_known && read_waited(thread_of_init, &waited) && waited >= waited_before;
  conditions->waited_ns = known ? waited - waited_before : 0;
  conditions->waiting_known = known;
}

void conditions_in_finalize(LiveConditions* conditions) {
  if (!conditions->processors) return;
  conditions_meanwhile(conditions);
  count_threads(conditions);
}

}  // namespace leadline::recorder
