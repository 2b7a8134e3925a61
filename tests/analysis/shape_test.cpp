// Shapes of graphs whose edges are made by the definition of each shape.
#include "analysis/patterns/exchanges/shape.hpp"

#include <cstdlib>
#include <functional>
#include <random>

#include "../native/check.hpp"

using leadline::analysis::GraphEdge;
using leadline::analysis::Shape;
using leadline::analysis::shape_of;
using Kind = Shape::Kind;
using Edges = std::vector<GraphEdge>;

namespace {

// A failure says the condition.
#define EXPECT(condition) testing::check(condition, #condition)

Edges edges(uint32_t nodes, const std::function<bool(uint32_t, uint32_t)>& joined) {
  Edges all;
  for (uint32_t a = 0; a < nodes; ++a) {
    for (uint32_t b = 0; b < nodes; ++b) {
      if (a != b && joined(a, b)) all.push_back({a, b, 10, 1000});
    }
  }
  return all;
}

// Steps along each dimension from one node of a grid to another; with wrapped ends where `periodic`.
std::vector<int> steps(uint32_t a, uint32_t b, const std::vector<uint32_t>& dims, const std::vector<bool>& periodic) {
  std::vector<int> found(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    const int size = static_cast<int>(dims[d]);
    int step = static_cast<int>(b % dims[d]) - static_cast<int>(a % dims[d]);
    if (periodic[d] && size > 2 && std::abs(step) == size - 1) step = step > 0 ? -1 : 1;
    found[d] = step;
    a /= dims[d];
    b /= dims[d];
  }
  return found;
}

Edges grid(const std::vector<uint32_t>& dims, const std::vector<bool>& periodic, bool corners, bool one_way = false) {
  uint32_t nodes = 1;
  for (const uint32_t d : dims) nodes *= d;
  return edges(nodes, [&](uint32_t a, uint32_t b) {
    int far = 0, moves = 0;
    bool back = false;
    for (const int s : steps(a, b, dims, periodic)) {
      far = std::max(far, std::abs(s));
      moves += s != 0;
      back |= s < 0;
    }
    return far <= 1 && (corners || moves == 1) && !(one_way && back);
  });
}

uint32_t nodes_of(const std::vector<uint32_t>& dims) {
  uint32_t n = 1;
  for (const uint32_t d : dims) n *= d;
  return n;
}

void test_grids() {
  struct Case {
    std::vector<uint32_t> dims;
    std::vector<bool> periodic;
    bool corners;
  };
  const std::vector<Case> cases = {
      {{2}, {false}, false},
      {{5}, {false}, false},
      {{6}, {true}, false},
      {{3, 4}, {false, false}, false},
      {{4, 3}, {true, false}, false},
      {{4, 4}, {true, true}, true},
      {{3, 5}, {false, false}, true},
      {{3, 3, 3}, {true, true, true}, false},
      {{4, 3, 5}, {false, true, false}, false},
      {{3, 4, 4}, {false, false, false}, true},
      {{3, 3, 3, 3}, {false, false, true, false}, false},
      {{64, 64}, {true, true}, false},
  };
  for (const Case& c : cases) {
    const Shape s = shape_of(nodes_of(c.dims), grid(c.dims, c.periodic, c.corners), false);
    EXPECT(s.kind == Kind::grid);
    EXPECT(s.dims == c.dims);
    EXPECT(s.corners == (c.corners && c.dims.size() > 1));
    for (size_t d = 0; d < c.dims.size(); ++d) EXPECT(c.dims[d] == 2 || (s.periodic[d] == 1) == c.periodic[d]);
  }
  EXPECT(shape_of(12, grid({3, 4}, {false, false}, false, true), false).kind == Kind::upwind);
  EXPECT(shape_of(5, grid({5}, {false}, false, true), false).kind == Kind::upwind);
}

void test_one_edge_less_is_no_grid() {
  Edges e = grid({4, 5}, {false, false}, false);
  for (size_t i = 0; i < e.size(); ++i) {
    Edges without = e;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT(shape_of(20, without, false).kind == Kind::irregular);
  }
}

void test_rooted() {
  for (const uint32_t root : {0u, 3u, 6u}) {
    Shape s = shape_of(7, edges(7, [&](uint32_t, uint32_t b) { return b == root; }), true);
    EXPECT(s.kind == Kind::gather && s.root == root);
    s = shape_of(7, edges(7, [&](uint32_t a, uint32_t) { return a == root; }), true);
    EXPECT(s.kind == Kind::scatter && s.root == root);
    s = shape_of(7, edges(7, [&](uint32_t a, uint32_t b) { return a == root || b == root; }), true);
    EXPECT(s.kind == Kind::exchange_with_one && s.root == root);
  }
  // A binomial tree from rank 0: a node's parent lacks its lowest bit.
  const auto parent = [](uint32_t n) { return n & (n - 1); };
  for (const uint32_t n : {5u, 8u, 13u, 16u}) {
    Shape s = shape_of(n, edges(n, [&](uint32_t a, uint32_t b) { return b && parent(b) == a; }), true);
    EXPECT(s.kind == Kind::tree_down && s.root == 0);
    s = shape_of(n, edges(n, [&](uint32_t a, uint32_t b) { return a && parent(a) == b; }), true);
    EXPECT(s.kind == Kind::tree_up && s.root == 0);
  }
}

void test_others() {
  EXPECT(shape_of(6, edges(6, [](uint32_t a, uint32_t b) { return b == (a + 1) % 6; }), true).kind == Kind::ring);
  EXPECT(shape_of(6, edges(6, [](uint32_t a, uint32_t b) { return a == (b + 1) % 6; }), true).kind == Kind::ring);
  for (const uint32_t n : {4u, 8u, 11u}) {
    EXPECT(shape_of(n, edges(n, [](uint32_t, uint32_t) { return true; }), true).kind == Kind::complete);
  }
  EXPECT(shape_of(16, edges(16, [](uint32_t a, uint32_t b) { return ((a ^ b) & ((a ^ b) - 1)) == 0; }), true).kind ==
         Kind::hypercube);
  const Shape rows = shape_of(12, edges(12, [](uint32_t a, uint32_t b) { return a / 4 == b / 4; }), true);
  EXPECT(rows.kind == Kind::cliques && rows.dims == std::vector<uint32_t>({3, 4}));
  const Shape columns = shape_of(12, edges(12, [](uint32_t a, uint32_t b) { return a % 4 == b % 4; }), true);
  EXPECT(columns.kind == Kind::cliques && columns.dims == std::vector<uint32_t>({4, 3}));
  EXPECT(shape_of(9, edges(9, [](uint32_t a, uint32_t b) { return a % 3 == b / 3 && b % 3 == a / 3; }), true).kind ==
         Kind::transposed);
  // The partner of the benchmark NPB CG: a square of processes, or of pairs of them.
  for (const uint32_t n : {8u, 16u, 32u}) {
    const uint32_t side = n == 8 ? 2 : 4, pair = n / (side * side);
    const Shape mirrored = shape_of(
        n,
        edges(n, [&](uint32_t a,
                     uint32_t b) { return b == (a / pair % side * side + a / pair / side) * pair + a % pair; }),
        true);
    EXPECT(mirrored.kind == Kind::transposed && mirrored.dims == std::vector<uint32_t>({side}));
  }
  // Pairs of neighbours are no mirror images: nobody is on a diagonal.
  EXPECT(shape_of(8, edges(8, [](uint32_t a, uint32_t b) { return b == (a ^ 1); }), true).kind != Kind::transposed);
  EXPECT(shape_of(5, {}, false).kind == Kind::none);
  EXPECT(shape_of(5, {{2, 2, 10, 10}}, true).kind == Kind::none);
}

// Four ranks, or eight in a cube: all send to all, or neighbours with corners.
void test_small_grids_with_corners() {
  Edges same = edges(4, [](uint32_t, uint32_t) { return true; });
  EXPECT(shape_of(4, same, true).kind == Kind::complete);
  EXPECT(shape_of(4, same, false).kind == Kind::grid);
  Edges cube = edges(8, [](uint32_t, uint32_t) { return true; });
  for (GraphEdge& e : cube) {
    const uint32_t differ = e.from ^ e.to;
    const int bits = static_cast<int>(differ & 1) + static_cast<int>(differ >> 1 & 1) + static_cast<int>(differ >> 2);
    e.bytes = bits == 1 ? 80000 : bits == 2 ? 4000 : 80;
  }
  const Shape s = shape_of(8, cube, true);
  EXPECT(s.kind == Kind::grid && s.corners && s.dims == std::vector<uint32_t>({2, 2, 2}));
  // Sizes that have nothing to do with a grid: what is sent depends on who asks.
  for (GraphEdge& e : cube) e.bytes = 1000 + 700 * ((e.from * 5 + e.to * 3) % 7);
  EXPECT(shape_of(8, cube, true).kind == Kind::complete);
  EXPECT(shape_of(8, cube, false).kind == Kind::grid);
}

// Any graph has a shape or is irregular; nodes that exchange with nobody change nothing.
void test_random_graphs() {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const uint32_t n = 4 + random() % 20;
    const uint32_t chance = 1 + random() % 9;
    const Edges e = edges(n, [&](uint32_t, uint32_t) { return random() % 10 < chance; });
    const Shape s = shape_of(n, e, false), wider = shape_of(n + 7, e, false);
    EXPECT(s.kind == wider.kind && s.dims == wider.dims && s.nodes <= n);
  }
}

}  // namespace

int main() {
  test_grids();
  test_one_edge_less_is_no_grid();
  test_rooted();
  test_others();
  test_small_grids_with_corners();
  test_random_graphs();
  return testing::result();
}
