#include "structure/restart_evidence.hpp"

#include <algorithm>
#include <optional>

#include "structure/parse.hpp"
#include "structure/period.hpp"
#include "structure/tree_calls.hpp"
#include "trace/hash.hpp"
#include "trace/reading/series_walk.hpp"

namespace leadline::structure {

namespace {

constexpr uint64_t most_evidence_calls = uint64_t{1} << 20;  // whose times are read
constexpr uint64_t most_evidence_sites = 64;                 // that are looked at in an iteration
constexpr uint64_t least_falling = 3;                        // two iterations differ in every sequence
constexpr uint64_t least_periods = 8;                        // that times must tell of

// What a call does that may go on from one iteration to the next.
enum Aspect : unsigned { partner, tag, count, jump };

std::optional<int64_t> value_of(const trace::Key& key, unsigned aspect) {
  const bool at_offset = key.comm & trace::flag_offset;
  switch (aspect) {
    case partner:
      if (key.peer <= trace::peer_root) return {};
      return key.peer;
    case tag:
      if (at_offset) return {};
      return key.tag;
    case count:
      return key.count;
    default:  // of a file's offset, from where the transfer before ended
      if (!at_offset) return {};
      return static_cast<int64_t>(uint64_t{key.extra} << 32 | static_cast<uint32_t>(key.tag));
  }
}

// The iterations of one row, each as the values of the call at one place of it.
class Row {
 public:
  Row(const LoopTree& tree, Sequence row) : tree_(tree), iterations_(expanded_row(tree, row)) {
    for (const Sequence s : iterations_) {
      std::vector<uint32_t>& own = calls_[s];
      if (!own.empty()) continue;
      CallsInOrder calls(tree, s);
      uint32_t call = 0;
      for (uint64_t times = 0; own.size() < most_evidence_sites && calls.next(&call, &times);) own.push_back(call);
    }
  }

  size_t size() const { return iterations_.size(); }
  size_t places() const {
    size_t fewest = most_evidence_sites;
    for (const auto& [s, own] : calls_) fewest = std::min(fewest, own.size());
    return calls_.empty() ? 0 : fewest;
  }

  // Of the calls at that place.
  uint32_t communicator(size_t place) const { return key(iterations_[0], place).comm & trace::comm_mask; }

  // Empty: the calls at that place have no such value, or are of several sites.
  std::vector<int64_t> values(size_t place, unsigned aspect) const {
    std::vector<int64_t> found;
    const uint32_t site = key(iterations_[0], place).site;
    for (const Sequence s : iterations_) {
      const CallItem& call = tree_.calls[calls_.at(s)[place]];
      const std::optional<int64_t> value = value_of(call.key, aspect);
      if (call.varies || call.key.site != site || !value) return {};
      found.push_back(*value);
    }
    return found;
  }

  // All that the calls do, except tags, by which programs may number their messages, and in which order requests are
  // completed.
  std::vector<int64_t> contents() const {
    std::map<Sequence, int64_t> of;
    for (const auto& [s, own] : calls_) {
      uint64_t sum = 0;
      for (const uint32_t call : own) {
        const trace::Key& k = tree_.calls[call].key;
        sum += trace::mix(trace::mix(trace::mix(0x5eed, k.site), static_cast<uint64_t>(k.count)),
                          static_cast<uint64_t>(static_cast<uint32_t>(k.peer)) << 32 | k.datatype);
      }
      of[s] = static_cast<int64_t>(sum);
    }
    std::vector<int64_t> found;
    for (const Sequence s : iterations_) found.push_back(of[s]);
    return found;
  }

 private:
  const trace::Key& key(Sequence s, size_t place) const { return tree_.calls[calls_.at(s)[place]].key; }

  const LoopTree& tree_;
  const std::vector<Sequence> iterations_;
  std::map<Sequence, std::vector<uint32_t>> calls_;
};

// Whether the row goes one way except where it begins again. Partners may also go round: 2, 3, 0, 1.
bool falls_once(const std::vector<int64_t>& row, uint64_t period) {
  uint64_t up = 0, down = 0;
  for (uint64_t i = 0; i < period; ++i) {
    const int64_t now = row[i], next = row[(i + 1) % period];
    up += next > now;
    down += next < now;
  }
  return up + down == period && std::min(up, down) == 1;
}

// Whether it takes so many consecutive values, each once: the number of a step modulo that, most likely.
bool goes_round(const std::vector<int64_t>& row, uint64_t period, int32_t values) {
  if (period != static_cast<uint64_t>(values)) return false;
  const auto [least, most] = std::minmax_element(row.begin(), row.begin() + values);
  return *most - *least == values - 1 && falls_once(row, period);
}

// The same of jumps, which are all alike but where it begins again. The first of all may come from anywhere.
uint64_t jumps_every(const std::vector<int64_t>& row) {
  uint64_t every = 1;
  while (every < row.size() && row[every] == row[1]) ++every;
  if (every < least_falling || row.size() % every) return 0;
  for (uint64_t i = 1; i < row.size(); ++i) {
    if ((row[i] != row[1]) != (i % every == 0)) return 0;
  }
  return every < row.size() ? every : 0;
}

struct Seen {
  uint64_t falling = 0;                      // the longest period of what falls back once in it
  std::vector<std::vector<int64_t>> others;  // what repeats in another manner
  uint64_t other = 0;                        // the longest period of that
  // `ranks`: of the communicator, if the values are ranks; else 0.
  void add(const std::vector<int64_t>& row, int32_t ranks = 0) {
    if (row.empty()) return;
    const uint64_t period = period_of(row), n = row.size();
    if (period == 1 || period == n || n % period) return;
    const bool falls = period >= least_falling && falls_once(row, period) && !goes_round(row, period, ranks);
    (falls ? falling : other) = std::max(falls ? falling : other, period);
    if (!falls) others.push_back(row);
  }
  // What does not repeat with it.
  std::vector<const std::vector<int64_t>*> apart() const {
    std::vector<const std::vector<int64_t>*> found;
    for (const std::vector<int64_t>& row : others) {
      if (falling % period_of(row)) found.push_back(&row);
    }
    return found;
  }
  // Whether the row changes only where something falls back.
  bool stays_between(const std::vector<int64_t>& row) const {
    for (uint64_t i = 0; i < row.size(); ++i) {
      if (row[i] != row[i - i % falling]) return false;
    }
    return true;
  }
};

double median(std::vector<float>* values) {
  if (values->empty()) return 0;
  const auto middle = values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

using Measure = double IterationTime::*;
constexpr Measure measures[] = {&IterationTime::before_ns, &IterationTime::whole_ns};

// How time is spread over the places of a period, judging by the median of each: a busy machine delays any of them now
// and then.
struct Spread {
  uint64_t firsts = 0, others = 0;            // iterations that are known, at the first place and at the others
  uint64_t firsts_long = 0, others_long = 0;  // that take `factor` times as long as the longest other place's median
  double first_ns = 0, others_ns = 0;         // medians; `others_ns`: the sum of those of the others
  double next_ns = 0;                         // the longest of these
  bool everywhere = true;                     // each place is known
};

Spread spread_of(const std::vector<IterationTime>& times, Measure measure, uint64_t every, double factor) {
  Spread found;
  std::vector<std::vector<float>> all(every);
  for (const IterationTime& t : times) {
    if (t.number && t.*measure >= 0) all[t.number % every].push_back(static_cast<float>(t.*measure));
  }
  for (uint64_t k = 0; k < every; ++k) {
    const double usual = median(&all[k]);
    found.everywhere &= all[k].size() > 1;
    if (!k) {
      found.first_ns = usual;
    } else {
      found.others_ns += usual;
      found.next_ns = std::max(found.next_ns, usual);
    }
  }
  for (uint64_t k = 0; k < every; ++k) {
    (k ? found.others : found.firsts) += all[k].size();
    for (const double ns : all[k]) (k ? found.others_long : found.firsts_long) += ns > factor * found.next_ns;
  }
  return found;
}

// A look at two iterations of each period, which few numbers of iterations pass.
bool may_begin(const std::vector<IterationTime>& times, Measure measure, uint64_t every) {
  uint64_t periods = 0, longer = 0;
  for (size_t i = 0; i + 1 < times.size(); ++i) {
    if (times[i].number % every || times[i + 1].number != times[i].number + 1) continue;
    if (times[i].*measure < 0 || times[i + 1].*measure < 0) continue;
    ++periods;
    longer += times[i].*measure > 3 * times[i + 1].*measure;
  }
  return periods >= least_periods && 10 * longer >= 7 * periods;
}

// Nearly all computation comes before the first, nearly always.
bool nearly_all(const std::vector<IterationTime>& times, Measure measure, uint64_t every) {
  // Beyond what a loop's own instructions take; and beyond what ranks that run in turn on one core wait.
  const double least_ns = measure == &IterationTime::before_ns ? 2000 : 20000;
  if (!may_begin(times, measure, every)) return false;
  const Spread s = spread_of(times, measure, every, 3);
  return s.everywhere && s.firsts >= least_periods && 10 * s.firsts_long >= 8 * s.firsts &&
         20 * s.others_long <= s.others && s.first_ns >= s.others_ns && s.first_ns >= 4 * s.next_ns &&
         s.first_ns >= least_ns;
}

bool most_of_it(const std::vector<IterationTime>& times, Measure measure, uint64_t every) {
  const Spread s = spread_of(times, measure, every, 1.5);
  return s.everywhere && s.firsts >= least_periods && 10 * s.firsts_long >= 8 * s.firsts && s.first_ns >= 2 * s.next_ns;
}

}  // namespace

Repeat repeat_of(const LoopTree& tree, const InnerRows& rows, const std::vector<trace::Communicator>& communicators) {
  const auto ranks_of = [&](uint32_t number) { return number < communicators.size() ? communicators[number].size : 0; };
  Repeat found;
  bool first = true;
  uint64_t looked_at = 0;
  for (const auto& [sequence, times] : rows.entered) {
    if (tree.sequences.items(sequence) == 1) continue;
    const Row row(tree, sequence);
    looked_at += row.size();
    if (!row.size() || looked_at > most_evidence_calls) return {};
    Seen seen;
    for (size_t place = 0; place < row.places(); ++place) {
      seen.add(row.values(place, partner), ranks_of(row.communicator(place)));
      for (const unsigned aspect : {tag, count}) seen.add(row.values(place, aspect));
      seen.falling = std::max(seen.falling, jumps_every(row.values(place, jump)));
    }
    Seen whole;
    whole.add(row.contents());
    const uint64_t of_contents = std::max(whole.falling, whole.other);
    Repeat own{of_contents};
    if (seen.falling) {
      // The inner loop may go round several times in an iteration: three directions for each of several fields.
      const auto apart = seen.apart();
      const bool sure =
          std::all_of(apart.begin(), apart.end(), [&](const auto* row) { return seen.stays_between(*row); });
      own = {seen.falling, sure, !apart.empty()};
    }
    if (!first && own.every != found.every) return {};
    found = {own.every, own.sure && (first || found.sure), own.about || found.about};
    first = false;
  }
  return found;
}

namespace {

// Whether a way between two calls begins an iteration of the loop.
bool begins(Nest* nest, uint32_t loop, uint32_t from, uint32_t to) {
  const std::vector<uint32_t>& around = nest->around(to);
  const auto at = static_cast<size_t>(std::find(around.begin(), around.end(), loop) - around.begin());
  if (at == around.size()) return false;
  const Crossing& c = nest->crossing(from, to);
  const size_t entered = around.size() - c.enters;  // from this one on
  return at >= entered || (c.repeats && at + 1 == entered);
}

}  // namespace

std::vector<IterationTime> iteration_times(const trace::Stream& stream, uint32_t inner) {
  std::vector<IterationTime> found;
  Nest nest(stream);
  uint64_t begun = 0;
  const trace::Passed passed{[](const trace::Event&) {},
                             [&](uint32_t from, uint32_t to, uint64_t times) {
                               if (!found.empty() && found.back().number + 1 == begun) found.back().whole_ns = -1;
                               if (begins(&nest, inner, from, to)) begun += times;
                             }};
  const auto is_slow = [](const trace::TimedEvent& e) {
    return e.series->windows[e.window].kind == trace::SeriesKind::slowest;
  };
  trace::SeriesWalk walk(stream);
  trace::TimedEvent e;
  for (uint64_t calls = 0; calls < most_evidence_calls && walk.next_timed(&e, passed); ++calls) {
    if (e.event.run) continue;
    const bool goes_on = !found.empty() && found.back().number + 1 == begun;
    if (begins(&nest, inner, e.from, e.event.key.site)) {
      ++begun;
      if (!is_slow(e)) found.push_back({begun - 1, e.gap_ns, e.gap_ns + e.duration_ns});
    } else if (goes_on && found.back().whole_ns >= 0) {
      found.back().whole_ns += e.gap_ns + e.duration_ns;
    }
  }
  if (!found.empty()) found.back().whole_ns = -1;
  return found;
}

bool begins_late(const std::vector<IterationTime>& times, uint64_t every) {
  return std::any_of(std::begin(measures), std::end(measures), [&](Measure m) { return most_of_it(times, m, every); });
}

uint64_t computes_every(const std::vector<IterationTime>& times, uint64_t divisor) {
  for (const Measure measure : measures) {
    // Every other iteration may wait long by chance: ranks that share a core take turns.
    for (uint64_t every = least_falling; every <= divisor / least_periods; ++every) {
      if (divisor % every == 0 && nearly_all(times, measure, every)) return every;
    }
  }
  return 0;
}

}  // namespace leadline::structure
