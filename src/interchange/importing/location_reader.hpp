// The calls of one location, put together from its events, in their order.
//
// OTF2 describes a nonblocking receive or collective at its completion. A call that makes such a request is therefore
// held back until then, together with the calls after it. Their number is bounded, and so is their memory.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "interchange/importing/call.hpp"
#include "interchange/importing/translator.hpp"

namespace leadline::interchange::importing {

class LocationReader : public LocationEvents {
 public:
  LocationReader(ArchiveMap* map, RecordedProcess* process, RecordedThread* thread, Translator* translator,
                 Missing* missing)
      : map_(*map), process_(*process), thread_(*thread), translator_(*translator), missing_(*missing) {}

  void enter(uint64_t time, uint32_t region, const Attributes& with) override;
  void leave(uint64_t time, uint32_t region) override;
  void enter_context(uint64_t time, uint32_t context) override;
  void leave_context(uint64_t time, uint32_t context) override;
  void effect(uint64_t time, const Effect& effect) override;
  void finish();  // after the last event
  uint64_t calls() const { return calls_; }

 private:
  struct Frame {
    const Routine* routine;
    uint32_t context;  // that it was called from
    uint32_t region;   // the innermost named one
    uint32_t depth;
    uint64_t since;
  };
  static constexpr size_t most_waiting = size_t{1} << 16, most_frames = size_t{1} << 12;
  static constexpr size_t most_effects = size_t{1} << 20;  // of all that wait

  uint32_t context_of_call(const Routine& callee, uint32_t line) const;
  uint32_t context_of(uint32_t context, uint32_t* line);
  uint32_t context_made_in(uint32_t caller, const Routine& callee);
  void begin_call(uint64_t time, const Routine& routine, uint32_t context);
  void end_call(uint64_t time);
  void push(uint64_t time, const Routine& routine, uint32_t context);
  void pop(uint64_t time);
  void tell(const Effect& effect);
  void release(bool all);

  ArchiveMap& map_;
  RecordedProcess& process_;
  RecordedThread& thread_;
  Translator& translator_;
  Missing& missing_;
  std::vector<Frame> frames_;
  uint64_t deeper_ = 0;  // regions entered beyond `most_frames`
  uint64_t calls_ = 0;
  bool in_call_ = false;
  uint32_t nested_ = 0;  // regions within the call
  Call call_;
  std::deque<Call> waiting_;
  uint64_t first_ = 0;  // number of the first that waits
  size_t effects_ = 0;  // of those that wait
  struct Untold {
    uint64_t call;
    uint32_t effect;
  };
  std::unordered_map<uint64_t, Untold> untold_;      // by the request
  std::unordered_map<uint32_t, uint32_t> contexts_;  // OTF2's calling contexts: of the call in their parent
  std::unordered_map<uint64_t, uint32_t> made_in_;   // the same of calls: by calling context and region
};

}  // namespace leadline::interchange::importing
