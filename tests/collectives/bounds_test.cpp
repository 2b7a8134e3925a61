// Rounds, messages and bytes are those of the published formulas; nothing beats the lower bounds in the model.
//   bounds_test best [OPERATION [MOST_PROCESSES [RANKS_PER_NODE]]]: the algorithm that is best in the model, by
//   operation, processes and bytes, to 4096 processes; with nodes of 16 ranks, or as many as are given.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "../native/check.hpp"
#include "collectives/cost.hpp"
#include "portfolio.hpp"

namespace {

using namespace leadline::test;
using namespace leadline::network;

// A port lets one message through in a unit of time, when it is waited for; nothing else takes any: time is rounds.
const Network one_port = Network::uniform({.gap_ns = 1}, 0);

struct Figures {
  double rounds = 0;
  double messages = 0, elements = 0;  // of all ranks
};

Figures measured(const std::vector<Schedule>& schedules) {
  Figures figures;
  figures.rounds = modelled_ns(schedules, 1, one_port);
  for (const Schedule& schedule : schedules)
    for (const Step& step : schedule.steps)
      if (step.kind == Step::Kind::send) {
        ++figures.messages;
        figures.elements += static_cast<double>(step.from.count);
      }
  return figures;
}

void check(const char* operation, const char* name, int p, const char* what, double is, double should) {
  testing::check_equal(is, should,
                       std::string(operation) + " " + name + ", " + std::to_string(p) + " processes: " + what);
}

constexpr double any = -1;  // no formula

struct Formula {
  Operation operation;
  const char* name;
  // p processes, l = ceil(log2 p), S segments of a message; elements in messages of n = 1.
  Figures (*of)(double p, double l, double S);
  bool powers_only;  // the formula is for p = 2^l
};

// Chan and others 2007 for linear, binomial, ring (their bucket) and recursive ones; Thakur and others 2005 for scatter
// + recursive doubling and + ring and Rabenseifner's; Pjesivac-Grbovic and others 2007 for chain, trees and segments.
// Of a broadcast every rank but the root gets each element once, so p - 1 times the message moves whatever the way: the
// published figures of scatter + allgather, which count what a rank has already, are above it.
// Thakur and others 2005 for the exchanges, of p blocks of the length of a message; Bruck and others 1997 for theirs.
constexpr auto B = Operation::broadcast, R = Operation::reduce, A = Operation::allreduce, E = Operation::alltoall,
               G = Operation::allgather, Q = Operation::reduce_scatter_block, V = Operation::reduce_scatter,
               W = Operation::allgatherv, Z = Operation::alltoallv, ZW = Operation::alltoallw, T = Operation::barrier,
               S = Operation::scatter, H = Operation::gatherv, U = Operation::scatterv, P = Operation::scan,
               X = Operation::exscan;
const Formula formulas[] = {
    {B, "linear", [](double p, double, double) { return Figures{p - 1, p - 1, p - 1}; }, false},
    {B, "chain", [](double p, double, double S) { return Figures{p - 2 + S, (p - 1) * S, p - 1}; }, false},
    {B, "binary_tree_async", [](double p, double, double S) { return Figures{any, (p - 1) * S, p - 1}; }, false},
    {B, "split_binary_tree", [](double p, double, double) { return Figures{any, any, p - 1}; }, false},
    {B, "binomial", [](double p, double l, double) { return Figures{l, p - 1, p - 1}; }, false},
    {B, "knomial", [](double p, double l, double) { return Figures{l, p - 1, p - 1}; }, false},
    {B, "scatter_recursive_doubling", [](double p, double, double) { return Figures{any, any, p - 1}; }, false},
    {B, "scatter_recursive_doubling", [](double, double l, double) { return Figures{2 * l, any, any}; }, true},
    {B, "scatter_ring", [](double p, double, double) { return Figures{any, any, p - 1}; }, false},
    {B, "scatter_direct", [](double p, double, double) { return Figures{any, p * (p - 1), p - 1}; }, false},

    {R, "linear", [](double p, double, double) { return Figures{p - 1, p - 1, p - 1}; }, false},
    {R, "binary_tree", [](double p, double, double) { return Figures{any, p - 1, p - 1}; }, false},
    {R, "binary_tree_async", [](double p, double, double S) { return Figures{any, (p - 1) * S, p - 1}; }, false},
    {R, "binomial", [](double p, double l, double) { return Figures{l, p - 1, p - 1}; }, false},
    {R, "ring", [](double p, double, double) { return Figures{any, (p + 1) * (p - 1), p - 1 + (p - 1) / p}; }, false},
    {R, "segmented_ring", [](double p, double, double) { return Figures{any, any, p - 1 + (p - 1) / p}; }, false},
    {R, "rabenseifner", [](double p, double l, double) { return Figures{2 * l, any, p - 1 + l / 2}; }, true},
    {R, "direct", [](double p, double, double) { return Figures{any, (p + 1) * (p - 1), p - 1 + (p - 1) / p}; }, false},

    {A, "linear", [](double p, double, double) { return Figures{2 * (p - 1), 2 * (p - 1), 2 * (p - 1)}; }, false},
    {A, "binary_tree", [](double p, double, double) { return Figures{any, 2 * (p - 1), 2 * (p - 1)}; }, false},
    {A, "binary_tree_async", [](double p, double, double S) { return Figures{any, 2 * (p - 1) * S, 2 * (p - 1)}; },
     false},
    {A, "recursive_doubling", [](double p, double l, double) { return Figures{l, p * l, p * l}; }, true},
    {A, "recursive_doubling",
     [](double p, double l, double) {
       const double q = std::exp2(std::floor(std::log2(p))), folded = p - q, levels = std::log2(q);
       return Figures{folded > 0 ? levels + 2 : l, q * levels + 2 * folded, q * levels + 2 * folded};
     },
     false},
    {A, "ring", [](double p, double, double) { return Figures{2 * (p - 1), 2 * p * (p - 1), 2 * (p - 1)}; }, false},
    {A, "segmented_ring", [](double p, double, double) { return Figures{any, any, 2 * (p - 1)}; }, false},
    {A, "rabenseifner", [](double p, double l, double) { return Figures{2 * l, 2 * p * l, 2 * (p - 1)}; }, true},
    {A, "circulant", [](double p, double, double) { return Figures{any, any, 2 * (p - 1)}; }, false},
    {A, "direct", [](double p, double, double) { return Figures{2 * (p - 1), 2 * p * (p - 1), 2 * (p - 1)}; }, false},

    {E, "linear", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {E, "ring", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {E, "pairwise", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {E, "bruck", [](double p, double l, double) { return Figures{l, p * l, any}; }, false},
    {E, "bruck", [](double p, double l, double) { return Figures{l, p * l, p * l * p / 2}; }, true},

    {G, "linear", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {G, "ring", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {G, "neighbour_exchange", [](double p, double, double) { return Figures{p / 2, p * p / 2, p * (p - 1)}; }, true},
    {G, "recursive_doubling", [](double p, double l, double) { return Figures{l, p * l, p * (p - 1)}; }, false},
    {G, "bruck", [](double p, double l, double) { return Figures{l, p * l, p * (p - 1)}; }, false},
    {Z, "linear", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {Z, "ring", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {Z, "pairwise", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {Z, "spread_out", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {ZW, "linear", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {ZW, "pairwise", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {ZW, "spread_out", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {W, "linear", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {W, "ring", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {W, "neighbour_exchange", [](double p, double, double) { return Figures{any, p * (p - 1), p * (p - 1)}; }, false},
    {W, "bruck", [](double p, double l, double) { return Figures{l, p * l, p * (p - 1)}; }, false},
    {W, "sparbit", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {Q, "direct", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {Q, "pairwise", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {Q, "ring", [](double p, double, double S) { return Figures{S > 1 ? any : p - 1, p * (p - 1) * S, p * (p - 1)}; },
     false},
    {Q, "recursive_halving", [](double p, double l, double) { return Figures{l, p * l, p * (p - 1)}; }, true},
    {Q, "butterfly", [](double p, double l, double) { return Figures{l, p * l, p * (p - 1)}; }, true},
    {V, "direct", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {V, "pairwise", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
    {V, "ring", [](double p, double, double S) { return Figures{S > 1 ? any : p - 1, p * (p - 1) * S, p * (p - 1)}; },
     false},
    {V, "recursive_halving", [](double p, double l, double) { return Figures{l, p * l, p * (p - 1)}; }, true},
    {V, "butterfly", [](double p, double l, double) { return Figures{l, p * l, p * (p - 1)}; }, true},
    {T, "dissemination", [](double p, double l, double) { return Figures{l, p * l, 0}; }, false},
    {T, "recursive_doubling", [](double p, double l, double) { return Figures{l, p * l, 0}; }, true},
    {T, "binomial", [](double p, double, double) { return Figures{any, 2 * (p - 1), 0}; }, false},
    {T, "binomial", [](double p, double l, double) { return Figures{2 * l, 2 * (p - 1), 0}; }, true},
    {T, "knomial", [](double p, double l, double) { return Figures{2 * l, 2 * (p - 1), 0}; }, true},
    {S, "linear", [](double p, double, double) { return Figures{p - 1, p - 1, p - 1}; }, false},
    {S, "binomial", [](double p, double l, double) { return Figures{l, p - 1, any}; }, false},
    {S, "binomial", [](double p, double l, double) { return Figures{l, p - 1, p * l / 2}; }, true},
    {S, "knomial", [](double p, double l, double) { return Figures{l, p - 1, any}; }, false},
    {H, "linear", [](double p, double, double) { return Figures{p - 1, p - 1, p - 1}; }, false},
    {U, "linear", [](double p, double, double) { return Figures{p - 1, p - 1, p - 1}; }, false},
    {P, "chain", [](double p, double, double T) { return Figures{p - 2 + T, (p - 1) * T, p - 1}; }, false},
    {P, "recursive_doubling", [](double p, double l, double) { return Figures{l, p * l, p * l}; }, true},
    {P, "doubling", [](double, double l, double) { return Figures{l, any, any}; }, false},
    {P, "doubling", [](double p, double l, double) { return Figures{l, p * l - p + 1, p * l - p + 1}; }, true},
    {P, "binomial", [](double p, double l, double) { return Figures{2 * l - 1, 2 * (p - 1) - l, 2 * (p - 1) - l}; },
     true},
    {X, "chain", [](double p, double, double T) { return Figures{p - 2 + T, (p - 1) * T, p - 1}; }, false},
    {X, "recursive_doubling", [](double p, double l, double) { return Figures{l, p * l, p * l}; }, true},
    {X, "doubling", [](double p, double, double) { return Figures{1 + std::ceil(std::log2(p - 1)), any, any}; }, false},
    {G, "sparbit", [](double p, double, double) { return Figures{p - 1, p * (p - 1), p * (p - 1)}; }, false},
};

void check_formulas(int p) {
  for (const Formula& formula : formulas) {
    if (formula.powers_only && (p & (p - 1))) continue;
    for (const int64_t segments : {1, 4}) {
      Problem problem;
      problem.processes = p;
      problem.count = 4 * int64_t{p} * 64;  // whole blocks, halves and segments
      problem.segment_bytes = segments == 1 ? 0 : problem.count / segments;
      const Algorithm* algorithm = find_algorithm(formula.operation, formula.name);
      if (!algorithm || (segments > 1 && !algorithm->takes_segments)) continue;
      const Figures is = measured(schedules_of(*algorithm, problem));
      const Figures should = formula.of(p, rounds_at_least(p, 2), static_cast<double>(segments));
      const char* operation = name_of(formula.operation);
      if (should.rounds != any) check(operation, formula.name, p, "rounds", is.rounds, should.rounds);
      if (should.messages != any) check(operation, formula.name, p, "messages", is.messages, should.messages);
      if (should.elements != any)
        check(operation, formula.name, p, "elements", is.elements,
              std::round(should.elements * static_cast<double>(problem.count)));
    }
  }
}

// --- The model ------------------------------------------------------------------------------------------------------

// Of clusters: latency and overhead in the order of a microsecond, 10 gigabytes a second; within a node half of that.
constexpr Piece between_nodes{.latency_ns = 1000, .overhead_ns = 300, .gap_ns = 100, .per_byte_ns = 0.1};
constexpr Piece within_node{.latency_ns = 200, .overhead_ns = 200, .gap_ns = 50, .per_byte_ns = 0.1};
constexpr Piece ethernet{.latency_ns = 50000, .overhead_ns = 10000, .gap_ns = 1000, .per_byte_ns = 8};

Network with_memory(Network network) {
  network.reduce_per_byte_ns = 0.2;
  network.copy_per_byte_ns = 0.05;
  return network;
}
Network with_nodes(Network network) {
  network.set(Distance::node, Link{{within_node}, 16384});
  network.flag_ns = 100;
  return network;
}
const Network cluster = with_memory(Network::uniform(between_nodes, 16384));
const Network slow = with_memory(Network::uniform(ethernet, 65536));

void check_bounds(int p) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.needs_memory || facts_of(algorithm.operation).for_neighbours) continue;  // bounds are of messages
    for (const Network& network : {cluster, slow, one_port})
      for (const int64_t bytes : {8, 4096, 262144}) {
        Problem problem;
        problem.processes = p;
        problem.count = bytes;
        problem.segment_bytes = 8192;
        const double took = modelled_ns(schedules_of(algorithm, problem), 1, network);
        const double least = lower_bound(movement_of(algorithm.operation), p, bytes, network).ns();
        if (took < 0 || took >= least * (1 - 1e-9)) continue;
        testing::fail(std::string(name_of(algorithm.operation)) + " " + algorithm.name + ", " + std::to_string(p) +
                      " processes, " + std::to_string(bytes) + " bytes: " + std::to_string(took) +
                      " ns, below the bound of " + std::to_string(least) + " ns");
      }
  }
}

struct Best {
  double ns = INFINITY;
  std::string name;
};

Best best_of(Operation operation, int p, int64_t bytes, const Network& network, const Places& places) {
  Best best;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.operation != operation || facts_of(operation).for_neighbours) continue;
    if (algorithm.needs_memory && !places.node_of) continue;
    const bool exchanges = facts_of(operation).exchanges() && std::strcmp(algorithm.name, "bruck") != 0;
    const bool quadratic = exchanges || std::strstr(algorithm.name, "ring") || std::strstr(algorithm.name, "direct");
    if (p > 512 && quadratic && !(places.node_of && std::strstr(algorithm.name, "two_level"))) continue;
    for (const int64_t segment : {0, 4096, 16384, 65536})
      for (const int radix : {2, 4, 8}) {
        if ((segment && !algorithm.takes_segments) || (radix != 2 && !algorithm.takes_radix)) continue;
        if (segment && bytes <= segment) continue;
        Problem problem;
        problem.processes = p;
        problem.count = bytes;
        problem.segment_bytes = segment;
        problem.radix = radix;
        problem.node_of = places.node_of;
        problem.shares_memory = algorithm.needs_memory;
        const std::vector<Schedule> schedules = schedules_of(algorithm, problem);
        const double took = schedules.empty() ? -1 : modelled_ns(schedules, 1, network, places);
        if (took >= 0 && took < best.ns) {
          best = {took, algorithm.name};
          if (segment) best.name += " segment=" + std::to_string(segment);
          if (radix != 2) best.name += " radix=" + std::to_string(radix);
        }
      }
  }
  return best;
}

void print_best(const char* only, int most, int per_node) {
  for (int number = 0; number < operation_count; ++number)
    for (const int p : {2, 3, 4, 6, 8, 16, 33, 64, 256, 512, 4096})
      for (const int64_t bytes : {8, 1024, 16384, 131072, 1048576, 16777216})
        for (const int kind : {0, 1, 2, 3}) {
          const auto operation = static_cast<Operation>(number);
          if (bytes > 8 && !facts_of(operation).has_data) continue;
          if (p > most || (*only && std::strcmp(only, name_of(operation)) != 0)) continue;
          if (p == 4096 && bytes > 1048576) continue;
          std::vector<int> node_of(static_cast<size_t>(p));
          for (int rank = 0; rank < p; ++rank) node_of[static_cast<size_t>(rank)] = rank / per_node;
          const bool slowly = kind >= 2, in_nodes = kind % 2;
          if (in_nodes && p <= per_node) continue;
          const Network& network = slowly ? slow : cluster;
          const Best best = best_of(operation, p, bytes, in_nodes ? with_nodes(network) : network,
                                    in_nodes ? Places{node_of.data()} : Places{});
          const double least = lower_bound(movement_of(operation), p, bytes, network).ns();
          std::printf("%-10s %5d %9lld %-7s %-8s %-44s %10.2f us", name_of(operation), p, static_cast<long long>(bytes),
                      slowly ? "slow" : "cluster", in_nodes ? "in nodes" : "", best.name.c_str(), best.ns * 1e-3);
          if (!in_nodes) std::printf(" %4.0f %% of the bound", 100 * least / best.ns);
          std::printf("\n");
          std::fflush(stdout);
        }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "best") == 0) {
    print_best(argc > 2 ? argv[2] : "", argc > 3 ? std::atoi(argv[3]) : 4096, argc > 4 ? std::atoi(argv[4]) : 16);
    return 0;
  }
  for (const int p : {2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 64, 100}) check_formulas(p);
  for (const int p : {1, 2, 3, 5, 8, 16, 33, 64}) check_bounds(p);
  return testing::result();
}
