// What an archive's definitions mean to a run: its processes and their ranks, its regions as functions, routines and
// named regions, and addresses for its call paths.
//
// An archive has no addresses. A routine is given a range of them, and each routine that it calls one in that range, in
// the order in which a location first calls them. Going back to a lower address therefore means going round a loop, as
// far as the archive can show it (recording/source_loops.hpp). Locations share addresses where their orders agree.
// Where one rank sends first and the other receives first, the first of both have one address, so that loops begin
// there.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "interchange/importing/archive.hpp"
#include "trace/call_class.hpp"

namespace leadline::interchange::importing {

struct Routine {
  enum class Kind : uint8_t { frame, named, call, nothing };  // nothing: the tracer's own
  Kind kind = Kind::frame;
  bool polls = false;  // of our own export: polls that found nothing
  trace::CallClass cls = trace::CallClass::other;
  uint32_t number = 0;  // among the routines, from 1
  std::string name;     // of a call: the function's
  uint32_t region = 0;
};

// Frames of call paths, by the offset in the archive's module.
struct Symbol {
  uint64_t offset;
  std::string routine, full, file;
  uint32_t line;
};

struct ArchiveProcess {
  int32_t rank = -1;
  std::string host;
  std::vector<uint64_t> locations;  // the one that the rank's communicators name comes first
};

class ArchiveMap {
 public:
  // `ours`: the archive comes from leadline export.
  ArchiveMap(const Definitions& definitions, bool ours);

  const std::vector<ArchiveProcess>& processes() const { return processes_; }
  int32_t ranks() const { return ranks_; }
  bool ours() const { return ours_; }
  // Locations that are no threads, or of no process.
  uint64_t other_locations() const { return other_locations_; }

  const Routine& routine(uint32_t region);
  void begin_location();  // the calls from then on are another location's
  // The address of the place in `caller` where `callee` is called; 0: there are too many.
  uint64_t frame(const Routine& caller, const Routine& callee, uint32_t line);
  const std::vector<Symbol>& symbols() const { return symbols_; }
  bool has_paths() const { return !symbols_.empty(); }

  // Ranks in MPI_COMM_WORLD of a communicator's members (of an intercommunicator: of both groups). Null: unknown.
  struct Members {
    std::vector<int32_t> ranks, other;
    bool self = false, inter = false;
  };
  const Members* members(uint32_t comm);
  const Definitions& definitions() const { return definitions_; }

 private:
  std::vector<int32_t> ranks_of(uint32_t group) const;
  uint32_t number_of(const std::string& name, uint32_t line);
  uint64_t next_message(uint64_t reached, uint32_t caller) const;
  uint64_t place_after(uint64_t reached, uint32_t caller, bool of_message);
  void describe(uint64_t place, const Routine& caller, uint32_t line);
  const Definitions& definitions_;
  bool ours_;
  std::vector<ArchiveProcess> processes_;
  int32_t ranks_ = 0;
  uint64_t other_locations_ = 0;
  bool eztrace_ = false;
  std::unordered_map<uint32_t, Routine> routines_;
  std::map<std::pair<std::string, uint32_t>, uint32_t> numbers_;
  using Call = std::pair<uint64_t, uint32_t>;  // (caller and callee), line
  std::map<Call, std::set<uint64_t>> places_;
  std::unordered_map<uint32_t, std::map<uint64_t, bool>> taken_;  // by caller; whether a blocking message goes there
  std::map<Call, uint64_t> places_here_;                          // of this location
  std::unordered_map<uint32_t, uint64_t> reached_;                // by caller: the highest address of this location
  std::vector<Symbol> symbols_;
  std::unordered_map<uint32_t, Members> members_;
  const Definitions::Group* everybody_ = nullptr;  // all locations that MPI names
};

}  // namespace leadline::interchange::importing
