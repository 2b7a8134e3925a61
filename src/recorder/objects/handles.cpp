#include "recorder/objects/handles.hpp"

#include <string.h>
#include <sys/mman.h>

#include "host/datatype_contents.hpp"
#include "host/plausible.hpp"
#include "recorder/objects/array_part.hpp"

namespace leadline::recorder {

std::atomic<uint32_t> handles_epoch{1};

namespace {

void* lazy_pages(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

uint64_t hash_of(Kind kind, uint64_t handle) { return trace::hash_of_pair(static_cast<uint64_t>(kind), handle); }

// Memory for lists of ranks, given back at the end of the scope. Programs make many small communicators.
class RankList {
 public:
  explicit RankList(int32_t n) : bytes_(static_cast<size_t>(n > 0 ? n : 1) * sizeof(int32_t)) {
    ranks_ = n <= few ? here_ : static_cast<int32_t*>(lazy_pages(bytes_));
  }
  ~RankList() {
    if (ranks_ && ranks_ != here_) munmap(ranks_, bytes_);
  }
  RankList(const RankList&) = delete;
  RankList& operator=(const RankList&) = delete;
  int32_t* get() const { return ranks_; }

 private:
  static constexpr int32_t few = 64;
  size_t bytes_;
  int32_t* ranks_;
  int32_t here_[few];
};

}  // namespace

void Handles::attach(recording::Table<recording::LiveCommunicator> comms, recording::Table<int32_t> members,
                     recording::Table<recording::LiveDatatype> types, recording::ByteTable ops) {
  comms_ = comms;
  members_ = members;
  types_ = types;
  ops_ = ops;
  entries_ = static_cast<Entry*>(lazy_pages(recording::capacity::communicators * sizeof(Entry)));
  type_handles_ = static_cast<uint64_t*>(lazy_pages(recording::capacity::datatypes * sizeof(uint64_t)));
  // Number 0 is "none" in both tables.
  comms_.append_zeroed(1);
  types_.append_zeroed(1);
  if (uint8_t* p = ops_.room(1)) {
    *p = 0;
    ops_.advance(p + 1);
  }
}

uint32_t Handles::find(Kind kind, uint64_t handle) const {
  const uint32_t id = comm_map_.find(hash_of(kind, handle));
  const auto same_kind = [&](Kind k) { return (k == Kind::inter ? Kind::intra : k) == kind; };
  return id && entries_[id].alive && entries_[id].handle == handle && same_kind(entries_[id].kind) ? id : 0;
}

CommView Handles::view(uint32_t id, uint64_t handle) const {
  return {handle, id, comms_[id].rank, comms_[id].size, id != 0};
}

CommView Handles::comm(uint64_t handle) {
  if (handle == abi.comm_null || !entries_) return {handle, 0, 0, 0, false};
  uint32_t id = find(Kind::intra, handle);
  if (!id) id = describe(handle, 0, 0);
  return view(id, handle);
}

CommView Handles::known_comm(uint64_t handle) const { return view(entries_ ? find(Kind::intra, handle) : 0, handle); }

// The group that ranks in the world refer to; `ours`: to be freed by us. A session's must not outlive it.
uint64_t Handles::world_group(bool* ours) {
  *ours = false;
  uint64_t group = 0;
  if (have_world_group_) return world_group_;
  if (session_) {  // MPI_Init may not have been called, and MPI_Initialized is true all the same in MPICH
    *ours = call_real(Fn::Group_from_session_pset, session_, "mpi://WORLD", &group) == 0;
    return *ours ? group : 0;
  }
  int32_t initialized = 0;
  if (call_real(Fn::Initialized, &initialized) != 0 || !initialized) return 0;
  if (call_real(Fn::Comm_group, abi.comm_world, &group) != 0) return 0;
  have_world_group_ = true;
  return world_group_ = group;
}

// The ranks in the world of a group's members, -1 for one that belongs to another world.
bool Handles::to_world(uint64_t group, int32_t size, int32_t* world) {
  const RankList ranks(size);
  bool ours = false;
  uint64_t of = ranks.get() ? world_group(&ours) : 0;
  if (!of) return false;
  for (int32_t i = 0; i < size; ++i) ranks.get()[i] = i;
  const bool told = call_real(Fn::Group_translate_ranks, group, size, ranks.get(), of, world) == 0;
  for (int32_t i = 0; told && i < size; ++i) {
    if (world[i] == abi.undefined) world[i] = -1;
  }
  if (ours) call_real(Fn::Group_free, &of);
  return told;
}

// The communicator as the library describes it.
uint32_t Handles::describe(uint64_t handle, uint32_t parent, uint32_t creation) {
  int32_t rank = 0, size = 0, inter = 0;
  if (!may_be_communicator(handle)) return 0;
  if (call_real(Fn::Comm_rank, handle, &rank) != 0 || call_real(Fn::Comm_size, handle, &size) != 0) return 0;
  call_real(Fn::Comm_test_inter, handle, &inter);
  if (inter) call_real(Fn::Comm_remote_size, handle, &size);
  const Kind kind = inter ? Kind::inter : Kind::intra;
  recording::LiveCommunicator c{};
  c.kind = static_cast<uint8_t>(kind);
  c.parent = parent;
  c.rank = rank;
  c.size = size;
  c.first_member = UINT32_MAX;
  const RankList world(size);
  uint64_t group = 0;
  bool listed = false;
  if (world.get() && size > 0 && static_cast<uint32_t>(size) <= kept_members &&
      call_real(inter ? Fn::Comm_remote_group : Fn::Comm_group, handle, &group) == 0) {
    listed = to_world(group, size, world.get());
    call_real(Fn::Group_free, &group);
  }
  if (listed) c.member_count = static_cast<uint32_t>(size);
  c.first_side = UINT32_MAX;
  Topology topology;
  if (!inter && handle != abi.comm_world && handle != abi.comm_self) topology = topology_of(handle);
  c.topology = static_cast<uint8_t>(topology.kind);
  c.dims = topology.dims;
  c.identity = identity_of(c, creation, listed ? world.get() : nullptr, handle);
  return place(c, kind, handle, listed ? world.get() : nullptr, topology.sides);
}

// Rank, size, members and topology are those of the communicator that it was made from.
uint32_t Handles::describe_duplicate(uint64_t handle, uint32_t parent, uint32_t creation) {
  recording::LiveCommunicator c = comms_[parent];
  c.parent = parent;
  const int32_t* world = c.member_count ? &members_[c.first_member] : nullptr;
  c.identity = identity_of(c, creation, world, handle);
  return place(c, Kind::intra, handle, world, c.dims ? &members_[c.first_side] : nullptr);
}

// The same on all its ranks, without asking them: they count the creations by all of the parent alike, and see the same
// first member and size; of an intercommunicator either side sees those of both. 0 where another world takes part.
uint64_t Handles::identity_of(const recording::LiveCommunicator& c, uint32_t creation, const int32_t* world,
                              uint64_t handle) {
  if (handle == abi.comm_world) return 1;
  if (handle == abi.comm_self) return 2 + static_cast<uint64_t>(world ? world[0] : 0);
  const auto of_group = [](int32_t first, int32_t size) {
    return static_cast<uint64_t>(first) << 32 | static_cast<uint32_t>(size);
  };
  const bool inter = c.kind == static_cast<uint8_t>(Kind::inter);
  if (!inter && c.parent && creation) {
    const uint64_t parent = comms_[c.parent].identity;
    const uint64_t group = of_group(world ? world[0] : -1, c.size);
    return parent ? trace::mix(trace::mix(parent, creation), group) : 0;
  }
  if (!world || world[0] < 0) return 0;
  uint64_t identity = of_group(world[0], c.size);
  if (inter) {
    int32_t size = 0, first = -1;
    uint64_t group = 0;
    if (call_real(Fn::Comm_size, handle, &size) != 0 || call_real(Fn::Comm_group, handle, &group) != 0) return 0;
    const RankList own(size);
    if (own.get() && to_world(group, size, own.get())) first = own.get()[0];
    call_real(Fn::Group_free, &group);
    if (first < 0) return 0;
    const uint64_t ours = of_group(first, size), theirs = identity;
    identity = trace::mix(ours < theirs ? ours : theirs, ours < theirs ? theirs : ours);
  }
  // Several communicators over the same groups are distinguished by their number.
  for (uint64_t i = 0;; ++i) {
    if (const uint64_t numbered = trace::mix(identity, i); !taken(numbered)) return numbered;
  }
}

bool Handles::taken(uint64_t identity) const {
  for (uint32_t i = 1; i < comms_.size(); ++i) {
    if (entries_[i].alive && comms_[i].identity == identity) return true;
  }
  return false;
}

static_assert(FreeNumbers::capacity >= recording::capacity::communicators);

// Enters it into the table, under the number of a freed one that was just like it if there is any.
// world, sides: its members and dimensions; where it has the number of the first one, the table has them already.
uint32_t Handles::place(const recording::LiveCommunicator& c, Kind kind, uint64_t handle, const int32_t* world,
                        const int32_t* sides) {
  const uint32_t n = comms_.size();
  uint32_t id = free_.first(n, [&](uint32_t i) {
    const recording::LiveCommunicator& old = comms_[i];
    if (old.kind != c.kind || old.parent != c.parent || old.rank != c.rank || old.size != c.size ||
        old.member_count != c.member_count || old.topology != c.topology || old.dims != c.dims) {
      return false;
    }
    if (c.dims && memcmp(&members_[old.first_side], sides, c.dims * sizeof(int32_t)) != 0) return false;
    return !world || old.first_member == c.first_member ||
           memcmp(&members_[old.first_member], world, c.member_count * sizeof(int32_t)) == 0;
  });
  if (!id) {
    if (n > trace::comm_mask || n >= recording::capacity::communicators) return 0;
    recording::LiveCommunicator* made = comms_.append();
    if (!made) return 0;
    *made = c;
    if (world && c.first_member == UINT32_MAX) made->first_member = append_members(world, c.member_count);
    if (made->first_member == UINT32_MAX) made->member_count = 0;
    if (c.dims && c.first_side == UINT32_MAX) made->first_side = append_members(sides, c.dims);
    if (made->first_side == UINT32_MAX) made->dims = 0;
    id = n;
    entries_[id].creations = 0;
  } else {
    free_.remove(id);
  }
  entries_[id].handle = handle;
  entries_[id].kind = kind;
  entries_[id].alive = true;
  comms_[id].freed = 0;
  comm_map_.put(hash_of(kind == Kind::inter ? Kind::intra : kind, handle), id);
  return id;
}

uint32_t Handles::append_members(const int32_t* values, uint32_t n) {
  if (!members_.ensure(uint64_t{members_.size()} + n)) return UINT32_MAX;
  const uint32_t first = members_.size();
  for (uint32_t i = 0; i < n; ++i) *members_.append() = values[i];
  return first;
}

// Counts another creation over `parent`, whose number goes to `id`.
uint32_t Handles::creations_over(uint64_t parent, uint32_t* id) {
  *id = parent ? comm(parent).id : 0;
  return *id ? ++entries_[*id].creations : 0;
}

uint32_t Handles::add_comm(uint64_t handle, uint64_t parent, bool by_all, bool duplicate) {
  uint32_t over = 0, creation = 0;
  if (by_all) {
    creation = creations_over(parent, &over);
  } else if (parent) {
    over = comm(parent).id;
  }
  if (handle == abi.comm_null || !entries_) return 0;
  forget(Kind::intra, handle);  // a stale entry of a handle that was reused
  if (duplicate && over && entries_[over].kind == Kind::intra) return describe_duplicate(handle, over, creation);
  return describe(handle, over, creation);
}

uint32_t Handles::begin_comm(uint64_t handle, uint64_t parent) {
  uint32_t over = 0;
  const uint32_t creation = creations_over(parent, &over);
  if (handle == abi.comm_null || !entries_) return 0;
  for (uint32_t i = 1; i < most_pending; ++i) {
    if (pending_[i].used) continue;
    pending_[i] = {handle, over, creation, true};
    return i;
  }
  return 0;
}

void Handles::finish_comm(uint32_t pending) {
  Pending& p = pending_[pending];
  p.used = false;
  forget(Kind::intra, p.handle);
  describe(p.handle, p.parent, p.creation);
}

uint32_t Handles::add_object(Kind kind, uint64_t handle, uint64_t comm_handle) {
  if (!entries_) return 0;
  const CommView over = comm(comm_handle);
  if (over.id) ++entries_[over.id].creations;
  forget(kind, handle);
  recording::LiveCommunicator c = comms_[over.id];
  c.kind = static_cast<uint8_t>(kind);
  c.parent = over.id;
  c.first_member = UINT32_MAX;
  c.member_count = 0;  // those of its parent
  c.topology = c.dims = 0;
  const uint64_t parent = comms_[over.id].identity;
  c.identity = parent ? trace::hash_of_pair(parent, entries_[over.id].creations) : 0;
  return place(c, kind, handle, nullptr, nullptr);
}

CommView Handles::object(Kind kind, uint64_t handle) {
  const uint32_t id = entries_ ? find(kind, handle) : 0;
  return view(id, handle);
}

void Handles::forget(Kind kind, uint64_t handle) {
  if (!entries_) return;
  if (const uint32_t id = find(kind, handle)) {
    entries_[id].alive = false;
    comms_[id].freed = 1;
    free_.add(id);
    ++handles_epoch;
  }
}

TypeView Handles::known_type(uint64_t handle) const {
  if (handle == abi.datatype_null || !type_handles_) return {};
  const uint32_t known = type_map_.find(trace::mix(3, handle));
  if (known && type_handles_[known] == handle) return {handle, known, types_[known].size, true};
  return {};
}

TypeView Handles::type(uint64_t handle) {
  if (handle == abi.datatype_null || !type_handles_) return {};
  if (const TypeView known = known_type(handle); known.known) return known;
  if (!may_be_datatype(handle)) return {};
  const uint64_t hash = trace::mix(3, handle);
  recording::LiveDatatype t{};
  int32_t size = 0;
  intptr_t lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  int32_t length = 0;
  host::Envelope envelope;
  int64_t large_size = 0;
  if (has_real(Fn::Type_size_x)) {  // sizes of 2 GiB and more
    if (call_real(Fn::Type_size_x, handle, &large_size) != 0) return {};
  } else {
    if (call_real(Fn::Type_size, handle, &size) != 0) return {};
    large_size = size;
  }
  call_real(Fn::Type_get_extent, handle, &lb, &extent);
  call_real(Fn::Type_get_true_extent, handle, &true_lb, &true_extent);
  host::envelope_of(handle, &envelope);
  char name[512] = {};
  if (call_real(Fn::Type_get_name, handle, name, &length) == 0) memcpy(t.name, name, sizeof(t.name) - 1);
  t.combiner = envelope.combiner;
  t.size = large_size;
  t.lb = lb;
  t.extent = extent;
  t.true_extent = true_extent;
  t.contiguous = large_size == true_extent && large_size == extent;
  if (!t.contiguous) describe_array_part(handle, &t);
  // A type built again in the same way keeps its number.
  uint32_t id = 0;
  const uint32_t n = types_.size();
  for (uint32_t i = n > 256 ? n - 256 : 1; i < n && !id; ++i) {
    if (!type_handles_[i] && memcmp(&types_[i], &t, sizeof(t)) == 0) id = i;
  }
  if (!id) {
    recording::LiveDatatype* made = types_.append();
    if (!made) return {};
    *made = t;
    id = n;
  }
  type_handles_[id] = handle;
  type_map_.put(hash, id);
  return {handle, id, large_size, true};
}

void Handles::forget_type(uint64_t handle) {
  if (!type_handles_) return;
  const uint32_t known = type_map_.find(trace::mix(3, handle));
  if (known && type_handles_[known] == handle) {
    type_handles_[known] = 0;
    ++handles_epoch;
  }
}

uint32_t Handles::op(uint64_t handle) {
  const uint64_t hash = trace::mix(5, handle);
  const uint32_t known = op_map_.find(hash);
  if (known && op_handles_[known] == handle) return known;
  if (op_count_ == 256) return 0;
  const char* name = abi.op_name(handle);
  const size_t n = strlen(name) + 1;
  uint8_t* text = ops_.room(n);
  if (!text) return 0;
  memcpy(text, name, n);
  ops_.advance(text + n);
  op_handles_[op_count_] = handle;
  op_map_.put(hash, op_count_);
  return op_count_++;
}

}  // namespace leadline::recorder
