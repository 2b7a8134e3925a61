#include "recording/loop_profile.hpp"

#include <string.h>

namespace leadline::recording {

namespace {

bool marked(const uint8_t (&bits)[256], uint32_t function) {
  return function < 8 * sizeof(bits) && bits[function / 8] >> (function % 8) & 1;
}

// The iterations that the time of a loop that was followed is spread over, the one under way included; 0: unknown.
double effective_iterations(const SeriesLoop& loop, const StripBucket* buckets, uint64_t now) {
  constexpr double noise = trace::loop_noise_ns;  // ticks: precise enough
  double sum = 0, squares = 0;
  const auto add = [&](double ticks, double times) {
    sum += times * (ticks + noise);
    squares += times * (ticks + noise) * (ticks + noise);
  };
  if (loop.anchors != 1 || !loop.timed) return 0;
  for (uint32_t i = 0; i < loop.buckets && i < trace::most_buckets; ++i) {
    const StripBucket& b = buckets[i];
    if (!b.count) continue;
    const auto longest = static_cast<double>(b.max);
    const double others = static_cast<double>(b.sum) - longest, times = static_cast<double>(b.count) - 1;
    add(longest, 1);
    if (times > 0) add(others / times, times);
  }
  if (loop.running && now > loop.begin_ticks) add(static_cast<double>(now - loop.begin_ticks), 1);
  return squares > 0 ? sum * sum / squares : 0;
}

}  // namespace

void ThreadLoops::attach(ThreadHeader* header, char* region, Backing backing, const CodePlaces& places) {
  transitions.attach({&header->transitions, region + thread_at::transitions, capacity::transitions, backing});
  source.attach({{&header->contexts, region + thread_at::contexts, capacity::contexts, backing},
                 {&header->sites, region + thread_at::sites, capacity::sites, backing},
                 {&header->loops, region + thread_at::loops, capacity::loops, backing},
                 {&header->context_loops, region + thread_at::context_loops, capacity::context_loops, backing}},
                places);
  source.set_file_functions(reinterpret_cast<const SeriesState*>(region + thread_at::series)->files);
}

void ThreadLoops::attach_to_read(const char* region) {
  char* memory = const_cast<char*>(region);  // tables that can't grow are only read
  reading = true;
  attach(reinterpret_cast<ThreadHeader*>(memory), memory, {[](void*, char*, char*) { return false; }, nullptr}, {});
}

Crossing ThreadLoops::crossing(uint32_t number, uint32_t loop) {
  if (!number || number >= transitions.size()) return Crossing::none;
  Transition& t = transitions[number];
  if (t.seen_by == loop && !reading) return static_cast<Crossing>(t.crossing);
  const Crossing found = look_at_crossing(number, loop);
  if (!reading) t.seen_by = loop, t.crossing = static_cast<uint32_t>(found);
  return found;
}

Crossing ThreadLoops::look_at_crossing(uint32_t number, uint32_t loop) {
  const uint32_t repeats = repeated(number);
  const bool before = source.within(source.around(transitions[number].from), loop);
  const bool after = source.within(source.around(transitions[number].to), loop);
  if (!after) return before ? Crossing::ends : Crossing::none;
  // The loop itself repeats, or does so an enclosing loop: then the loop was entered again.
  return !before || source.within(loop, repeats) ? Crossing::begins : Crossing::none;
}

LoopProfile::LoopProfile(const ThreadHeader& header, const char* region, ThreadLoops* loops, uint32_t now)
    : loops_(loops), weights_(capacity::loops), times_(capacity::transitions) {
  if (!*this) return;
  count_transitions(header, region, now);
  const uint32_t transitions = loops->transitions.size();
  for (uint32_t i = 1; i < transitions; ++i) {
    if (!times_[i]) continue;
    const Transition t = loops->transitions[i];
    weigh(t.from, t.to, loops->repeated(i), times_[i]);
  }
  const auto* positions = reinterpret_cast<const Position*>(region + thread_at::positions);
  const auto* folded = reinterpret_cast<const FoldedTimes*>(region + thread_at::folded);
  const auto* raw = reinterpret_cast<const RawTimes*>(region + thread_at::raw);
  const auto* sites = reinterpret_cast<const LiveSite*>(region + thread_at::sites);
  const auto& series = *reinterpret_cast<const SeriesState*>(region + thread_at::series);
  const uint64_t count = header.positions.used < capacity::positions ? header.positions.used : capacity::positions;
  const uint64_t site_count = header.sites.used < capacity::sites ? header.sites.used : capacity::sites;
  for (uint32_t i = trace::first_position; i < count; ++i) {
    // The usual duration of all calls: the first may make a connection, and the machine may hold any of them up.
    uint32_t hist[trace::time_buckets];
    memcpy(hist, folded[i].hist, sizeof(hist));
    uint64_t ns = folded[i].gap_sum;
    const uint32_t visits = positions[i].visits;
    for (uint32_t v = visits < 8 ? i & 7 : 0; visits != anchor_mark && v < (visits & 7); ++v) {
      ns += raw[i].gap[v];  // ticks: precise enough for a handful of visits
      ++hist[trace::time_bucket(raw[i].duration[v])];
    }
    const uint64_t times = visits_of(positions[i], i, folded[i]);
    ns += trace::median_of(hist, times) * times;
    add_time(positions[i].key.site, ns, visits_of(positions[i], i, folded[i]), series, sites, site_count);
  }
  const auto* polls = reinterpret_cast<const PollSite*>(region + thread_at::poll_sites);
  for (uint64_t i = 0; i < header.poll_sites.used && i < capacity::sites; ++i) {
    add_time(polls[i].site, polls[i].folded.sum + polls[i].folded.gap_sum, 0, series, sites, site_count);
  }
  const auto* buckets = reinterpret_cast<const StripBucket*>(region + thread_at::series_buckets);
  for (uint32_t i = 0; i < series.loops && i < trace::most_loops; ++i) {
    const SeriesLoop& l = series.loop[i];
    const bool all = l.source && l.source < loops->source.count() && 2 * l.timed >= weights_[l.source].iterations();
    if (all)
      weights_[l.source].concentrated = effective_iterations(l, buckets + i * trace::most_buckets, header.last_end);
  }
}

void LoopProfile::count_transitions(const ThreadHeader& header, const char* region, uint32_t now) {
  const Transitions& transitions = loops_->transitions;
  for (uint32_t i = 1; i < transitions.size() && i < capacity::transitions; ++i) times_[i] = transitions[i].times;
  for_each_walked(header, region, [&](uint32_t from, uint32_t to, uint64_t times) {
    if (const uint32_t t = transitions.find(from, to)) times_[t] += times;
  });
  if (!times_[now]) times_[now] = 1;
}

void LoopProfile::weigh(uint32_t from, uint32_t to, uint32_t repeats, uint64_t times) {
  SourceLoops& source = loops_->source;
  if (repeats && repeats < capacity::loops) weights_[repeats].repeats += times;
  const uint32_t before = source.around(from);
  uint32_t depth = 0;
  for (uint32_t l = source.around(to); l && l != repeats && ++depth < 64; l = source[l].outer) {
    if (repeats ? source.within(l, repeats) : !source.within(before, l)) weights_[l].entries += times;
  }
}

void LoopProfile::add_time(uint32_t site, uint64_t ns, uint64_t calls, const SeriesState& series, const LiveSite* sites,
                           uint64_t site_count) {
  if (site >= site_count || !ns || marked(series.outside, sites[site].function)) return;
  all_.ns += static_cast<double>(ns);
  const bool mpi = !marked(series.files, sites[site].function);
  if (!mpi) calls = 0;
  all_.calls += calls;
  uint32_t depth = 0;
  for (uint32_t l = loops_->source.around(site); l && ++depth < 64; l = loops_->source[l].outer) {
    weights_[l].ns += static_cast<double>(ns);
    weights_[l].calls += calls;
    weights_[l].has_mpi |= mpi;
  }
}

uint32_t LoopProfile::outermost(uint32_t* into, uint32_t room) const {
  uint32_t n = 0;
  const auto add = [&](uint32_t l) {
    for (uint32_t i = 0; i < n; ++i) {
      if (into[i] == l) return;
    }
    if (n < room) into[n++] = l;
  };
  const auto could_be_main = [&](uint32_t l) {
    return weights_[l].iterations() >= trace::least_iterations_of_main_loop && weights_[l].has_mpi;
  };
  if (const uint32_t l = main()) add(l);
  for (uint32_t l = 1; l < count(); ++l) {
    if (!could_be_main(l)) continue;
    bool inside = false;
    for (uint32_t depth = 0, o = loops_->source[l].outer; o && ++depth < 64; o = loops_->source[o].outer) {
      inside |= could_be_main(o);
    }
    if (!inside) add(l);
  }
  for (uint32_t l = 1; l < count(); ++l) {
    if (could_be_main(l) && may_be_chosen_within(l)) add(l);
  }
  return n;
}

// Only once all ranks are compared, and all iterations are known, is it decided which loop of a nest makes the steps.
bool LoopProfile::may_be_chosen_within(uint32_t loop) const {
  const trace::LoopWeight& inner = weights_[loop];
  for (uint32_t depth = 0, o = loops_->source[loop].outer; o && ++depth < 64; o = loops_->source[o].outer) {
    const trace::LoopWeight& outer = weights_[o];
    if (outer.iterations() < trace::least_iterations_of_main_loop || !outer.has_mpi) continue;
    if (2 * inner.calls < outer.calls || 2 * inner.ns < outer.ns || inner.iterations() < outer.iterations())
      return false;
  }
  return true;
}

uint32_t LoopProfile::main() const {
  const auto within = [&](uint32_t a, uint32_t b) { return loops_->source.within(a, b); };
  const auto same_code = [&](uint32_t a, uint32_t b) { return loops_->source[a].header == loops_->source[b].header; };
  const auto outer = [&](uint32_t l) { return loops_->source[l].outer; };
  return trace::choose_main_loop(weights_.get(), count(), all_, outer, within, same_code);
}

}  // namespace leadline::recording
