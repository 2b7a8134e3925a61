// Calls a function of an MPI library that is only known by its address. Every argument is a word: a handle, a count or
// a pointer in an integer register or on the stack (src/host/family.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "collectives/operation.hpp"

namespace leadline::collectives {

namespace words {

template <size_t>
using Word = uint64_t;

template <size_t... i>
int call(void* function, const uint64_t* words, std::index_sequence<i...>) {
  return reinterpret_cast<int (*)(Word<i>...)>(function)(words[i]...);
}

}  // namespace words

// An operation's arguments by their roles; those that its function does not have are left out.
struct CallWords {
  uint64_t sbuf, scount, stype, rbuf, rcount, rtype, op, root, comm;
  uint64_t sdispls = 0, rdispls = 0;
};

inline constexpr int most_words = 12;

inline void put_words(const Arguments& of, const CallWords& from, uint64_t* to) {
  const auto put = [to](int8_t place, uint64_t word) {
    if (place >= 0) to[place] = word;
  };
  put(of.sbuf, from.sbuf);
  put(of.scount, from.scount);
  put(of.sdispls, from.sdispls);
  put(of.stype, from.stype);
  put(of.rbuf, from.rbuf);
  put(of.rcount, from.rcount);
  put(of.rdispls, from.rdispls);
  put(of.rtype, from.rtype);
  put(of.op, from.op);
  put(of.root, from.root);
  put(of.comm, from.comm);
}

// Returns MPI's error code.
inline int call_by_words(void* function, const Arguments& of, const CallWords& from) {
  uint64_t words[most_words] = {};
  put_words(of, from, words);
  switch (of.number) {
    case 1:
      return words::call(function, words, std::make_index_sequence<1>());
    case 5:
      return words::call(function, words, std::make_index_sequence<5>());
    case 6:
      return words::call(function, words, std::make_index_sequence<6>());
    case 7:
      return words::call(function, words, std::make_index_sequence<7>());
    case 8:
      return words::call(function, words, std::make_index_sequence<8>());
    case 9:
      return words::call(function, words, std::make_index_sequence<9>());
    default:
      return -1;  // no collective of MPI has other numbers of arguments (codegen/mpiapi/operations.py checks it)
  }
}

}  // namespace leadline::collectives
