// Limits of control groups are found in both versions' files, from the group up to the root.
#include "host/control_group.hpp"

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "../native/check.hpp"

namespace {

std::map<std::string, std::string> files;

size_t read_made_up(const char* path, char* text, size_t size) {
  const auto found = files.find(path);
  if (found == files.end()) return 0;
  std::snprintf(text, size, "%s", found->second.c_str());
  return std::strlen(text);
}

void expect(uint32_t wanted, const char* memberships, std::map<std::string, std::string> made_up, const char* what) {
  files = std::move(made_up);
  const uint32_t got = leadline::host::control_group_quota("/cg", memberships, read_made_up);
  testing::check_equal(got, wanted, what);
}

}  // namespace

int main() {
  expect(0, "", {}, "no groups");
  expect(0, "0::/a/b\n", {{"/cg/a/b/cpu.max", "max 100000\n"}}, "no limit");
  expect(2500, "0::/a/b\n", {{"/cg/a/b/cpu.max", "250000 100000\n"}}, "version 2");
  expect(1500, "0::/a/b\n", {{"/cg/a/b/cpu.max", "max 100000\n"}, {"/cg/a/cpu.max", "150000 100000\n"}}, "outer group");
  expect(2000, "0::/\n", {{"/cg/cpu.max", "200000 100000\n"}}, "container");
  expect(500, "4:memory:/x\n3:cpu,cpuacct:/x\n0::/\n",
         {{"/cg/cpu,cpuacct/x/cpu.cfs_quota_us", "50000\n"}, {"/cg/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n"}},
         "version 1");
  expect(4000, "1:cpu:/gone\n", {{"/cg/cpu/cpu.cfs_quota_us", "400000\n"}, {"/cg/cpu/cpu.cfs_period_us", "100000\n"}},
         "path of the host");
  expect(0, "1:cpu:/x\n", {{"/cg/cpu/x/cpu.cfs_quota_us", "-1\n"}}, "version 1 without limit");
  expect(0, "2:cpuset:/x\n", {{"/cg/cpuset/cpu.cfs_quota_us", "1\n"}}, "another controller");
  expect(0, "nonsense\n::\n0:", {{"/cg/cpu.max", "0 0"}}, "damage");
  return testing::result();
}
