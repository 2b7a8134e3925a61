#include "recorder/call_paths/call_path.hpp"

#include <string.h>
#include <sys/mman.h>

#include "host/readable_memory.hpp"
#include "recorder/call_paths/user_path.hpp"
#include "recorder/clocks/clock.hpp"
#include "recorder/library/file_functions.hpp"

namespace leadline::recorder {

namespace {

// The far slots of a spot are hashed in groups of as many. A group that is not full repeats the key's own slot.
constexpr unsigned far_group = 4;

// From this many sites on, recursion is folded: a path for each depth would fill the tables.
constexpr uint32_t many_sites = trace::capacity::sites / 16;

}  // namespace

// Too large for the stack of a thread that has hardly any.
struct CallPaths::Learning {
  CallStack stack;
  UserPath path;
  int32_t offset[CallStack::most];
  bool own_stack;      // the path lies on the stack that the thread was started with
  const void* thread;  // whose stack the spots are on
};

bool CallPaths::attach(recording::Table<recording::LiveSite> sites, recording::Table<recording::LiveContext> contexts,
                       Shared shared) {
  sites_ = sites;
  shared_ = shared;
  void* p = mmap(nullptr, memo_bytes + sizeof(Learning), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  char* at = static_cast<char*>(p);
  spots_ = reinterpret_cast<Spot*>(at);
  found_ = reinterpret_cast<Found*>(at += spots_bytes);
  far_ = reinterpret_cast<int32_t*>(at += found_bytes);
  learning_ = reinterpret_cast<Learning*>(at + far_bytes);
  // Site 0 stands for what could not be attributed.
  if (auto* none = sites_.append()) *none = {function_count, trace::context_unknown, 0};
  return contexts_.attach(contexts) && sites_.size() == 1;
}

void CallPaths::forget() {
  if (spots_ && madvise(spots_, memo_bytes, MADV_DONTNEED) != 0) memset(static_cast<void*>(spots_), 0, memo_bytes);
  far_map_.clear();
  far_used_ = 0;
}

// The thread library keeps a thread's data at the end of its stack: if the data are at the same address, so is the
// stack.
void CallPaths::belong_to_this_thread() {
#if defined(__x86_64__) || defined(__aarch64__)
  const void* const thread = __builtin_thread_pointer();
#else
  const void* const thread = nullptr;
#endif
  if (!thread || learning_->thread != thread) forget();
  learning_->thread = thread;
}

bool CallPaths::can_be_read(const Spot& s) const {
  host::ReadableMemory memory;
  const auto has = [&](int32_t offset) {
    return memory.has(s.frame + static_cast<uint64_t>(int64_t{offset}), sizeof(uint64_t));
  };
  for (unsigned i = 0; i < near_slots && i < s.slots; ++i) {
    if (!has(s.offset[i])) return false;
  }
  for (unsigned i = near_slots; i < s.slots; ++i) {
    if (!has(far_[s.far + i - near_slots])) return false;
  }
  return true;
}

bool CallPaths::find_on_passing_stack(Fn fn, Caller caller, uint32_t* site) {
  if (!any_on_passing_stack_) return false;
  const auto ret = reinterpret_cast<uint64_t>(caller.return_address);
  const auto frame = reinterpret_cast<uint64_t>(caller.frame);
  const Fn number = on_passing_stack(fn);
  const unsigned at = spot_of(ret, frame, number);
  for (unsigned i = 0; i < spot_choices; ++i) {
    const Spot& spot = spots_[at ^ i];
    if (!spot.is(ret, frame, number)) continue;
    if (!can_be_read(spot)) return false;
    const uint64_t hash = hash_of(spot) + region_word_;
    const Found& found = found_[found_at(hash)];
    if (hash != spot.last_hash && hash != found.hash) return false;
    *site = hash == spot.last_hash ? spot.last_site : found.site;
    return true;
  }
  return false;
}

// Four independent sums, which the processor computes in parallel.
__attribute__((noinline)) uint64_t CallPaths::hash_of_far(const Spot& s) const {
  static_assert(far_group == 4);
  const int32_t* offset = far_ + s.far;
  const int32_t* end = offset + (s.slots - near_slots);
  uint64_t a = s.word(offset[0]), b = s.word(offset[1]), c = s.word(offset[2]), d = s.word(offset[3]);
  for (offset += far_group; offset < end; offset += far_group) {
    a = a * factors[6] + s.word(offset[0]);
    b = b * factors[6] + s.word(offset[1]);
    c = c * factors[6] + s.word(offset[2]);
    d = d * factors[6] + s.word(offset[3]);
  }
  return a * far_factors[0] + b * far_factors[1] + c * far_factors[2] + d * far_factors[3];
}

uint32_t CallPaths::learn(Fn fn, Caller caller) {
  uint32_t site = 0;
  if (find_on_passing_stack(fn, caller, &site)) return site;
  const Ticks begin = now();
  site = learn_site(fn, caller);
  any_on_passing_stack_ |= !learning_->own_stack;
  keep(learning_->own_stack ? fn : on_passing_stack(fn), caller, site);
  shared_.learnt(shared_.thread, now() - begin);
  return site;
}

// no_site: a layer's own call. The first `path.verified` frames of the stack identify the path.
uint32_t CallPaths::learn_site(Fn fn, Caller caller) {
  const bool files = is_file_function(fn);
  CallStack& stack = learning_->stack;
  UserPath& path = learning_->path;
  const auto address = reinterpret_cast<uint64_t>(caller.return_address);
  const bool taken = shared_.lock();
  const bool layer = shared_.modules->find(address).mpi_layer;
  stack.unwind(shared_.modules->unwinder(), address, reinterpret_cast<uint64_t>(caller.frame) - sizeof(void*));
  learning_->own_stack = shared_.modules->unwinder().on_own_stack();
  const bool own =
      layer && !files && !shared_.modules->layer_calls_for_user(address, traits[static_cast<int>(fn)].name);
  if (!own) path.find(stack, *shared_.modules, files, sites_.size() >= many_sites);
  shared_.unlock(taken);
  if (own) {
    path.verified = 1;
    return no_site;
  }
  // When the tables are full, one site without a path stands for all other calls of the function.
  uint32_t context = trace::context_unknown;
  const bool fits = sites_.size() + function_count < sites_.capacity() &&
                    contexts_.intern(path.frame, path.count, path.whole, &context);
  if (!fits) ++*shared_.unknown;
  return intern(fn, fits ? context : trace::context_unknown);
}

// Where the slots are that tell the path, as offsets from the frame address, which is below them all: they are on the
// caller's live stack. Frame 0 is the key's return address.
unsigned CallPaths::slots_to_compare(const void* frame) {
  const auto from = reinterpret_cast<uint64_t>(frame);
  unsigned n = 0;
  for (unsigned i = 1; i < learning_->path.verified; ++i) {
    learning_->offset[n++] = static_cast<int32_t>(learning_->stack.frames[i].slot - from);
  }
  return n;
}

// Number in far_ of a row of offsets, UINT32_MAX where there is no room.
uint32_t CallPaths::keep_far(const int32_t* offsets, unsigned count) {
  uint64_t hash = count;
  for (unsigned i = 0; i < count; ++i) hash = trace::mix(hash, static_cast<uint32_t>(offsets[i]));
  const unsigned room = (count + far_group - 1) / far_group * far_group;
  // Before each row its length.
  if (const uint32_t row = far_map_.find(hash)) {
    if (far_[row - 1] == static_cast<int32_t>(count) && memcmp(far_ + row, offsets, count * sizeof(*offsets)) == 0) {
      return row;
    }
  }
  if (far_used_ + 1 + room > far_capacity) return UINT32_MAX;
  far_[far_used_++] = static_cast<int32_t>(count);
  const uint32_t row = far_used_;
  for (unsigned i = 0; i < room; ++i) far_[row + i] = i < count ? offsets[i] : unused_slot;
  far_used_ += room;
  far_map_.put(hash, row);
  return row;
}

void CallPaths::keep(Fn fn, Caller caller, uint32_t site) {
  const auto ret = reinterpret_cast<uint64_t>(caller.return_address);
  const auto frame = reinterpret_cast<uint64_t>(caller.frame);
  Spot fresh{};
  fresh.ret = ret;
  fresh.frame = frame;
  fresh.fn = static_cast<uint16_t>(fn);
  fresh.slots = static_cast<uint16_t>(slots_to_compare(caller.frame));
  const int32_t* offset = learning_->offset;
  for (unsigned i = 0; i < near_slots; ++i) fresh.offset[i] = i < fresh.slots ? offset[i] : unused_slot;
  if (fresh.slots > near_slots) {
    fresh.far = keep_far(offset + near_slots, fresh.slots - near_slots);
    if (fresh.far == UINT32_MAX) {  // recursion of thousands of depths
      forget();
      fresh.far = keep_far(offset + near_slots, fresh.slots - near_slots);
    }
  }
  // Its own place if it has one, else the first free one, else that of the oldest.
  const unsigned at = spot_of(ret, frame, fn);
  Spot* spot = &spots_[at];
  for (unsigned i = 1; i < spot_choices && spot->ret && !spot->is(ret, frame, fn); ++i) {
    Spot* other = &spots_[at ^ i];
    if (!other->ret || other->is(ret, frame, fn) || other->salt < spot->salt) spot = other;
  }
  // Results from here remain valid if they are read from the same places.
  const bool same_places = spot->is(ret, frame, fn) && spot->slots == fresh.slots && spot->far == fresh.far &&
                           memcmp(spot->offset, fresh.offset, sizeof(fresh.offset)) == 0;
  fresh.salt = same_places ? spot->salt : ++last_salt_;
  fresh.last_hash = hash_of(fresh) + region_word_;
  fresh.last_site = site;
  *spot = fresh;
  found_[found_at(fresh.last_hash)] = {fresh.last_hash, site};
}

uint32_t CallPaths::intern(Fn fn, uint32_t context) {
  const auto function = static_cast<uint32_t>(fn);
  const uint64_t hash = trace::hash_of_pair(function | uint64_t{region_} << 32, context);
  const uint32_t found = map_.find(hash);
  if (found) {
    const recording::LiveSite& s = sites_[found];
    if (s.function == function && s.region == region_ && s.context == context) return found;
  }
  recording::LiveSite* s = sites_.append();
  if (!s) return 0;
  *s = {function, context, region_};
  const uint32_t index = sites_.size() - 1;
  map_.put(hash, index);
  return index;
}

}  // namespace leadline::recorder
