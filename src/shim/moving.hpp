// What the steps of a schedule need to know of the call that it carries out.
#pragma once

#include <cstdint>

#include "collectives/node/combine.hpp"
#include "collectives/operation.hpp"
#include "shim/call.hpp"
#include "shim/communicator.hpp"
#include "shim/plan.hpp"

namespace leadline::shim {

// The facts about the call that the schedule's steps need.
struct Moving {
  uint64_t own, datatype, op, root;
  Layout layout;
  const collectives::OperationFacts* facts;
  void* function;  // the library's own
  int32_t rank;
  int64_t size;             // bytes of an element
  bool takes_less = false;  // a message that is shorter than expected is no error, as in the libraries
  bool last_came = false;   // the message waited for last was the last from its sender
  int failed = 0;           // the class of an error before; the other ranks are still to be told
  collectives::node::Team* team = nullptr;
  collectives::node::Combine combine = nullptr;  // instead of the library's own reduction
};

// Of bytes; moves and reductions set what is different.
Moving moving_of(const Communicator& c, const Rule& rule, const Call& call, const Plan& plan);

}  // namespace leadline::shim
