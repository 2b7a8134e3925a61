// The loops of a class of ranks as the replay takes them, and as changes work on them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "calls/class_trees.hpp"
#include "replay/program.hpp"

namespace leadline::replay {

struct RecordedShape {
  // Its first two calls are the marks around the main loop; then come the leaves of the class in their order.
  Shape shape;
  std::vector<uint32_t> loop_of;      // by body: the loop in the run whose iterations it has; 0: none
  std::vector<uint8_t> is_iteration;  // by body: it is one iteration of a loop
  uint32_t main_body = 0;             // has the iterations of the main loop, if that was entered
  uint64_t lost = 0;                  // stretches of calls whose order is unknown
  uint64_t entered = 0;               // how often the main loop was entered

  // As recorded, if it was entered once; recount() finds them.
  uint64_t iterations = 0;
  uint64_t first_call = 0, calls = 0;    // of the main loop: how many come before, and how many it has
  std::vector<uint64_t> before, inside;  // by leaf: calls before the main loop, and in it

  static constexpr uint32_t marks = 2;
  static uint32_t call_of(size_t leaf) { return static_cast<uint32_t>(leaf) + marks; }
  uint32_t leaves() const { return shape.calls - marks; }
  // `like`: the body whose loop and iterations it has.
  uint32_t put(std::vector<Element> elements, uint32_t like);
  void recount();
  static constexpr uint32_t none = UINT32_MAX;
  // The body of the main loop's last iteration; none: there are less than three, or it is one call.
  uint32_t last_iteration() const;
  // Whether it is no other one's, as that of an iteration that writes results.
  bool last_is_apart() const;
  // How often each leaf is called in it.
  std::vector<uint64_t> in_last_iteration() const;
  // The main loop gets that many iterations, its own over and over, if it was entered once. What recount() found stays
  // that of the recording.   last_stays: of more iterations, the last one stays the last.
  void resize(uint64_t steps, bool last_stays = false);
  // How often a leaf's calls are made, with as many iterations as resize() gave the main loop.
  uint64_t calls_of(size_t leaf) const;
  // How often each leaf is called in each of the main loop's last iterations, the last one first; empty if it was not
  // entered once.
  std::vector<std::vector<uint64_t>> last_iterations(size_t most) const;
  // How often each body occurs in one.
  std::vector<uint64_t> occurrences(uint32_t of) const;

  static constexpr uint64_t outside = UINT64_MAX;
  // All calls of leaves in their order, with the iteration of the main loop that they are in.
  using EachCall = std::function<void(uint32_t leaf, uint64_t iteration)>;
  void for_each_call(const EachCall& each) const;
  // Those of some leaves only: bodies that have none are passed over.   wanted: by leaf.
  void for_each_call_of(const std::vector<uint8_t>& wanted, const std::function<void(uint32_t leaf)>& each) const;

 private:
  uint64_t items(uint32_t body) const;
  void add_last(uint32_t body, size_t most, std::vector<std::vector<uint64_t>>* found) const;
  void first_of(uint32_t body, uint64_t wanted, std::vector<Element>* elements) const;
  void count(uint32_t of, std::vector<uint64_t>* leaves, uint64_t all = 1) const;
  bool count_before(uint32_t of);
};

RecordedShape recorded_shape(const calls::ClassTrees& trees, const calls::ClassTrees::Class& of, uint32_t main_loop);

}  // namespace leadline::replay
