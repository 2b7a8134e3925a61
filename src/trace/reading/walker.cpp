// The events of a stream in order, from the first on or from anywhere.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "trace/reading/generation_walk.hpp"

namespace leadline::trace {

namespace {

void resolve(const Generation& g, size_t generation, Event* event) {
  g.limits.apply(&event->key);
  const Words w = words_of(g, event->key.extra);
  event->words = w.data;
  event->word_count = w.count;
  event->generation = generation;
}

}  // namespace

struct Walker::State {
  const Stream* stream;
  size_t generation = 0;
  uint32_t before = 0;                        // site of the last call of the generations before; 0: unknown
  std::shared_ptr<const Generation> decoded;  // from the first call that is asked for
  std::unique_ptr<Orders> orders;
  std::optional<GenerationWalk> walk;
  std::vector<GenerationWalk> marks;  // of this generation, from which a walk can go on; ascending

  bool unordered() const { return stream->generations[generation].facts().unordered; }
  const Generation& now() const { return *decoded; }
  void begin() {
    if (!decoded) decoded = stream->generations[generation].decoded();
    if (!orders) orders = std::make_unique<Orders>(now());
    walk.emplace(now(), *orders, before);
  }
  void skip_to(uint64_t entry, const Passed* passed) {
    // Pieces of the order between two marks, which hold what varies.
    constexpr uint64_t spacing = 8192, spacing_by_wild = 16, near = 512;
    uint64_t at = UINT64_MAX;
    while (walk->entries() < entry && walk->entries() != at) {
      at = walk->entries();
      Event event;
      if (entry - at <= near) {
        const uint32_t from = walk->last_site();
        if (!walk->next(entry - at, &event) || !passed || event.run) continue;
        passed->events(event);
        passed->steps(from, event.key.site, 1);
        if (event.times > 1) passed->steps(event.key.site, event.key.site, event.times - 1);
        continue;
      }
      orders->plan();
      walk->skip(entry - at, spacing + spacing_by_wild * orders->wilds, passed);
      const bool fresh = marks.empty() || marks.back().entries() < walk->entries();
      if (!passed && fresh && walk->entries() < entry) marks.push_back(*walk);
    }
  }
  void leave(size_t to) {
    before = walk ? walk->last_site() : 0;
    walk.reset();
    marks.clear();
    orders.reset();
    decoded.reset();
    generation = to;
  }
};

Walker::Walker(const Stream& stream) : state_(new State{&stream, 0, 0, nullptr, nullptr, std::nullopt, {}}) {}
Walker::~Walker() { delete state_; }
Walker::Walker(Walker&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }

bool Walker::next(Event* event) {
  for (State& s = *state_; s.generation < s.stream->generations.size(); s.leave(s.generation + 1)) {
    if (s.unordered()) continue;
    if (!s.walk) s.begin();
    if (s.walk->next(UINT64_MAX, event)) {
      resolve(s.now(), s.generation, event);
      return true;
    }
  }
  return false;
}

uint32_t Walker::last_site() const { return state_->walk ? state_->walk->last_site() : state_->before; }

void Walker::rest() {
  constexpr size_t few = 4096;
  State& s = *state_;
  if (s.decoded && s.decoded->positions.size() > few) s.leave(s.generation);
}

void Walker::seek(size_t generation, uint64_t entry, uint32_t before) {
  State& s = *state_;
  if (generation != s.generation) s.leave(generation);
  s.before = before;
  if (generation >= s.stream->generations.size() || s.unordered()) return;
  if (!s.walk || s.walk->entries() > entry) s.begin();
  const auto after = std::upper_bound(s.marks.begin(), s.marks.end(), entry,
                                      [](uint64_t e, const GenerationWalk& m) { return e < m.entries(); });
  if (after != s.marks.begin() && after[-1].entries() > s.walk->entries()) s.walk = after[-1];
  s.skip_to(entry, nullptr);
}

void Walker::pass(size_t generation, uint64_t entry, const Passed& passed) {
  State& s = *state_;
  for (; s.generation < s.stream->generations.size() && s.generation <= generation; s.leave(s.generation + 1)) {
    if (!s.unordered()) {
      if (!s.walk) s.begin();
      const auto events = [&](const Event& e) {
        Event event = e;
        resolve(s.now(), s.generation, &event);
        passed.events(event);
      };
      const Passed resolved{events, passed.steps};
      s.skip_to(s.generation < generation ? UINT64_MAX : entry, &resolved);
    }
    if (s.generation == generation) return;
  }
}

}  // namespace leadline::trace
