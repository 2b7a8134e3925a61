// Trees of recorded runs as data, and trees that are made from them for other numbers of ranks.
#include "replay/growing.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/replayed_tree.hpp"
#include "leadline/call_classes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace leadline::bindings {

namespace {

using replay::Growing;
using replay::TreeClass;
using replay::TreeLeaf;
using replay::TreeMember;

nb::dict shape_of(const Changed& self, uint32_t number) {
  const replay::RecordedShape& shape = self.tree.classes.at(number).shape;
  nb::list bodies;
  for (const auto& body : shape.shape.bodies) {
    nb::list elements;
    for (const replay::Element& e : body) elements.append(nb::make_tuple(e.index, e.is_body, e.times));
    bodies.append(elements);
  }
  nb::list loops, iterations;
  for (const uint32_t loop : shape.loop_of) loops.append(loop);
  for (const uint8_t is : shape.is_iteration) iterations.append(is != 0);
  nb::dict found;
  found["bodies"] = bodies;
  found["loop_of"] = loops;
  found["is_iteration"] = iterations;
  found["root"] = shape.shape.root;
  found["main_body"] = shape.main_body;
  found["entered"] = shape.entered;
  found["lost"] = shape.lost + self.tree.classes.at(number).lost_calls;
  return found;
}

// Site, function, use of requests, category, whether calls vary or were refused or found nothing; then its parts: where
// data go, use of a request, wildcard, cancelled, age of what it completes, the site that made it.
nb::list leaves_of(const Changed& self, uint32_t number) {
  nb::list found;
  for (const TreeLeaf& from : self.tree.classes.at(number).leaves) {
    const calls::Leaf& leaf = from.leaf;
    const trace::CallFacts& facts = leaf.call.facts();
    const bool communicates = facts.category == trace::Category::point_to_point ||
                              facts.category == trace::Category::collective ||
                              facts.requests != trace::RequestUse::none;
    nb::list parts;
    for (size_t p = 0; p < leaf.call.parts.size(); ++p) {
      const structure::CallPart& part = leaf.call.parts[p];
      const bool age_known = part.request != trace::RequestUse::none && part.maker.thread < 0;
      parts.append(nb::make_tuple(part.moves, trace::request_names[static_cast<size_t>(part.request)], part.wildcard,
                                  part.cancelled, age_known ? part.maker.age : 0, leaf.makers[p]));
    }
    found.append(nb::make_tuple(leaf.site, leaf.function, trace::request_names[static_cast<size_t>(facts.requests)],
                                facts.category == trace::Category::collective, leaf.varies && communicates,
                                leaf.call.refused, leaf.call.nothing, parts));
  }
  return found;
}

nb::tuple rank_of(const Changed& self, uint32_t rank) {
  const TreeMember& member = self.tree.members.at(rank);
  return nb::make_tuple(member.of_class, member.node, member.begin_ns);
}

// Of each leaf of the rank: communicator, root, bytes; its parts; how often, mean computation before and mean duration.
nb::list calls_of(const Changed& self, uint32_t rank) {
  nb::list found;
  const TreeMember& member = self.tree.members.at(rank);
  for (const TreeLeaf& from : self.tree.classes[member.of_class].leaves) {
    const calls::Leaf& leaf = from.leaf;
    nb::list parts;
    for (const auto& part : leaf.parts) {
      const calls::LeafPart& p = part.of(member.number);
      parts.append(nb::make_tuple(p.identity, p.partner.peer, p.partner.rank, p.partner.world, p.tag, p.posted_bytes,
                                  p.out_bytes, p.in_bytes));
    }
    const calls::LeafPartner& root = leaf.partner.of(member.number);
    const structure::LeafTimes& t = leaf.times.of(member.number);
    found.append(nb::make_tuple(leaf.identity.of(member.number), root.rank, root.world,
                                leaf.posted_bytes.of(member.number), parts, t.calls, t.before_ns, t.duration_ns));
  }
  return found;
}

nb::dict communicators_of(const Changed& self) {
  nb::dict found;
  for (const auto& [identity, members] : self.tree.communicators) found[nb::int_(identity)] = nb::cast(members);
  return found;
}

// By identity: of each dimension, the ranks along it and whether its ends are neighbours.
nb::dict grids_of(const Changed& self) {
  nb::dict found;
  for (const auto& [identity, sides] : self.tree.grids) {
    nb::list grid;
    for (const trace::GridSide& side : sides) grid.append(nb::make_tuple(side.extent, side.periodic));
    found[nb::int_(identity)] = grid;
  }
  return found;
}

uint32_t add_class(Growing& self, const std::vector<std::vector<std::tuple<uint32_t, bool, uint64_t>>>& bodies,
                   std::vector<uint32_t> loops, const std::vector<bool>& iterations, uint32_t root, uint32_t main_body,
                   uint32_t leaves) {
  replay::RecordedShape shape;
  for (const auto& body : bodies) {
    std::vector<replay::Element>& elements = shape.shape.bodies.emplace_back();
    for (const auto& [index, is_body, times] : body) elements.push_back({index, is_body, times});
  }
  shape.loop_of = std::move(loops);
  shape.is_iteration.assign(iterations.begin(), iterations.end());
  shape.shape.root = root;
  shape.main_body = main_body;
  shape.shape.calls = replay::RecordedShape::call_of(leaves);
  if (shape.loop_of.size() != bodies.size() || iterations.size() != bodies.size() || root >= bodies.size() ||
      main_body >= bodies.size())
    throw nb::value_error("a shape without a fact for each of its bodies");
  shape.recount();
  return self.add_class(std::move(shape));
}

void add_leaf(Growing& self, uint32_t of_class, uint32_t from_class, uint32_t leaf, uint32_t number,
              const std::vector<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>>& parts) {
  std::vector<replay::PartSource> sources;
  for (const auto& [from, of, part, age] : parts) sources.push_back({from, of, part, age});
  self.add_leaf(of_class, from_class, leaf, number, sources);
}

using PartTuple = std::tuple<uint64_t, int32_t, int32_t, int32_t, int32_t, int64_t, int64_t, int64_t>;

void add_call(Growing& self, uint64_t identity, int32_t root, int32_t root_world, int64_t posted_bytes,
              const std::vector<PartTuple>& parts, std::tuple<uint32_t, uint32_t, double, double, uint64_t> times) {
  std::vector<replay::GrownPart> made;
  for (const auto& [comm, peer, rank, world, tag, posted, out, in] : parts)
    made.push_back({comm, peer, rank, world, tag, posted, out, in});
  const auto& [from, leaf, before, during, calls] = times;
  self.add_call(identity, root, root_world, posted_bytes, made, {from, leaf, before, during, calls});
}

}  // namespace

void bind_growing(nb::module_& m) {
  m.def("tree_shape", &shape_of, "tree"_a, "number"_a);
  m.def("tree_leaves", &leaves_of, "tree"_a, "number"_a);
  m.def("tree_rank", &rank_of, "tree"_a, "rank"_a);
  m.def("tree_calls", &calls_of, "tree"_a, "rank"_a);
  m.def("tree_communicators", &communicators_of, "tree"_a);
  m.def("tree_grids", &grids_of, "tree"_a);
  m.def(
      "tree_size",
      [](const Changed& self) { return nb::make_tuple(self.tree.classes.size(), self.tree.members.size()); }, "tree"_a);
  m.def("tree_null_peer", [] { return static_cast<int>(trace::peer_null); });
  nb::class_<Growing>(m, "Growing")
      .def(
          "__init__", [](Growing* self, const Changed& from) { new (self) Growing(from.tree); }, "tree"_a,
          nb::keep_alive<1, 2>())
      .def("add_communicator", &Growing::add_communicator, "identity"_a, "members"_a)
      .def("add_class", &add_class, "bodies"_a, "loop_of"_a, "is_iteration"_a, "root"_a, "main_body"_a, "leaves"_a)
      .def("add_leaf", &add_leaf, "of_class"_a, "from_class"_a, "leaf"_a, "number"_a, "parts"_a)
      .def("add_rank", &Growing::add_rank, "of_class"_a, "node"_a, "begin_ns"_a)
      .def("add_call", &add_call, "identity"_a, "root"_a, "root_world"_a, "posted_bytes"_a, "parts"_a, "times"_a)
      .def(
          "tree", [](const Growing& self, const replay::Recorded& recorded) { return Changed(recorded, self.tree()); },
          "recorded"_a, nb::keep_alive<0, 2>());
}

}  // namespace leadline::bindings
