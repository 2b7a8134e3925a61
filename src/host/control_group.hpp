// The share of the processors that a control group leaves a process: containers and batch systems limit it there.
// Source: Linux, Documentation/admin-guide/cgroup-v2.rst ("cpu.max") and cgroup-v1/cpu (cpu.cfs_quota_us).
#pragma once

#include <cstddef>
#include <cstdint>

namespace leadline::host {

// Reads a small file as zero-ended text; returns its length, 0 where it can't.
using ReadFile = size_t (*)(const char* path, char* text, size_t size);

// The tightest limit in thousandths of a processor; 0: none. root: where control groups are mounted ("/sys/fs/cgroup").
// memberships: /proc/self/cgroup. Never reads more than a few dozen files.
uint32_t control_group_quota(const char* root, const char* memberships, ReadFile read);

}  // namespace leadline::host
