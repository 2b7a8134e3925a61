// Barriers that may order accesses to files: one rank used a file before the barrier that another rank uses after it,
// and no collective between the two accesses synchronises all ranks anyway.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

class FileOrder {
 public:
  // The profile has all processes.
  explicit FileOrder(const Profile& profile) : profile_(profile) {}
  // The process with this index in the profile. Loops are gone through once.
  void add(const trace::Process& process, uint32_t index);
  // A barrier by its number in the profile, once all processes were added.
  bool may_order(uint32_t barrier) const;

  // What matters of a thread's call sites: barriers and file calls, of the main loop.
  struct Sites {
    static constexpr uint32_t none = UINT32_MAX;
    std::vector<uint32_t> barrier;  // its number in the profile
    std::vector<bool> on_files;
    bool use_files = false, call_barriers = false;
  };

 private:
  // Processes that use files of the main loop on that side of a barrier.
  struct Around {
    std::set<uint32_t> before, after;
  };
  struct File {
    std::set<uint32_t> users;  // processes
    bool written = false;
  };

  Sites sites_of(const trace::Process& process, uint32_t index, size_t stream) const;
  void add_files(const trace::Process& process, uint32_t index);

  const Profile& profile_;
  std::map<uint32_t, Around> around_;  // by barrier
  // Processes that may use files at any time: the order of calls is unknown, or a thread does that calls no barrier.
  std::set<uint32_t> at_any_time_;
  std::map<std::string, File> files_;  // by name; "": those that were not kept apart
};

}  // namespace leadline::analysis
