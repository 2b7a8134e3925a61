#include "analysis/patterns/exchanges/shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace leadline::analysis {

namespace {

using Kind = Shape::Kind;
using Dims = std::vector<uint32_t>;
constexpr size_t most_dims = 4;
constexpr double least_block = 64;  // bytes: neighbours, too, tell each other how much will follow, in equal messages

struct Graph {
  uint32_t nodes = 0;
  std::vector<GraphEdge> edges;  // ascending by from, to; each once
  std::vector<std::vector<uint32_t>> out, in;
  uint64_t edge_count() const { return edges.size(); }
  bool has(uint32_t from, uint32_t to) const { return std::binary_search(out[from].begin(), out[from].end(), to); }
};

Graph graph_of(uint32_t nodes, const std::vector<GraphEdge>& edges) {
  Graph g;
  g.nodes = nodes;
  for (const GraphEdge& e : edges) {
    if (e.from != e.to && e.from < nodes && e.to < nodes) g.edges.push_back(e);
  }
  std::sort(g.edges.begin(), g.edges.end(),
            [](const GraphEdge& a, const GraphEdge& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  size_t kept = 0;
  for (const GraphEdge& e : g.edges) {
    if (kept && g.edges[kept - 1].from == e.from && g.edges[kept - 1].to == e.to) {
      g.edges[kept - 1].messages += e.messages;
      g.edges[kept - 1].bytes += e.bytes;
    } else {
      g.edges[kept++] = e;
    }
  }
  g.edges.resize(kept);
  g.out.resize(nodes);
  g.in.resize(nodes);
  for (const GraphEdge& e : g.edges) {
    g.out[e.from].push_back(e.to);
    g.in[e.to].push_back(e.from);
  }
  return g;
}

bool symmetric(const Graph& g) {
  return std::all_of(g.edges.begin(), g.edges.end(), [&](const GraphEdge& e) { return g.has(e.to, e.from); });
}

// The bytes of a message along each edge are the same, but for some rounding.
bool same_sizes(const Graph& g, double most_ratio) {
  double least = INFINITY, most = 0;
  for (const GraphEdge& e : g.edges) {
    const double size = e.messages ? static_cast<double>(e.bytes) / static_cast<double>(e.messages) : 0;
    least = std::min(least, size);
    most = std::max(most, size);
  }
  return most <= most_ratio * least;
}

// Messages to corners are smaller than those to edges, and these than those to faces, as the parts of a halo are. All
// send to all, so `dims` are the dimensions regardless of the order of the edges.
bool smaller_at_corners(const Graph& g, const Dims& dims) {
  constexpr double least_ratio = 1.5;
  std::array<double, most_dims + 1> messages{}, bytes{};  // by the number of dimensions in which the two differ
  for (const GraphEdge& e : g.edges) {
    size_t differ = 0;
    uint32_t a = e.from, b = e.to;
    for (size_t d = dims.size(); d-- > 0; a /= dims[d], b /= dims[d]) differ += a % dims[d] != b % dims[d];
    messages[differ] += static_cast<double>(e.messages);
    bytes[differ] += static_cast<double>(e.bytes);
  }
  double before = INFINITY;
  for (size_t n = 1; n <= dims.size(); ++n) {
    const double size = messages[n] > 0 ? bytes[n] / messages[n] : 0;
    if (size * least_ratio > before) return false;
    before = size;
  }
  return true;
}

double mean_bytes(const Graph& g) {
  double messages = 0, bytes = 0;
  for (const GraphEdge& e : g.edges) {
    messages += static_cast<double>(e.messages);
    bytes += static_cast<double>(e.bytes);
  }
  return messages > 0 ? bytes / messages : 0;
}

bool equal_numbers(const Graph& g) {
  return std::all_of(g.edges.begin(), g.edges.end(),
                     [&](const GraphEdge& e) { return e.messages == g.edges.front().messages; });
}

bool star(const Graph& g, const std::vector<std::vector<uint32_t>>& at_root, uint32_t* root) {
  for (uint32_t n = 0; n < g.nodes; ++n) {
    if (at_root[n].size() + 1 < g.nodes) continue;
    *root = n;
    return true;
  }
  return false;
}

// Every node but the root has one edge on the side of the root, and all lead to it.
bool tree(const Graph& g, const std::vector<std::vector<uint32_t>>& up, uint32_t* root, uint32_t* depth) {
  if (g.edge_count() + 1 != g.nodes) return false;
  uint32_t roots = 0;
  for (uint32_t n = 0; n < g.nodes; ++n) {
    if (up[n].size() > 1) return false;
    if (up[n].empty()) *root = n, ++roots;
  }
  if (roots != 1) return false;
  *depth = 0;
  for (uint32_t n = 0; n < g.nodes; ++n) {
    uint32_t length = 0;
    for (uint32_t at = n; !up[at].empty(); at = up[at][0]) {
      if (++length > g.nodes) return false;
    }
    *depth = std::max(*depth, length);
  }
  return true;
}

bool ring(const Graph& g) {
  if (g.nodes < 3 || g.edge_count() != g.nodes) return false;
  for (uint32_t n = 0; n < g.nodes; ++n) {
    if (g.out[n].size() != 1 || g.in[n].size() != 1) return false;
  }
  uint32_t at = 0, length = 0;
  do {
    at = g.out[at][0];
    ++length;
  } while (at && length <= g.nodes);
  return length == g.nodes;
}

// Groups of nodes of equal size, each of them complete. Empty: the graph is something else.
Dims cliques(const Graph& g) {
  std::vector<bool> seen(g.nodes);
  uint32_t size = 0, number = 0;
  for (uint32_t n = 0; n < g.nodes; ++n) {
    if (seen[n]) continue;
    std::vector<uint32_t> members = g.out[n];
    members.insert(std::lower_bound(members.begin(), members.end(), n), n);
    if (size && members.size() != size) return {};
    size = static_cast<uint32_t>(members.size());
    ++number;
    for (const uint32_t m : members) {
      if (seen[m] || g.out[m].size() + 1 != size) return {};
      seen[m] = true;
      for (const uint32_t other : members) {
        if (other != m && !g.has(m, other)) return {};
      }
    }
  }
  return {number, size};
}

bool hypercube(const Graph& g) {
  if (g.nodes < 4 || (g.nodes & (g.nodes - 1))) return false;
  uint32_t bits = 0;
  while (uint32_t{1} << bits < g.nodes) ++bits;
  for (uint32_t n = 0; n < g.nodes; ++n) {
    if (g.out[n].size() != bits) return false;
    for (uint32_t b = 0; b < bits; ++b) {
      if (!g.has(n, n ^ (uint32_t{1} << b))) return false;
    }
  }
  return true;
}

// The ranks number a square matrix of blocks, each of which may be several ranks, and several such matrices may follow
// one another: rank = ((matrix * side + row) * side + column) * block + place. Each exchanges with the one whose row
// and column are swapped; those on a diagonal exchange with nobody. Returns the side, 0 if it is something else.
uint32_t transposed(const Graph& g) {
  const auto swaps = [&](uint32_t side, uint32_t block) {
    for (uint32_t n = 0; n < g.nodes; ++n) {
      const uint32_t column = n / block % side, row = n / block / side % side;
      const uint32_t partner = n + (column - row) * (side - 1) * block;  // wraps where it is less
      if (partner == n ? !g.out[n].empty() : g.out[n].size() != 1 || g.out[n][0] != partner) return false;
    }
    return true;
  };
  for (uint32_t side = 2; side * side <= g.nodes; ++side) {
    if (g.nodes % (side * side)) continue;
    for (uint32_t block = 1; side * side * block <= g.nodes; ++block) {
      if (g.nodes % (side * side * block) == 0 && swaps(side, block)) return side;
    }
  }
  return 0;
}

// A step in each dimension: -1, 0 or 1.
using Offset = std::array<int8_t, most_dims>;

// A grid of these dimensions, as the edges show it.
struct Grid {
  bool fits = false, both_ways = false;
  size_t directions = 0;
  bool corners = false;
  std::vector<int8_t> periodic;
};

class GridTest {
 public:
  GridTest(const Graph& g, const Dims& dims) : g_(g), dims_(dims) {}

  Grid run() {
    Grid grid;
    grid.periodic.assign(dims_.size(), 0);
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (dims_[d] == 2) grid.periodic[d] = -1;
    }
    std::map<Offset, uint64_t> used;
    for (const GraphEdge& e : g_.edges) {
      Offset o{};
      if (!offset(e.from, e.to, &o, &grid.periodic)) return grid;
      ++used[o];
    }
    if (!complete(used, grid.periodic)) return grid;
    std::vector<bool> faces(dims_.size());
    for (const auto& [o, count] : used) {
      size_t steps = 0, last = 0;
      for (size_t d = 0; d < dims_.size(); ++d) {
        if (o[d]) ++steps, last = d;
      }
      if (steps == 1) faces[last] = true;
      grid.corners |= steps > 1;
    }
    if (std::find(faces.begin(), faces.end(), false) != faces.end()) return grid;
    grid.directions = used.size();
    grid.both_ways = symmetric(g_);
    grid.fits = true;
    return grid;
  }

 private:
  bool offset(uint32_t from, uint32_t to, Offset* o, std::vector<int8_t>* periodic) const {
    for (size_t d = dims_.size(); d-- > 0;) {
      const auto size = static_cast<int32_t>(dims_[d]);
      const int32_t a = static_cast<int32_t>(from % dims_[d]), b = static_cast<int32_t>(to % dims_[d]);
      from /= dims_[d];
      to /= dims_[d];
      int32_t step = b - a;
      if (size > 2 && (step == size - 1 || step == 1 - size)) {
        step = step > 0 ? -1 : 1;
        (*periodic)[d] = 1;
      }
      if (step < -1 || step > 1) return false;
      (*o)[d] = static_cast<int8_t>(step);
    }
    return true;
  }

  // Every node has all the neighbours that the grid gives it in the used directions.
  bool complete(const std::map<Offset, uint64_t>& used, const std::vector<int8_t>& periodic) const {
    for (const auto& [o, count] : used) {
      uint64_t expected = 1;
      for (size_t d = 0; d < dims_.size(); ++d) {
        const bool ends = o[d] && periodic[d] != 1;
        expected *= ends ? dims_[d] - 1 : dims_[d];
      }
      if (count != expected) return false;
    }
    return true;
  }

  const Graph& g_;
  const Dims& dims_;
};

// The fewest dimensions, and of those the fewest directions, that explain every edge.
bool find_grid(const Graph& g, Shape* shape) {
  uint64_t most_partners = 0;
  for (const std::vector<uint32_t>& partners : g.out)
    most_partners = std::max<uint64_t>(most_partners, partners.size());
  if (most_partners > 80) return false;
  Grid best;
  Dims best_dims;
  Dims dims;
  const std::function<void(uint32_t)> factor = [&](uint32_t left) {
    if (left == 1) {
      const Grid grid = GridTest(g, dims).run();
      if (!grid.fits) return;
      const auto order = [](const Grid& a, const Dims& b) { return std::pair(b.size(), a.directions); };
      if (best.fits && order(best, best_dims) <= order(grid, dims)) return;
      best = grid;
      best_dims = dims;
      return;
    }
    if (dims.size() == most_dims) return;
    for (uint32_t f = 2; f <= left; ++f) {
      if (left % f) continue;
      dims.push_back(f);
      factor(left / f);
      dims.pop_back();
    }
  };
  factor(g.nodes);
  if (!best.fits) return false;
  shape->kind = best.both_ways ? Kind::grid : Kind::upwind;
  shape->dims = best_dims;
  shape->periodic = best.periodic;
  shape->corners = best.corners;
  return true;
}

}  // namespace

Shape shape_of(uint32_t nodes, const std::vector<GraphEdge>& edges, bool to_all) {
  Shape shape;
  // Nodes that neither send nor receive are left out.
  std::vector<uint32_t> number(nodes, UINT32_MAX), members;
  for (const GraphEdge& e : edges) {
    if (e.from != e.to && e.from < nodes && e.to < nodes) number[e.from] = number[e.to] = 0;
  }
  for (uint32_t n = 0; n < nodes; ++n) {
    if (number[n] == UINT32_MAX) continue;
    number[n] = static_cast<uint32_t>(members.size());
    members.push_back(n);
  }
  std::vector<GraphEdge> renumbered;
  for (const GraphEdge& e : edges) {
    if (e.from != e.to && e.from < nodes && e.to < nodes)
      renumbered.push_back({number[e.from], number[e.to], e.messages, e.bytes});
  }
  const Graph g = graph_of(static_cast<uint32_t>(members.size()), renumbered);
  shape.nodes = g.nodes;
  if (!g.nodes) return shape;
  shape.least_degree = UINT32_MAX;
  for (uint32_t n = 0; n < g.nodes; ++n) {
    std::vector<uint32_t> partners;
    std::set_union(g.out[n].begin(), g.out[n].end(), g.in[n].begin(), g.in[n].end(), std::back_inserter(partners));
    shape.least_degree = std::min(shape.least_degree, static_cast<uint32_t>(partners.size()));
    shape.most_degree = std::max(shape.most_degree, static_cast<uint32_t>(partners.size()));
  }
  const auto is = [&](Kind kind) {
    shape.kind = kind;
    shape.root = members[shape.root];
    return shape;
  };
  const bool both_ways = symmetric(g);
  const uint64_t all = uint64_t{g.nodes} * (g.nodes - 1);
  uint32_t depth = 0;
  if (g.nodes > 2) {
    const bool to_one = star(g, g.in, &shape.root), from_one = star(g, g.out, &shape.root);
    if (to_one && g.edge_count() == g.nodes - 1) return is(Kind::gather);
    if (from_one && g.edge_count() == g.nodes - 1) return is(Kind::scatter);
    if (g.nodes > 3 && both_ways && to_one && g.edge_count() == 2 * (g.nodes - 1)) return is(Kind::exchange_with_one);
    shape.root = 0;
    if (ring(g)) return is(Kind::ring);
  }
  shape.equal_sizes = same_sizes(g, 1.5);
  if (g.edge_count() == all && g.nodes > 3) {
    const bool alike = to_all && shape.equal_sizes && equal_numbers(g);
    Shape grid = shape;
    if (!alike && find_grid(g, &grid) && (!to_all || smaller_at_corners(g, grid.dims))) return grid;
    shape.kind = Kind::complete;
    shape.certain = g.nodes >= Shape::ranks_to_tell || (alike && same_sizes(g, 1.1) && mean_bytes(g) >= least_block);
    return shape;
  }
  if (g.nodes >= 16 && hypercube(g)) return is(Kind::hypercube);
  if (find_grid(g, &shape)) return shape;
  if (hypercube(g)) return is(Kind::hypercube);
  if (g.nodes > 3) {
    if (tree(g, g.in, &shape.root, &depth)) return is(Kind::tree_down);
    if (tree(g, g.out, &shape.root, &depth)) return is(Kind::tree_up);
    shape.root = 0;
    if (both_ways && to_all && equal_numbers(g)) {
      if (const Dims groups = cliques(g); !groups.empty() && groups[1] > 2) {
        shape.dims = groups;
        return is(Kind::cliques);
      }
    }
  }
  shape.root = 0;
  if (g.nodes > 3) {
    // Those on the diagonal exchange with nobody and are not among the members.
    const Graph whole = graph_of(nodes, edges);
    if (const uint32_t side = both_ways ? transposed(whole) : 0) {
      shape.dims = {side};
      return is(Kind::transposed);
    }
  }
  return is(Kind::irregular);
}

}  // namespace leadline::analysis
