#include "recorder/library/functions.hpp"

namespace leadline::recorder {

void* recorded_functions[function_count][4];

void set_recorded(bool recorded) {
  for (int f = 0; f < function_count; ++f) {
    for (int n = 0; n < 4; ++n) {
      __atomic_store_n(&recorded_functions[f][n], recorded ? real_functions[f][n] : nullptr, __ATOMIC_RELAXED);
    }
  }
}

}  // namespace leadline::recorder
