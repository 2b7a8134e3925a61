#include "recorder/samples/asked_rate.hpp"

#include <stdlib.h>

namespace leadline::recorder {

namespace {

constexpr uint64_t most_samples_a_second = 10000;

}  // namespace

uint64_t asked_rate() {
  const char* text = getenv("LEADLINE_SAMPLE");
  const uint64_t rate = text ? strtoull(text, nullptr, 10) : 0;
  return rate < most_samples_a_second ? rate : most_samples_a_second;
}

}  // namespace leadline::recorder
