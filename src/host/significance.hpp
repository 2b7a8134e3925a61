// The arguments of a call that are significant.
#pragma once

#include "host/real.hpp"

namespace leadline::host {

// The significant arguments of one call. The others may have any value.
class Significance {
 public:
  // rank: this process' in the call's communicator; -1 where that is an intercommunicator, whose root's rank is one of
  // the other group.
  Significance(const Traits& traits, const Word* args, int32_t rank) : traits_(traits) {
    const Roles& r = traits.roles;
    if (r.root >= 0) {
      const auto root = static_cast<int32_t>(args[r.root]);
      if (root == abi.root || (root == rank && rank >= 0)) holds_ |= needs::at_root;
      if (root != abi.root && root != abi.proc_null) holds_ |= needs::names_root;
      if (root != abi.proc_null) holds_ |= needs::not_idle;
    }
    if (r.sbuf >= 0 && args[r.sbuf] != abi.in_place) holds_ |= needs::sends;
    if (r.rbuf >= 0 && args[r.rbuf] != abi.in_place) holds_ |= needs::receives;
    if (r.op >= 0 && Abi::handle(args[r.op], abi.family->handle_bytes.op) != abi.no_op) holds_ |= needs::operates;
  }

  // role: index of an argument, -1 if the function has none in that role.
  bool of(int8_t role) const { return role >= 0 && (traits_.needs.of[role] & ~holds_) == 0; }

 private:
  const Traits& traits_;
  uint8_t holds_ = 0;
};

}  // namespace leadline::host
