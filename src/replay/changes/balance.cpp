#include <numeric>
#include <string>

#include "replay/changes/change.hpp"

namespace leadline::replay {

namespace {

constexpr double little = 0.5;  // of the mean computation

}  // namespace

Refusal balance(bool each_iteration, Tree* tree, Made*) {
  uint64_t iterations = 0;
  for (const TreeMember& member : tree->members) {
    const RecordedShape& shape = tree->classes[member.of_class].shape;
    if (shape.entered != 1 || !shape.iterations) return "not every rank enters the main loop exactly once";
    if (iterations && iterations != shape.iterations) return "the ranks make different numbers of iterations";
    iterations = shape.iterations;
  }
  std::vector<std::vector<double>> own(tree->members.size(), std::vector<double>(iterations));
  std::vector<double> mean(iterations);
  // Calls `each` with the computation before each call of an iteration.
  const auto for_each = [&](TreeMember* member, const auto& each) {
    const TreeClass& of = tree->classes[member->of_class];
    std::vector<size_t> used(of.leaves.size());
    of.shape.for_each_call([&](uint32_t leaf, uint64_t iteration) {
      const size_t i = used[leaf]++;
      if (iteration < iterations && i < member->before_ns[leaf].size()) each(&member->before_ns[leaf][i], iteration);
    });
  };
  for (size_t rank = 0; rank < tree->members.size(); ++rank) {
    TreeMember& member = tree->members[rank];
    for (size_t l = 0; l < member.before_ns.size(); ++l) tree->fill(&member, l);
    for_each(&member, [&](const float* ns, uint64_t iteration) { own[rank][iteration] += *ns; });
    for (uint64_t i = 0; i < iterations; ++i) mean[i] += own[rank][i] / static_cast<double>(tree->members.size());
  }
  // The rank computes as long as the mean in each iteration.
  const auto spread = [&](size_t rank) {
    std::vector<uint8_t> begun(iterations);
    for_each(&tree->members[rank], [&](float* ns, uint64_t iteration) {
      const double all = own[rank][iteration];
      if (all > 0) {
        *ns = static_cast<float>(*ns * mean[iteration] / all);
      } else if (!begun[iteration]) {
        *ns = static_cast<float>(mean[iteration]);  // a rank that computed nothing
      }
      begun[iteration] = true;
    });
  };
  if (!each_iteration) {
    const double all = std::accumulate(mean.begin(), mean.end(), 0.0);
    for (size_t rank = 0; rank < tree->members.size(); ++rank) {
      const double mine = std::accumulate(own[rank].begin(), own[rank].end(), 0.0);
      // What hardly computes has no pattern of its own that could be scaled: it gets the ranks' mean of each iteration.
      if (mine < little * all) {
        spread(rank);
        continue;
      }
      for_each(&tree->members[rank], [&](float* ns, uint64_t) { *ns = static_cast<float>(*ns * all / mine); });
    }
    return {};
  }
  for (size_t rank = 0; rank < tree->members.size(); ++rank) spread(rank);
  return {};
}

}  // namespace leadline::replay
