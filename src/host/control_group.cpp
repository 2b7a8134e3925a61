#include "host/control_group.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace leadline::host {
namespace {

constexpr uint32_t most_levels = 12;
constexpr size_t longest_path = 512;

void tighten(double quota, double period, uint32_t* limit) {
  if (quota <= 0 || period <= 0) return;
  const double thousandths = quota / period * 1000;
  if (thousandths < 1 || thousandths > 1e9) return;
  const auto n = static_cast<uint32_t>(thousandths);
  if (!*limit || n < *limit) *limit = n;
}

// Version 2: "max 100000" or "200000 100000".
void read_max(const char* folder, ReadFile read, uint32_t* limit) {
  char path[longest_path + 32], text[64];
  snprintf(path, sizeof(path), "%s/cpu.max", folder);
  double quota = 0, period = 0;
  if (read(path, text, sizeof(text)) && sscanf(text, "%lf %lf", &quota, &period) == 2) tighten(quota, period, limit);
}

// Version 1: -1 where there is no limit.
void read_cfs(const char* folder, ReadFile read, uint32_t* limit) {
  char path[longest_path + 32], text[64];
  snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
  if (!read(path, text, sizeof(text))) return;
  const double quota = atof(text);
  snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
  if (quota > 0 && read(path, text, sizeof(text))) tighten(quota, atof(text), limit);
}

// The group and all groups around it. In a container the group's path may be that on the host, of which only the root
// is visible.
void read_levels(const char* mount, const char* group, void (*of)(const char*, ReadFile, uint32_t*), ReadFile read,
                 uint32_t* limit) {
  char folder[longest_path];
  const int n = snprintf(folder, sizeof(folder), "%s%s", mount, group);
  if (n < 0 || static_cast<size_t>(n) >= sizeof(folder)) return;
  const size_t root = strlen(mount);
  for (uint32_t level = 0; level < most_levels; ++level) {
    of(folder, read, limit);
    char* slash = strrchr(folder, '/');
    if (!slash || static_cast<size_t>(slash - folder) < root) return;
    *slash = 0;
  }
}

}  // namespace

uint32_t control_group_quota(const char* root, const char* memberships, ReadFile read) {
  uint32_t limit = 0;
  for (const char* line = memberships; line && *line;) {
    char hierarchy[16] = {}, controllers[128] = {}, group[longest_path] = {};
    // "0::/user.slice" of version 2, "4:cpu,cpuacct:/docker/3f" of version 1.
    const char* first = strchr(line, ':');
    const char* second = first ? strchr(first + 1, ':') : nullptr;
    const char* end = strchr(line, '\n');
    if (!end) end = line + strlen(line);
    if (first && second && second < end) {
      snprintf(hierarchy, sizeof(hierarchy), "%.*s", static_cast<int>(first - line), line);
      snprintf(controllers, sizeof(controllers), "%.*s", static_cast<int>(second - first - 1), first + 1);
      snprintf(group, sizeof(group), "%.*s", static_cast<int>(end - second - 1), second + 1);
      if (strcmp(group, "/") == 0) group[0] = 0;
      char mount[longest_path];
      snprintf(mount, sizeof(mount), "%s%s%s", root, *controllers ? "/" : "", controllers);
      if (!*controllers && strcmp(hierarchy, "0") == 0) read_levels(mount, group, read_max, read, &limit);
      const char* cpu = strstr(controllers, "cpu");
      const bool whole = cpu && (cpu == controllers || cpu[-1] == ',') && (cpu[3] == 0 || cpu[3] == ',');
      if (whole) read_levels(mount, group, read_cfs, read, &limit);
    }
    line = *end ? end + 1 : end;
  }
  return limit;
}

}  // namespace leadline::host
