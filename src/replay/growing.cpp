#include "replay/growing.hpp"

#include <algorithm>
#include <stdexcept>

namespace leadline::replay {

namespace {

const TreeLeaf& leaf_in(const Tree& tree, uint32_t of_class, uint32_t leaf) {
  return tree.classes.at(of_class).leaves.at(leaf);
}

// As many as wanted, over and over.
std::vector<float> repeated(const std::vector<float>& ns, uint64_t calls, double factor) {
  std::vector<float> made;
  made.reserve(calls);
  for (uint64_t i = 0; i < calls; ++i) {
    made.push_back(ns.empty() ? 0.0F : static_cast<float>(ns[i % ns.size()] * factor));
  }
  return made;
}

}  // namespace

Growing::Growing(const Tree& from) : from_(from) {
  made_.main_loop = from.main_loop;
  made_.filled = from.filled;
}

void Growing::add_communicator(uint64_t identity, std::vector<int32_t> members) {
  made_.communicators.insert_or_assign(identity, std::move(members));
}

uint32_t Growing::add_class(RecordedShape shape) {
  TreeClass& made = made_.classes.emplace_back();
  made.shape = std::move(shape);
  members_.push_back(0);
  return static_cast<uint32_t>(made_.classes.size() - 1);
}

void Growing::add_leaf(uint32_t of_class, uint32_t from_class, uint32_t leaf, uint32_t number,
                       const std::vector<PartSource>& parts) {
  TreeClass& own = made_.classes.at(of_class);
  TreeLeaf made = leaf_in(from_, from_class, leaf);
  made.number = number;
  made.one_by_one = false;
  made.of = static_cast<uint32_t>(own.leaves.size());
  calls::Leaf& call = made.leaf;
  call.call.parts.clear();
  call.makers.clear();
  call.modes.clear();
  for (const PartSource& p : parts) {
    const calls::Leaf& source = leaf_in(from_, p.of_class, p.leaf).leaf;
    structure::CallPart part = source.call.parts.at(p.part);
    if (p.age) {
      part.request = trace::RequestUse::completes;
      part.names_message = part.wildcard;
      part.maker.thread = -1;
    }
    part.maker.age = p.age;
    call.call.parts.push_back(part);
    call.makers.push_back(source.makers.at(p.part));
    call.modes.push_back(source.modes.at(p.part));
  }
  call.identity = {};
  call.partner = {};
  call.posted_bytes = {};
  call.counts = {};
  call.times = {};
  call.parts.assign(parts.size(), {});
  own.leaves.push_back(std::move(made));
}

uint32_t Growing::add_rank(uint32_t of_class, uint32_t node, double begin_ns) {
  TreeMember made;
  made.of_class = of_class;
  made.number = members_.at(of_class)++;
  made.node = node;
  made.begin_ns = begin_ns;
  made_.members.push_back(std::move(made));
  return static_cast<uint32_t>(made_.members.size() - 1);
}

void Growing::add_call(uint64_t identity, int32_t root, int32_t root_world, int64_t posted_bytes,
                       const std::vector<GrownPart>& parts, const TimesSource& times) {
  TreeMember& member = made_.members.back();
  calls::Leaf& leaf = made_.classes[member.of_class].leaves.at(member.before_ns.size()).leaf;
  leaf.identity.add(identity);
  leaf.partner.add({{root, root, root_world}});
  leaf.posted_bytes.add(posted_bytes);
  leaf.counts.add({});
  if (parts.size() != leaf.parts.size()) throw std::out_of_range("a call has other parts than its leaf");
  for (size_t p = 0; p < parts.size(); ++p) {
    const GrownPart& part = parts[p];
    leaf.parts[p].add({part.identity,
                       {{part.peer, part.rank, part.world}},
                       part.tag,
                       part.posted_bytes,
                       part.out_bytes,
                       part.in_bytes});
  }
  const TreeMember& source = from_.members.at(times.rank);
  structure::LeafTimes known =
      leaf_in(from_, static_cast<uint32_t>(source.of_class), times.leaf).leaf.times.of(source.number);
  known.calls = times.calls;
  known.shared = 0;
  known.before_ns *= times.before;
  known.shared_before_ns *= times.before;
  for (double* ns : {&known.duration_ns, &known.least_ns, &known.most_ns, &known.deviation_ns}) *ns *= times.during;
  for (double& ns : known.low_ns) ns *= times.during;
  leaf.times.add(known);
  member.before_ns.push_back(repeated(source.before_ns.at(times.leaf), times.calls, times.before));
  member.during_ns.push_back(repeated(source.during_ns.at(times.leaf), times.calls, times.during));
}

}  // namespace leadline::replay
