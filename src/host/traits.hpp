// The recorder's knowledge of each MPI function: its class, and which argument has which role. The table itself is
// generated from api/ (see codegen/).
#pragma once

#include <cstdint>

#include "leadline/call_classes.hpp"

namespace leadline::host {

using trace::CallClass;
using trace::Category;
using trace::facts_of;
using trace::WhilePaused;
namespace moves = trace::moves;

// How the bytes of a collective follow from its arguments (p = number of processes one talks to).
// r_own: the count of this rank in an array of counts (Reduce_scatter).
enum class ByteRule : uint8_t { zero, s, r, s_times_p, r_times_p, sum_s, sum_r, sum_sw, sum_rw, r_own };
enum class ByteWhen : uint8_t { always, root_only, nonroot_only };
// Who the processes are that a collective's counts are for.
enum class Peers : uint8_t { group, own_group, neighbours };

struct Bytes {
  ByteRule rule = ByteRule::zero;
  ByteWhen when = ByteWhen::always;
};

// Index of the argument that plays the role; -1 where no argument does.
struct Roles {
  int8_t sbuf = -1, scount = -1, sdispls = -1, stype = -1, dest = -1, stag = -1;
  int8_t rbuf = -1, rcount = -1, rdispls = -1, rtype = -1, source = -1, rtag = -1;
  int8_t comm = -1, request = -1, requests = -1, nrequests = -1, status = -1, statuses = -1;
  int8_t root = -1, op = -1, flag = -1, index = -1, indices = -1, outcount = -1;
  int8_t newcomm = -1, newtype = -1, win = -1, file = -1, message = -1, offset = -1, target = -1;
  int8_t partitions = -1, partition = -1;
};

// What must hold for an argument to be significant: bits, all of which must be set. Otherwise MPI ignores it, and so do
// we, because it may have any value. ([significant] in api/semantics.toml says what each is.)
namespace needs {
inline constexpr uint8_t at_root = 1, names_root = 2, not_idle = 4, sends = 8, receives = 16, operates = 32;
}
// One entry per argument; those after the last that is ignored in some calls are left out, and no call has more.
struct Needs {
  static constexpr int most_arguments = 16;
  uint8_t of[most_arguments] = {};
};

struct Traits {
  const char* name;  // "MPI_Send"
  CallClass cls;
  int8_t arguments;
  Roles roles;
  Bytes contributed;
  Bytes received;
  Peers peers;
  Needs needs;
  uint8_t moves;  // which way its data goes: bits of trace::moves
};

}  // namespace leadline::host
