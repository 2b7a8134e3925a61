// State of a preloaded library: there before any code of the process ran, and never destroyed. Other libraries' and the
// program's own constructors call MPI before ours have run, and their destructors after ours; what a constructor of
// ours set up then would wipe what they had. So nothing is constructed or destroyed when the process begins or ends
// (tools/initialisers.py checks that), and what a constructor function does is done at the first use, if that is
// sooner.
#pragma once

namespace leadline::host {

// Used as a constexpr variable: only those are initialised by the compiler and not registered for destruction in all
// compilers. `mutable`: its object changes nevertheless.
template <class T>
union Immortal {
  constexpr Immortal() : object() {}
  constexpr ~Immortal() {}
  mutable T object;
};

}  // namespace leadline::host
