#include "recorder/samples/sample_ring.hpp"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace leadline::recorder {

namespace {

// 4,096 samples: at a hundred a second, the thread may compute for 40 s between two calls.
constexpr size_t most_ring_pages = 16;

}  // namespace

int SampleRing::open(uint64_t period_ns) {
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = period_ns;
  attr.sample_type = PERF_SAMPLE_IP;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.watermark = 1;  // nobody waits to be woken
  attr.wakeup_watermark = UINT32_MAX;
  const long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  int error = 0;
  // The memory is locked, of which a user may have little.
  for (size_t pages = most_ring_pages; pages && !page_; pages /= 2) {
    void* p = mmap(nullptr, (pages + 1) * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(fd), 0);
    error = p == MAP_FAILED ? errno : 0;
    if (error) continue;
    page_ = static_cast<perf_event_mmap_page*>(p);
    data_offset_ = page_bytes;
    data_bytes_ = pages * page_bytes;
    tail_ = 0;
  }
  ::close(static_cast<int>(fd));  // the mapping keeps it alive, and programs that close all files do not meet it
  return error;
}

void SampleRing::close() {
  if (page_) munmap(page_, data_offset_ + data_bytes_);
  page_ = nullptr;
}

}  // namespace leadline::recorder
