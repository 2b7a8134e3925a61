#include <algorithm>

#include "replay/changes/change.hpp"

namespace leadline::replay {

namespace {

// Of every `step`th value from `first` on, `count` of them.
void level(std::vector<float>* ns, size_t first, size_t step, size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count && first + i * step < ns->size(); ++i) values.push_back((*ns)[first + i * step]);
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  const float median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  for (size_t i = 0; i < n; ++i) (*ns)[first + i * step] = median;
}

}  // namespace

Refusal without_noise(Tree* tree, Made*) {
  for (TreeMember& member : tree->members) {
    const RecordedShape& shape = tree->classes[member.of_class].shape;
    for (size_t l = 0; l < member.before_ns.size(); ++l) {
      tree->fill(&member, l);
      std::vector<float>& ns = member.before_ns[l];
      if (shape.entered != 1 || !shape.iterations) {
        level(&ns, 0, 1, ns.size());
        continue;
      }
      const uint64_t calls = shape.inside[l];
      const bool alike = calls % shape.iterations == 0;  // so many calls in each iteration
      const uint64_t each = alike ? calls / shape.iterations : 1;
      for (uint64_t i = 0; i < (alike ? each : std::min<uint64_t>(calls, 1)); ++i) {
        level(&ns, shape.before[l] + i, each, alike ? shape.iterations : calls);
      }
    }
  }
  return {};
}

}  // namespace leadline::replay
