// What unwinding must know of the processor: which registers a routine leaves as they were, by their numbers in the
// tables, and how to read them. Sources: System V ABI, AMD64 supplement, figure 3.36; DWARF for the Arm 64-bit
// architecture, section 4.1.
#pragma once

#include <cstdint>

namespace leadline::recorder {

struct Registers {
#if defined(__x86_64__)
  static constexpr unsigned count = 17, stack_pointer = 7, return_column = 16;
  static constexpr bool known_processor = true;
#elif defined(__aarch64__)
  static constexpr unsigned count = 32, stack_pointer = 31, return_column = 30;
  static constexpr bool known_processor = true;
#else
  static constexpr unsigned count = 1, stack_pointer = 0, return_column = 0;
  static constexpr bool known_processor = false;
#endif

  uint64_t value[count];
  uint64_t known;  // a bit for each
  uint64_t place;  // in the code

  bool has(unsigned number) const { return number < count && (known >> number & 1); }
  uint64_t sp() const { return value[stack_pointer]; }

  [[gnu::always_inline]] inline void read();
};

// Only what calls preserve: nothing else can be told of a routine further out.
[[gnu::always_inline]] inline void Registers::read() {
#if defined(__x86_64__)
  asm volatile(
      "movq %%rbx, 24(%1)\n\t"
      "movq %%rbp, 48(%1)\n\t"
      "movq %%rsp, 56(%1)\n\t"
      "movq %%r12, 96(%1)\n\t"
      "movq %%r13, 104(%1)\n\t"
      "movq %%r14, 112(%1)\n\t"
      "movq %%r15, 120(%1)\n\t"
      "leaq 0f(%%rip), %0\n"
      "0:"
      : "=&r"(place)
      : "r"(value)
      : "memory");
  known = 1u << 3 | 1u << 6 | 1u << 7 | 0xfu << 12;
#elif defined(__aarch64__)
  asm volatile(
      "stp x19, x20, [%1, #152]\n\t"
      "stp x21, x22, [%1, #168]\n\t"
      "stp x23, x24, [%1, #184]\n\t"
      "stp x25, x26, [%1, #200]\n\t"
      "stp x27, x28, [%1, #216]\n\t"
      "stp x29, x30, [%1, #232]\n\t"
      "mov %0, sp\n\t"
      "str %0, [%1, #248]\n\t"
      "adr %0, 0f\n"
      "0:"
      : "=&r"(place)
      : "r"(value)
      : "memory");
  known = 0xfff80000u;
#else
  known = 0;
  place = 0;
#endif
}

// A return address as it is in memory, without the signature that it may carry.
inline uint64_t plain_return_address(uint64_t stored) {
#if defined(__aarch64__)
  register uint64_t x30 asm("x30") = stored;
  asm("hint #7" : "+r"(x30));  // xpaclri
  return x30;
#else
  return stored;
#endif
}

}  // namespace leadline::recorder
