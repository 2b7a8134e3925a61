// A collective's arguments, which are words, by the form of its operation: the Call, and the amount that rules go by.
// Everything that depends on the operation alone is decided when this is compiled.
#pragma once

#include "leadline/shim_collectives.hpp"
#include "shim/call.hpp"
#include "shim/communicator.hpp"
#include "shim/forms.hpp"
#include "shim/memory.hpp"

namespace leadline::shim {

using collectives::Operation;

inline int64_t count_in(Word w, bool large) { return large ? static_cast<int64_t>(w) : static_cast<int32_t>(w); }

// Where the arguments of one side are; -1: the function has none.
struct SidePlaces {
  int8_t buffer, count, places, datatype;
  bool by_rank;        // counts are an array
  bool types_by_rank;  // and so are datatypes
};

template <Operation operation>
struct Places {
  static constexpr const collectives::OperationFacts& facts = collectives::facts_of(operation);
  static constexpr collectives::Arguments at = facts.arguments;
  // Else both sides take the same count and datatype.
  static constexpr bool has_two_counts = at.scount >= 0 && at.rcount >= 0;
  static constexpr SidePlaces from{at.sbuf,
                                   at.scount >= 0 ? at.scount : at.rcount,
                                   at.sdispls,
                                   at.stype >= 0 ? at.stype : at.rtype,
                                   facts.contributed.count_per_rank,
                                   facts.contributed.datatype_per_rank};
  static constexpr SidePlaces to =
      has_two_counts
          ? SidePlaces{at.rbuf,
                       at.rcount,
                       at.rdispls,
                       at.rtype,
                       facts.received.count_per_rank,
                       facts.received.datatype_per_rank}
          : SidePlaces{at.rbuf >= 0 ? at.rbuf : at.sbuf, from.count, from.places, from.datatype, from.by_rank, false};
};

// The side whose count and datatype mean something on every rank: that of what is contributed, or where the root alone
// does, that of what is received. A rank that passes MPI_IN_PLACE there uses the other side.
template <Operation operation>
inline bool decided_by_receive_side(const Word* args) {
  using At = Places<operation>;
  if constexpr (!At::has_two_counts) return false;
  constexpr bool receives = At::facts.contributed.root_only;
  const Word buffer = args[receives ? At::to.buffer : At::from.buffer];
  return (buffer == abi.in_place) != receives;
}

template <Operation operation>
inline Call call_of(const Word* args, bool large) {
  using At = Places<operation>;
  const auto word = [args](int8_t place) { return place >= 0 ? args[place] : 0; };
  const auto side = [&](const SidePlaces& at) {
    CallSide found{};
    found.places_are_addresses = At::facts.for_neighbours && At::facts.contributed.datatype_per_rank;
    found.buffer = word(at.buffer);
    (at.types_by_rank ? found.datatypes : found.datatype) = word(at.datatype);
    if (at.by_rank) {
      found.counts = word(at.count);
      found.places = word(at.places);
    } else if (at.count >= 0) {
      found.count = count_in(args[at.count], large);
    }
    return found;
  };
  return {side(At::from), side(At::to), word(At::at.op), word(At::at.root), word(At::at.comm), large};
}

// How much a call moves, as the table's rules count it.
struct Amount {
  int64_t count = 0, unit = 0;  // unit: bytes of one; both negative where they make no sense
  int64_t size = 0;             // of an element of the datatype
  int64_t bytes() const { return count * unit; }
};

// Operations whose blocks have their own counts take rules by the mean of their bytes, rounded up to a multiple of 8:
// that follows from what all ranks know, their sum. -1: a count is negative.
int64_t mean_bytes(Word counts, bool large, int32_t processes, int64_t size);

template <Operation operation>
[[gnu::always_inline]] inline Amount amount_of(Memory& m, const Communicator& c, const Word* args, bool large,
                                               bool by_receive_side) {
  using At = Places<operation>;
  Amount amount;
  if constexpr (!At::facts.sizes_are_known()) {
    return amount;
  } else if constexpr (At::facts.has_counts_by_rank()) {
    amount.size = size_of(m, abi.datatype(args[At::to.datatype]));
    amount.count = amount.size < 0 ? -1 : mean_bytes(args[At::to.count], large, c.processes, amount.size);
    amount.unit = 1;
  } else if constexpr (At::facts.has_data) {
    amount.count = count_in(args[by_receive_side ? At::to.count : At::from.count], large);
    const Word datatype = args[by_receive_side ? At::to.datatype : At::from.datatype];
    amount.size = amount.unit = size_of(m, abi.datatype(datatype));
  }
  return amount;
}

}  // namespace leadline::shim
