#include "recorder/call_paths/local_calls.hpp"

#include "recorder/clocks/clock.hpp"
#include "recorder/library/file_functions.hpp"
#include "recorder/memory/inside.hpp"

namespace leadline::recorder {

recording::LiveLocal* LocalCalls::learn(Fn fn, uint64_t ret) {
  const Inside inside;
  const Ticks begin = now();
  const bool taken = shared_.lock();
  const ModuleAddress m = shared_.modules->find(ret);
  const bool own = !is_file_function(fn) && m.mpi_layer &&
                   !shared_.modules->layer_calls_for_user(ret, traits[static_cast<int>(fn)].name);
  shared_.unlock(taken);
  recording::LiveLocal* local = own ? not_counted : entry(fn, m.known ? trace::frame_word(m.module, m.offset) : 0);
  cache_[slot(ret)] = {ret, local, fn};
  shared_.learnt(shared_.thread, now() - begin);
  return local;
}

recording::LiveLocal* LocalCalls::entry(Fn fn, uint64_t caller) {
  // The last quarter is for callers that do not fit: one entry per function.
  constexpr uint32_t size = recording::capacity::locals, by_caller = size / 4 * 3;
  static_assert(size - by_caller > first_file_function + file_function_count);
  uint32_t i = static_cast<uint32_t>(trace::hash_of_pair(caller, static_cast<uint64_t>(fn)) >> 32) % size;
  for (; place_[i]; i = (i + 1) % size) {
    recording::LiveLocal& l = table_[place_[i] - 1u];
    if (l.caller == caller && l.function == static_cast<uint32_t>(fn)) return &l;
  }
  if (caller && table_.size() >= by_caller) {
    ++*shared_.merged;
    return entry(fn, 0);
  }
  recording::LiveLocal* l = table_.append();
  if (!l) return &nowhere_;
  *l = {caller, 0, 0, static_cast<uint32_t>(fn), 0};
  place_[i] = static_cast<uint16_t>(table_.size());
  return l;
}

}  // namespace leadline::recorder
