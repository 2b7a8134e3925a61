// Passes the preload on to programs that a program spawns.
//
// Hydra gives them the environment that it gave to the first ones. Open MPI's launchers do not: variables of `mpiexec
// -x` reach the ranks only (from version 5 on), and in earlier versions no rank passes on variables that a script set.
// But the info of MPI_Comm_spawn takes variables, so the call is made with a copy of the program's info that includes
// ours.
#pragma once

#include "host/real.hpp"

namespace leadline::host {

class SpawnInfos {
 public:
  // The info to pass instead of `info` for one command; `info` itself if nothing needs to be added. At the root only:
  // the others' arguments mean nothing.
  Word with_variables(Word info);
  // For each of several commands, of which so many at most.
  static constexpr int most = 32;
  Word with_variables(Word infos, int32_t count);
  void free();
  // There was no room for the preload itself, and nothing else passes it on.
  bool had_no_room() const { return had_no_room_; }

  // Whether the calling process is the root of a call of MPI_Comm_spawn, and anything is to be done there.
  static bool needed(Word root, Word comm);

 private:
  Word copies_[most] = {};
  Word given_[most] = {};  // what the call gets: copies, and the program's own where nothing was added
  int32_t count_ = 0;
  bool had_no_room_ = false;
};

}  // namespace leadline::host
