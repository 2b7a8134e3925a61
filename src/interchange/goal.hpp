// LogGOPSim's GOAL: for each rank operations with labels, and what each requires. A calc is in nanoseconds.
//
// GOAL has no collectives: each is written as the messages of a common algorithm (goal_collectives.hpp). Everything
// that blocks requires what came before it; a nonblocking message only starts after it, and its completion joins it
// again.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "interchange/actions.hpp"
#include "interchange/output.hpp"

namespace leadline::interchange {

class GoalExport {
 public:
  // A file for `ranks` ranks, whose sections come in their order.
  // comment: in the first line; "": none.
  GoalExport(const std::string& path, Actions* actions, int32_t ranks, const std::string& comment);
  void write(const trace::Process& process, uint32_t index);
  void write_nothing(int32_t rank);  // of a rank that is not exported
  int finish();                      // errno of a failure, or 0

 private:
  class Rank;
  Output out_;
  Actions& actions_;
  int32_t ranks_;
};

}  // namespace leadline::interchange
