#include "interchange/predicted/recorded_keys.hpp"

#include <algorithm>

namespace leadline::interchange::predicted {

RecordedKeys::RecordedKeys(const replay::Recorded& recorded, const trace::Process& process, uint32_t rank,
                           const calls::RunNumbers& numbers, size_t leaves)
    : leaves_(leaves) {
  uint32_t before = 0;
  recorded.for_each_call(process, rank, numbers, [&](uint32_t leaf, calls::ThreadCalls& call) {
    const trace::Event& event = call.event().event;
    steps_.insert({before, event.key.site});
    before = event.key.site;
    if (leaf < leaves_.size()) add(&leaves_[leaf], event);
  });
}

void RecordedKeys::add(Leaf* leaf, const trace::Event& event) {
  RecordedKey one{event.key, {event.words, event.words + event.word_count}};
  // Lists have other numbers in each generation.
  if (event.word_count) one.key.extra &= trace::link_interned;
  std::string name(reinterpret_cast<const char*>(&one.key), sizeof(one.key));
  name.append(reinterpret_cast<const char*>(one.words.data()), one.words.size() * sizeof(int64_t));
  const auto [at, fresh] = leaf->numbers.try_emplace(std::move(name), static_cast<uint32_t>(leaf->kinds.size()));
  if (fresh) {
    if (leaf->kinds.size() == 1) leaf->of.assign(leaf->calls, 0);
    leaf->kinds.push_back(std::move(one));
  }
  if (leaf->kinds.size() > 1) leaf->of.push_back(at->second);
  ++leaf->calls;
}

const RecordedKey* RecordedKeys::of(uint32_t leaf, uint64_t call) const {
  if (leaf >= leaves_.size() || leaves_[leaf].kinds.empty()) return nullptr;
  const Leaf& known = leaves_[leaf];
  if (known.of.empty()) return &known.kinds.front();
  return &known.kinds[known.of[std::min<uint64_t>(call, known.of.size() - 1)]];
}

}  // namespace leadline::interchange::predicted
