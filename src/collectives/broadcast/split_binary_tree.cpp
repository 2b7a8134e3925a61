// One half of the data goes down one subtree of the root, the other half down the other, in segments. Then each process
// of the one subtree exchanges halves with its counterpart in the other. If a process is left over, the root sends it
// the half it lacks.
#include "collectives/pipelines.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

namespace {

// Distances from the root are 2 i + 1 in the first subtree and 2 i + 2 in the second, where i is the place there.
struct Subtree {
  const Problem& problem;
  int side;

  int rank_of(int place) const { return (2 * place + 1 + side + problem.root) % problem.processes; }
  int size() const { return (problem.processes - side) / 2; }
};

}  // namespace

bool split_binary_tree(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes;
  if (p == 1) return true;
  const Blocks halves({Space::data, 0, problem.count}, 2);
  const Subtree subtrees[] = {{problem, 0}, {problem, 1}};
  const auto segments = [&](int side) { return Segments(halves[side], problem.segment_bytes, problem.element_bytes); };
  const bool left_over = subtrees[0].size() > subtrees[1].size();
  const int from_root = (problem.rank - problem.root + p) % p;
  if (from_root == 0) {
    PassDown first(schedule, {-1, {subtrees[0].rank_of(0)}}, segments(0));
    PassDown second(schedule, {-1, p > 2 ? std::vector<int>{subtrees[1].rank_of(0)} : std::vector<int>{}}, segments(1));
    for (int64_t i = 0; i < segments(0).number(); ++i) {
      first.advance(i);
      if (i < segments(1).number()) second.advance(i);
    }
    first.finish();
    second.finish();
    if (left_over) schedule->wait(schedule->send(halves[1], subtrees[0].rank_of(subtrees[0].size() - 1)));
    return true;
  }
  const int side = (from_root - 1) % 2, place = (from_root - 1) / 2;
  const Subtree& mine = subtrees[side];
  TreeLinks down{place ? mine.rank_of((place - 1) / 2) : problem.root, {}};
  for (int child = 2 * place + 1; child <= 2 * place + 2; ++child)
    if (child < mine.size()) down.children.push_back(mine.rank_of(child));
  PassDown(schedule, down, segments(side)).all();

  const bool alone = place >= subtrees[1 - side].size();
  const int other = alone ? problem.root : subtrees[1 - side].rank_of(place);
  const uint32_t first = schedule->requests;
  schedule->receive(halves[1 - side], other);
  if (!alone) schedule->send(halves[side], other);
  schedule->wait_from(first);
  return true;
}

}  // namespace leadline::collectives::broadcast
