// The job that this process is a rank of: facts that its ranks share and other jobs do not, found without
// communication. The neighbours of a recorded rank may not be recorded, so they cannot be asked.
//
// The process that started us decides. Environment variables alone are misleading: those of a batch script reach every
// program that it starts, and those of a step reach every rank that an mpiexec starts through that step.
#pragma once

#include <cstdint>

namespace leadline::recorder {

struct Job {
  static constexpr int longest_name = 120;  // cut off there

  // For display, and for a directory: slurm-12.0, hydra-node1-40213, prterun-node1-88. Other jobs may have it too.
  char name[longest_name + 1] = {};
  // Includes everything else that is known to be the same for all ranks.
  char identity[512] = {};
  // Whether no other job can have that identity: ports and process numbers are reused, and unknown launchers give no
  // identity.
  bool unique = false;
  // MPI_Comm_spawn started this process: it belongs to the caller's job, and has its name.
  bool spawned = false;
  // This process was not started as one of several.
  bool alone = false;
};

void find_job(Job* job);

}  // namespace leadline::recorder
