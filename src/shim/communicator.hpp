// Facts about the program's communicators and datatypes, and each thread's cache of both. A collective that is left to
// the library costs two look-ups there, without a lock or an allocation.
//
// A communicator's description is an attribute of it, so it disappears with the communicator, however that is freed.
// For its messages a tuned collective has its own communicator, made when the first one comes, so no message of the
// program can match them. (MPI_Comm_split makes it, because MPI_Comm_dup would copy attributes of the program.)
#pragma once

#include <memory>

#include "collectives/node/team.hpp"
#include "shim/neighbourhood.hpp"
#include "shim/report.hpp"
#include "shim/state.hpp"

namespace leadline::shim {

struct Plan;

class Communicator {
 public:
  static constexpr int plan_slots = 32;
  static constexpr int32_t most_own = 256;  // communicators of our own that a process may be in: libraries have few

  // `handle` must be valid, and not MPI_COMM_NULL.
  explicit Communicator(uint64_t handle);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Whether there is a communicator of our own; collective, as the first tuned operation is. All ranks get one answer.
  bool ready() { return own_ == Own::made || (own_ == Own::not_made && make_own()); }
  uint64_t own() const { return own_handle_; }
  // Number of the node by rank; nullptr: all are on one, or it is unknown.
  const int* node_of() const { return nodes_; }
  // The ranks of this one's node, where a rule needs them and they can share memory.
  collectives::node::Team* team() const { return team_.get(); }
  // Asked of the library at the first call for them.
  const Neighbourhood& neighbourhood() {
    if (!neighbourhood_) neighbourhood_ = std::make_unique<Neighbourhood>(handle, rank);
    return *neighbourhood_;
  }
  // Gives the communicator back to the library: not when the library is about to end.
  void free_own();

  const uint64_t handle;
  int32_t processes = 0, rank = 0;
  Reason closed = Reason::count;     // why all its collectives are left to the library; `count`: they aren't
  Population* population = nullptr;  // nullptr: out of memory, everything is left to the library
  bool has_rules[collectives::operation_count] = {};  // by operation
  Plan* plans[plan_slots] = {};

 private:
  enum class Own : uint8_t { not_made, made, refused };
  bool make_own();
  bool of_one_world() const;
  bool needs_memory() const;
  bool number_nodes(uint64_t* hosts, int* nodes);  // memory for each rank; whether it is known

  Own own_ = Own::not_made;
  uint64_t own_handle_ = 0;
  int* nodes_ = nullptr;
  std::unique_ptr<collectives::node::Team> team_;
  std::unique_ptr<Neighbourhood> neighbourhood_;
};

// The library calls it when a communicator is freed.
int communicator_freed(Word comm, int32_t keyval, void* communicator, void* state);

// Changes whenever a communicator was freed: what threads remember is void then.
extern std::atomic<uint32_t> epoch;

// Where an element's data lies.
struct Layout {
  int64_t extent, true_lb, true_extent;
  bool named;      // predefined
  bool one_block;  // elements follow one another, in the order of the memory
};

// A predefined one keeps its size and, once asked for, its layout.
struct Datatype {
  uint64_t handle;
  int64_t size;
  bool seen, named, laid_out;
  Layout layout;
};

struct Memory {
  struct Known {
    uint64_t handle;
    uint32_t epoch;
    Communicator* communicator;
  };
  static constexpr int most_communicators = 8, most_datatypes = 16;

  bool busy;  // inside a tuned collective: what the library calls there is its own
  Known communicators[most_communicators];
  Datatype datatypes[most_datatypes];
};
extern thread_local constinit Memory memory;

inline unsigned spread(uint64_t handle, int shift) {
  return static_cast<unsigned>((handle * 0x9e3779b97f4a7c15u) >> shift);
}

Communicator* look_up(uint64_t handle, Memory::Known* known);
inline Communicator* communicator_of(Memory& m, uint64_t handle) {
  Memory::Known& known = m.communicators[spread(handle, 61)];
  if (known.handle == handle && known.epoch == epoch.load(std::memory_order_relaxed)) return known.communicator;
  return look_up(handle, &known);
}

inline Datatype& datatype_at(Memory& m, uint64_t datatype) { return m.datatypes[spread(datatype, 60)]; }

// Bytes of data in an element; negative where the library does not say, or not in 32 bits.
int64_t ask_size(uint64_t handle, Datatype* known);
inline int64_t size_of(Memory& m, uint64_t handle) {
  Datatype& known = datatype_at(m, handle);
  return known.handle == handle && known.named ? known.size : ask_size(handle, &known);
}

}  // namespace leadline::shim
