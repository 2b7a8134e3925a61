// What exports of single calls have in common: the part of the run that is wanted, and the walk over its threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "analysis/profile.hpp"
#include "interchange/call_stream.hpp"
#include "interchange/matches.hpp"

namespace leadline::interchange {

struct Exported {
  uint64_t calls = 0, messages = 0, collectives = 0;
  uint64_t untimed = 0;    // calls that were left out because their times were not kept
  uint64_t unmatched = 0;  // ends of messages whose other end is not exported
};

class Exporting {
 public:
  Exporting(const analysis::Profile& profile, uint32_t loop, const Window& window)
      : profile_(profile), loop_(loop), window_(window), time_(profile.time()) {}

  // The calls of a process, thread after thread: those whose times were kept, or all of them. `leaves`: of its first
  // thread, to say which leaf a call is.
  using Each = std::function<void(size_t stream, const CallStream& call)>;
  void visit(const trace::Process& process, uint32_t index, bool timed, const Each& each, Exported* sums,
             const calls::Leaves& leaves = {}) const {
    walk(process, index, {timed, true, nullptr, leaves}, each, {}, sums);
  }

  // The first pass: once for each process, before anything is written. Returns the number of calls without times.
  // `timed` as for visit(); `seen` is told each end of a message.
  using Seen = std::function<void(const MessageEnd&)>;
  uint64_t scan(const trace::Process& process, uint32_t index, bool timed = true, const Seen& seen = {});
  void settle() { matches_.settle(); }

  const analysis::Profile& profile() const { return profile_; }
  const Matches& matches() const { return matches_; }
  size_t scanned() const { return scanned_; }  // processes
  bool whole() const { return window_.whole; }
  // The profile's number of a call site; UINT32_MAX: none.
  uint32_t site(uint32_t process, size_t stream, uint32_t site) const;

 private:
  // `ended`: told each thread's stream after its last call.
  void walk(const trace::Process& process, uint32_t index, CallStream::Options options, const Each& each,
            const std::function<void(const CallStream&)>& ended, Exported* sums) const;

  const analysis::Profile& profile_;
  uint32_t loop_;
  Window window_;
  analysis::RunTime time_;
  Matches matches_;
  std::map<uint32_t, OpenedFiles> opened_;  // by process, of those that were scanned
  size_t scanned_ = 0;
};

}  // namespace leadline::interchange
