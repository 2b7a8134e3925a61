#include "replay/tree.hpp"

#include <algorithm>

namespace leadline::replay {

bool Tree::last_is_apart() const {
  bool apart = false;
  for (const TreeClass& own : classes) {
    const bool other = own.shape.iterations != classes.front().shape.iterations;
    if (other || own.shape.last_iteration() == RecordedShape::none) return false;
    apart = apart || own.shape.last_is_apart();
  }
  return apart;
}

bool Tree::last_stays(uint64_t steps, bool last_repeats) const {
  return !last_repeats && last_is_apart() && steps > classes.front().shape.iterations;
}

void Tree::fill(TreeMember* member, size_t leaf) {
  std::vector<float>& ns = member->before_ns[leaf];
  double sum = 0;
  size_t kept = 0;
  for (const float each : ns) {
    if (!std::isfinite(each)) continue;
    sum += each;
    ++kept;
  }
  if (kept == ns.size()) return;
  const double mean = member->times(classes[member->of_class], leaf).before_ns;
  const auto rest = static_cast<double>(ns.size() - kept);
  const auto other = static_cast<float>(std::max(0.0, (mean * static_cast<double>(ns.size()) - sum) / rest));
  for (float& each : ns)
    if (!std::isfinite(each)) each = other;
  filled += ns.size() - kept;
}

}  // namespace leadline::replay
