// Samples of where a thread computes. The kernel takes them by the thread's own time and writes them into memory that
// it shares with us; the thread itself reads them at its next call. No signal, no other thread, no open file.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

namespace leadline::recorder {

class SampleRing {
 public:
  // For the calling thread, every `period_ns` of its time in user mode. Returns 0, or errno if the system refuses.
  int open(uint64_t period_ns);
  void close();

  bool waiting() const { return page_ && __atomic_load_n(&page_->data_head, __ATOMIC_RELAXED) != tail_; }

  // Passes the addresses that wait to `each`; returns how many samples the kernel could not deliver.
  template <class F>
  uint64_t read(F each) {
    uint64_t lost = 0;
    if (!page_) return lost;
    const uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
    while (tail_ < head) {
      const uint64_t first = word(tail_);
      const auto type = static_cast<uint32_t>(first);
      const auto size = static_cast<uint16_t>(first >> 48);
      if (size < sizeof(perf_event_header) || size % sizeof(uint64_t)) {  // not as the kernel writes them
        tail_ = head;
        break;
      }
      if (type == PERF_RECORD_SAMPLE) each(word(tail_ + sizeof(uint64_t)));
      if (type == PERF_RECORD_LOST) lost += word(tail_ + 2 * sizeof(uint64_t));
      tail_ += size;
    }
    __atomic_store_n(&page_->data_tail, tail_, __ATOMIC_RELEASE);
    return lost;
  }

 private:
  uint64_t word(uint64_t at) const {
    const char* data = reinterpret_cast<const char*>(page_) + data_offset_;
    return *reinterpret_cast<const uint64_t*>(data + (at & (data_bytes_ - 1)));
  }

  perf_event_mmap_page* page_ = nullptr;
  uint64_t tail_ = 0;
  size_t data_offset_ = 0, data_bytes_ = 0;  // a power of two
};

}  // namespace leadline::recorder
