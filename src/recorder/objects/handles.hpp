// Numbers of communicators, windows, files and datatypes in the trace. A handle that was freed and reused is a
// different object. A communicator that is made again in the same way (dup and free in every step) keeps its number.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/library/functions.hpp"
#include "recorder/objects/free_numbers.hpp"
#include "recorder/objects/topology.hpp"
#include "recording/live.hpp"
#include "recording/position_map.hpp"

namespace leadline::recorder {

// The kinds of things that share the table of communicators; numbers as in the trace.
enum class Kind : uint8_t { intra, inter, window, file };

struct CommView {
  uint64_t handle = 0;
  uint32_t id = 0;
  int32_t rank = 0;
  int32_t size = 0;  // of the group one talks to
  bool known = false;
};

struct TypeView {
  uint64_t handle = 0;
  uint32_t id = 0;
  int64_t size = 0;
  bool known = false;
};

// Changes whenever something was forgotten: views kept elsewhere are void then.
extern std::atomic<uint32_t> handles_epoch;

class Handles {
 public:
  static constexpr uint32_t kept_members = 1u << 16;  // larger groups than that are not kept

  void attach(recording::Table<recording::LiveCommunicator> comms, recording::Table<int32_t> members,
              recording::Table<recording::LiveDatatype> types, recording::ByteTable ops);

  // The handle's number in the trace; the first time it queries the MPI library (local calls only).
  CommView comm(uint64_t handle);
  CommView known_comm(uint64_t handle) const;  // without querying the library: it may be freed already
  CommView by_id(uint32_t id) const { return view(id, 0); }
  Kind kind(uint32_t id) const { return entries_ ? entries_[id].kind : Kind::intra; }
  TypeView type(uint64_t handle);
  TypeView known_type(uint64_t handle) const;
  uint32_t op(uint64_t handle);

  // A new communicator made over `parent`, by all its ranks or by some. Returns its number, 0 for a null handle.
  // duplicate: of the parent, so that nothing need be asked.
  uint32_t add_comm(uint64_t handle, uint64_t parent, bool by_all = true, bool duplicate = false);
  // One being made over `parent`. Returns what to call it until it is finished, 0 where that can't be kept: it is then
  // asked about when it is first used. `handle`: as the library gave it out at once, as all do. (The program's variable
  // may be gone when it is finished: Fortran layers pass one of their own.)
  uint32_t begin_comm(uint64_t handle, uint64_t parent);
  void finish_comm(uint32_t pending);

  // Without MPI_Init: the session (0: none is open) whose mpi://WORLD stands for MPI_COMM_WORLD.
  void set_session(uint64_t session) { session_ = session; }
  uint64_t session() const { return session_; }
  // A window or file over the communicator: ranks are its ranks.
  uint32_t add_object(Kind kind, uint64_t handle, uint64_t comm);
  CommView object(Kind kind, uint64_t handle);

  void forget(Kind kind, uint64_t handle);
  void forget_type(uint64_t handle);

 private:
  struct Entry {
    uint64_t handle;
    uint32_t creations;  // collective creations over this communicator so far
    Kind kind;
    bool alive;
  };

  struct Pending {
    uint64_t handle;
    uint32_t parent, creation;
    bool used;
  };
  static constexpr uint32_t most_pending = 64;

  // creation: which of those made over the parent it is.
  uint32_t describe(uint64_t handle, uint32_t parent, uint32_t creation);
  uint64_t identity_of(const recording::LiveCommunicator& c, uint32_t creation, const int32_t* world, uint64_t handle);
  uint32_t describe_duplicate(uint64_t handle, uint32_t parent, uint32_t creation);
  bool taken(uint64_t identity) const;
  uint32_t creations_over(uint64_t parent, uint32_t* id);
  uint32_t find(Kind kind, uint64_t handle) const;
  uint32_t place(const recording::LiveCommunicator& description, Kind kind, uint64_t handle, const int32_t* world,
                 const int32_t* sides);
  // Appends them and returns the number of the first, UINT32_MAX if there is no room.
  uint32_t append_members(const int32_t* values, uint32_t n);
  CommView view(uint32_t id, uint64_t handle) const;
  bool to_world(uint64_t group, int32_t size, int32_t* world);
  uint64_t world_group(bool* ours);

  recording::Table<recording::LiveCommunicator> comms_;
  recording::Table<int32_t> members_;
  recording::Table<recording::LiveDatatype> types_;
  recording::ByteTable ops_;
  recording::PositionMap comm_map_, type_map_, op_map_;
  Entry* entries_ = nullptr;  // per communicator; address space for all
  uint64_t* type_handles_ = nullptr;
  uint64_t op_handles_[256] = {};
  uint32_t op_count_ = 1;
  FreeNumbers free_;
  Pending pending_[most_pending] = {};
  uint64_t world_group_ = 0, session_ = 0;
  bool have_world_group_ = false;
};

}  // namespace leadline::recorder
