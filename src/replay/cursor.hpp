// Where a rank is in its loops.
#pragma once

#include <vector>

#include "replay/program.hpp"

namespace leadline::replay {

class Cursor {
 public:
  struct Place {
    const Element* element;
    const Element* end;
    uint64_t left;  // of the element's times, with the one under way
  };

  explicit Cursor(const Shape& shape) : shape_(&shape) {
    if (enter(shape.root, 1)) descend();
  }

  bool at_end() const { return stack_.empty(); }
  const Element& calls() const { return *stack_.back().element; }

  // Past the calls. Returns how many loops it is in whose next iteration begins here, counted from the outermost; 0: no
  // iteration begins.
  size_t next() {
    Place& here = stack_.back();
    if (here.left == 1 && here.element + 1 != here.end && !here.element[1].is_body) {
      here.left = (++here.element)->times;
      return 0;
    }
    size_t begins = 0;
    while (!stack_.empty()) {
      Place& top = stack_.back();
      if (--top.left) {
        if (top.element->is_body) begins = stack_.size();
        break;
      }
      if (++top.element != top.end) {
        top.left = top.element->times;
        break;
      }
      stack_.pop_back();
    }
    if (!stack_.empty()) descend();
    return begins;
  }

  const std::vector<Place>& stack() const { return stack_; }
  std::vector<Place>& stack() { return stack_; }

 private:
  bool enter(uint32_t body, uint64_t times) {
    const std::vector<Element>& elements = shape_->bodies[body];
    if (elements.empty() || !times) return false;
    stack_.push_back({elements.data(), elements.data() + elements.size(), elements.front().times});
    return true;
  }
  // Shapes have no empty bodies but for an empty root, and no element occurs zero times.
  void descend() {
    while (stack_.back().element->is_body) enter(stack_.back().element->index, 1);
  }

  const Shape* shape_;
  std::vector<Place> stack_;
};

}  // namespace leadline::replay
