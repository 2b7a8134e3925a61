// Facts about a library that its headers do not give. They are determined once, inside MPI_Init or when the first
// communicator of a session is made, with calls that do not communicate.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// comm: a communicator that may be used already.
//   * The handles that finished requests share: those of two sends to, and two receives from, MPI_PROC_NULL (the
//     family's data have MPICH's and Open MPI's; Intel MPI's releases differ).
//   * The place of the bytes received in a status, if the family leaves it to the library: found by setting them.
void find_library_facts(uint64_t comm);

}  // namespace leadline::recorder
