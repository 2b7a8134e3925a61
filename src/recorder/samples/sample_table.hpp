// How often a thread was found at an address, before a call at which site.
#pragma once

#include "recorder/call_paths/modules.hpp"
#include "recording/live.hpp"
#include "recording/position_map.hpp"

namespace leadline::recorder {

class SampleTable {
 public:
  void attach(recording::Table<recording::LiveSample> samples, recording::LiveSampling* state, Modules* modules);

  // site: its number, no_site if it is unknown.
  void add(uint64_t address, uint32_t thread, uint32_t site);
  recording::LiveSampling& state() { return *state_; }

 private:
  recording::Table<recording::LiveSample> samples_;
  recording::LiveSampling* state_ = nullptr;
  Modules* modules_ = nullptr;
  recording::PositionMap map_;
};

}  // namespace leadline::recorder
