// An exchange left out on purpose, so that a test can show that every one of them matters.
#pragma once

#include <string>

namespace kit {

// One exchange of a step: the n-th (from 1) that the routine makes.
struct Exchange {
  const char* routine;
  int number;
};

// Read from an environment variable, which must be the same on all ranks:
//   trcadv:3            the third exchange of trcadv is not made, for any field, in any step
//   trcadv:3:eastward   only its messages that travel east are left out; the workload says which directions it knows
class Omission {
 public:
  explicit Omission(const char* variable);  // throws UsageError where the variable cannot be understood

  // True where all of the exchange is left out, or its messages of this direction.
  bool covers(const Exchange& exchange, const char* direction = "") const {
    return number_ != 0 && number_ == exchange.number && routine_ == exchange.routine &&
           (direction_.empty() || direction_ == direction);
  }

  bool is_set() const { return number_ != 0; }

 private:
  std::string routine_;
  std::string direction_;
  int number_ = 0;
};

}  // namespace kit
