// MPI_Pcontrol: pausing and resuming.
#include "recorder/files/files.hpp"
#include "recorder/wrappers/record.hpp"

namespace leadline::recorder {

void Recorder::pause(Ticks from) {
  const Locked locked(lock_);
  begin_pause(from);
}

void Recorder::begin_pause(Ticks from) {
  recording::LivePauses& pauses = header_->pauses;
  if (pauses.since) return;
  if (pauses.count < recording::LivePauses::kept) pauses.first[pauses.count] = {from, 0};
  ++pauses.count;
  pauses.since = from;
  set_recorded(false);
  pause_files(true);
}

void Recorder::resume(Ticks to) {
  const Locked locked(lock_);
  recording::LivePauses& pauses = header_->pauses;
  if (!pauses.since) return;
  const Ticks length = to > pauses.since ? to - pauses.since : 0;
  if (pauses.count <= recording::LivePauses::kept) pauses.first[pauses.count - 1].to = pauses.since + length;
  pauses.ticks += length;
  pauses.since = 0;
  // The time until a thread's next call begins now.
  Thread* own = own_thread();
  if (own) own->skip_to(to);
  for (uint32_t i = 0; i < thread_count_; ++i) {
    if (threads_[i] != own) __atomic_store_n(&threads_[i]->header->last_end, to, __ATOMIC_RELAXED);
  }
  drop_samples();
  set_recorded(true);
  pause_files(false);
}

// Levels as the standard has them: 0 switches recording off, 1 and 2 on; others are the program's own.
void record_pcontrol(Call& call) {
  const int32_t level = call.int_arg(0);
  if (level == 1 || level == 2) this_process.resume(call.begin);
  trace::Key key;
  if (begin_key(call, &key)) {
    key.peer = trace::peer_none;
    key.count = level;
    add_event(call, key);
  }
  // What was left out after the call is not the pause's.
  const Ticks last = call.thread.header->last_end;
  if (level == 0) this_process.pause(last > call.end ? last : call.end);
}

}  // namespace leadline::recorder
