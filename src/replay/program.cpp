#include "replay/program.hpp"

#include <algorithm>
#include <cmath>

namespace leadline::replay {

namespace {

// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
uint64_t drawn(uint64_t seed, uint64_t number) {
  uint64_t z = seed + number * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// Blocks of neighbouring iterations, as long as the square root of their number: iterations that follow one another are
// alike, as the program's state and the machine's speed drift, and an interval from single ones would be too narrow.
// The first iteration stays the first, and no other one takes its times: there, memory is touched for the first time
// and ranks connect, which no later iteration does again.
uint64_t drawn_iteration(const Series& series, uint64_t iteration, uint64_t seed) {
  if (series.recorded < 2 || !iteration) return 0;
  const uint64_t others = series.recorded - 1;
  const auto block = static_cast<uint64_t>(std::sqrt(static_cast<double>(others)));
  return 1 + (drawn(seed, iteration / block) % others + iteration % block) % others;
}

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

Shape joined(const Shape& shape) {
  Shape found = shape;
  for (std::vector<Element>& body : found.bodies) {
    std::vector<Element> kept;
    for (const Element& e : body) {
      Element* last = kept.empty() ? nullptr : &kept.back();
      const bool follows = last && !last->is_body && last->times == 1 && last->index + last->calls == e.index;
      if (follows && !e.is_body && e.times == 1) {
        ++last->calls;
      } else {
        kept.push_back(e);
      }
    }
    body = kept;
  }
  return found;
}

size_t place_of_drawn(const Series& series, uint64_t call, uint64_t seed) {
  const uint64_t size = series.ps.size();
  if (!series.per_iteration) return static_cast<size_t>(call < size ? call : drawn(seed, call) % size);
  const uint64_t inside = call < series.before ? 0 : call - series.before;
  const uint64_t iteration = inside / series.per_iteration;
  uint64_t found = call;
  if (call >= series.before && iteration < series.wanted) {
    const bool as_recorded = !seed && iteration < series.recorded;
    const uint64_t from = as_recorded ? iteration : drawn_iteration(series, iteration, seed);
    found = series.before + from * series.per_iteration + inside % series.per_iteration;
  } else if (call >= series.before) {
    found = call - (series.wanted - series.recorded) * series.per_iteration;
  }
  return static_cast<size_t>(found < size ? found : size - 1);
}

const Choice::Range& range_of(const Choice& choice, uint64_t call) {
  if (call >= choice.before && choice.recorded) {
    const uint64_t inside = call - choice.before;
    call = inside < choice.wanted ? choice.before + inside % choice.recorded : call - choice.wanted + choice.recorded;
  }
  return choice.kinds[choice.of[call % choice.of.size()]];
}

}  // namespace leadline::replay
