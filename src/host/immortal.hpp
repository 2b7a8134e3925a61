// State of a preloaded library that exists before any code of the process runs, and is never destroyed. Constructors of
// other libraries and of the program call MPI before ours have run, and their destructors after ours. A constructor of
// ours would then wipe the state that they had set up. Nothing is therefore constructed or destroyed when the process
// begins or ends (tools/initialisers.py checks that). Work of a constructor function is done at first use if that comes
// earlier.
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
