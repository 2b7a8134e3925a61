// An OTF2 archive: a location for each thread; each call a region with the messages and collectives in it.
//
// Locations are written one after another, so what is held does not grow with the trace. Definitions come last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interchange/exporting.hpp"
#include "interchange/otf2_library.hpp"
#include "interchange/otf2_shared.hpp"

namespace leadline::interchange {

class Otf2Export {
 public:
  // A rank of the run, recorded or not, or a process of no known rank.
  struct Lane {
    std::string name, host;
  };
  // Of a process of the profile: its lane, and that of rank 0 of its MPI_COMM_WORLD (-1: unknown).
  struct ProcessLane {
    int64_t lane = -1, world = -1;
  };
  // A place that calls are made from: a line of a routine, called from another such place.
  struct CallingContext {
    uint32_t parent;                  // index; its own or a later one: none
    std::string routine, full, file;  // full: the routine with its scopes
    uint32_t line;                    // 0: unknown
  };
  struct CallPaths {
    std::vector<CallingContext> contexts;
    std::vector<uint32_t> of_site;  // by the profile's number of the call site; no index: unknown
  };
  Otf2Export(const otf2::Library& library, const std::string& directory, const analysis::Profile& profile,
             uint32_t loop, const Window& window, std::vector<Lane> lanes, std::vector<ProcessLane> process_lanes,
             CallPaths paths);
  ~Otf2Export();
  Otf2Export(const Otf2Export&) = delete;
  Otf2Export& operator=(const Otf2Export&) = delete;

  void scan(const trace::Process& process, uint32_t index);
  void begin();
  void write(const trace::Process& process, uint32_t index, const std::string& label);
  std::string finish(Exported* sums);  // a message if something failed
  // Ends of messages, and collectives, on communicators that the trace does not describe: between two groups, or lost.
  uint64_t undescribed() const { return shared_.undescribed; }

 private:
  struct Location {
    size_t lane;
    std::string name;
    uint64_t events;
  };
  void define();
  void define_locations(otf2::GlobalDefWriter* to);
  void define_communicators(otf2::GlobalDefWriter* to);
  void define_attributes(otf2::GlobalDefWriter* to);
  void define_call_paths(otf2::GlobalDefWriter* to);
  uint32_t context_of(uint32_t site) const;
  uint32_t string(otf2::GlobalDefWriter* to, const std::string& text);
  void empty_location(uint64_t number, size_t lane);
  void check(int error) { shared_.check(error); }

  Otf2Shared shared_;
  const otf2::Library& otf2_ = shared_.otf2;
  Exporting exporting_;
  std::vector<Lane> lanes_;
  std::vector<ProcessLane> process_lanes_;
  std::vector<CallingContext> contexts_;
  std::vector<uint32_t> context_of_site_;
  otf2::Archive* archive_;
  std::map<uint64_t, Location> locations_;
  std::unordered_map<std::string, uint32_t> strings_;
  int64_t start_unix_ns_ = INT64_MAX;
};

}  // namespace leadline::interchange
