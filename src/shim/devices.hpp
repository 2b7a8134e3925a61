// Buffers in the memory of a device, which the host must not touch: the library is to move them, if it can.
//
// Only the runtimes of the devices know which buffers these are. The ranks of a collective must decide alike, so that
// none can keep to itself what its runtime says: where there may be such buffers at all, ranks ask one another before
// they carry a long call out, and short calls are left to the library, because asking takes as long. Whether there may
// be any, all ranks agree in MPI_Init, so that programs without devices pay nothing.
#pragma once

#include "shim/call.hpp"
#include "shim/communicator.hpp"

namespace leadline::shim {

// Whether this host has a device, or this process a runtime, at all. LEADLINE_DEVICES=0: no buffer is in one.
bool may_have_devices();

// Whether the call may be carried out, for all its ranks alike. Collective for long calls.
bool all_buffers_are_the_hosts(const Communicator& c, const Rule& rule, const Call& call, int64_t bytes);

}  // namespace leadline::shim
