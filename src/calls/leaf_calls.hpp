// A thread's single calls, by the leaf of its tree, or of its class's tree, that each is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "calls/thread_calls.hpp"
#include "trace/process.hpp"

namespace leadline::calls {

// Goes through all calls of the tree, which must be that of the stream, up to the first whose order is lost. `leaf`:
// the number of the call in the tree.   `loop`: whose iterations are counted, if any.   `polls`: is told of runs of
// failed polls, which are not in the tree.
using EachLeafCall = std::function<void(uint32_t leaf, ThreadCalls& call)>;
using EachPolls = std::function<void(const ThreadCalls& run)>;
void for_each_leaf_call(const trace::Process& process, size_t stream, const Leaves& leaves,
                        const trace::LoopTimes* loop, const EachLeafCall& each, const EachPolls& polls = {});

}  // namespace leadline::calls
