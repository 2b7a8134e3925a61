#include "recorder/memory/inside.hpp"

namespace leadline::recorder {

thread_local constinit uint32_t inside_recorder = 0;

}  // namespace leadline::recorder
