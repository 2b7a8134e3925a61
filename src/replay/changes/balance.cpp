#include <string>
#include <vector>

#include "replay/changes/change.hpp"
#include "replay/changes/segments.hpp"

namespace leadline::replay {

namespace {

constexpr double little = 0.5;  // of the mean computation

// What the ranks compute in each segment of the main loop. Unevenness is balanced where it is: two segments that are
// uneven in opposite ways are even together, and yet ranks wait in both.
class Balancing {
 public:
  Balancing(Tree* tree, uint64_t iterations)
      : tree_(tree), segments_(*tree, iterations), mean_(segments_.count()), all_(segments_.ends()) {
    for (TreeMember& member : tree_->members) {
      for (size_t l = 0; l < member.before_ns.size(); ++l) tree_->fill(&member, l);
      const std::vector<double> own = computation_of(&member);
      for (uint64_t s = 0; s < own.size(); ++s) mean_[s] += own[s] / static_cast<double>(tree_->members.size());
    }
    for (uint64_t s = 0; s < mean_.size(); ++s) all_[segments_.end_of(s)] += mean_[s];
  }

  // It computes as long as the mean: in each segment, or in all that end at the same cut.
  void balance(TreeMember* member, bool each_segment) {
    const std::vector<double> own = computation_of(member);
    std::vector<double> mine(all_.size());
    for (uint64_t s = 0; s < own.size(); ++s) mine[segments_.end_of(s)] += own[s];
    uint64_t next = 0;  // segment
    for_each(member, [&](float* ns, uint64_t segment) {
      const uint32_t end = segments_.end_of(segment);
      const bool begins = segment >= next;
      double left = 0;  // of segments in which the rank makes no call
      for (; next < segment; ++next) left += mean_[next];
      if (begins) ++next;
      // What hardly computes has no pattern of its own that could be scaled: it gets the ranks' mean of each segment.
      if (!each_segment && mine[end] >= little * all_[end]) {
        if (mine[end] > 0) *ns = static_cast<float>(*ns * all_[end] / mine[end]);
      } else if (own[segment] > 0) {
        *ns = static_cast<float>(*ns * mean_[segment] / own[segment]);
      } else if (begins) {
        *ns = static_cast<float>(mean_[segment]);  // a rank that computed nothing
      }
      *ns += static_cast<float>(left);
    });
  }

 private:
  template <class Each>  // (the computation before the call, segment)
  void for_each(TreeMember* member, const Each& each) const {
    segments_.for_each_call(*tree_, member->of_class, [&](uint32_t leaf, uint64_t number, uint64_t segment) {
      if (number < member->before_ns[leaf].size()) each(&member->before_ns[leaf][number], segment);
    });
  }
  std::vector<double> computation_of(TreeMember* member) const {
    std::vector<double> own(segments_.count());
    for_each(member, [&](const float* ns, uint64_t segment) { own[segment] += *ns; });
    return own;
  }

  Tree* tree_;
  Segments segments_;
  std::vector<double> mean_, all_;  // by segment; by the cut at which segments end
};

}  // namespace

Refusal balance(bool each_iteration, Tree* tree, Made*) {
  uint64_t iterations = 0;
  for (const TreeMember& member : tree->members) {
    const RecordedShape& shape = tree->classes[member.of_class].shape;
    if (shape.entered != 1 || !shape.iterations) return "not every rank enters the main loop exactly once";
    if (iterations && iterations != shape.iterations) return "the ranks make different numbers of iterations";
    iterations = shape.iterations;
  }
  Balancing balancing(tree, iterations);
  for (TreeMember& member : tree->members) balancing.balance(&member, each_iteration);
  return {};
}

}  // namespace leadline::replay
