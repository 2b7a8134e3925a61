// The recorder's hook before work that takes so long that the thread may lose its core meanwhile.
#pragma once

namespace leadline::recording {

using LongWorkHook = void (*)();
inline constinit LongWorkHook before_long_work = nullptr;

inline void begin_long_work() {
  if (before_long_work) before_long_work();
}

}  // namespace leadline::recording
