// The communicators, windows and files of a process, numbered as they come up in its calls.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "interchange/importing/archive_map.hpp"
#include "interchange/importing/recorded_process.hpp"

namespace leadline::interchange::importing {

class Objects {
 public:
  // Its number (0: not described), and this process's rank in it.
  struct Communicator {
    uint32_t number = 0;
    int32_t rank = -1, size = 0;
  };
  // A file: among the objects of MPI, and among the files.
  struct File {
    uint32_t number = 0, file = 0;
  };
  Objects(ArchiveMap* map, RecordedProcess* process, int32_t rank) : map_(*map), process_(*process), rank_(rank) {}

  Communicator communicator(uint32_t comm);
  Communicator window(uint32_t window);
  Communicator communicator_of(uint32_t handle);  // that the file was opened over
  File file(uint32_t handle, bool by_mpi);
  // The identification of the handle's paradigm; empty: unknown.
  std::string paradigm(uint32_t handle) const;

 private:
  ArchiveMap& map_;
  RecordedProcess& process_;
  int32_t rank_;
  std::unordered_map<uint32_t, Communicator> communicators_, windows_;
  std::unordered_map<uint32_t, File> files_;
};

}  // namespace leadline::interchange::importing
