// Collectives: bytes contributed and received by the rules of api/semantics.toml.
#include <string.h>

#include "host/significance.hpp"
#include "recorder/wrappers/record.hpp"

namespace leadline::recorder {

using trace::Key;

namespace {

constexpr int32_t longest_vector = 4096;

// The side of the call that a rule speaks of.
bool of_send_side(ByteRule rule) {
  return rule == ByteRule::s || rule == ByteRule::s_times_p || rule == ByteRule::sum_s || rule == ByteRule::sum_sw;
}
ByteRule other_side(ByteRule rule) {
  switch (rule) {
    case ByteRule::s:
      return ByteRule::r;
    case ByteRule::r:
      return ByteRule::s;
    case ByteRule::s_times_p:
      return ByteRule::r_times_p;
    case ByteRule::r_times_p:
      return ByteRule::s_times_p;
    case ByteRule::sum_s:
      return ByteRule::sum_r;
    case ByteRule::sum_r:
      return ByteRule::sum_s;
    case ByteRule::sum_sw:
      return ByteRule::sum_rw;
    case ByteRule::sum_rw:
      return ByteRule::sum_sw;
    case ByteRule::zero:
    case ByteRule::r_own:
      break;
  }
  return rule;
}

class Collective {
 public:
  Collective(Call& call, const CommView& comm)
      : call_(call),
        comm_(comm),
        r_(call.roles()),
        rank_(comm.known && !between_groups(comm) ? comm.rank : -1),
        counts_(call.traits, call.args, rank_) {
    const Traits& t = call.traits;
    const auto either = [&](ByteRule a, ByteRule b) {
      return t.contributed.rule == a || t.contributed.rule == b || t.received.rule == a || t.received.rule == b;
    };
    send_vector_ = either(ByteRule::sum_s, ByteRule::sum_sw);
    receive_vector_ = either(ByteRule::sum_r, ByteRule::sum_rw);
    send_types_ = either(ByteRule::sum_sw, ByteRule::sum_sw);
    receive_types_ = either(ByteRule::sum_rw, ByteRule::sum_rw);
    if (r_.root >= 0) {
      root_ = call.int_arg(r_.root);
      is_root_ = root_ == abi.root || (rank_ >= 0 && root_ == rank_);
      nobody_ = root_ == abi.proc_null;  // of an intercommunicator
    }
    const auto is_in_place = [&](int8_t role) { return significant(role) && call.arg(role) == abi.in_place; };
    in_place_ = is_in_place(r_.sbuf) || is_in_place(r_.rbuf);
    count_neighbours();
  }

  bool in_place() const { return in_place_; }
  int32_t root() const { return root_; }
  bool significant(int8_t role) const { return counts_.of(role); }

  bool applies(Bytes b) const {
    if (b.rule == ByteRule::zero || nobody_) return false;
    if (b.when == ByteWhen::always) return root_ != abi.root;  // between groups: the one without the root
    return (b.when == ByteWhen::root_only) == is_root_;
  }

  // With MPI_IN_PLACE one side's arguments mean nothing, and the other side's are used instead.
  int64_t bytes(Bytes b) const {
    if (!applies(b)) return 0;
    const bool has_other = r_.rcount >= 0 && r_.scount >= 0;
    const bool ignored = !significant(of_send_side(b.rule) ? r_.scount : r_.rcount);
    return by_rule(has_other && ignored ? other_side(b.rule) : b.rule);
  }

  // Whether there is one count, and it means something on this rank.
  bool significant_send() const { return significant(r_.scount) && !send_vector_; }
  bool significant_receive() const { return significant(r_.rcount) && !receive_vector_; }

  // Appends a count vector to the words, if its arguments mean something on this rank.
  int64_t* put_vector(int64_t* w, bool send) const {
    const int8_t role = send ? r_.scount : r_.rcount;
    const bool vector = (send ? send_vector_ : receive_vector_) && significant(role) && call_.arg(role);
    const int32_t n = send ? send_peers_ : receive_peers_;
    if (!vector || n > longest_vector) {
      if (vector) this_process.lose(trace::LossKind::vectors_dropped);
      *w++ = vector ? -1 : 0;
      return w;
    }
    *w++ = n;
    for (int32_t i = 0; i < n; ++i) *w++ = element(call_.arg(role), i);
    return w;
  }

 private:
  static bool between_groups(const CommView& comm) { return this_process.handles().kind(comm.id) == Kind::inter; }

  void count_neighbours() {
    send_peers_ = receive_peers_ = comm_.size;
    if (!comm_.known) return;
    // Each group's contributions are scattered over the other group, but the counts are those of its own.
    if (call_.traits.peers == Peers::own_group && between_groups(comm_)) {
      call_real(Fn::Comm_size, comm_.handle, &send_peers_);
      receive_peers_ = send_peers_;
    }
    if (call_.traits.peers != Peers::neighbours) return;
    int32_t topology = abi.undefined, in = 0, out = 0, weighted = 0;
    const uint64_t comm = comm_.handle;
    call_real(Fn::Topo_test, comm, &topology);
    if (topology == abi.family->topo_cart) {
      call_real(Fn::Cartdim_get, comm, &in);
      find_edges(in);
      in = out = 2 * in;
    } else if (topology == abi.family->topo_graph) {
      call_real(Fn::Graph_neighbors_count, comm, comm_.rank, &in);
      out = in;
    } else {
      call_real(Fn::Dist_graph_neighbors_count, comm, &in, &out, &weighted);
    }
    receive_peers_ = in;
    send_peers_ = out;
  }

  // Beyond an edge that is not periodic the neighbour is MPI_PROC_NULL: nothing goes there, and nothing comes.
  void find_edges(int32_t dims) {
    int32_t sides[most_dims], periodic[most_dims], at[most_dims];
    if (dims > most_dims || call_real(Fn::Cart_get, comm_.handle, dims, sides, periodic, at) != 0) return;
    for (int32_t d = 0; d < dims; ++d) {
      if (periodic[d]) continue;
      nobody_at_[2 * d] = at[d] == 0;
      nobody_at_[2 * d + 1] = at[d] == sides[d] - 1;
    }
  }
  // How many of the first `n` neighbours there are.
  int32_t real(int32_t n) const {
    int32_t there = n;
    for (int32_t i = 0; i < n && i < 2 * most_dims; ++i) there -= nobody_at_[i];
    return there;
  }
  bool nobody_at(int32_t i) const { return i < 2 * most_dims && nobody_at_[i]; }

  int64_t element(Word array, int32_t i) const {
    return call_.large ? reinterpret_cast<const int64_t*>(array)[i] : reinterpret_cast<const int32_t*>(array)[i];
  }

  bool of_neighbours() const { return call_.traits.peers == Peers::neighbours; }

  int64_t size_of(Word type) const { return type_of(call_, type).size; }

  int64_t sum(bool send) const {
    const int8_t role = send ? r_.scount : r_.rcount;
    const int8_t type = send || r_.rtype < 0 ? (r_.stype >= 0 ? r_.stype : r_.rtype) : r_.rtype;
    const int32_t n = send ? send_peers_ : receive_peers_;
    if (role < 0 || type < 0 || !call_.arg(role)) return 0;
    int64_t total = 0;
    if (send ? send_types_ : receive_types_) {
      const uint8_t width = abi.family->handle_bytes.datatype;
      for (int32_t i = 0; i < n; ++i) {
        const int64_t count = nobody_at(i) ? 0 : element(call_.arg(role), i);
        if (count) total += count * size_of(Abi::stored(call_.arg(type) + static_cast<size_t>(i) * width, width));
      }
      return total;
    }
    for (int32_t i = 0; i < n; ++i) total += nobody_at(i) ? 0 : element(call_.arg(role), i);
    return total * size_of(call_.arg(type));
  }

  int64_t by_rule(ByteRule rule) const {
    const auto one = [&](bool send) -> int64_t {
      const int8_t role = send ? r_.scount : r_.rcount;
      const int8_t type = send || r_.rtype < 0 ? (r_.stype >= 0 ? r_.stype : r_.rtype) : r_.rtype;
      if (role < 0 || type < 0) return 0;
      const bool vector = send ? send_vector_ : receive_vector_;
      if (vector && (!call_.arg(role) || !comm_.known)) return 0;
      return (vector ? element(call_.arg(role), comm_.rank) : call_.count_arg(role)) * size_of(call_.arg(type));
    };
    switch (rule) {
      case ByteRule::zero:
        return 0;
      case ByteRule::s:
        return of_neighbours() && !real(send_peers_) ? 0 : one(true);
      case ByteRule::r:
      case ByteRule::r_own:
        return one(false);
      case ByteRule::s_times_p:
        return one(true) * real(send_peers_);
      case ByteRule::r_times_p:
        return one(false) * real(receive_peers_);
      case ByteRule::sum_s:
      case ByteRule::sum_sw:
        return sum(true);
      case ByteRule::sum_r:
      case ByteRule::sum_rw:
        return sum(false);
    }
    return 0;
  }

  Call& call_;
  const CommView& comm_;
  const Roles& r_;
  const int32_t rank_;  // that a root can be; -1 between groups, where the root is one of the other group's
  const Significance counts_;
  bool send_vector_, receive_vector_, send_types_, receive_types_;
  bool is_root_ = false, nobody_ = false, in_place_ = false;
  int32_t root_ = 0, send_peers_ = 0, receive_peers_ = 0;
  static constexpr int32_t most_dims = 32;
  bool nobody_at_[2 * most_dims] = {};
};

// Its arguments may be invalid: no bytes, no vectors.
void record_failed(Call& call, Key key) {
  constexpr int64_t nothing[7] = {};
  const int8_t comm = call.roles().comm;
  if (comm >= 0) key.comm = comm_of(call, call.arg(comm)).id;
  key.peer = trace::peer_none;
  key.extra = call.thread.graph.intern(nothing, 7);
  add_event(call, key);
}

}  // namespace

void record_collective(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  if (call.rc != 0) return record_failed(call, key);
  const CommView comm = r.comm >= 0 ? comm_of(call, call.arg(r.comm)) : CommView{};
  const Collective c(call, comm);
  key.comm = comm.id | (c.in_place() ? trace::flag_in_place : 0);
  key.peer = trace::peer_none;
  if (r.root >= 0) {
    if (c.root() >= 0) key.peer = c.root();
    if (c.root() == abi.proc_null) key.peer = trace::peer_null;
    if (c.root() == abi.root) key.peer = trace::peer_root;
  }
  auto* words = t.words.get<int64_t>(7 + 2 * longest_vector);
  if (!words) return add_event(call, key);
  const bool send = c.significant_send(), receive = c.significant_receive();
  const bool simple_type =
      call.traits.contributed.rule != ByteRule::sum_sw && call.traits.received.rule != ByteRule::sum_rw;
  words[0] = c.bytes(call.traits.contributed);
  words[1] = c.bytes(call.traits.received);
  {
    const Locked locked(this_process.lock());
    words[2] =
        c.significant(r.op) ? this_process.handles().op(Abi::handle(call.arg(r.op), abi.family->handle_bytes.op)) : 0;
  }
  words[3] = receive ? call.count_arg(r.rcount) : 0;
  words[4] = receive && r.rtype >= 0 ? type_of(call, call.arg(r.rtype)).id : 0;
  int64_t* w = c.put_vector(words + 5, true);
  w = c.put_vector(w, false);
  if (send) {
    key.count = call.count_arg(r.scount);
    if (r.stype >= 0 && simple_type) key.datatype = type_of(call, call.arg(r.stype)).id;
  } else if (receive) {
    key.count = words[3];
    key.datatype = static_cast<uint32_t>(words[4]);
  }
  key.extra = t.graph.intern(words, static_cast<uint32_t>(w - words));
  if (r.request >= 0) {
    Key maker = key;
    maker.extra = 0;
    const bool persistent = call.traits.cls == CallClass::coll_init;
    if (persistent) {  // what each start is to say
      maker.comm |= trace::flag_persistent_collective;
      maker.value = words[1];
    }
    add_request(t, maker, call.arg(r.request), {.persistent = persistent, .posted_bytes = persistent ? words[0] : 0});
  }
  add_event(call, key);
}

}  // namespace leadline::recorder
