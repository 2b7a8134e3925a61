// An exchange left out on purpose, so that a test can show that every one of them matters.
#pragma once

#include <string>

namespace opatm {

// One exchange of a step: the n-th (from 1) that the routine makes for a tracer.
struct Exchange {
  const char* routine;
  int number;
};

// Read from the environment variable OPATM_LEAVE_OUT, which must be the same on all ranks:
//   trcadv:3            the third exchange of trcadv is not made, for any tracer, in any step
//   trcadv:3:eastward   only its messages that travel east (westward, northward, southward) are left out
class Omission {
 public:
  Omission();  // throws kit::UsageError where the variable cannot be understood

  bool covers(const Exchange& exchange, const char* direction) const {
    return number_ != 0 && number_ == exchange.number && routine_ == exchange.routine &&
           (direction_.empty() || direction_ == direction);
  }

 private:
  std::string routine_;
  std::string direction_;
  int number_ = 0;
};

}  // namespace opatm
