#include "recorder/job/launcher_facts.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/launcher_variables.hpp"
#include "recorder/job/ancestors.hpp"
#include "trace/hash.hpp"

namespace leadline::recorder {
namespace {

constexpr uint64_t unknown_world = 1;

uint64_t hash_of(const char* text, uint64_t hash) {
  for (; text && *text; ++text) hash = trace::mix(hash, static_cast<unsigned char>(*text));
  return hash;
}

bool starts_ranks(const ProcessState& state) {
  return strncmp(state.name, "hydra_pmi", 9) == 0 || strncmp(state.name, "pmi_proxy", 9) == 0;
}

// Hydra before MPICH 4.2 has a proxy of its own for every spawn, which says which.
uint64_t world_of_proxy(int proxy) {
  char line[4096];
  size_t length = 0;
  if (!read_of_process(line, sizeof(line), &length, "/proc/%d/cmdline", proxy)) return 0;
  const char* group = word_after(line, length, "--pgid");
  if (!group || strcmp(group, "0") == 0) return 0;
  return hash_of(group, hash_of(word_after(line, length, "--control-port"), 1));
}

// Later ones have one proxy for all, which starts the processes of one spawn one after the other: the first of ours is
// as many places before us as our number on this host.
uint64_t world_by_place(int proxy, int own) {
  const char* number = host::from_launchers(&host::LauncherVariables::local_rank);
  static char children[65536];  // the program's stack may be small; only MPI_Init looks
  size_t length = 0;
  if (!number || !read_of_process(children, sizeof(children), &length, "/proc/%d/task/%d/children", proxy)) return 0;
  const long before = strtol(number, nullptr, 10);
  constexpr int most = 4096;
  static int pids[most];
  int count = 0;
  for (char* at = children; count < most;) {
    char* end = nullptr;
    const long pid = strtol(at, &end, 10);
    if (end == at) break;
    at = end;
    if (pid == own) {
      ProcessState first;
      if (before < 0 || before > count) return 0;
      const int pid_of_first = before ? pids[count - before] : own;
      if (!read_state(pid_of_first, &first)) return 0;
      return trace::mix(trace::mix(trace::mix(1, first.started), static_cast<uint64_t>(pid_of_first)), 1);
    }
    pids[count++] = static_cast<int>(pid);
  }
  return 0;
}

}  // namespace

uint64_t world_from_launcher() {
  if (const char* space = getenv("PMIX_NAMESPACE")) return hash_of(space, 0) & ~uint64_t{1};
  if (!getenv("PMI_SPAWNED")) return 0;
  if (const char* group = getenv("HYDRA_BSTRAP_PGID")) return hash_of(group, 1) & ~uint64_t{1};
  if (getenv("SLURM_STEP_ID") && getenv("PMI_JOBID")) return hash_of(getenv("PMI_JOBID"), 2) & ~uint64_t{1};
  // A script between the proxy and us is what the proxy started.
  int child = getpid();
  ProcessState state;
  for (int i = 0; i < most_ancestors && read_state(child, &state) && state.parent > 1; ++i) {
    ProcessState above;
    if (!read_state(state.parent, &above)) break;
    if (starts_ranks(above)) {
      if (const uint64_t world = world_of_proxy(state.parent)) return world & ~uint64_t{1};
      const uint64_t here = world_by_place(state.parent, child);
      return here ? here | 1 : unknown_world;
    }
    child = state.parent;
  }
  return unknown_world;
}

}  // namespace leadline::recorder
