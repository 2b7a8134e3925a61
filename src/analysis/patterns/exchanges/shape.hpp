// The shape of a graph of messages: who sends to whom, regardless of the contents.
//
// A graph has a shape only if it has all of that shape's edges and no others. Where one graph is two shapes (four
// ranks that all send to each other are a 2 x 2 grid with corners, too), sizes of messages decide: those to corners are
// smaller than those to faces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leadline::analysis {

struct GraphEdge {
  uint32_t from = 0, to = 0;  // nodes
  uint64_t messages = 0;
  int64_t bytes = 0;
};

struct Shape {
  enum class Kind : uint8_t {
    none,               // no edges, or messages to oneself only
    grid,               // nodes are points of a grid, edges lead to neighbours, both ways
    upwind,             // the same, but one way: from each point towards higher or lower coordinates only
    ring,               // every node sends to the next one, the last one to the first
    gather,             // all others send to one node
    scatter,            // one node sends to all others
    exchange_with_one,  // both: one node exchanges with all others, which exchange with nobody else
    tree_down,          // from a root to all others over several levels
    tree_up,            // from all others to a root
    hypercube,          // partners differ in one bit of their numbers; several bits, in all nodes
    complete,           // all send to all
    cliques,            // groups of equal size, and within each of them all send to all
    transposed,         // the nodes number the blocks of square matrices, and each exchanges with its mirror image
    irregular,
  };
  Kind kind = Kind::none;
  uint32_t nodes = 0;            // that send or receive
  uint32_t root = 0;             // of gather, scatter, exchange_with_one and trees
  std::vector<uint32_t> dims;    // of a grid, slowest first; of cliques {number, size}; transposed {side}
  bool equal_sizes = false;      // all messages have about the same size
  std::vector<int8_t> periodic;  // by dimension: 1, 0, or -1 where it makes no difference
  bool corners = false;          // a grid's neighbours are diagonal ones, too
  // Of `complete`: it is an all-to-all. On few ranks, the neighbours in an irregular division may be everybody.
  bool certain = true;
  static constexpr uint32_t ranks_to_tell = 9;
  uint32_t least_degree = 0, most_degree = 0;  // partners of a node
};

// Nodes are 0 to `nodes` - 1. Edges from a node to itself are ignored; repeated ones are one.
// `to_all`: there is one place in the program from which every node sends to all its partners. Where all send to all,
// it takes one to be sure that they are not neighbours in a small grid.
Shape shape_of(uint32_t nodes, const std::vector<GraphEdge>& edges, bool to_all);

}  // namespace leadline::analysis
