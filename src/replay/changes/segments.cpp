#include "replay/changes/segments.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace leadline::replay {

namespace {

constexpr uint32_t iteration_ends = 0;

bool is_call_of_the_program(const TreeLeaf& leaf) { return !leaf.removed && leaf.number != structure::no_index; }

}  // namespace

Segments::Segments(const Tree& tree, uint64_t iterations) : iterations_(iterations) {
  if (agree_on(tree, common_sites(tree)) || agree_on(tree, collectives_of_all(tree))) return;
  cuts_.clear();
  for (const TreeClass& c : tree.classes) cuts_.emplace_back(c.leaves.size());
  ends_.assign(iterations, iteration_ends);
  ends_of_all_ = 1;
}

Segments::Cuts Segments::common_sites(const Tree& tree) {
  struct Common {
    uint64_t calls = 0;
    size_t classes = 0;
  };
  std::map<uint32_t, Common> sites;
  for (size_t c = 0; c < tree.classes.size(); ++c) {
    const TreeClass& of = tree.classes[c];
    std::map<uint32_t, uint64_t> own;
    for (size_t l = 0; l < of.leaves.size(); ++l) {
      if (is_call_of_the_program(of.leaves[l])) own[of.leaves[l].leaf.site] += of.shape.inside[l];
    }
    for (const auto& [site, calls] : own) {
      Common& common = sites[site];
      if (!c) common.calls = calls;
      if (calls && calls == common.calls) ++common.classes;
    }
  }
  std::map<uint32_t, uint32_t> numbers;
  for (const auto& [site, common] : sites) {
    if (common.classes == tree.classes.size()) numbers.emplace(site, static_cast<uint32_t>(numbers.size() + 1));
  }
  Cuts cuts;
  for (const TreeClass& of : tree.classes) {
    std::vector<uint32_t>& own = cuts.emplace_back(of.leaves.size());
    for (size_t l = 0; l < of.leaves.size(); ++l) {
      const auto at = numbers.find(of.leaves[l].leaf.site);
      if (at != numbers.end() && is_call_of_the_program(of.leaves[l])) own[l] = at->second;
    }
  }
  return cuts;
}

Segments::Cuts Segments::collectives_of_all(const Tree& tree) {
  std::map<std::pair<std::string, uint64_t>, uint32_t> numbers;
  Cuts cuts;
  for (const TreeClass& of : tree.classes) {
    std::vector<uint32_t>& own = cuts.emplace_back(of.leaves.size());
    for (size_t l = 0; l < of.leaves.size(); ++l) {
      const calls::Leaf& leaf = of.leaves[l].leaf;
      if (leaf.call.cls != trace::CallClass::coll || of.leaves[l].removed || !leaf.identity.alike()) continue;
      const uint64_t identity = leaf.identity.of(0);
      const auto of_members = tree.communicators.find(identity);
      if (of_members == tree.communicators.end() || of_members->second.size() != tree.members.size()) continue;
      own[l] =
          numbers.emplace(std::pair(leaf.function, identity), static_cast<uint32_t>(numbers.size() + 1)).first->second;
    }
  }
  return cuts;
}

// Whether the ranks come by all of them in the same order. One without any is no better than iterations alone.
bool Segments::agree_on(const Tree& tree, Cuts cuts) {
  cuts_ = std::move(cuts);
  ends_.clear();
  for (size_t c = 0; c < tree.classes.size(); ++c) {
    uint64_t next = 0, done = 0;  // segment, iterations
    bool same = true;
    const auto end = [&](uint32_t at) {
      if (!c) ends_.push_back(at);
      same = same && next < ends_.size() && ends_[next] == at;
      ++next;
    };
    tree.classes[c].shape.for_each_call([&](uint32_t leaf, uint64_t iteration) {
      if (iteration >= iterations_ || !same) return;
      for (; done < iteration; ++done) end(iteration_ends);
      if (cuts_[c][leaf]) end(cuts_[c][leaf]);
    });
    for (; done < iterations_; ++done) end(iteration_ends);
    if (!same || next != ends_.size()) return false;
  }
  ends_of_all_ = ends_.empty() ? 1 : *std::max_element(ends_.begin(), ends_.end()) + 1;
  return true;
}

void Segments::for_each_call(const Tree& tree, size_t of_class, const EachCall& each) const {
  const TreeClass& of = tree.classes[of_class];
  const std::vector<uint32_t>& cuts = cuts_[of_class];
  std::vector<uint64_t> used(of.leaves.size());
  uint64_t segment = 0, done = 0;
  of.shape.for_each_call([&](uint32_t leaf, uint64_t iteration) {
    const uint64_t number = used[leaf]++;
    if (iteration >= iterations_) return;
    segment += iteration - done;
    done = iteration;
    each(leaf, number, segment);
    if (cuts[leaf]) ++segment;
  });
}

}  // namespace leadline::replay
