#include "recorder/local_calls.hpp"

#include "recorder/files/functions.hpp"
#include "recorder/thread.hpp"

namespace leadline::recorder {

trace::LiveLocal* LocalCalls::learn(Fn fn, uint64_t ret) {
  const Inside inside;
  const bool taken = shared_.lock();
  const ModuleAddress m = shared_.modules->find(ret);
  const bool own =
      !is_file_function(fn) && m.mpi_layer && !Modules::layer_calls_for_user(ret, traits[static_cast<int>(fn)].name);
  shared_.unlock(taken);
  trace::LiveLocal* local = own ? not_counted : entry(fn, m.known ? trace::frame_word(m.module, m.offset) : 0);
  cache_[slot(ret)] = {ret, local, fn};
  return local;
}

trace::LiveLocal* LocalCalls::entry(Fn fn, uint64_t caller) {
  // The last quarter is for callers that do not fit: one entry per function.
  const uint32_t size = trace::capacity::locals, by_caller = size / 4 * 3;
  uint32_t i = static_cast<uint32_t>(trace::mix(caller, static_cast<uint64_t>(fn)) >> 32) % by_caller;
  for (uint32_t probes = 0; probes < 64; ++probes, i = (i + 1) % by_caller) {
    trace::LiveLocal& l = table_[i];
    if (l.caller == caller && l.function == static_cast<uint32_t>(fn) && l.taken) return &l;
    if (!l.taken) {
      l.caller = caller;
      l.function = static_cast<uint32_t>(fn);
      l.taken = 1;
      return &l;
    }
  }
  ++*shared_.merged;
  static_assert(trace::capacity::locals / 4 > first_file_function + file_function_count);
  trace::LiveLocal& l = table_[by_caller + static_cast<uint32_t>(fn)];
  l.function = static_cast<uint32_t>(fn);
  return &l;
}

}  // namespace leadline::recorder
