#include "collectives/node/team.hpp"

#include <string.h>

#include <new>

namespace leadline::collectives::node {

namespace {

constexpr int64_t budget_bytes = int64_t{256} << 20;  // of all segments of a process
std::atomic<int64_t> budget_used{0};

// Looks at a counter before the library is let go on: some ten microseconds. A `pause` between them would delay the
// answer.
constexpr int looks = 10'000;

bool has_budget(int64_t bytes) {
  if (budget_used.fetch_add(bytes, std::memory_order_relaxed) + bytes <= budget_bytes) return true;
  budget_used.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

void add_own_cores(Head* head) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof(mine), &mine) != 0) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) head->cores[cpu / 64].fetch_or(uint64_t{1} << cpu % 64, std::memory_order_relaxed);
}

int cores_of(const Head& head) {
  int sum = 0;
  for (const auto& word : head.cores) sum += __builtin_popcountll(word.load(std::memory_order_relaxed));
  return sum;
}

}  // namespace

std::unique_ptr<Team> Team::make(int rank, int processes, const int* node_of, const Meeting& meeting) {
  std::unique_ptr<Team> team(new (std::nothrow) Team);
  std::unique_ptr<Offer[]> offers(new (std::nothrow) Offer[static_cast<size_t>(processes)]);
  const auto node = [&](int of) { return node_of ? node_of[of] : 0; };
  int first = -1;
  for (int i = 0; team && i < processes; ++i) {
    if (node(i) != node(rank)) continue;
    if (first < 0) first = i;
    if (i < rank) ++team->rank_;
    ++team->size_;
  }
  const int64_t bytes = team ? bytes_for(team->size_) : 0;
  bool able = team && offers && team->size_ <= most_ranks && has_budget(bytes);
  const bool counts = able;
  if (able && team->rank_ == 0) able = team->segment_.make(bytes);
  const Offer mine = able ? team->segment_.offer() : Offer{};
  // Those that lack memory take part as well, so that nobody waits.
  if (!meeting.all_agree(meeting.state, able) ||
      !meeting.gather(meeting.state, &mine, offers.get(), static_cast<int>(sizeof(mine)))) {
    if (counts) budget_used.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  if (team->rank_ != 0) able = offers[first].bytes == bytes && team->segment_.open(offers[first]);
  if (able) add_own_cores(reinterpret_cast<Head*>(team->segment_.memory()));
  able = meeting.all_agree(meeting.state, able);
  team->segment_.close_file();
  if (!able) {
    budget_used.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  team->crowded_ = team->size_ > cores_of(*reinterpret_cast<Head*>(team->segment_.memory()));
  team->places_ = reinterpret_cast<Place*>(team->segment_.memory() + places_at);
  return team;
}

Team::~Team() {
  if (places_) budget_used.fetch_sub(bytes_for(size_), std::memory_order_relaxed);
}

bool Team::takes(const Means& means) { return means.extent > 0 && means.span + means.extent <= round_bytes / 2; }

Slot& Team::begin(const Means& means) {
  ++call_;
  if (call_ > slots && all_done_ + slots < call_) {
    const uint64_t least = call_ - slots;
    uint64_t all = UINT64_MAX;
    for (int i = 0; i < size_; ++i) {
      if (i == rank_) continue;
      wait_for(place(i).done, least, means);
      const uint64_t done = place(i).done.load(std::memory_order_acquire);  // may be later than waited for
      if (done < all) all = done;
    }
    all_done_ = all;
  }
  return own().slot[call_ % slots];
}

const Slot& Team::meet(int other, const Means& means) const {
  const Slot& slot = place(other).slot[call_ % slots];
  wait_for(slot.call, call_, means);
  return slot;
}

void Team::meet_all(int64_t bytes, const Means& means, int* error) const {
  for (int i = 1; i < size_; ++i) {
    const int told = error_of(meet((rank_ + i) % size_, means).bytes, bytes, means);
    if (told && !*error) *error = told;
  }
}

void Team::wait_longer(const Counter& counter, uint64_t least, const Means& means) const {
  for (int i = 0; i < looks && !crowded_; ++i)
    if (counter.load(std::memory_order_acquire) >= least) return;
  while (counter.load(std::memory_order_acquire) < least) {
    means.progress(means.state);
    if (crowded_) sched_yield();
  }
}

// A length that nobody has: longer or shorter than any.
void Team::fail(int code, const Means& means) {
  Slot& slot = begin(means);
  slot.bytes = code == means.truncated ? INT64_MAX : -1;
  publish(&slot);
  end();
}

int Team::run(const Work& work, const Means& means) {
  return facts_of(work.operation).reduces ? node::reduce(*this, work, means) : node::move(*this, work, means);
}

}  // namespace leadline::collectives::node
