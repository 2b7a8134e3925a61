#include "calls/loop_iterations.hpp"

#include <memory>

namespace leadline::calls {

namespace {

// The generation that the loop's anchor is a position of: index; their number if there is none.
size_t generation_of(const trace::Stream& stream, const trace::LoopTimes& loop) {
  size_t generation = stream.generations.size();
  for (const trace::Series& s : stream.series) {
    for (const trace::LoopTimes& l : s.loops) {
      if (l.position != loop.position || l.source != loop.source || l.occurrences != loop.occurrences) continue;
      for (size_t g = 0; g < stream.generations.size(); ++g) {
        if (stream.generations[g].facts().number == s.generation) generation = g;
      }
    }
  }
  return generation;
}

// Its key, where no loop of the source delimits the iterations.
trace::Key anchor_of(const trace::Stream& stream, const trace::LoopTimes& loop, size_t generation) {
  if (loop.source || generation >= stream.generations.size()) return {};
  const std::shared_ptr<const trace::Generation> decoded = stream.generations[generation].decoded();
  return loop.position < decoded->positions.size() ? decoded->positions[loop.position].key : trace::Key{};
}

}  // namespace

LoopIterations::LoopIterations(const trace::Stream& stream, const trace::LoopTimes& loop)
    : stream_(stream),
      loop_(loop),
      generation_(generation_of(stream, loop)),
      anchor_(anchor_of(stream, loop, generation_)) {}

}  // namespace leadline::calls
