// The events of a stream in order, and the counts that need no order.
#include "trace/reading/walk.hpp"

#include <algorithm>

#include "trace/saturating.hpp"

namespace leadline::trace {

bool read_event_literal(ByteReader& in, EventLiteral* literal, Key* k) {
  const uint8_t control = in.byte();
  literal->last = control & 1;
  switch (control >> 1) {
    case 0:
      literal->kind = EventLiteral::Kind::position;
      literal->number = in.varint();
      break;
    case 1: {
      literal->kind = EventLiteral::Kind::key;
      const uint8_t mask = in.byte();
      const auto field = [&](uint8_t bit, auto* f) {
        if (mask & bit) *f = static_cast<std::remove_reference_t<decltype(*f)>>(wrapping_sum(in.svarint(), *f));
      };
      field(1, &k->site);
      field(2, &k->comm);
      field(4, &k->count);
      field(8, &k->peer);
      field(16, &k->tag);
      field(32, &k->datatype);
      field(64, &k->extra);
      field(128, &k->value);
      break;
    }
    case 2:
      literal->kind = EventLiteral::Kind::repeat;
      literal->number = in.varint();
      break;
    default:
      in.fail();
  }
  return in.ok();
}

namespace {

// The literals that are keys, not positions, in order, with the number of successive repeats.
template <class EachKey>
void for_each_literal_key(const Generation& g, EachKey&& each) {
  ByteReader in(g.literals.data(), g.literals.size());
  Key previous{};
  Key repeated{};
  bool is_key = false;
  while (!in.at_end()) {
    EventLiteral literal;
    if (!read_event_literal(in, &literal, &previous)) break;
    switch (literal.kind) {
      case EventLiteral::Kind::position:
        is_key = false;
        if (literal.number < g.positions.size()) previous = g.positions[literal.number].key;
        break;
      case EventLiteral::Kind::key:
        is_key = true;
        each(repeated = previous, uint64_t{1});
        break;
      case EventLiteral::Kind::repeat:
        if (is_key) each(repeated, literal.number);
        break;
    }
    if (literal.last) previous = Key{};
  }
  if (is_key) each(repeated, g.tail_repeats);
}

// A few bytes can stand for any number of steps, so a walk needs an end that damaged bytes can't move: it yields no
// more events than were declared, and no more than were timed or written out.
uint64_t most_events(const Generation& g) {
  uint64_t n = 0;
  for (const DecodedPosition& p : g.positions) n = saturating_sum(n, p.times.count);
  for_each_literal_key(g, [&](const Key&, uint64_t times) { n = saturating_sum(n, times); });
  return std::min(n, g.events);
}

// The same bound for the steps of the varying parameters: each is a visit of a varying position.
uint64_t most_variations(const Generation& g) {
  uint64_t n = 0;
  for (const DecodedPosition& p : g.positions) {
    if (p.mode == mode_first_wild) n = saturating_sum(n, p.times.count);
  }
  return std::min(n, g.events);
}

// Counting reads no more of them than it can in about a minute.
constexpr uint64_t most_counted_variations = uint64_t{1} << 32;

// The runs of failed polls and the number of events before each.
class PollRuns {
 public:
  explicit PollRuns(const DecodedPolls& polls) : polls_(polls), walk_(walk_polls(polls)), left_(polls.kept) {
    for (const DecodedPolls::Site& s : polls.sites) polls_left_ = saturating_sum(polls_left_, s.times.count);
    left_ = std::min(left_, polls_left_);
    look();
  }
  // Events until the next run; if no run is left, more than there can be.
  uint64_t distance() const { return distance_; }
  void passed(uint64_t events) { distance_ -= distance_ == UINT64_MAX ? 0 : events; }
  bool next(Event* event) {
    if (!give(run_.first, uint64_t{1} << run_.magnitude, event)) left_ = 0;
    look();
    return event->run;
  }
  // After the last event.
  bool tail(Event* event) {
    const uint64_t n = tail_given_ ? 0 : polls_.tail;
    tail_given_ = true;
    return n && give(polls_.tail_site, n, event);
  }

 private:
  void look() {
    const bool found = left_ > 0 && walk_.next(&run_);
    if (found) --left_;
    distance_ = found ? run_.distance : UINT64_MAX;
  }
  bool give(uint32_t site, uint64_t polls, Event* event) {
    *event = Event{};
    if (site >= polls_.sites.size() || !polls_left_) return false;
    event->key = polls_.sites[site].key;
    event->times = std::min(polls, polls_left_);
    event->position = poll_position;
    event->run = true;
    polls_left_ -= event->times;
    return true;
  }

  const DecodedPolls& polls_;
  PollWalk walk_;
  PollRun run_{};
  uint64_t left_, polls_left_ = 0;
  uint64_t distance_ = UINT64_MAX;
  bool tail_given_ = false;
};

class GenerationWalk {
 public:
  explicit GenerationWalk(const Generation& g)
      : g_(&g),
        steps_(walk_tokens(g.tokens), g.tail_run),
        variations_(walk_variations(g)),
        literals_(g.literals.data(), g.literals.size()),
        state_(g.positions.size()),
        polls_(g.polls),
        left_(most_events(g)) {}

  bool next(Event* event) {
    while (polls_.distance() == 0) {
      if (polls_.next(event)) return true;
    }
    while (!now_.times) {
      if (!left_ || !step(&now_)) return polls_.tail(event);
      now_.times = std::min(now_.times, left_);
      left_ -= now_.times;
    }
    *event = now_;
    event->times = std::min(now_.times, polls_.distance());  // polls came between equal events in a row
    now_.times -= event->times;
    polls_.passed(event->times);
    return true;
  }

 private:
  struct Visited {
    uint64_t visits = 0;
    std::optional<Key> last;  // the last key of a wild position
  };

  bool step(Event* event) {
    for (;;) {
      if (in_literals_) return next_literal(event);
      uint32_t target = 0;
      using Step = Steps<TokenWalk3>::Step;
      switch (steps_.next(&target)) {
        case Step::end:
          return false;
        case Step::literals:
          in_literals_ = true;
          previous_ = Key{};
          current_ = root_position;
          continue;
        case Step::follow:
          target = g_->positions[current_].next;
          break;
        case Step::jump:
          break;
      }
      if (target < first_position || target >= g_->positions.size()) return false;
      current_ = target;
      visit(target, event);
      return true;
    }
  }

  void visit(uint32_t index, Event* event) {
    const DecodedPosition& p = g_->positions[index];
    Visited& v = state_[index];
    event->times = 1;
    event->key = p.key;
    event->position = index;
    ++v.visits;
    if (p.mode == mode_first_wild && v.visits > p.fixed_visits) {
      if (!v.last) v.last = p.key;
      Variation moved{};
      if (variations_.next(&moved)) apply(moved, &*v.last);
      event->key = *v.last;
    }
  }

  // False at the end: an unclosed block is the last thing there is.
  bool next_literal(Event* event) {
    if (literals_.at_end()) {
      if (!g_->tail_repeats || tail_given_) return false;
      tail_given_ = true;
      event->key = repeated_;
      event->times = g_->tail_repeats;
      event->position = static_cast<uint32_t>(repeated_position_);
      return true;
    }
    EventLiteral literal;
    if (!read_event_literal(literals_, &literal, &previous_)) return false;
    in_literals_ = !literal.last;
    event->times = 1;
    switch (literal.kind) {
      case EventLiteral::Kind::position:
        if (literal.number >= g_->positions.size()) return false;
        repeated_position_ = literal.number;
        event->key = previous_ = g_->positions[literal.number].key;
        break;
      case EventLiteral::Kind::key:
        repeated_position_ = root_position;
        event->key = previous_;
        break;
      case EventLiteral::Kind::repeat:
        event->key = repeated_;
        event->times = literal.number;
        break;
    }
    state_[repeated_position_].visits += event->times;
    event->position = static_cast<uint32_t>(repeated_position_);
    repeated_ = event->key;
    return true;
  }

  const Generation* g_;
  Steps<TokenWalk3> steps_;
  VariationWalk variations_;
  ByteReader literals_;
  std::vector<Visited> state_;
  uint32_t current_ = root_position;
  bool in_literals_ = false;
  bool tail_given_ = false;
  Key previous_{};
  Key repeated_{};
  uint64_t repeated_position_ = root_position;  // root: the literal was not a known position
  PollRuns polls_;
  uint64_t left_;
  Event now_{Key{}, 0};
};

// Only one of the fields tag and extra changes: counting may ignore that.
bool tags_only(const std::vector<DecodedGraph<Variation>::Node>& nodes, const std::vector<uint8_t>& literals) {
  if (!literals.empty()) return false;
  for (const auto& n : nodes) {
    if (n.symbol.count || n.symbol.peer || n.symbol.value || n.symbol.extra) return false;
  }
  return true;
}

void tally_key(const Generation& g, Key key, uint64_t times, const std::function<void(const Tally&)>& visit) {
  if (!times) return;
  g.limits.apply(&key);
  const Words w = words_of(g, key.extra);
  visit(Tally{&key, times, w.data, w.count, 0, false});
}

void tally_variations(const Generation& g, const std::function<void(const Tally&)>& visit) {
  std::vector<std::optional<Key>> last(g.positions.size());
  std::vector<uint64_t> seen(g.positions.size());
  const bool simple = tags_only(g.variations.nodes, g.variations.literals);
  if (!simple) {
    VariationWalk walk = walk_variations(g);
    Variation v{};
    for (uint64_t left = std::min(most_variations(g), most_counted_variations); left > 0 && walk.next(&v); --left) {
      if (v.position >= g.positions.size() || g.positions[v.position].mode != mode_first_wild) continue;
      auto& key = last[v.position];
      if (!key) key = g.positions[v.position].key;
      apply(v, &*key);
      ++seen[v.position];
      tally_key(g, *key, 1, visit);
    }
  }
  for (size_t i = first_position; i < g.positions.size(); ++i) {
    const DecodedPosition& p = g.positions[i];
    if (p.mode == mode_first_wild && p.times.count > seen[i]) tally_key(g, p.key, p.times.count - seen[i], visit);
  }
}

void tally_literals(const Generation& g, const std::function<void(const Tally&)>& visit) {
  for_each_literal_key(g, [&](const Key& key, uint64_t times) { tally_key(g, key, times, visit); });
}

}  // namespace

uint64_t uncounted_variations(const Generation& g) {
  const uint64_t n = most_variations(g);
  return n > most_counted_variations && !tags_only(g.variations.nodes, g.variations.literals)
             ? n - most_counted_variations
             : 0;
}

void for_each_tally(const Stream& stream, const std::function<void(const Tally&)>& visit) {
  for (const Generation& g : stream.generations) {
    for (size_t i = first_position; i < g.positions.size(); ++i) {
      const DecodedPosition& p = g.positions[i];
      if (p.mode == mode_times_only || p.mode == mode_first_wild || !p.times.count) continue;
      const Words w = words_of(g, p.key.extra);
      visit(Tally{&p.key, p.times.count, w.data, w.count, p.amount, p.mode == mode_bag_coarse});
    }
    for (const DecodedPolls::Site& s : g.polls.sites) {
      if (s.times.count) visit(Tally{&s.key, s.times.count, nullptr, 0, 0, false});
    }
    tally_variations(g, visit);
    tally_literals(g, visit);
  }
}

void for_each_site_time(const Stream& stream, const std::function<void(uint32_t, const TimeStats&)>& visit) {
  for (const Generation& g : stream.generations) {
    for (size_t i = first_position; i < g.positions.size(); ++i) {
      if (g.positions[i].times.count) visit(g.positions[i].key.site, g.positions[i].times);
    }
    for (const DecodedPolls::Site& s : g.polls.sites) {
      if (s.times.count) visit(s.key.site, s.times);
    }
  }
}

struct Walker::State {
  const Stream* stream;
  size_t generation = 0;
  std::optional<GenerationWalk> walk;
};

Walker::Walker(const Stream& stream) : state_(new State{&stream, 0, std::nullopt}) {}
Walker::~Walker() { delete state_; }
Walker::Walker(Walker&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }

bool Walker::next(Event* event) {
  for (State& s = *state_; s.generation < s.stream->generations.size(); ++s.generation) {
    const Generation& g = s.stream->generations[s.generation];
    if (!s.walk) s.walk.emplace(g);
    if (!g.unordered && s.walk->next(event)) {
      g.limits.apply(&event->key);
      const Words w = words_of(g, event->key.extra);
      event->words = w.data;
      event->word_count = w.count;
      event->generation = s.generation;
      return true;
    }
    s.walk.reset();
  }
  return false;
}

}  // namespace leadline::trace
