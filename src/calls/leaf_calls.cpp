#include "calls/leaf_calls.hpp"

namespace leadline::calls {

void for_each_leaf_call(const trace::Process& process, size_t stream, const Leaves& leaves,
                        const trace::LoopTimes* loop, const EachLeafCall& each, const EachPolls& polls) {
  ThreadCalls thread(process, stream, {Wanted::Form::timed, false, loop, leaves});
  while (thread.next()) {
    if (thread.polls()) {
      if (polls) polls(thread);
      continue;
    }
    if (thread.leaf() == structure::no_call) return;
    each(thread.leaf(), thread);
  }
}

}  // namespace leadline::calls
