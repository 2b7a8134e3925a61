// How often a thread was found at an address, before a call at which site.
#pragma once

#include "recorder/modules.hpp"
#include "recording/live.hpp"
#include "recording/position_map.hpp"

namespace leadline::recorder {

class SampleTable {
 public:
  void attach(trace::Table<trace::LiveSample> samples, trace::LiveSampling* state, Modules* modules);

  // site: its number, no_site if it is not known.
  void add(uint64_t address, uint32_t thread, uint32_t site);
  trace::LiveSampling& state() { return *state_; }

 private:
  trace::Table<trace::LiveSample> samples_;
  trace::LiveSampling* state_ = nullptr;
  Modules* modules_ = nullptr;
  trace::PositionMap map_;
};

}  // namespace leadline::recorder
