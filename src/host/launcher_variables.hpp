// What launchers and batch systems say in the environment: the variables of api/launchers.toml, looked up.
#pragma once

#include <stdlib.h>

#include "leadline/launchers.hpp"

namespace leadline::host {

// The value of a variable; null if there is no such variable, or it is empty.
inline const char* variable(const char* name) {
  const char* text = name ? getenv(name) : nullptr;
  return text && *text ? text : nullptr;
}

// The first launcher's value of a variable, as `&LauncherVariables::rank`; null if none is set.
inline const char* from_launchers(const char* LauncherVariables::* which) {
  for (const LauncherVariables& launcher : launchers) {
    if (const char* text = variable(launcher.*which)) return text;
  }
  return nullptr;
}

// The first launcher that sets both; null if none does.
inline const LauncherVariables* launcher_with(const char* LauncherVariables::* one,
                                              const char* LauncherVariables::* other) {
  for (const LauncherVariables& launcher : launchers) {
    if (variable(launcher.*one) && variable(launcher.*other)) return &launcher;
  }
  return nullptr;
}

// The process's rank, as the launcher says before MPI_Init; -1 if none does.
inline long long launcher_rank() {
  const char* text = from_launchers(&LauncherVariables::rank);
  return text ? atoll(text) : -1;
}

// The number of ranks that the launcher started; -1 if none says.
inline long long launcher_ranks() {
  const char* text = from_launchers(&LauncherVariables::size);
  return text ? atoll(text) : -1;
}

// Whether a launcher started this process as a rank; false under one whose variables others inherit.
inline bool has_launcher_rank() {
  for (const LauncherVariables& launcher : launchers) {
    if (!launcher.inherited && variable(launcher.rank)) return true;
  }
  return false;
}

}  // namespace leadline::host
