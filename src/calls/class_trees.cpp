#include "calls/class_trees.hpp"

#include <algorithm>
#include <optional>

#include "structure/call_decoder.hpp"
#include "trace/hash.hpp"

namespace leadline::calls {

using structure::CallDecoder;
using structure::CallPart;
using structure::DecodedCall;
using structure::Element;
using structure::Item;
using structure::LoopTree;
using structure::no_index;
using structure::Sequence;

namespace {

uint32_t number_of(const std::vector<uint32_t>& numbers, uint32_t own) {
  return own < numbers.size() ? numbers[own] : no_index;
}

// The run's number of the site that made the request.
uint32_t maker_of(const CallPart& part, size_t stream, const RunNumbers& numbers) {
  const bool own = part.maker.stream == stream && part.maker.site != no_index;
  return own ? number_of(numbers.sites, part.maker.site) : no_index;
}

std::string function_name(const trace::Process& process, uint32_t function) {
  return function < process.functions.size() ? process.functions[function].name : std::string();
}

}  // namespace

Leaf leaf_of(const DecodedCall& call, const trace::Process& process, size_t stream, const RunNumbers& numbers) {
  Leaf leaf;
  leaf.site = number_of(numbers.sites, call.site);
  leaf.function = function_name(process, call.function);
  leaf.identity.add(call.identity);
  leaf.partner.add({call.partner});
  leaf.posted_bytes.add(call.posted_bytes);
  const auto copied = [](std::span<const int64_t> counts) { return std::vector(counts.begin(), counts.end()); };
  leaf.counts.add({copied(call.collective.send_counts), copied(call.collective.receive_counts)});
  for (const CallPart& p : call.parts) {
    leaf.makers.push_back(maker_of(p, stream, numbers));
    const bool starts = call.facts().requests == trace::RequestUse::starts;
    leaf.modes.push_back(trace::send_mode_of(function_name(process, starts ? p.maker.function : call.function)));
    leaf.parts.emplace_back().add({p.identity, {p.partner}, p.tag, p.posted_bytes, p.out_bytes, p.in_bytes});
  }
  leaf.call = call;
  leaf.call.collective.send_counts = leaf.call.collective.receive_counts = {};
  return leaf;
}

// Puts the tree of one thread into that of the classes.
class ClassTrees::Adding {
 public:
  Adding(ClassTrees* all, const trace::Process& process, size_t stream, const RunNumbers& numbers)
      : all_(*all),
        process_(process),
        stream_(stream),
        numbers_(numbers),
        decoder_(process, stream),
        own_(structure::timed_tree(process.streams[stream])),
        leaves_(own_.tree.calls.size(), no_index) {}

  const LoopTree& tree() const { return own_.tree; }

  // The root in the common tree.
  Sequence put() {
    number_leaves();
    const LoopTree& own = own_.tree;
    std::vector<Sequence> common(own.sequences.size());
    std::vector<Element> elements;
    for (Sequence s = 1; s < own.sequences.size(); ++s) {
      if (!reached_[s]) continue;
      elements.clear();
      for (const Element& e : own.sequences.elements(s)) {
        if (e.is_sequence) {
          all_.tree_.sequences.append(&elements, common[e.id], e.times);
        } else {
          all_.tree_.sequences.append(&elements, {item(Item(e.id), common), 0, e.times});
        }
      }
      common[s] = all_.tree_.sequences.intern(elements);
    }
    return common[own.root];
  }

  // In the order of their numbers in the common tree.
  std::vector<std::pair<uint32_t, Leaf>> leaves() {
    std::vector<std::pair<uint32_t, Leaf>> found;
    for (uint32_t call = 0; call < leaves_.size(); ++call) {
      if (leaves_[call] != no_index) found.emplace_back(leaves_[call], leaf(call));
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return found;
  }

 private:
  // In the order in which the thread first makes them. Equal sequences are looked at once.
  void number_leaves() {
    struct Cursor {
      Sequence sequence;
      size_t element;
    };
    reached_.resize(own_.tree.sequences.size());
    std::vector<Cursor> stack{{own_.tree.root, 0}};
    while (!stack.empty()) {
      const Cursor at = stack.back();
      if (at.element == own_.tree.sequences.elements(at.sequence).size()) {
        stack.pop_back();
        continue;
      }
      ++stack.back().element;
      const Element& e = own_.tree.sequences.elements(at.sequence)[at.element];
      if (structure::is_call(e)) {
        number_leaf(Item(e.id).index());
      } else if (const Sequence in = inside(own_.tree, e); in && !reached_[in]) {
        reached_[in] = true;
        stack.push_back({in, 0});
      }
    }
    reached_[own_.tree.root] = true;
  }

  void number_leaf(uint32_t call) {
    if (leaves_[call] != no_index) return;
    decode(call);
    const uint32_t site = number_of(numbers_.sites, call_.site);
    const Name name{site, at_site_[site]++, alike(own_.tree.calls[call].varies)};
    const auto [at, fresh] = all_.leaves_.try_emplace(name, static_cast<uint32_t>(all_.tree_.calls.size()));
    if (fresh) all_.tree_.calls.emplace_back().key.site = site;
    leaves_[call] = at->second;
  }

  void decode(uint32_t call) {
    const structure::CallItem& item = own_.tree.calls[call];
    const bool list = !item.varies && (item.key.extra & trace::link_interned) != 0;
    const uint32_t number = item.key.extra & ~trace::link_interned;
    const bool known = list && number < own_.tree.words.size();
    const std::vector<int64_t>* words = known ? &own_.tree.words[number] : nullptr;
    decoder_.decode(item.key, words ? words->data() : nullptr, words ? words->size() : 0, &call_);
  }

  // A hash of what all members have in common: what the call does to how many messages and requests, and which calls
  // made these.
  std::pair<uint64_t, uint64_t> alike(bool varies) const {
    std::pair<uint64_t, uint64_t> hash{0x2545f4914f6cdd1d, 0x9e3779b97f4a7c15};
    const auto add = [&](uint64_t word) {
      hash.first = trace::mix(hash.first, word);
      hash.second = ((hash.second + word) * 0xd6e8feb86659fd93) ^ hash.second >> 32;
    };
    add(varies);
    add(static_cast<uint64_t>(call_.cls));
    add(uint64_t{call_.flags} << 1 | call_.nothing);
    if (varies) return hash;  // its parts are unknown
    add(call_.parts.size());
    for (const CallPart& part : call_.parts) {
      add(part.moves | static_cast<uint64_t>(part.request) << 8 | uint64_t{part.wildcard} << 16 |
          uint64_t{part.cancelled} << 17 | uint64_t{part.names_message} << 18 | uint64_t{part.partitioned} << 19);
      add(part.maker.age);
      add(maker_of(part, stream_, numbers_));
    }
    return hash;
  }

  uint64_t item(Item own, const std::vector<Sequence>& common) {
    switch (own.kind()) {
      case Item::Kind::call:
        return Item::of(Item::Kind::call, leaves_[own.index()]);
      case Item::Kind::variant:
        return Item::of(Item::Kind::variant, common[own.index()]);
      case Item::Kind::instance: {
        const structure::LoopInstance& instance = own_.tree.instances[own.index()];
        const uint32_t loop = number_of(numbers_.loops, instance.loop);
        const std::pair key{loop, common[instance.iterations]};
        const auto [at, fresh] = all_.loops_.try_emplace(key, static_cast<uint32_t>(all_.tree_.instances.size()));
        if (fresh) all_.tree_.instances.push_back({key.first, key.second});
        return Item::of(Item::Kind::instance, at->second);
      }
      case Item::Kind::lost:
        break;
    }
    return Item::of(Item::Kind::lost, own.index());
  }

  Leaf leaf(uint32_t call) {
    decode(call);
    Leaf leaf = leaf_of(call_, process_, stream_, numbers_);
    leaf.varies = own_.tree.calls[call].varies;
    leaf.times.add(own_.times[call]);
    return leaf;
  }

  ClassTrees& all_;
  const trace::Process& process_;
  size_t stream_;
  const RunNumbers& numbers_;
  CallDecoder decoder_;
  structure::TimedTree own_;
  std::vector<uint32_t> leaves_;          // numbers in the common tree, by the call's own; no_index: it does not occur
  std::vector<bool> reached_;             // sequences
  std::map<uint32_t, uint32_t> at_site_;  // leaves so far
  DecodedCall call_;
};

namespace {

// Adds the next member's values to those of the members before it.
void join(const Leaf& next, Leaf* leaf) {
  leaf->times.add(next.times.of(0));
  leaf->identity.add(next.identity.of(0));
  leaf->partner.add(next.partner.of(0));
  leaf->posted_bytes.add(next.posted_bytes.of(0));
  leaf->counts.add(next.counts.of(0));
  for (size_t p = 0; p < leaf->parts.size(); ++p) leaf->parts[p].add(next.parts[p].of(0));
}

}  // namespace

Membership ClassTrees::add(const trace::Process& process, uint32_t index, size_t stream, const RunNumbers& numbers) {
  Adding adding(this, process, stream, numbers);
  const Sequence root = adding.put();
  const auto [at, fresh] = by_root_.try_emplace(root, classes_.size());
  if (fresh) classes_.emplace_back();
  Class& own = classes_[at->second];
  own.members.push_back({index, stream});
  std::vector<std::pair<uint32_t, Leaf>> leaves = adding.leaves();
  if (!fresh) {
    for (size_t i = 0; i < leaves.size(); ++i) join(leaves[i].second, &own.leaves[i]);
    return {at->second, own.members.size() - 1};
  }
  own.root = root;
  own.lost_calls = adding.tree().lost_calls;
  for (auto& [number, leaf] : leaves) {
    own.numbers.push_back(number);
    own.leaves.push_back(std::move(leaf));
  }
  return {at->second, 0};
}

const Leaf* ClassTrees::Class::leaf(uint32_t number) const {
  const auto at = std::lower_bound(numbers.begin(), numbers.end(), number);
  return at != numbers.end() && *at == number ? &leaves[static_cast<size_t>(at - numbers.begin())] : nullptr;
}

void ClassTrees::for_each_leaf(const Class& of, const EachLeaf& each) const {
  for (size_t i = 0; i < of.numbers.size(); ++i) each(of.numbers[i], of.leaves[i], of.leaves[i].times.of(0).calls);
}

}  // namespace leadline::calls
