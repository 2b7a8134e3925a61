#include "code/ending_calls.hpp"

#include <string.h>

#include "code/byte_at.hpp"
#include "code/imported_calls.hpp"
#include "code/x86_64.hpp"

namespace leadline::code {

namespace {

constexpr const char* names[] = {"exit",
                                 "_exit",
                                 "_Exit",
                                 "quick_exit",
                                 "abort",
                                 "pthread_exit",
                                 "__assert_fail",
                                 "__assert_perror_fail",
                                 "__stack_chk_fail",
                                 "__fortify_fail",
                                 "__chk_fail",
                                 "longjmp",
                                 "_longjmp",
                                 "siglongjmp",
                                 "__longjmp_chk",
                                 "err",
                                 "errx",
                                 "verr",
                                 "verrx",
                                 "_Unwind_Resume",
                                 "__cxa_throw",
                                 "__cxa_rethrow",
                                 "__cxa_bad_cast",
                                 "__cxa_bad_typeid",
                                 "__cxa_throw_bad_array_new_length",
                                 "_ZSt9terminatev",
                                 "_gfortran_stop_string",
                                 "_gfortran_stop_numeric",
                                 "_gfortran_error_stop_string",
                                 "_gfortran_error_stop_numeric",
                                 "_gfortran_runtime_error",
                                 "_gfortran_runtime_error_at",
                                 "_gfortran_os_error",
                                 "_gfortran_os_error_at"};

// std::__throw_bad_alloc() and its like.
bool throws(const char* name) { return strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_"); }

bool ends(const char* name) {
  if (!name) return false;
  for (const char* known : names) {
    if (name[0] == known[0] && strcmp(name, known) == 0) return true;
  }
  return throws(name);
}

bool may_return(const CodeMap& code, uint64_t address, unsigned depth);

template <class Find>
bool known_or(const CodeMap& code, uint64_t place, unsigned kind, Find find) {
  const int known = code.endings ? code.endings->find(place, kind) : -1;
  if (known >= 0) return known == 1;
  const bool never_returns = find();
  if (code.endings) code.endings->put(place, kind, never_returns);
  return never_returns;
}

// Whether the instruction goes through a slot to a routine that is known by name.
bool ends_by_name(const CodeMap& code, uint64_t address, uint64_t end) {
  const uint64_t slot = code.imported ? slot_of(address, end) : 0;
  return slot && known_or(code, slot, KnownEndings::slot, [&] { return ends(code.imported(code.self, slot)); });
}

bool leads_to_end(const CodeMap& code, uint64_t target, unsigned depth) {
  Range routine;
  if (!code.find(code.self, target, &routine)) return false;
  if (ends_by_name(code, target, routine.end)) return true;
  return routine.begin == target && depth > 0 && !may_return(code, target, depth - 1);
}

bool never(const CodeMap& code, uint64_t address, uint64_t end, const Instruction& i, unsigned depth) {
  if (!i.length || !i.target) return ends_by_name(code, address, end);
  return known_or(code, i.target, depth, [&] { return leads_to_end(code, i.target, depth); });
}

bool returns(uint64_t address, const Instruction& i) {
  return i.flow == Flow::leave && byte_at(address) != 0x0f && byte_at(address) != 0xf4;  // UD2, HLT
}

constexpr uint64_t most_bytes = 1024;  // of a routine that is examined: one that reports an error and ends the program

// Whether control may return from the address on. `past_calls`: even if only by way of calls and jumps elsewhere.
bool returns_from(const CodeMap& code, uint64_t address, const Range& range, unsigned depth, bool past_calls) {
  uint8_t seen[most_bytes] = {};
  uint16_t waiting[64];
  unsigned count = 0;
  waiting[count++] = static_cast<uint16_t>(address - range.begin);
  while (count) {
    uint64_t at = range.begin + waiting[--count];
    while (at < range.end && !seen[at - range.begin]) {
      seen[at - range.begin] = 1;
      const Instruction i = decode(at, range.end);
      if (!i.length || returns(at, i)) return true;
      const bool away = i.target && !range.has(i.target);  // into a part of it that was moved, or a tail call
      if (!past_calls && (away || i.flow == Flow::call || i.flow == Flow::unknown)) {
        if (i.flow != Flow::branch) break;
        at += i.length;
        continue;
      }
      if (i.flow == Flow::unknown) return true;
      const bool leads = i.flow == Flow::call || (i.flow == Flow::jump && past_calls);
      if (i.flow == Flow::leave || (leads && never(code, at, range.end, i, depth))) break;
      if (i.flow == Flow::branch || i.flow == Flow::jump) {
        if (away && (depth == 0 || may_return(code, i.target, depth - 1))) return true;
        if (count == sizeof(waiting) / sizeof(waiting[0])) return true;
        if (!away) waiting[count++] = static_cast<uint16_t>(i.target - range.begin);
      }
      if (i.flow == Flow::jump) break;
      at += i.length;
    }
  }
  return false;
}

// Most routines return without a call on some way: what they call needs no look then.
bool may_return(const CodeMap& code, uint64_t address, unsigned depth) {
  Range range;
  if (!code.find(code.self, address, &range) || range.end - range.begin > most_bytes) return true;
  return returns_from(code, address, range, depth, false) || returns_from(code, address, range, depth, true);
}

}  // namespace

bool never_returns(const CodeMap& code, uint64_t address, uint64_t end, const Instruction& call) {
  constexpr unsigned routines_deep = 2;
  return never(code, address, end, call, routines_deep);
}

}  // namespace leadline::code
