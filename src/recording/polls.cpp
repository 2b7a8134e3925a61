#include "recording/polls.hpp"

#include "recording/token_tables.hpp"

namespace leadline::recording {

void Polls::attach(ThreadHeader* header, char* region, Backing backing, uint64_t* order_lost) {
  h_ = header;
  order_lost_ = order_lost;
  sites_ = {&header->poll_sites, region + thread_at::poll_sites, capacity::sites, backing};
  graph_.attach(
      &header->poll_runs,
      {&header->poll_positions, region + thread_at::poll_positions, capacity::poll_positions, backing},
      {&header->poll_literals, region + thread_at::poll_literals, capacity::poll_literal_bytes, backing, &lost_});
  attach_tokens(
      &graph_.up(),
      {header->poll_tokens, header->poll_token_positions, thread_at::poll_token_positions, header->poll_token_literals,
       thread_at::poll_token_literals, &header->poll_stream, thread_at::poll_stream},
      region, backing, &lost_);
}

// Most programs never poll: the graph gets its first storage for the first run of polls.
void Polls::reset() {
  const uint64_t before = h_->polls.bytes_before + bytes();
  h_->polls = PollCounts{};
  h_->polls.bytes_before = before;
  h_->poll_runs = GraphState{};
  h_->poll_sites.used = h_->poll_positions.used = h_->poll_literals.used = h_->poll_stream.used = 0;
  for (uint32_t i = 0; i < trace::levels; ++i) {
    h_->poll_tokens[i] = GraphState{};
    h_->poll_token_positions[i].used = h_->poll_token_literals[i].used = 0;
  }
  map_.clear();
  __builtin_memset(recent_, 0, sizeof(recent_));
}

uint32_t Polls::find(uint32_t site) {
  const uint64_t hash = trace::mix(0x3711, site);
  uint32_t number = map_.find(hash);
  if (!number || sites_[number - 1].site != site) {
    number = sites_.size() + 1;
    if (!sites_.ensure(number)) {
      __atomic_fetch_add(order_lost_, 1, __ATOMIC_RELAXED);  // of all threads
      return 0;
    }
    PollSite& p = sites_[number - 1];
    __builtin_memset(static_cast<void*>(&p), 0, sizeof(p));
    p.site = site;
    sites_.append();
    map_.put(hash, number);
  }
  return recent_[site & (recent_sites - 1)] = number;
}

// The approximate size of the places in the file.
uint64_t Polls::bytes() const {
  uint64_t n = 4 * h_->poll_positions.used + h_->poll_literals.used + h_->poll_stream.used;
  for (uint32_t i = 0; i < trace::levels; ++i)
    n += 4 * h_->poll_token_positions[i].used + h_->poll_token_literals[i].used;
  return n;
}

bool Polls::end_run(uint64_t room) {
  PollCounts& p = h_->polls;
  const uint64_t polls = p.run, events = events_of(*h_);
  p.ended += polls;
  p.run = 0;
  if (h_->unordered || !polls) return false;
  if (lost_ || p.bytes_before + bytes() > room) {
    ++p.dropped;
    return false;
  }
  if (!h_->poll_positions.used) graph_.reset();
  const auto magnitude = static_cast<uint32_t>(63 - __builtin_clzll(polls));
  graph_.add(
      {events - p.last_kept, p.run_first, magnitude < trace::largest_magnitude ? magnitude : trace::largest_magnitude});
  p.last_kept = events;
  ++p.kept;
  return true;
}

}  // namespace leadline::recording
