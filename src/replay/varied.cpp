#include "replay/varied.hpp"

#include <cmath>

namespace leadline::replay {

namespace {

std::vector<int64_t> key_of(const calls::Leaf& leaf) {
  const structure::DecodedCall& call = leaf.call;
  std::vector<int64_t> key{static_cast<int64_t>(call.cls), call.nothing | call.refused << 1,
                           static_cast<int64_t>(leaf.identity.of(0)), leaf.partner.of(0).rank, leaf.posted_bytes.of(0)};
  for (size_t p = 0; p < call.parts.size(); ++p) {
    const structure::CallPart& part = call.parts[p];
    const calls::LeafPart& mine = leaf.parts[p].of(0);
    key.insert(key.end(), {part.moves | static_cast<int64_t>(part.request) << 8 | int64_t{part.wildcard} << 16 |
                               int64_t{part.cancelled} << 17 | int64_t{part.names_message} << 18 |
                               int64_t{part.partitioned} << 19 | static_cast<int64_t>(leaf.modes[p]) << 20,
                           static_cast<int64_t>(part.maker.age), part.maker.thread, int64_t{leaf.makers[p]},
                           static_cast<int64_t>(mine.identity), mine.partner.world, mine.partner.peer, mine.tag,
                           mine.posted_bytes, mine.out_bytes, mine.in_bytes});
  }
  return key;
}

}  // namespace

bool Varying::wanted(const calls::Leaf& leaf) {
  const trace::CallFacts& facts = leaf.call.facts();
  if (!leaf.varies) return false;
  const bool messages = facts.category == trace::Category::point_to_point && facts.moves;
  const bool collective = facts.event == trace::EventForm::collective;
  return messages || collective || facts.requests != trace::RequestUse::none;
}

void Varying::add(uint32_t leaf, const calls::Leaf& call, float ns) {
  One& own = leaves_[leaf];
  const auto [at, fresh] = own.numbers.try_emplace(key_of(call), static_cast<uint32_t>(own.varied->kinds.size()));
  if (fresh) {
    own.varied->kinds.push_back(call);
    own.ns.emplace_back();
    ++kinds_;
  }
  own.varied->of.push_back(at->second);
  if (std::isfinite(ns)) own.ns[at->second].push_back(ns);
}

VariedLeaves Varying::take() {
  VariedLeaves found;
  for (const auto& [leaf, own] : leaves_) found[leaf] = own.varied;
  return found;
}

}  // namespace leadline::replay
