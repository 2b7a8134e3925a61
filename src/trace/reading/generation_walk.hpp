// The events of one generation in order, with the failed polls between them: one by one, or many passed at once.
//
// Its *entries* are the events and the runs of failed polls, as the series of times counts them.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "trace/reading/symbol_walk.hpp"
#include "trace/reading/tallies.hpp"
#include "trace/saturating.hpp"

namespace leadline::trace {

// A generation's orders. Shared by the walks over it.
struct Orders {
  explicit Orders(const Generation& g)
      : events(order_of_events(g)),
        variations(order_of(g.variations, g.variation_tokens)),
        polls(order_of(g.polls.runs, g.polls.tokens)),
        wild(g.positions.size()) {
    for (size_t p = first_position; p < g.positions.size(); ++p) {
      if (g.positions[p].mode == mode_first_wild) wild[p] = ++wilds;
    }
  }
  void plan() {
    events.plan();
    variations.plan();
    polls.plan();
  }

  bool is_wild(uint32_t position) const { return position < wild.size() && wild[position]; }

  Order events, variations, polls;
  std::vector<uint32_t> wild;  // by position: its number among those whose parameters vary; 0: they don't
  uint32_t wilds = 0;

 private:
  static Order order_of_events(const Generation& g) {
    std::vector<uint32_t> next(g.positions.size());
    for (size_t p = 0; p < next.size(); ++p) next[p] = g.positions[p].next;
    return Order(std::move(next), std::vector<uint64_t>(g.positions.size(), 1), g.tail_run, g.tokens);
  }
};

// The runs of failed polls and the number of events before each.
class PollRuns {
 public:
  PollRuns(const DecodedPolls& polls, const Order& order)
      : polls_(&polls), order_(&order), walk_(polls.runs, order), left_(polls.kept) {
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
    const uint64_t n = tail_given_ ? 0 : polls_->tail;
    tail_given_ = true;
    return n && give(polls_->tail_site, n, event);
  }
  // Passes entries, of which each is an event or a run. Returns the number of events.
  uint64_t skip(uint64_t entries) {
    if (entries <= distance_) {
      passed(entries);
      return entries;
    }
    uint64_t left = entries, runs = 0;
    Visits ways(*order_);
    while (left > distance_) {
      left -= distance_ + 1;
      ++runs;
      distance_ = UINT64_MAX;
      while (left_ && distance_ == UINT64_MAX) {
        const OrderWalk::Piece piece = walk_.piece(left);
        if (piece.kind == OrderWalk::Piece::Kind::way) {
          ways.add(piece);
          left -= piece.weight;
        } else if (walk_.take(piece, &run_)) {
          --left_;
          distance_ = run_.distance;
        } else {
          left_ = 0;
        }
      }
    }
    passed(left);
    uint64_t on_ways = 0;
    for (const uint64_t visits : ways.count()) on_ways += visits;
    left_ -= std::min(left_, on_ways);
    return entries - runs - on_ways;
  }
  // Passes that many events and the runs between them. Returns the number of entries.
  uint64_t skip_events(uint64_t events) {
    uint64_t entries = 0;
    while (events) {
      entries += events;
      events -= skip(events);
    }
    return entries;
  }

 private:
  void look() {
    const bool found = left_ > 0 && walk_.next(&run_);
    if (found) --left_;
    distance_ = found ? run_.distance : UINT64_MAX;
  }
  bool give(uint32_t site, uint64_t polls, Event* event) {
    *event = Event{};
    if (site >= polls_->sites.size() || !polls_left_) return false;
    event->key = polls_->sites[site].key;
    event->times = std::min(polls, polls_left_);
    event->position = poll_position;
    event->run = true;
    polls_left_ -= event->times;
    return true;
  }

  const DecodedPolls* polls_;
  const Order* order_;
  SymbolWalk<PollRun> walk_;
  PollRun run_{};
  uint64_t left_, polls_left_ = 0;
  uint64_t distance_ = UINT64_MAX;
  bool tail_given_ = false;
};

// More take too long, or come from a damaged file.
inline constexpr uint64_t most_reported_variations = uint64_t{1} << 28;

class GenerationWalk {
 public:
  // `before`: site of the last call of the generations before.
  GenerationWalk(const Generation& g, const Orders& orders, uint32_t before)
      : g_(&g),
        orders_(&orders),
        walk_(orders.events),
        variations_(g.variations, orders.variations),
        literals_(g.literals.data(), g.literals.size()),
        wild_(orders.wilds + 1),
        polls_(g.polls, orders.polls),
        left_(most_events(g)),
        before_(before) {}

  uint64_t entries() const { return entries_; }
  uint32_t last_site() const { return before_; }

  // The next event, which stands for at most so many entries. False at the end.
  bool next(uint64_t most, Event* event) {
    while (polls_.distance() == 0) {
      if (polls_.next(event)) return ++entries_;
    }
    while (!now_.times) {
      if (!left_ || !take(walk_.step(), &now_)) {
        const bool tail = polls_.tail(event);
        entries_ += tail;
        return tail;
      }
      now_.times = std::min(now_.times, left_);
      left_ -= now_.times;
    }
    *event = now_;
    event->times = std::min({now_.times, polls_.distance(), most});  // polls came between equal events in a row
    now_.times -= event->times;
    polls_.passed(event->times);
    entries_ += event->times;
    before_ = event->key.site;
    return true;
  }

  // Passes that many entries, or fewer: only so many pieces of the order, or to the end.
  void skip(uint64_t entries, uint64_t most_pieces, const Passed* passed) {
    PollRuns polls = polls_;
    const uint64_t events = polls.skip(entries), done = skip_events(events, most_pieces, passed);
    entries_ += done == events ? entries : polls_.skip_events(done);
    if (done == events) polls_ = polls;
  }

 private:
  struct Wild {
    uint64_t visits = 0;
    bool varied = false;
    Key last;
  };

  // The event of a piece that is no way. False at the end.
  bool take(const OrderWalk::Piece& piece, Event* event) {
    switch (piece.kind) {
      case OrderWalk::Piece::Kind::visit:
        visit(piece.node, event);
        return true;
      case OrderWalk::Piece::Kind::literal:
        return literal(event);
      case OrderWalk::Piece::Kind::way:
      case OrderWalk::Piece::Kind::end:
        return false;
    }
    return false;
  }

  void visit(uint32_t index, Event* event) {
    event->times = 1;
    event->key = g_->positions[index].key;
    event->position = index;
    if (!orders_->wild[index]) return;
    Wild& w = wild_[orders_->wild[index]];
    if (++w.visits <= g_->positions[index].fixed_visits) return;
    Variation moved{};
    if (variations_.next(&moved)) vary(&w, index, moved);
    if (w.varied) event->key = w.last;
  }

  void vary(Wild* w, uint32_t index, const Variation& moved) const {
    if (!w->varied) w->last = g_->positions[index].key;
    w->varied = true;
    apply(moved, &w->last);
  }

  // False at the end: an unclosed block is the last thing there is.
  bool literal(Event* event) {
    if (literals_.at_end()) {
      if (!g_->tail_repeats || tail_given_) return false;
      tail_given_ = true;
      event->key = repeated_;
      event->times = g_->tail_repeats;
      event->position = static_cast<uint32_t>(repeated_position_);
      return true;
    }
    if (!within_block_) previous_ = Key{};
    EventLiteral literal;
    if (!read_event_literal(literals_, &literal, &previous_)) return false;
    within_block_ = !literal.last;
    walk_.literal_read(literal.last);
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
    if (const uint32_t wild = orders_->wild[repeated_position_]) wild_[wild].visits += event->times;
    event->position = static_cast<uint32_t>(repeated_position_);
    repeated_ = event->key;
    return true;
  }

  // Returns the number of events passed.
  uint64_t skip_events(uint64_t events, uint64_t most_pieces, const Passed* passed) {
    uint64_t done = 0;
    const auto from_now = [&](uint64_t left) {
      const uint64_t times = std::min(now_.times, left);
      now_.times -= times;
      done += times;
      if (!times) return times;
      const uint32_t from = std::exchange(before_, now_.key.site);
      if (!passed) return times;
      Event e = now_;
      e.times = times;
      passed->events(e);
      passed->steps(from, before_, 1);
      passed->steps(before_, before_, times - 1);
      return times;
    };
    uint64_t left = std::min(events - from_now(events), left_);
    std::optional<Visits> visits;
    if (passed || orders_->wilds) visits.emplace(orders_->events);
    for (; left && most_pieces; --most_pieces) {
      const OrderWalk::Piece piece = walk_.next(left);
      if (piece.kind == OrderWalk::Piece::Kind::way || piece.kind == OrderWalk::Piece::Kind::visit) {
        if (visits) visits->add(piece);
        const uint32_t from = std::exchange(before_, g_->positions[walk_.base()].key.site);
        if (passed && piece.kind == OrderWalk::Piece::Kind::visit) passed->steps(from, before_, 1);
        left -= piece.weight;
        left_ -= piece.weight;
        done += piece.weight;
      } else if (take(piece, &now_)) {
        now_.times = std::min(now_.times, left_);
        left_ -= now_.times;
        left -= from_now(left);
      } else {
        break;
      }
    }
    if (!visits) return done;
    const auto steps = [&](uint32_t from, uint32_t to, uint64_t times) {
      passed->steps(g_->positions[from].key.site, g_->positions[to].key.site, times);
    };
    skip_visits(passed ? visits->count(steps) : visits->count(), passed);
    return done;
  }

  void skip_visits(const std::vector<uint64_t>& visits, const Passed* passed) {
    const auto pass = [&](size_t position, const Key& key, uint64_t times) {
      if (!passed || !times) return;
      Event e;
      e.key = key;
      e.times = times;
      e.position = static_cast<uint32_t>(position);
      passed->events(e);
    };
    uint64_t varied = 0;
    for (size_t p = first_position; p < visits.size(); ++p) {
      if (!visits[p]) continue;
      uint64_t alike = visits[p];
      if (orders_->wild[p]) {
        Wild& w = wild_[orders_->wild[p]];
        const uint64_t fixed = g_->positions[p].fixed_visits, before = w.visits;
        w.visits = saturating_sum(before, visits[p]);
        const uint64_t changed = w.visits - std::min(w.visits, std::max(before, fixed));
        alike -= changed;
        varied += changed;
      }
      pass(p, g_->positions[p].key, alike);
    }
    if (passed) varied = std::min(varied, most_reported_variations);
    Visits changes(orders_->variations);
    while (varied) {
      // Each value is reported, or else many changes are added up.
      const OrderWalk::Piece piece = passed ? variations_.step() : variations_.piece(varied);
      Variation moved{};
      if (piece.kind == OrderWalk::Piece::Kind::way) {
        changes.add(piece);
        varied -= piece.weight;
      } else if (variations_.take(piece, &moved)) {
        change(moved, 1);
        --varied;
        if (passed && orders_->is_wild(moved.position)) {
          pass(moved.position, wild_[orders_->wild[moved.position]].last, 1);
        }
      } else {
        break;
      }
    }
    if (passed) return;
    const std::vector<uint64_t> times = changes.count();
    for (size_t n = first_position; n < times.size(); ++n) {
      if (times[n]) change(g_->variations.nodes[n].symbol, times[n]);
    }
  }

  // The fields wrap, so many changes are one.
  void change(const Variation& moved, uint64_t times) {
    if (!orders_->is_wild(moved.position)) return;
    const auto often = [times](auto by) { return static_cast<decltype(by)>(static_cast<uint64_t>(by) * times); };
    Variation all = moved;
    all.peer = often(all.peer);
    all.tag = often(all.tag);
    all.extra = often(all.extra);
    all.count = often(all.count);
    all.value = often(all.value);
    vary(&wild_[orders_->wild[moved.position]], moved.position, all);
  }

  const Generation* g_;
  const Orders* orders_;
  OrderWalk walk_;
  SymbolWalk<Variation> variations_;
  ByteReader literals_;
  std::vector<Wild> wild_;  // by number; 0: none
  bool within_block_ = false, tail_given_ = false;
  Key previous_{}, repeated_{};
  uint64_t repeated_position_ = root_position;  // root: the literal was not a known position
  PollRuns polls_;
  uint64_t left_, entries_ = 0;
  uint32_t before_;  // site of the last call
  Event now_{Key{}, 0};
};

}  // namespace leadline::trace
