// The times of the calls of the slowest iterations.
//
// That an iteration was slow is known when it is over. Then the last eight visits' times of every position are still
// among the raw ones, those before are among the batches folded last, of which a ring is kept, and the ring of
// positions tells in which order they were visited: the iteration's calls are found from its end to its begin. An
// iteration that makes more calls than the rings hold keeps its time only.
#include "recording/iterations.hpp"
#include "recording/series_log.hpp"

namespace leadline::recording {

void SeriesLog::keep_slow(SlowIteration* slow, const IterationBegin& began, uint64_t first_call, uint64_t calls) {
  const uint64_t end_step = h_->steps - (loop().after ? 0 : 1);
  // True if every call is a step: no literal came twice in a row, no poll failed, nothing was out of order.
  const bool found = s_->mode == SeriesMode::sampling && loop().anchors == 1 && calls == end_step - began.step &&
                     calls <= trace::most_slow_entries && s_->long_calls <= most_long_calls;
  if (!found) return;
  const trace::Scratchpad<SeriesEntry> entries(calls);
  if (entries && find_times(began, calls, entries.get())) put_slow(slow, entries.get(), calls, first_call);
}

// So that it is memory of the process's own, in which nothing has to survive it.
void SeriesLog::keep_batches(bool on) {
  if (on && !batch_memory_) {
    void* p =
        mmap(nullptr, most_batches * sizeof(KeptBatch), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) batch_memory_ = static_cast<KeptBatch*>(p);
  }
  batches_ = on ? batch_memory_ : nullptr;
}

// The visits of each position from the last one back.
class SeriesLog::Visits {
 public:
  explicit Visits(const SeriesLog& log)
      : log_(log), met_(log.positions_.size()), batch_(log.positions_.size()), before_(most_batches + 1) {
    if (!*this || !log.batches_) return;
    const uint64_t end = log.batches_kept_, first = end > most_batches ? end - most_batches : 0;
    for (uint64_t i = first; i < end; ++i) {  // numbered from 1; 0 means none
      uint32_t& last = batch_[log.batches_[i & (most_batches - 1)].position];
      before_[(i & (most_batches - 1)) + 1] = last;
      last = static_cast<uint32_t>(i & (most_batches - 1)) + 1;
    }
  }
  explicit operator bool() const { return met_ && batch_ && before_; }

  bool back(uint32_t position, uint32_t* duration, uint32_t* gap) {
    const uint32_t visits = log_.positions_[position].visits, back = met_[position]++;
    const RawTimes* times = &log_.raw_[position];
    if (visits == anchor_mark) {  // only the last one is there
      *duration = times->duration[7];
      *gap = times->gap[7];
      return back == 0;
    }
    const uint32_t pending = visits & 7;
    if (back > pending && (back - pending) % 8 == 0) {
      batch_[position] = before_[batch_[position]];  // none stays none
    }
    if (back >= 8) {
      if (!batch_[position]) return false;
      times = &log_.batches_[batch_[position] - 1].times;
    }
    *duration = times->duration[(visits - 1 - back) & 7];
    *gap = times->gap[(visits - 1 - back) & 7];
    return true;
  }

 private:
  const SeriesLog& log_;
  trace::Scratchpad<uint32_t> met_, batch_, before_;
};

bool SeriesLog::find_times(const IterationBegin& began, uint64_t calls, SeriesEntry* into) const {
  Visits visits(*this);
  if (!visits) return false;
  uint32_t long_calls = s_->long_calls;
  for (uint64_t step = h_->steps; step-- > began.step;) {
    const uint32_t at = recent_of(h_)[step & (recent_positions - 1)];
    if (at < trace::first_position || at >= positions_.size()) return false;
    uint64_t duration = began.duration, gap = began.gap;
    if (step == began.step && !loop().after) {
      // The anchor, which has come again since: noted then.
    } else if (long_calls && s_->long_call[long_calls - 1].step == step) {
      duration = s_->long_call[--long_calls].duration;
      gap = s_->long_call[long_calls].gap;
    } else {
      uint32_t short_duration = 0, short_gap = 0;
      if (!visits.back(at, &short_duration, &short_gap)) return false;
      duration = short_duration;
      gap = short_gap;
    }
    if (const uint64_t i = step - began.step; i < calls) {
      into[i].position = at;
      into[i].duration = short_ticks(duration);
      into[i].gap = short_ticks(gap);
    }
  }
  return true;
}

// The iterations of a log that held everything and keeps only windows now.
void SeriesLog::keep_slow_of(const SeriesWindow& whole, const KeptWindows& kept) {
  SeriesLoop& l = loop();
  for (uint32_t i = 0; i < l.slow_count && l.anchors == 1; ++i) {
    const auto& [first, end] = kept.slow[i];
    if (end > first && end <= whole.entries && end - first <= trace::most_slow_entries) {
      put_slow(&l.slow[i], &entries_[whole.first_entry + first], end - first, whole.first_call + first);
    }
  }
}

// The slowest iterations get a quarter of the room for single calls; if they do not all fit, the slower ones stay.
void SeriesLog::put_slow(SlowIteration* slow, const SeriesEntry* entries, uint64_t n, uint64_t first_call) {
  const auto number = static_cast<size_t>(s_->current) * trace::most_slow + static_cast<size_t>(slow - loop().slow);
  slow->entries = 0;
  for (;;) {
    uint64_t used = 0;
    SlowIteration* least = nullptr;
    for (uint32_t l = 0; l < s_->loops; ++l) {
      for (uint32_t i = 0; i < s_->loop[l].slow_count; ++i) {
        SlowIteration& other = s_->loop[l].slow[i];
        used += other.entries;
        if (other.entries && (!least || other.ticks < least->ticks)) least = &other;
      }
    }
    if (used + n <= s_->limit / 4) break;
    if (!least || least->ticks >= slow->ticks) return;
    least->entries = 0;
  }
  char* into = region_ + thread_at::series_slow + number * thread_at::series_slow_size;
  const size_t bytes = pages(n * sizeof(SeriesEntry)), backed = slow_backed_[number] * page;
  if (bytes > backed) {
    if (!backing_.back(backing_.self, into + backed, into + bytes)) return;
    slow_backed_[number] = static_cast<uint16_t>(bytes / page);
  }
  __builtin_memcpy(into, entries, n * sizeof(SeriesEntry));
  slow->entries = static_cast<uint32_t>(n);
  slow->first_call = first_call;
}

}  // namespace leadline::recording
