#include "replay/program.hpp"

namespace leadline::replay {

namespace {

bool remove_empty(Shape* shape, uint32_t body, std::vector<uint8_t>* known) {
  uint8_t& own = (*known)[body];
  if (own) return own == 2;
  std::vector<Element> kept;
  for (const Element& e : shape->bodies[body]) {
    if (e.times && (!e.is_body || remove_empty(shape, e.index, known))) kept.push_back(e);
  }
  shape->bodies[body] = kept;
  (*known)[body] = kept.empty() ? 1 : 2;
  return !kept.empty();
}

}  // namespace

void remove_empty(Shape* shape) {
  std::vector<uint8_t> known(shape->bodies.size());
  remove_empty(shape, shape->root, &known);
}

}  // namespace leadline::replay
