/* Stands in for a device's runtime. Its "device memory" is memory of the host that it says the host must not touch, so
   that a library without support for devices can move it. */
#include <stdint.h>
#include <stdlib.h>

enum { most = 16 };
static char* begins[most];
static size_t lengths[most];
static int count, asked;

void* stand_in_allocate(size_t bytes) {
  begins[count] = malloc(bytes);
  lengths[count] = bytes;
  return begins[count++];
}

int stand_in_asked(void) { return asked; }

int cuPointerGetAttribute(void* value, int attribute, uint64_t address) {
  ++asked;
  for (int i = 0; i < count; ++i)
    if (address >= (uint64_t)begins[i] && address < (uint64_t)begins[i] + lengths[i]) {
      if (attribute == 2) return *(unsigned*)value = 2, 0; /* memory type: a device's */
      if (attribute == 8) return *(unsigned*)value = 0, 0; /* not managed */
      return 1;                                            /* no address of the host */
    }
  return 1; /* CUDA_ERROR_INVALID_VALUE */
}
