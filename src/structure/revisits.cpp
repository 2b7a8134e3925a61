#include "structure/revisits.hpp"

#include "trace/saturating.hpp"

namespace leadline::structure {

uint64_t Revisits::among(const std::map<Sequence, uint64_t>& variants) {
  uint64_t found = 0;
  for (const auto& [body, times] : variants) {
    if (revisits(body)) found = trace::saturating_sum(found, times);
  }
  return found;
}

bool Revisits::revisits(Sequence body) {
  struct Part {
    Sequence sequence;
    size_t element;
    uint64_t given;
  };
  ++bodies_;
  uint64_t looked_at = 0;
  std::vector<Part> left{{body, 0, 0}};
  while (!left.empty()) {
    Part& part = left.back();
    const auto elements = tree_.sequences.elements(part.sequence);
    if (part.element == elements.size()) {
      left.pop_back();
      continue;
    }
    const Element& e = elements[part.element];
    if (e.is_sequence && part.given < e.times) {
      ++part.given;
      left.push_back({static_cast<Sequence>(e.id), 0, 0});
      continue;
    }
    ++part.element;
    part.given = 0;
    if (e.is_sequence || Item(e.id).kind() != Item::Kind::call) continue;
    if (++looked_at > most_calls) return false;
    const uint32_t site = tree_.calls[Item(e.id).index()].key.site;
    if (site < ignored_.size() && ignored_[site]) continue;
    if (site >= visited_.size()) visited_.resize(site + 1);
    if (e.times > 1 || visited_[site] == bodies_) return true;
    visited_[site] = bodies_;
  }
  return false;
}

}  // namespace leadline::structure
