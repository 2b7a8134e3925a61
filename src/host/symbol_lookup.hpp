// The dlsym after ours, and the entry that a preloaded library puts in front of it.
//
// Programs that look MPI's functions up (Python's ctypes, Julia, plug-ins, other tools' wrappers) are to get our
// wrappers, but must see everything else as they would without us (docs/decisions/0002-large-count-names.md):
//   * RTLD_DEFAULT and RTLD_NEXT mean something else for each caller. The dynamic linker answers these itself: our name
//     only has to be one that it finds (Exports::shown), and the caller's return address stays where it looks for it.
//   * What a handle stands for is the same for every caller. Our wrapper is handed out only if it calls the very
//     function that was found.
#pragma once

namespace leadline::host {

// The next dlsym after ours. Leadline's own look-ups use this one; it takes them for its caller.
using LookUp = void* (*)(void* handle, const char* name);
LookUp next_dlsym();

// The function behind ours in the process as it is now, nullptr if there is no MPI library that we know (real.cpp).
void* function_behind(const char* name);

// What the MPI library itself has under this name, nullptr if there is none.
void* found_in_library(const char* name);

// What the entry does: returns `result`, or goes on in `go_on` as if it had been called instead, if that is not null.
struct LookUpAnswer {
  void* result;
  LookUp go_on;
};

// MPI_x or PMPI_x. Without strncmp(): sanitizers look names up while theirs stands in front and is not ready yet.
// Inlined, since another file's copy of it may be a sanitizer's.
[[gnu::always_inline]] inline bool is_mpi_name(const char* name) {
  if (*name == 'P') ++name;
  return name[0] == 'M' && name[1] == 'P' && name[2] == 'I' && name[3] == '_';
}

}  // namespace leadline::host

// Defines dlsym(), which asks `answer` (extern "C" LookUpAnswer(void* handle, const char* name)).
#if defined(__x86_64__)
#define LEADLINE_DLSYM_ENTRY(answer) \
  __asm__(                           \
      ".text\n"                      \
      ".p2align 4\n"                 \
      ".globl dlsym\n"               \
      ".type dlsym, @function\n"     \
      "dlsym:\n"                     \
      ".cfi_startproc\n"             \
      "endbr64\n"                    \
      "push %rdi\n"                  \
      ".cfi_adjust_cfa_offset 8\n"   \
      "push %rsi\n"                  \
      ".cfi_adjust_cfa_offset 8\n"   \
      "sub $8, %rsp\n"               \
      ".cfi_adjust_cfa_offset 8\n"   \
      "call " #answer                \
      "\n"                           \
      "add $8, %rsp\n"               \
      ".cfi_adjust_cfa_offset -8\n"  \
      "pop %rsi\n"                   \
      ".cfi_adjust_cfa_offset -8\n"  \
      "pop %rdi\n"                   \
      ".cfi_adjust_cfa_offset -8\n"  \
      "test %rdx, %rdx\n"            \
      "jz 1f\n"                      \
      "jmp *%rdx\n"                  \
      "1: ret\n"                     \
      ".cfi_endproc\n"               \
      ".size dlsym, . - dlsym\n")
#elif defined(__aarch64__)
#define LEADLINE_DLSYM_ENTRY(answer) \
  __asm__(                           \
      ".text\n"                      \
      ".p2align 4\n"                 \
      ".globl dlsym\n"               \
      ".type dlsym, %function\n"     \
      "dlsym:\n"                     \
      ".cfi_startproc\n"             \
      "hint #34\n" /* bti c */       \
      "stp x29, x30, [sp, #-32]!\n"  \
      ".cfi_adjust_cfa_offset 32\n"  \
      ".cfi_rel_offset x29, 0\n"     \
      ".cfi_rel_offset x30, 8\n"     \
      "mov x29, sp\n"                \
      "stp x0, x1, [sp, #16]\n"      \
      "bl " #answer                  \
      "\n"                           \
      "mov x16, x1\n"                \
      "cbz x16, 1f\n"                \
      "ldp x0, x1, [sp, #16]\n"      \
      "1: ldp x29, x30, [sp], #32\n" \
      ".cfi_adjust_cfa_offset -32\n" \
      ".cfi_restore x29\n"           \
      ".cfi_restore x30\n"           \
      "cbz x16, 2f\n"                \
      "br x16\n"                     \
      "2: ret\n"                     \
      ".cfi_endproc\n"               \
      ".size dlsym, . - dlsym\n")
#else  // look-ups bypass us
#define LEADLINE_DLSYM_ENTRY(answer)
#endif
