/* Frames that no compiler makes, on the way to MPI_Barrier: rules of the unwind tables that are legal and lead nowhere,
   machine code without tables, stacks of the program's own.   odd_frames CASE */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))

typedef void (*Routine)(void);

static int barriers;

NOINLINE void meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  ++barriers;
  __asm__ volatile("");
}

/* What an interpreter that compiles as it runs may call: a loop of 40 barriers. */
NOINLINE void steps(void) {
  for (int i = 0; i < 40; ++i) meet();
}

#ifdef __x86_64__
/* A routine NAME(value, routine) with the value in rbx, that calls the routine; RULES are its unwind rules then. */
#define ODD(NAME, RULES)                                               \
  void NAME(uintptr_t value, Routine routine);                         \
  __asm__(".text\n.globl " #NAME "\n.type " #NAME ",@function\n" #NAME \
          ":\n.cfi_startproc\n"                                        \
          "push %rbx\n.cfi_adjust_cfa_offset 8\n"                      \
          ".cfi_offset rbx, -16\nmov %rdi, %rbx\n" RULES               \
          "\ncall *%rsi\n"                                             \
          ".cfi_def_cfa rsp, 16\n.cfi_restore rip\n"                   \
          "pop %rbx\n.cfi_adjust_cfa_offset -8\n"                      \
          "ret\n.cfi_endproc\n.size " #NAME ", .-" #NAME "\n")

ODD(frame_in_rbx, ".cfi_def_cfa rbx, 16");
ODD(frame_in_lost_register, ".cfi_def_cfa rax, 16");
ODD(frame_below, ".cfi_def_cfa rsp, -4096");
ODD(frame_here, ".cfi_def_cfa rsp, 0");
ODD(frame_far, ".cfi_def_cfa rsp, 0x7fffff00");
ODD(return_far, ".cfi_offset rip, 0x40000000");
ODD(return_in_rbx, ".cfi_register rip, rbx");
/* DW_CFA_def_cfa_expression: what rbx points to; DW_CFA_expression: the return address where rbx points. */
ODD(frame_behind_rbx, ".cfi_escape 0x0f, 3, 0x73, 0, 0x06");
ODD(return_behind_rbx, ".cfi_escape 0x10, 16, 2, 0x73, 0");
/* An expression that jumps back for ever, one that takes from nothing, one that is cut, one that divides. */
ODD(endless, ".cfi_escape 0x0f, 4, 0x30, 0x2f, 0xfc, 0xff");
ODD(empty, ".cfi_escape 0x0f, 1, 0x22");
ODD(cut, ".cfi_escape 0x0f, 1, 0x0e");
ODD(divides, ".cfi_escape 0x0f, 3, 0x31, 0x30, 0x1b");
/* A register that does not exist. */
ODD(no_register, ".cfi_escape 0x0c, 99, 16");
/* The rules of the caller, from a state that was never remembered. */
ODD(not_remembered, ".cfi_escape 0x0b");

static void odd_rules(void) {
  static uintptr_t words[64];
  const size_t page = 4096;
  char* hole = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(hole + page, page);
  FILE* file = tmpfile(); /* mapped beyond its end: reading is a SIGBUS */
  char* beyond = mmap(NULL, page, PROT_READ, MAP_SHARED, fileno(file), 0);
  const uintptr_t values[] = {1,
                              0,
                              UINTPTR_MAX,
                              UINTPTR_MAX - 15,
                              (uintptr_t)1 << 63,
                              (uintptr_t)&words[32],
                              (uintptr_t)hole,
                              (uintptr_t)(hole + page),
                              (uintptr_t)beyond,
                              (uintptr_t)&page,
                              (uintptr_t)&page + 1,
                              (uintptr_t)&page + page,
                              0xffffffffff600000};
  void (*const odd[])(uintptr_t, Routine) = {
      frame_in_rbx,     frame_in_lost_register, frame_below, frame_here, frame_far, return_far, return_in_rbx,
      frame_behind_rbx, return_behind_rbx,      endless,     empty,      cut,       divides,    no_register,
      not_remembered};
  for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); ++i) {
    for (size_t k = 0; k < sizeof(values) / sizeof(*values); ++k) odd[i](values[k], meet);
  }
  munmap(hole, page);
  munmap(beyond, page);
  fclose(file);
}

/* What a just-in-time compiler writes: code that no table tells of. */
static void jitted(Routine routine) {
  static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3}; /* push mov call pop ret */
  void* room = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return routine();
  memcpy(room, code, sizeof(code));
  void (*run)(Routine) = (void (*)(Routine))(uintptr_t)room;
  for (int i = 0; i < 3; ++i) run(routine);
  munmap(room, 4096);
}
#else
static void odd_rules(void) { meet(); }
static void jitted(Routine routine) { routine(); }
#endif

static ucontext_t outside, fiber;

static void in_fiber(void) {
  for (int i = 0; i < 3; ++i) {
    meet();
    swapcontext(&fiber, &outside);
  }
}

static void run_fiber(void* stack, size_t bytes) {
  getcontext(&fiber);
  fiber.uc_stack.ss_sp = stack;
  fiber.uc_stack.ss_size = bytes;
  fiber.uc_link = &outside;
  makecontext(&fiber, in_fiber, 0);
  for (int i = 0; i < 4; ++i) swapcontext(&outside, &fiber);
}

/* On stacks of every kind; the last ones lie where longer ones were before. */
static void fibers(void) {
  enum { bytes = 1 << 18 };
  static char in_data[bytes];
  run_fiber(in_data, bytes);
  void* allocated = malloc(bytes);
  run_fiber(allocated, bytes);
  free(allocated);
  for (int i = 0; i < 4; ++i) {
    const size_t mapped = bytes >> (i & 1);
    char* stack = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    mprotect(stack, 4096, PROT_NONE);
    run_fiber(stack, mapped);
    munmap(stack, mapped);
  }
}

/* The second stack ends below where the first one's outermost frame was, and its call comes from the same frame. */
static size_t unused;

NOINLINE static void in_short_fiber(void) {
  char* more = __builtin_alloca(unused);
  __asm__ volatile("" ::"r"(more) : "memory");
  meet();
}

static void shortened_stacks(void) {
  enum { bytes = 1 << 18 };
  char* const stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t mapped = bytes; mapped >= bytes / 4; mapped /= 2) {
    if (mapped < bytes) munmap(stack + mapped, mapped);
    unused = mapped - bytes / 4;
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = mapped;
    fiber.uc_link = &outside;
    makecontext(&fiber, in_short_fiber, 0);
    swapcontext(&outside, &fiber);
  }
  munmap(stack, bytes / 4);
}

/* The frame's address is an expression in routines that align their stack. */
NOINLINE void aligned(int bytes) {
  char* more = __builtin_alloca((size_t)bytes);
  struct {
    char text[64];
  } __attribute__((aligned(64))) buffer;
  __asm__ volatile("" ::"r"(&buffer), "r"(more) : "memory");
  meet();
  __asm__ volatile("");
}

NOINLINE void calls_aligned(int bytes) {
  aligned(bytes);
  __asm__ volatile("");
}

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  if (strcmp(which, "rules") == 0) odd_rules();
  if (strcmp(which, "jit") == 0) jitted(meet);
  if (strcmp(which, "jit loop") == 0) jitted(steps);
  if (strcmp(which, "fibers") == 0) fibers();
  if (strcmp(which, "shortened") == 0) shortened_stacks();
  if (strcmp(which, "aligned") == 0) calls_aligned(100 * argc);
  MPI_Finalize();
  printf("%d barriers\n", barriers);
  return 0;
}
