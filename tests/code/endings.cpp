// Prints, for each of the routines below, whether the first call in it comes back, as the machine code says.
#include <cstdio>
#include <cstdlib>

#include "code/ending_calls.hpp"
#include "code/x86_64.hpp"
#include "recorder/call_paths/code_places.hpp"

using namespace leadline;

#define ROUTINE extern "C" __attribute__((noinline, noipa))

namespace {
volatile int on = 1;
}

ROUTINE void says_and_exits(const char* why) {
  std::fputs(why, stderr);
  std::exit(1);
}
ROUTINE void exits_perhaps(const char* why) {
  if (on) std::exit(1);
  std::fputs(why, stderr);
}
ROUTINE void exits_either_way(const char* why) {
  if (on) std::abort();
  says_and_exits(why);
}

ROUTINE int first_exit(int x) {
  if (x > on) std::exit(x);
  return x + on;
}
ROUTINE int first_abort(int) { std::abort(); }
ROUTINE int first_puts(int x) {
  if (x > on) std::puts("");
  return x + on;
}
ROUTINE int first_own(int x) {
  if (x > on) says_and_exits("");
  return x + on;
}
ROUTINE int first_own_perhaps(int x) {
  if (x > on) exits_perhaps("");
  return x + on;
}
ROUTINE int first_own_either_way(int x) {
  if (x > on) exits_either_way("");
  return x + on;
}

int main() {
  recorder::CodeSearch search;
  const auto find = [](void* self, uint64_t address, code::Range* range) {
    return static_cast<recorder::CodeSearch*>(self)->find(address, range);
  };
  const code::CodeMap map{find, recorder::find_import, &search, recorder::find_constants};
  code::KnownEndings endings;
  code::CodeMap remembering = map;
  remembering.endings = &endings;
  const struct {
    const char* name;
    int (*routine)(int);
  } all[] = {{"exit", first_exit},
             {"abort", first_abort},
             {"puts", first_puts},
             {"own", first_own},
             {"own perhaps", first_own_perhaps},
             {"own either way", first_own_either_way}};
  for (const auto& [name, routine] : all) {
    code::Range range;
    const auto begin = reinterpret_cast<uint64_t>(routine);
    if (!map.find(map.self, begin, &range)) return 1;
    for (uint64_t at = begin; at < range.end;) {
      const code::Instruction i = code::decode(at, range.end);
      if (!i.length) return 1;
      if (i.flow == code::Flow::call) {
        const bool never = code::never_returns(map, at, range.end, i);
        for (int time = 0; time < 2; ++time) {  // the second time it is known
          if (code::never_returns(remembering, at, range.end, i) != never) return 1;
        }
        std::printf("%s: %s\n", name, never ? "never returns" : "returns");
        break;
      }
      at += i.length;
    }
  }
}
