// The tree of a recording as Python has it.
#pragma once

#include <utility>

#include "replay/recorded.hpp"

namespace leadline::bindings {

// Changes are applied to it one after another.
struct Changed {
  explicit Changed(const replay::Recorded& recorded) : of(recorded), tree(recorded.tree()) {}
  Changed(const replay::Recorded& recorded, replay::Tree made) : of(recorded), tree(std::move(made)) {}
  const replay::Recorded& of;
  replay::Tree tree;
};

}  // namespace leadline::bindings
