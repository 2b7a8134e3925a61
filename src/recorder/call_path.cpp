#include "recorder/call_path.hpp"

#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#include "recorder/files/functions.hpp"

namespace leadline::recorder {

namespace {

struct Unwound {
  uint64_t ret;  // the frame to begin with
  bool begun;
  unsigned count;
  unsigned limit;
  uint64_t address[16];
  uint64_t slot[16];
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* data) {
  auto* u = static_cast<Unwound*>(data);
  const uint64_t address = _Unwind_GetIP(context);
  if (!address) return _URC_END_OF_STACK;
  if (!u->begun && address != u->ret) return _URC_NO_REASON;
  u->begun = true;
  u->address[u->count] = address;
  // Here the context's frame address is that of the callee: the return address stands just below it.
  u->slot[u->count] = _Unwind_GetCFA(context) - sizeof(void*);
  return ++u->count == u->limit ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

bool CallPaths::attach(trace::Table<trace::LiveSite> sites, trace::Table<uint64_t> paths, Shared shared) {
  sites_ = sites;
  paths_ = paths;
  shared_ = shared;
  void* p = mmap(nullptr, memo_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return false;
  spots_ = static_cast<Spot*>(p);
  found_ = reinterpret_cast<Found*>(static_cast<char*>(p) + spots_bytes);
  paths_.append_zeroed(1);  // offset 0: no path
  // Site 0 stands for what could not be attributed.
  if (auto* none = sites_.append()) *none = {function_count, 0, 0};
  return paths_.size() == 1 && sites_.size() == 1;
}

void CallPaths::forget() {
  if (spots_ && madvise(spots_, memo_bytes, MADV_DONTNEED) != 0) memset(static_cast<void*>(spots_), 0, memo_bytes);
}

uint32_t CallPaths::learn(Fn fn, Caller caller) {
  Unwound u{};
  u.ret = reinterpret_cast<uint64_t>(caller.return_address);
  u.limit = is_file_function(fn) ? 16 : 12;  // beneath a language's run-time library
  _Unwind_Backtrace(take_frame, &u);
  if (!u.count) {  // no unwind information: the return address alone
    u.count = 1;
    u.address[0] = u.ret;
    u.slot[0] = reinterpret_cast<uint64_t>(caller.frame) - sizeof(void*);
  }

  uint64_t path[user_frames];
  uint32_t users = 0;
  unsigned kept = 0;
  uint32_t site = 0;
  const bool taken = shared_.lock();
  const ModuleAddress first = shared_.modules->find(u.address[0]);
  if (first.mpi_layer && !is_file_function(fn) &&
      !Modules::layer_calls_for_user(u.address[0], traits[static_cast<int>(fn)].name)) {
    site = no_site;
  }
  unsigned places[max_frames];  // of the frames whose return addresses tell the path
  for (unsigned i = 0; i < u.count && site != no_site && users < user_frames && kept < max_frames; ++i) {
    const ModuleAddress m = shared_.modules->find(u.address[i]);
    if (m.language_runtime && is_file_function(fn) && users == 0) continue;
    const bool layer = m.mpi_layer && users == 0;
    if (!layer && !m.known) break;
    places[kept++] = i;
    if (!layer) path[users++] = trace::frame_word(m.module, m.offset);
  }
  shared_.unlock(taken);
  if (site != no_site) site = intern(fn, path, users);

  const auto frame = reinterpret_cast<uint64_t>(caller.frame);
  // In its place if it has one, else in the free one of two, else in place of the one that was made first.
  const unsigned at = spot_of(u.ret, frame, fn);
  Spot* spot = &spots_[at];
  Spot* second = &spots_[at ^ 1];
  if (!spot->is(u.ret, frame, fn) &&
      (second->is(u.ret, frame, fn) || !second->ret || (spot->ret && second->salt < spot->salt))) {
    spot = second;
  }
  Spot fresh{};
  fresh.ret = u.ret;
  fresh.frame = frame;
  fresh.fn = static_cast<uint16_t>(fn);
  for (int32_t& offset : fresh.offset) offset = -static_cast<int32_t>(sizeof(void*));
  // Frame 0 is the key's return address. Only slots above the frame are compared: they are on the caller's live stack.
  for (unsigned k = 0; k < kept && fresh.frames < max_frames - 1; ++k) {
    const unsigned i = places[k];
    if (i == 0) continue;
    const uint64_t offset = u.slot[i] - frame;
    if (u.slot[i] < frame || offset > (64u << 20)) break;
    fresh.offset[fresh.frames++] = static_cast<int32_t>(offset);
  }
  // What was found from here with the same places to look at stays true.
  const bool same_places = spot->is(u.ret, frame, fn) && memcmp(spot->offset, fresh.offset, sizeof(fresh.offset)) == 0;
  fresh.salt = same_places ? spot->salt : ++last_salt_;
  fresh.last_hash = fresh.hash() + region_word_;
  fresh.last_site = site;
  *spot = fresh;
  found_[found_at(fresh.last_hash)] = {fresh.last_hash, site};
  return site;
}

uint32_t CallPaths::intern(Fn fn, const uint64_t* frames, uint32_t count) {
  uint64_t hash = trace::mix(static_cast<uint64_t>(fn) | uint64_t{region_} << 32, count);
  for (uint32_t i = 0; i < count; ++i) hash = trace::mix(hash, frames[i]);
  const uint32_t found = map_.find(hash);
  if (found) {
    const trace::LiveSite& s = sites_[found];
    if (s.function == static_cast<uint32_t>(fn) && s.region == region_ && paths_[s.path] == count &&
        memcmp(&paths_[s.path + 1], frames, count * sizeof(uint64_t)) == 0) {
      return found;
    }
  }
  // Beyond the table a site without a path stands for the rest of the function.
  const bool fits =
      sites_.size() + function_count < sites_.capacity() && paths_.ensure(uint64_t{paths_.size()} + count + 1);
  if (!fits) {
    ++*shared_.unknown;
    if (count) return intern(fn, nullptr, 0);
  }
  trace::LiveSite* s = sites_.append();
  if (!s) return 0;
  uint32_t path = 0;
  if (fits && count) {
    path = paths_.size();
    *paths_.append() = count;
    for (uint32_t i = 0; i < count; ++i) *paths_.append() = frames[i];
  }
  *s = {static_cast<uint32_t>(fn), path, region_};
  const uint32_t index = sites_.size() - 1;
  map_.put(hash, index);
  return index;
}

}  // namespace leadline::recorder
