#include "recorder/job/job.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <initializer_list>

#include "host/begins.hpp"
#include "host/launcher_variables.hpp"
#include "recorder/job/ancestors.hpp"

namespace leadline::recorder {
namespace {

using host::LauncherVariables;

enum class Starter : uint8_t { none, hydra, slurm_step, slurm_batch, openmpi, this_host, other };

struct Found {
  Starter kind = Starter::none;
  int pid = 0;
  uint64_t started = 0;
  char control[128] = {};      // where the proxies of one mpiexec find it: host:port
  bool launcher_seen = false;  // `pid` is mpiexec, not one of its proxies
};

constexpr struct {
  const char* begin;  // of the executable's name
  Starter kind;
} starters[] = {
    {"hydra_pmi_pro", Starter::hydra},
    {"pmi_proxy", Starter::hydra},
    {"slurmstepd", Starter::slurm_step},
    {"mpiexec.gforker", Starter::this_host},  // its ranks are its children
    {"orted", Starter::openmpi},
    {"prted", Starter::openmpi},
    {"prterun", Starter::openmpi},
    {"prte", Starter::openmpi},
    {"mpirun", Starter::openmpi},
    {"mpiexec", Starter::openmpi},
    {"orterun", Starter::openmpi},
    {"aprun", Starter::other},
    {"palsd", Starter::other},
    {"flux-shell", Starter::other},
    {"jsmd", Starter::other},
    {"mpispawn", Starter::other},
    {"apinit", Starter::other},
};

Starter starter_of(const char* name) {
  for (const auto& starter : starters) {
    if (host::begins(name, starter.begin)) return starter.kind;
  }
  return Starter::none;
}

// The title of a step's manager is "slurmstepd: [12.0]", that of a batch script's "[12.batch]". If the name is not a
// number, nothing there was started as a rank.
bool runs_a_script(int pid) {
  char line[256];
  size_t length = 0;
  if (!read_of_process(line, sizeof(line), &length, "/proc/%d/cmdline", pid)) return false;
  return strstr(line, ".batch]") || strstr(line, ".extern]") || strstr(line, ".interactive]");
}

// Host and port on which mpiexec waits for its proxies, and mpiexec itself where it is on this host: what it spawns may
// have another proxy.
void look_beyond_proxy(Found* found) {
  static char line[8192];  // the program's stack may be small
  size_t length = 0;
  for (int i = 0, pid = found->pid; i < 4 && pid > 1; ++i) {
    ProcessState state;
    if (!read_state(pid, &state)) return;
    if (host::begins(state.name, "mpiexec") || host::begins(state.name, "mpirun")) {
      found->pid = pid;
      found->started = state.started;
      found->launcher_seen = true;
      return;
    }
    if (!found->control[0] && read_of_process(line, sizeof(line), &length, "/proc/%d/cmdline", pid)) {
      const char* at = word_after(line, length, "--control-port");
      if (at) snprintf(found->control, sizeof(found->control), "%.127s", at);
    }
    pid = state.parent;
  }
}

// The nearest process above us that starts ranks.
void find_starter(Found* found) {
  ProcessState state;
  if (!read_state(getpid(), &state)) return;
  for (int i = 0; i < most_ancestors && state.parent > 1; ++i) {
    const int pid = state.parent;
    if (!read_state(pid, &state)) return;
    const Starter kind = starter_of(state.name);
    if (kind == Starter::none) continue;
    found->kind = kind == Starter::slurm_step && runs_a_script(pid) ? Starter::slurm_batch : kind;
    found->pid = pid;
    found->started = state.started;
    if (kind == Starter::hydra) look_beyond_proxy(found);
    return;
  }
}

// Whether the launcher says that all ranks are on this host.
bool on_one_host() {
  const auto* launcher = host::launcher_with(&LauncherVariables::local_size, &LauncherVariables::size);
  return launcher && strcmp(host::variable(launcher->local_size), host::variable(launcher->size)) == 0;
}

void add(char* text, size_t size, const char* format, va_list args) {
  const size_t used = strlen(text);
  if (used + 1 < size) vsnprintf(text + used, size - used, format, args);
}

__attribute__((format(printf, 2, 3))) void add_identity(Job* job, const char* format, ...) {
  va_list args;
  va_start(args, format);
  add(job->identity, sizeof(job->identity), format, args);
  va_end(args);
}

// Its name, which begins the identity.
__attribute__((format(printf, 2, 3))) void set_name(Job* job, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(job->name, sizeof(job->name), format, args);
  va_end(args);
  add_identity(job, "%s", job->name);
  for (char* at = job->name; *at; ++at) {
    const bool harmless = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                          (strchr("._-", *at) && at != job->name);
    if (!harmless) *at = '_';
  }
}

// Slurm starts programs that a step's ranks spawn as another step, whose PMI calls itself "12.0-1": the first of 12.0.
const char* step_that_spawned() {
  const char* name = host::variable("PMI_SPAWNED") ? host::variable("PMI_JOBID") : nullptr;
  const char* step = name ? strchr(name, '.') : nullptr;
  return step && strchr(step, '-') ? step + 1 : nullptr;
}

// A step of Slurm. The parts of a heterogeneous one have the first part's numbers in common, and nothing of srun's.
bool is_step(Job* job) {
  const char *id = host::variable("SLURM_JOB_ID"), *step = host::variable("SLURM_STEP_ID");
  if (!id || !step) return false;
  int length = static_cast<int>(strlen(step));
  if (const char* spawner = step_that_spawned()) {
    step = spawner;
    length = static_cast<int>(strcspn(step, "-"));
    job->spawned = true;
  }
  const char* again = host::variable("SLURM_RESTART_COUNT");
  if (again && strcmp(again, "0") != 0) {
    set_name(job, "slurm-%s-again%s.%.*s", id, again, length, step);
  } else {
    set_name(job, "slurm-%s.%.*s", id, length, step);
  }
  if (!host::variable("SLURM_HET_SIZE")) {
    for (const char* name : {"SLURM_STEP_LAUNCHER_PORT", "SLURM_LAUNCH_NODE_IPADDR"}) {
      if (const char* text = host::variable(name)) add_identity(job, " %s", text);
    }
  }
  job->unique = true;
  return true;
}

// `srun --pty bash`: programs started there one after another are separate.
bool is_shell_of_step() {
  const char* tasks = host::variable("SLURM_STEP_NUM_TASKS");
  return !host::has_launcher_rank() && tasks && strcmp(tasks, "1") == 0;
}

// Identifies one mpiexec; programs that it spawns have the same. Before MPICH 4.2 it waits at another port for the
// proxies of what it spawns: on one host, mpiexec itself is what they have in common.
void of_hydra(Job* job, const Found& found) {
  if (found.control[0] && !(found.launcher_seen && on_one_host())) {
    set_name(job, "hydra-%s", found.control);
  } else {
    utsname host{};
    uname(&host);
    set_name(job, "hydra-%.64s-%d", host.nodename, found.pid);
  }
  job->spawned = host::variable("PMI_SPAWNED");
}

// The namespace of Open MPI 5's mpiexec and of programs it spawns: "prterun-host-88@1", "prterun-host-88@2". Version 4
// has 32 bits, of which the lower 16 distinguish spawned programs. If one virtual machine serves several mpiexecs, each
// has its own namespace.
bool of_namespace(Job* job) {
  const char* space = host::variable("PMIX_NAMESPACE");
  if (!space) return false;
  char* end = nullptr;
  const unsigned long number = strtoul(space, &end, 10);
  if (*end == 0) {
    set_name(job, "openmpi-%lu", number >> 16);
    job->spawned = (number & 0xffff) > 1;
  } else if (host::begins(space, "prterun-")) {
    const size_t n = strcspn(space, "@");
    set_name(job, "%.*s", static_cast<int>(n), space);
    job->spawned = space[n] && strtoul(space + n + 1, nullptr, 10) > 1;
  } else {
    set_name(job, "pmix-%.100s", space);
  }
  // Drawn at random by mpirun, in versions that do so.
  const char* drawn = host::variable("OMPI_MCA_orte_precondition_transports");
  const char* uri = host::variable("OMPI_MCA_orte_hnp_uri");
  if (drawn) add_identity(job, " %s", drawn);
  if (uri) add_identity(job, " %s", uri);
  job->unique = drawn && uri;
  return true;
}

bool of_other_launcher(Job* job) {
  for (const bool unique : {true, false}) {
    for (const LauncherVariables& launcher : host::launchers) {
      const char* text = launcher.job_is_unique == unique ? host::variable(launcher.job) : nullptr;
      if (!text) continue;
      set_name(job, "%s-%.100s", launcher.name, text);
      job->unique = unique;
      return true;
    }
  }
  return false;
}

// Identifies a launcher that starts ranks on its own host only.
void of_launcher_here(Job* job, const Found& found) {
  utsname host{};
  uname(&host);
  set_name(job, "mpiexec-%.64s-%d", host.nodename, found.pid);
  add_identity(job, " %llu", static_cast<unsigned long long>(found.started));
  job->unique = true;
  job->spawned = host::variable("PMI_SPAWNED");
}

void of_process(Job* job) {
  utsname host{};
  uname(&host);
  ProcessState own;
  read_state(getpid(), &own);
  set_name(job, "alone-%.64s-%d", host.nodename, static_cast<int>(getpid()));
  add_identity(job, " %llu", static_cast<unsigned long long>(own.started));
  job->alone = job->unique = true;
}

// As a last resort, the batch job's number, which other programs of the same script share.
void of_batch_job(Job* job) {
  for (const host::BatchVariables& batch : host::batch_systems) {
    if (const char* text = host::variable(batch.id)) return set_name(job, "job-%.100s", text);
  }
  set_name(job, "job");
}

void find(Job* job, const Found& found) {
  if (found.kind == Starter::slurm_step && !is_shell_of_step() && is_step(job)) return;
  if (found.kind == Starter::hydra) return of_hydra(job, found);
  if (found.kind == Starter::this_host) return of_launcher_here(job, found);
  if (found.kind != Starter::none && found.kind != Starter::slurm_batch && of_namespace(job)) return;
  if (found.kind == Starter::other && of_other_launcher(job)) return;
  // The process that started us is not visible, as in a container.
  if (!host::has_launcher_rank()) return of_process(job);
  if (of_other_launcher(job) || of_namespace(job) || is_step(job)) return;
  of_batch_job(job);
}

}  // namespace

void find_job(Job* job) {
  Found found;
  find_starter(&found);
  *job = {};
  find(job, found);
  if (job->alone) return;
  if (on_one_host() && found.kind != Starter::none) {
    utsname host{};
    uname(&host);
    add_identity(job, " %.64s %d %llu", host.nodename, found.pid, static_cast<unsigned long long>(found.started));
    job->unique |= found.kind == Starter::openmpi || found.kind == Starter::hydra;
  }
}

}  // namespace leadline::recorder
