// A program's own malloc: simple, and not to be entered while it is at work.
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { arena_bytes = 1 << 28, head = 16 };

static char arena[arena_bytes] __attribute__((aligned(16)));
static size_t used;
static int inside;

void* malloc(size_t n) {
  while (__atomic_exchange_n(&inside, 1, __ATOMIC_ACQUIRE)) {
  }
  const size_t want = (n + head + 15) & ~(size_t)15;
  char* p = used + want <= arena_bytes ? arena + used : NULL;
  if (p) used += want;
  __atomic_store_n(&inside, 0, __ATOMIC_RELEASE);
  if (!p) {
    errno = ENOMEM;
    return NULL;
  }
  *(size_t*)p = n;
  return p + head;
}
void free(void* p) { (void)p; }
void* calloc(size_t n, size_t size) {
  void* p = malloc(n * size);
  return p ? memset(p, 0, n * size) : NULL;
}
void* realloc(void* old, size_t n) {
  char* p = malloc(n);
  const size_t before = old ? *(size_t*)((char*)old - head) : 0;
  return p && old ? memcpy(p, old, before < n ? before : n) : p;
}
