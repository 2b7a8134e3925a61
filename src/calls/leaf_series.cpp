#include "calls/leaf_series.hpp"

#include "structure/tree_calls.hpp"

namespace leadline::calls {

// Both go through the same calls in the same order: the tree leaves out failed polls only.
void for_each_leaf_call(const trace::Process& process, size_t stream, const structure::LoopTree& tree,
                        const trace::LoopTimes* loop, const EachLeafCall& each) {
  ThreadCalls thread(process, stream, {Wanted::Form::timed, false, loop});
  structure::CallsInOrder leaves(tree, tree.root);
  uint32_t leaf = 0;
  uint64_t left = 0;
  while (thread.next()) {
    if (thread.polls()) continue;
    if (!left && !leaves.next(&leaf, &left)) return;
    --left;
    if (tree.calls[leaf].key.site != thread.event().event.key.site) return;
    each(leaf, thread);
  }
}

}  // namespace leadline::calls
