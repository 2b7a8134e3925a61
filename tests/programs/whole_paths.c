// Calls from deep down, out of recursions, on stacks of several kinds. Each is made by a routine of its own, and
// tests/recorder/test_whole_paths.py knows how the program came there.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define ALONE __attribute__((noinline, noclone))
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

#define SENDER(name)                                               \
  ALONE static void name(void) {                                   \
    static int word;                                               \
    MPI_Send(&word, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); \
    KEEP_FRAME();                                                  \
  }
SENDER(from_main)
SENDER(five_deep)
SENDER(sixty_deep)
SENDER(hundred_deep)
SENDER(thousand_deep)
SENDER(from_thread)
SENDER(from_coroutine)
SENDER(from_handler)
SENDER(without_tables)
SENDER(through_generated_code)
SENDER(through_libc)
SENDER(at_leaf)
SENDER(at_end)

ALONE static void dive(int depth, void (*send)(void)) {
  if (depth > 1) {
    dive(depth - 1, send);
  } else {
    send();
  }
  KEEP_FRAME();
}

// A path of its own to each of 2^depth leaves.
ALONE static void branch(int depth) {
  if (!depth) {
    at_leaf();
    KEEP_FRAME();
    return;
  }
  branch(depth - 1);
  KEEP_FRAME();
  branch(depth - 1);
  KEEP_FRAME();
}

ALONE static void* thread(void* unused) {
  from_thread();
  KEEP_FRAME();
  return unused;
}

static ucontext_t outside, inside;
static char coroutine_stack[1 << 18];

ALONE static void coroutine(void) {
  for (;;) {
    from_coroutine();
    swapcontext(&inside, &outside);
  }
}

static void make_coroutine(void) {
  getcontext(&inside);
  inside.uc_stack.ss_sp = coroutine_stack;
  inside.uc_stack.ss_size = sizeof(coroutine_stack);
  makecontext(&inside, coroutine, 0);
}

ALONE static void resume(void) {
  swapcontext(&outside, &inside);
  KEEP_FRAME();
}

ALONE static void handler(int number) {
  (void)number;
  from_handler();
  KEEP_FRAME();
}

static void handle_on_own_stack(void) {
  static char memory[1 << 18];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
}

ALONE static void interrupted_here(void) {
  raise(SIGUSR1);
  KEEP_FRAME();
}
ALONE static void interrupted_there(void) {
  raise(SIGUSR1);
  KEEP_FRAME();
}

// Calls its argument; no unwind table says how to get out of it.
void call_without_tables(void (*)(void));
__asm__(
    ".text\n"
    ".type call_without_tables, @function\n"
    "call_without_tables:\n"
    "  subq $8, %rsp\n"
    "  call *%rdi\n"
    "  addq $8, %rsp\n"
    "  ret\n");

ALONE static void call_generated_code(void (*function)(void)) {
  static const unsigned char code[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x08, 0xc3};  // the same
  void* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  memcpy(memory, code, sizeof(code));
  ((void (*)(void (*)(void)))memory)(function);
  KEEP_FRAME();
}

ALONE static int compare(const void* a, const void* b) {
  through_libc();
  KEEP_FRAME();
  return *(const int*)a - *(const int*)b;
}

static void after_main(void) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) {
    at_end();
    MPI_Finalize();
  }
}

int main(int argc, char** argv) {
  int provided = 0, two[] = {2, 1};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  atexit(after_main);
  make_coroutine();
  handle_on_own_stack();
  for (int round = 0; round < 3; ++round) {
    from_main();
    dive(5, five_deep);
    dive(60, sixty_deep);
    dive(100, hundred_deep);
    dive(1000, thousand_deep);
    branch(14);
    if (provided >= MPI_THREAD_SERIALIZED) {
      pthread_t id;
      pthread_create(&id, NULL, thread, NULL);
      pthread_join(id, NULL);
    }
    resume();
    interrupted_here();
    interrupted_there();
    call_without_tables(without_tables);
    call_generated_code(through_generated_code);
    qsort(two, 2, sizeof(*two), compare);
  }
  exit(0);
}
