// Facts about a library that no header gives. They are learned once, inside MPI_Init or when the first communicator of
// a session is made, with calls that do not communicate.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// comm: a communicator that may be used already.
//   * The handles that finished requests share: those of two sends and of two receives that are to nobody (the family's
//     data know MPICH's and Open MPI's; Intel MPI's releases differ).
//   * Where a status holds the bytes received, if the family leaves it to the library: found by setting it.
void learn_library(uint64_t comm);

}  // namespace leadline::recorder
