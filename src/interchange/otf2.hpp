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
#include "interchange/otf2_files.hpp"
#include "interchange/otf2_library.hpp"

namespace leadline::interchange {

class Otf2Export {
 public:
  // A rank of the run, recorded or not, or a process of no known rank.
  struct Lane {
    std::string name, host;
  };
  // Of a process of the profile: its lane, and that of rank 0 of its MPI_COMM_WORLD (-1: not known).
  struct ProcessLane {
    int64_t lane = -1, world = -1;
  };
  // A place that calls are made from: a line of a routine, called from another such place.
  struct CallingContext {
    uint32_t parent;                  // index; its own or a later one: none
    std::string routine, full, file;  // full: the routine with its scopes
    uint32_t line;                    // 0: not known
  };
  struct CallPaths {
    std::vector<CallingContext> contexts;
    std::vector<uint32_t> of_site;  // by the profile's number of the call site; no index: not known
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
  uint64_t undescribed() const { return undescribed_; }

 private:
  struct Location {
    size_t lane;
    std::string name;
    uint64_t events;
  };
  struct Communicator {
    uint32_t number;
    std::vector<uint64_t> lanes;
  };
  struct RemoteWindow {
    uint32_t number;
    uint64_t over;  // its communicator
  };
  class Thread;
  void define();
  void define_locations(otf2::GlobalDefWriter* to);
  void define_communicators(otf2::GlobalDefWriter* to);
  void define_attributes(otf2::GlobalDefWriter* to);
  void define_call_paths(otf2::GlobalDefWriter* to);
  uint32_t context_of(uint32_t site) const;
  uint32_t string(otf2::GlobalDefWriter* to, const std::string& text);
  void empty_location(uint64_t number, size_t lane);
  uint32_t region(const std::string& name, trace::CallClass cls);
  const Communicator* communicator(uint64_t identity) const;
  void check(int error);

  otf2::Library otf2_;
  Exporting exporting_;
  std::vector<Lane> lanes_;
  std::vector<ProcessLane> process_lanes_;
  std::vector<CallingContext> contexts_;
  std::vector<uint32_t> context_of_site_;
  otf2::AttributeList* attributes_;  // of the next call
  otf2::Archive* archive_;
  std::string failure_;
  bool complete_ = true;  // everything is exported, even ends of messages that lack the other end
  std::map<uint64_t, Location> locations_;
  std::map<uint64_t, Communicator> communicators_;
  std::map<uint64_t, RemoteWindow> windows_;
  Otf2Files files_;
  std::unordered_map<std::string, std::pair<uint32_t, trace::CallClass>> regions_;
  std::unordered_map<std::string, uint32_t> strings_;
  int64_t start_unix_ns_ = INT64_MAX;
  uint64_t first_ = UINT64_MAX, last_ = 0;  // begin of the first call, and end of the last one
  uint64_t undescribed_ = 0;
  Exported sums_;
};

}  // namespace leadline::interchange
