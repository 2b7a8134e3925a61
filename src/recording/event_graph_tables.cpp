// Places the tables of an event graph, empties them, and measures how full they are.

#include "recording/event_graph.hpp"
#include "recording/token_tables.hpp"

namespace leadline::recording {

void EventGraph::attach(ThreadHeader* header, char* region, Backing backing, uint64_t* order_lost, uint64_t* coarse,
                        Turn turn) {
  h_ = header;
  turn_ = turn;
  order_lost_ = order_lost;
  coarse_ = coarse;
  const auto bytes = [&](TableState* state, size_t at, uint32_t size) {
    return ByteTable(state, region + at, size, backing, &stream_lost_);
  };
  positions_ = {&header->positions, region + thread_at::positions, capacity::positions, backing};
  raw_ = {&header->raw, region + thread_at::raw, capacity::positions, backing};
  folded_ = {&header->folded, region + thread_at::folded, capacity::positions, backing};
  amounts_ = {&header->amounts, region + thread_at::amounts, capacity::positions, backing};
  wild_ = {&header->wild, region + thread_at::wild, capacity::wild, backing};
  words_ = {&header->words, region + thread_at::words, capacity::words, backing};
  word_lists_ = {&header->word_lists, region + thread_at::word_lists, capacity::word_lists, backing};
  literals_ = bytes(&header->literals, thread_at::literals, capacity::literal_bytes);

  attach_tokens(&tokens_,
                {header->tokens, header->token_positions, thread_at::token_positions, header->token_literals,
                 thread_at::token_literals, &header->token_stream, thread_at::token_stream},
                region, backing, &stream_lost_);
  variations_.attach(
      &header->variation,
      {&header->variation_positions, region + thread_at::variation_positions, capacity::variation_positions, backing},
      bytes(&header->variation_literals, thread_at::variation_literals, capacity::literal_bytes));
  polls_.attach(header, region, backing, order_lost);
  loops_.attach(header, region, backing, {});
  series_.attach(header, region, backing, positions_, folded_, raw_, &loops_);
  backing.back(backing.self, region + thread_at::recent, region + thread_at::transitions);
  attach_tokens(&variations_.up(),
                {header->variation_tokens, header->variation_token_positions, thread_at::variation_token_positions,
                 header->variation_token_literals, thread_at::variation_token_literals, &header->variation_stream,
                 thread_at::variation_stream},
                region, backing, &stream_lost_);
}

void EventGraph::reset(bool unordered) {
  keep_transitions();
  series_.leave_generation();
  h_->left_site = site_before();
  h_->graph = GraphState{};
  h_->calls_before += calls_of(*h_);
  h_->steps = h_->repeats = h_->misses = 0;
  if (settle_at_ != UINT64_MAX) settle_at_ = quiet_steps;
  settle_limit_ = 4 * quiet_steps;
  __builtin_memset(recent_of(h_), 0, recent_positions * sizeof(uint32_t));
  h_->literal_repeats = 0;
  h_->previous_literal = trace::Key{};
  h_->unordered = unordered;
  h_->unusual = unordered ? unusual_irregular : 0u;
  map_.clear();
  word_map_.clear();
  positions_.clear();
  raw_.clear();
  folded_.clear();
  amounts_.clear();
  wild_.clear();
  words_.clear();
  word_lists_.clear();
  literals_.clear();
  tokens_.reset();
  variations_.reset();
  polls_.reset();
  stream_lost_ = 0;
  timed_site_ = UINT32_MAX;
  trace::Key nobody{};
  nobody.site = UINT32_MAX;
  nobody.value = poison;
  for (uint32_t i = 0; i < trace::first_position; ++i) create(nobody, trace::mode_times_only);
  words_.append_zeroed(1);
  word_lists_.append_zeroed(2);  // 0 and extra_nothing are no lists
  series_.reset();
}

uint32_t EventGraph::intern(const int64_t* words, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; ++i) hash = trace::mix(hash, static_cast<uint64_t>(words[i]));
  const uint32_t found = word_map_.find(hash);
  if (found && word_lists_[found].count == count &&
      __builtin_memcmp(&words_[word_lists_[found].first], words, count * sizeof(int64_t)) == 0) {
    return found;
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (h_->unordered && bytes_in_use() > room_ / 2) break;
    if (word_lists_.ensure(word_lists_.size() + 1) && words_.ensure(uint64_t{words_.size()} + count)) {
      const uint32_t first = words_.size();
      for (uint32_t i = 0; i < count; ++i) *words_.append() = words[i];
      *word_lists_.append() = trace::WordList{first, count};
      const uint32_t index = word_lists_.size() - 1;
      word_map_.put(hash, index);
      return index;
    }
    if (h_->unordered || count > capacity::words / 4) break;
    if (h_->unusual & unusual_polls) end_polls();
    turn_.full(turn_.self);
  }
  __atomic_fetch_add(coarse_, 1, __ATOMIC_RELAXED);
  return 0;
}

uint64_t EventGraph::bytes_in_use() const {
  uint64_t tokens = 0, literals = h_->literals.used + h_->variation_literals.used + h_->poll_literals.used;
  for (uint32_t i = 0; i < trace::levels; ++i) {
    tokens += h_->token_positions[i].used + h_->variation_token_positions[i].used + h_->poll_token_positions[i].used;
    literals += h_->token_literals[i].used + h_->variation_token_literals[i].used + h_->poll_token_literals[i].used;
  }
  return positions_.size() * bytes_per_position + tokens * sizeof(TokenPosition) + literals +
         h_->variation_positions.used * sizeof(VariationPosition) + h_->words.used * sizeof(int64_t) +
         h_->token_stream.used + h_->variation_stream.used + h_->poll_stream.used +
         h_->poll_positions.used * sizeof(PollPosition) + h_->poll_sites.used * sizeof(PollSite);
}

}  // namespace leadline::recording
