#include "recorder/samples/sample_table.hpp"

#include "recorder/call_paths/call_path.hpp"

namespace leadline::recorder {

void SampleTable::attach(recording::Table<recording::LiveSample> samples, recording::LiveSampling* state,
                         Modules* modules) {
  samples_ = samples;
  state_ = state;
  modules_ = modules;
}

void SampleTable::add(uint64_t address, uint32_t thread, uint32_t site) {
  const ModuleAddress at = modules_->find(address);
  const uint64_t frame = at.known ? trace::frame_word(at.module, at.offset) : trace::frame_of_no_module;
  const uint32_t before = site == no_site ? 0 : site + 1;
  const uint64_t hash = trace::mix(trace::mix(frame, before), thread);
  if (const uint32_t known = map_.find(hash)) {
    recording::LiveSample& s = samples_[known];
    if (s.frame == frame && s.site == before && s.thread == thread) {
      ++s.count;
      return;
    }
  }
  if (!samples_.size()) samples_.append_zeroed(1);  // number 0 is none
  recording::LiveSample* s = samples_.append();
  if (!s) {
    ++state_->no_room;
    return;
  }
  *s = {frame, thread, before, 1};
  map_.put(hash, samples_.size() - 1);
}

}  // namespace leadline::recorder
