#include "recorder/call_paths/contexts.hpp"

namespace leadline::recorder {

bool Contexts::attach(recording::Table<recording::LiveContext> table) {
  table_ = table;
  table_.append_zeroed(trace::first_context);
  return table_.size() == trace::first_context;
}

bool Contexts::intern(const uint64_t* frames, unsigned count, bool whole, uint32_t* context) {
  uint32_t at = whole ? trace::context_begin : trace::context_unknown;
  for (unsigned i = count; i-- > 0;) {
    at = child(at, frames[i]);
    if (!at) return false;
  }
  *context = at;
  return true;
}

uint32_t Contexts::child(uint32_t parent, uint64_t frame) {
  const uint64_t hash = trace::hash_of_pair(frame, parent);
  const uint32_t found = map_.find(hash);
  if (found && table_[found].parent == parent && table_[found].frame == frame) return found;
  recording::LiveContext* fresh = table_.append();
  if (!fresh) return 0;
  *fresh = {frame, parent, table_[parent].depth + 1};
  const uint32_t number = table_.size() - 1;
  map_.put(hash, number);
  return number;
}

}  // namespace leadline::recorder
