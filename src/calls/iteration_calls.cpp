#include "calls/iteration_calls.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "calls/loop_iterations.hpp"
#include "calls/thread_calls.hpp"
#include "structure/build_tree.hpp"
#include "structure/tree_calls.hpp"
#include "trace/saturating.hpp"

namespace leadline::calls {

using structure::Element;
using structure::Item;
using structure::LoopTree;
using structure::Sequence;
using trace::LoopTimes;
using trace::saturating_product;
using trace::saturating_sum;

namespace {

// What begins an iteration, or ends it (LoopTimes::after): a way from one call site to another, or a call.
struct Boundary {
  const trace::Stream& stream;
  const LoopTimes& loop;
  uint32_t anchor = structure::no_call;  // number in the tree, if no loop of the source delimits the iterations

  bool at(const LoopTree& tree, uint32_t from, uint32_t call) const {
    if (!loop.source) return call == anchor;
    const uint32_t to = tree.calls[call].key.site;
    return std::binary_search(loop.begins.begin(), loop.begins.end(), uint64_t{from} << 32 | to);
  }
  bool inside(const LoopTree& tree, uint32_t call) const {
    return !loop.source || stream.within(stream.loop_around(tree.calls[call].key.site), loop.source);
  }
};

class Counting {
 public:
  Counting(const LoopTree& tree, const Boundary& boundary)
      : tree_(tree), boundary_(boundary), sums_(tree.sequences.size()) {
    for (Sequence s = 1; s < sums_.size(); ++s) {
      for (const Element& e : tree.sequences.elements(s)) append(sum_of(e), e.times, &sums_[s]);
    }
  }

  // The calls of the loop before boundary number `n`, from 1; `with`: that boundary's own call, too.
  uint64_t before(uint64_t n, bool with) const {
    uint64_t calls = 0;
    Sequence s = tree_.root;
    for (uint32_t from = 0; s;) s = go_towards(s, &n, with, &from, &calls);
    return calls;
  }

 private:
  // Of a sequence. Whether its first call is a boundary depends on the call before it.
  struct Sum {
    uint32_t first = structure::no_call, last = structure::no_call;
    uint64_t boundaries = 0;  // without the first call's
    uint64_t calls = 0;       // of the loop
  };

  uint32_t site(uint32_t call) const { return call == structure::no_call ? 0 : tree_.calls[call].key.site; }
  Sum sum_of(const Element& e) const {
    if (!structure::is_call(e)) return sums_[structure::inside(tree_, e)];
    const uint32_t call = Item(e.id).index();
    return {call, call, 0, boundary_.inside(tree_, call)};
  }
  uint64_t boundaries(uint32_t from, const Sum& sum) const {
    if (sum.first == structure::no_call) return 0;
    return saturating_sum(sum.boundaries, boundary_.at(tree_, from, sum.first));
  }
  void append(const Sum& next, uint64_t times, Sum* sum) const {
    if (!times || next.first == structure::no_call) return;
    uint64_t found = saturating_product(boundaries(site(next.last), next), times - 1);
    found =
        saturating_sum(found, sum->first == structure::no_call ? next.boundaries : boundaries(site(sum->last), next));
    if (sum->first == structure::no_call) sum->first = next.first;
    sum->last = next.last;
    sum->boundaries = saturating_sum(sum->boundaries, found);
    sum->calls = saturating_sum(sum->calls, saturating_product(next.calls, times));
  }

  // Counts the calls of the sequence up to the element that has boundary `n`, of those from here on. Returns the
  // sequence of that element, in which to go on; 0: all is counted.
  Sequence go_towards(Sequence s, uint64_t* n, bool with, uint32_t* from, uint64_t* calls) const {
    for (const Element& e : tree_.sequences.elements(s)) {
      const Sum one = sum_of(e);
      if (one.first == structure::no_call) continue;
      const uint64_t first = boundaries(*from, one), again = boundaries(site(one.last), one);
      if (*n > saturating_sum(first, saturating_product(again, e.times - 1))) {
        *n -= first + again * (e.times - 1);
        *from = site(one.last);
        *calls = saturating_sum(*calls, saturating_product(one.calls, e.times));
        continue;
      }
      if (*n > first) {
        const uint64_t passed = (*n - first - 1) / again;
        *n -= first + passed * again;
        *from = site(one.last);
        *calls = saturating_sum(*calls, saturating_product(one.calls, 1 + passed));
      }
      if (!structure::is_call(e)) return structure::inside(tree_, e);
      if (with) *calls = saturating_sum(*calls, one.calls);
      return 0;
    }
    return 0;
  }

  const LoopTree& tree_;
  const Boundary& boundary_;
  std::vector<Sum> sums_;
};

// The loop's calls before its iteration of this number.
uint64_t calls_before(const Counting& counting, const LoopTimes& loop, uint64_t iteration) {
  if (!iteration) return 0;
  const uint64_t n = saturating_sum(loop.skipped, saturating_product(iteration, loop.anchors));
  return loop.after ? counting.before(n, true) : counting.before(saturating_sum(n, 1), false);
}

// One by one, where equal calls of the tree may be several to the loop.
uint64_t walked(const trace::Process& process, size_t stream, const LoopTimes& loop, uint64_t first, uint64_t end) {
  uint64_t calls = 0;
  ThreadCalls thread(process, stream, {.form = Wanted::Form::single, .loop = &loop});
  while (thread.has_iterations() && thread.next()) {
    if (!thread.inside() || thread.polls()) continue;
    if (thread.iteration() >= end) break;
    calls += thread.iteration() >= first;
  }
  return calls;
}

}  // namespace

uint64_t calls_in_iterations(const trace::Process& process, size_t stream, const LoopTimes& loop, uint64_t first,
                             uint64_t end) {
  const trace::Stream& own = process.streams[stream];
  if (first >= end || !LoopIterations(own, loop).found()) return 0;
  Boundary boundary{own, loop};
  const std::shared_ptr<const trace::Generation> alone =
      own.generations.size() == 1 ? own.generations[0].decoded() : nullptr;
  const LoopTree tree = structure::loop_tree(own, [&](uint32_t call, const trace::DecodedPosition& place) {
    if (!alone || loop.position >= alone->positions.size()) return;
    if (&place == &alone->positions[loop.position]) boundary.anchor = call;
  });
  if (!loop.source) {
    // Its iterations are counted within a generation, and its first call by entries, of which failed polls are some.
    const bool known = alone && boundary.anchor != structure::no_call;
    const auto may_be_anchor = [&](const structure::CallItem& call) {
      return call.varies && call.key.site == tree.calls[boundary.anchor].key.site;
    };
    if (!known || alone->polls.kept || std::any_of(tree.calls.begin(), tree.calls.end(), may_be_anchor))
      return walked(process, stream, loop, first, end);
  }
  const Counting counting(tree, boundary);
  const uint64_t outside = loop.source ? 0 : loop.first_call;
  const uint64_t until = calls_before(counting, loop, end), before = calls_before(counting, loop, first);
  return std::max(until, outside) - std::max(before, outside);
}

}  // namespace leadline::calls
