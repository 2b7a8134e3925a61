/* Faces as runs of blocks, whatever described them, and their packing. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* A layout while it is made: plain blocks in order, neighbouring ones already joined. */
typedef struct {
  Run* blocks;
  size_t used;
  size_t room;
  bool failed;
} Blocks;

static void add_block(Blocks* blocks, char* at, size_t bytes) {
  if (bytes == 0 || blocks->failed) return;
  if (blocks->used > 0) {
    Run* last = &blocks->blocks[blocks->used - 1];
    if (last->at + last->bytes == at) {
      last->bytes += bytes;
      return;
    }
  }
  if (blocks->used == blocks->room) {
    const size_t room = blocks->room == 0 ? 16 : 2 * blocks->room;
    Run* larger = realloc(blocks->blocks, room * sizeof *larger);
    if (larger == NULL) {
      blocks->failed = true;
      return;
    }
    blocks->blocks = larger;
    blocks->room = room;
  }
  blocks->blocks[blocks->used++] = (Run){at, bytes, 1, 0};
}

/* Equal blocks at equal distances become one run. */
static bool finish(Layout* layout, Blocks* blocks) {
  if (blocks->failed) {
    free(blocks->blocks);
    return false;
  }
  size_t runs = 0;
  size_t bytes = 0;
  for (size_t n = 0; n < blocks->used; ++n) {
    const Run block = blocks->blocks[n];
    Run* last = runs > 0 ? &blocks->blocks[runs - 1] : NULL;
    bytes += block.bytes;
    if (last != NULL && last->bytes == block.bytes &&
        (last->count == 1 || block.at == last->at + (ptrdiff_t)last->count * last->stride)) {
      if (last->count == 1) last->stride = block.at - last->at;
      ++last->count;
    } else {
      blocks->blocks[runs++] = block;
    }
  }
  Run* smaller = runs > 0 ? realloc(blocks->blocks, runs * sizeof *smaller) : NULL;
  layout->runs = smaller != NULL ? smaller : blocks->blocks;
  layout->n_runs = (int)runs;
  layout->bytes = bytes;
  return true;
}

static void add_strided(Blocks* blocks, char* at, const leadline_face* face, int dim, int dims, size_t bytes) {
  if (dim == dims) {
    add_block(blocks, at, bytes);
    return;
  }
  for (int n = 0; n < face->count[dim]; ++n) {
    add_strided(blocks, at + n * face->stride_bytes[dim], face, dim + 1, dims, bytes);
  }
}

bool layout_from_face(Layout* layout, const leadline_face* face) {
  if (face->dims < 0 || face->dims > LEADLINE_SEGMENTS_MAX_DIMS) return false;
  for (int d = 0; d < face->dims; ++d) {
    if (face->count[d] < 0) return false;
    if (face->count[d] == 0) return true;
  }
  if (face->first == NULL) return false;
  size_t bytes = face->element_bytes;
  int dims = face->dims;
  while (dims > 0 && (face->count[dims - 1] == 1 || face->stride_bytes[dims - 1] == (ptrdiff_t)bytes)) {
    bytes *= (size_t)face->count[--dims];
  }
  Blocks blocks = {0};
  add_strided(&blocks, face->first, face, 0, dims, bytes);
  return finish(layout, &blocks);
}

/* --- Datatypes ------------------------------------------------------------------------------------------------- */

static bool add_type(Blocks* blocks, char* at, MPI_Datatype type);

static ptrdiff_t extent_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

/* How the type was made. A library of MPI 4 ends the program if MPI_Type_get_envelope is asked about a type with large
 * counts; such a type is not looked into, which `n_types` of -1 says. */
static int combiner_of(MPI_Datatype type, int* n_integers, int* n_addresses, int* n_types) {
  int combiner;
#if MPI_VERSION >= 4
  MPI_Count integers, addresses, large_counts, types;
  MPI_Type_get_envelope_c(type, &integers, &addresses, &large_counts, &types, &combiner);
  *n_integers = (int)integers;
  *n_addresses = (int)addresses;
  *n_types = large_counts > 0 ? -1 : (int)types;
#else
  MPI_Type_get_envelope(type, n_integers, n_addresses, n_types, &combiner);
#endif
  return combiner;
}

/* True where the type is its bytes in order, without a gap: known of predefined types and of what is made of them. */
static bool is_plain(MPI_Datatype type, size_t* bytes) {
  MPI_Aint lower, extent;
  int size, integers, addresses, types;
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_size(type, &size);
  *bytes = (size_t)size;
  return combiner_of(type, &integers, &addresses, &types) == MPI_COMBINER_NAMED && lower == 0 && extent == size;
}

static bool add_repeated(Blocks* blocks, char* at, MPI_Datatype type, int count) {
  size_t bytes;
  if (is_plain(type, &bytes)) {
    add_block(blocks, at, bytes * (size_t)count);
    return true;
  }
  const ptrdiff_t extent = extent_of(type);
  for (int n = 0; n < count; ++n) {
    if (!add_type(blocks, at + n * extent, type)) return false;
  }
  return true;
}

static bool add_vector(Blocks* blocks, char* at, MPI_Datatype type, int count, int length, ptrdiff_t stride) {
  for (int n = 0; n < count; ++n) {
    if (!add_repeated(blocks, at + n * stride, type, length)) return false;
  }
  return true;
}

/* integers: dims, then sizes, parts and starts of each, and the order. */
static bool add_subarray(Blocks* blocks, char* at, MPI_Datatype type, const int* integers) {
  const int dims = integers[0];
  const int *sizes = integers + 1, *parts = sizes + dims, *starts = parts + dims;
  const bool first_fastest = integers[1 + 3 * dims] == MPI_ORDER_FORTRAN;
  int* index = calloc((size_t)dims, sizeof *index);
  if (index == NULL) return false;
  const ptrdiff_t extent = extent_of(type);
  const int fastest = first_fastest ? 0 : dims - 1;
  const int step = first_fastest ? 1 : -1;
  bool fine = true, more = true;
  while (fine && more) {
    ptrdiff_t offset = 0, width = 1;
    for (int n = 0, d = fastest; n < dims; ++n, d += step) {
      offset += (starts[d] + index[d]) * width;
      width *= sizes[d];
    }
    fine = add_repeated(blocks, at + offset * extent, type, parts[fastest]);
    more = false;
    for (int n = 1, d = fastest + step; n < dims && !more; ++n, d += step) {
      more = ++index[d] < parts[d];
      if (!more) index[d] = 0;
    }
  }
  free(index);
  return fine;
}

static bool add_made(Blocks* blocks, char* at, int combiner, const int* i, const MPI_Aint* a, const MPI_Datatype* t) {
  bool fine = true;
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return add_type(blocks, at, t[0]);
    case MPI_COMBINER_CONTIGUOUS:
      return add_repeated(blocks, at, t[0], i[0]);
    case MPI_COMBINER_VECTOR:
      return add_vector(blocks, at, t[0], i[0], i[1], i[2] * extent_of(t[0]));
    case MPI_COMBINER_HVECTOR:
      return add_vector(blocks, at, t[0], i[0], i[1], a[0]);
    case MPI_COMBINER_INDEXED:
      for (int n = 0; n < i[0] && fine; ++n) {
        fine = add_repeated(blocks, at + i[1 + i[0] + n] * extent_of(t[0]), t[0], i[1 + n]);
      }
      return fine;
    case MPI_COMBINER_HINDEXED:
      for (int n = 0; n < i[0] && fine; ++n) fine = add_repeated(blocks, at + a[n], t[0], i[1 + n]);
      return fine;
    case MPI_COMBINER_INDEXED_BLOCK:
      for (int n = 0; n < i[0] && fine; ++n) fine = add_repeated(blocks, at + i[2 + n] * extent_of(t[0]), t[0], i[1]);
      return fine;
    case MPI_COMBINER_HINDEXED_BLOCK:
      for (int n = 0; n < i[0] && fine; ++n) fine = add_repeated(blocks, at + a[n], t[0], i[1]);
      return fine;
    case MPI_COMBINER_STRUCT:
      for (int n = 0; n < i[0] && fine; ++n) fine = add_repeated(blocks, at + a[n], t[n], i[1 + n]);
      return fine;
    case MPI_COMBINER_SUBARRAY:
      return add_subarray(blocks, at, t[0], i);
    default:
      return false;
  }
}

static bool add_type(Blocks* blocks, char* at, MPI_Datatype type) {
  size_t bytes;
  if (is_plain(type, &bytes)) {
    add_block(blocks, at, bytes);
    return true;
  }
  int n_integers, n_addresses, n_types;
  const int combiner = combiner_of(type, &n_integers, &n_addresses, &n_types);
  if (combiner == MPI_COMBINER_NAMED || n_types < 0) return false; /* with a gap inside, as MPI_DOUBLE_INT */
  int* integers = calloc((size_t)n_integers + 1, sizeof *integers);
  MPI_Aint* addresses = calloc((size_t)n_addresses + 1, sizeof *addresses);
  MPI_Datatype* types = calloc((size_t)n_types + 1, sizeof *types);
  bool fine = integers != NULL && addresses != NULL && types != NULL;
  if (fine) {
    MPI_Type_get_contents(type, n_integers, n_addresses, n_types, integers, addresses, types);
    fine = add_made(blocks, at, combiner, integers, addresses, types);
    for (int n = 0; n < n_types; ++n) { /* those that are not predefined were made for us */
      int none;
      if (combiner_of(types[n], &none, &none, &none) != MPI_COMBINER_NAMED) MPI_Type_free(&types[n]);
    }
  }
  free(integers);
  free(addresses);
  free(types);
  return fine;
}

/* An address of null is MPI_BOTTOM: the type has absolute addresses then. */
bool layout_from_type(Layout* layout, void* address, int count, MPI_Datatype type) {
  Blocks blocks = {0};
  char* base = address == MPI_BOTTOM ? NULL : address;
  if (!add_repeated(&blocks, base, type, count)) {
    free(blocks.blocks);
    return false;
  }
  for (size_t n = 0; n < blocks.used; ++n) {
    if ((uintptr_t)blocks.blocks[n].at < 4096) blocks.failed = true; /* nothing is there */
  }
  return finish(layout, &blocks);
}

bool layout_append(Layout* whole, const Layout* part) {
  if (part->n_runs == 0) return true;
  Run* runs = realloc(whole->runs, (size_t)(whole->n_runs + part->n_runs) * sizeof *runs);
  if (runs == NULL) return false;
  whole->runs = runs;
  for (int n = 0; n < part->n_runs; ++n) {
    const Run run = part->runs[n];
    Run* last = whole->n_runs > 0 ? &runs[whole->n_runs - 1] : NULL;
    const bool follows = last != NULL && last->bytes == run.bytes && run.count == 1 &&
                         (last->count == 1 || run.at == last->at + (ptrdiff_t)last->count * last->stride);
    if (follows) {
      if (last->count == 1) last->stride = run.at - last->at;
      ++last->count;
    } else {
      runs[whole->n_runs++] = run;
    }
  }
  whole->bytes += part->bytes;
  return true;
}

void layout_free(Layout* layout) {
  free(layout->runs);
  *layout = (Layout){0};
}

/* --- Packing --------------------------------------------------------------------------------------------------- */

/* Lengths known to the compiler become single moves instead of calls. The counts are passed as values: what is stored
 * through a char pointer might otherwise change them. */
#define COPY_BLOCKS(LENGTH, TO_STEP, FROM_STEP)                                       \
  for (size_t n = 0; n < count; ++n) {                                                \
    memcpy(to + (ptrdiff_t)n * (TO_STEP), from + (ptrdiff_t)n * (FROM_STEP), LENGTH); \
  }                                                                                   \
  break;

static void pack_blocks(char* restrict to, const char* restrict from, size_t bytes, size_t count, ptrdiff_t stride) {
  switch (bytes) {
    case 4:
      COPY_BLOCKS(4, 4, stride)
    case 8:
      COPY_BLOCKS(8, 8, stride)
    case 16:
      COPY_BLOCKS(16, 16, stride)
    case 24:
      COPY_BLOCKS(24, 24, stride)
    case 32:
      COPY_BLOCKS(32, 32, stride)
    case 64:
      COPY_BLOCKS(64, 64, stride)
    default:
      COPY_BLOCKS(bytes, (ptrdiff_t)bytes, stride)
  }
}

static void unpack_blocks(char* restrict to, const char* restrict from, size_t bytes, size_t count, ptrdiff_t stride) {
  switch (bytes) {
    case 4:
      COPY_BLOCKS(4, stride, 4)
    case 8:
      COPY_BLOCKS(8, stride, 8)
    case 16:
      COPY_BLOCKS(16, stride, 16)
    case 24:
      COPY_BLOCKS(24, stride, 24)
    case 32:
      COPY_BLOCKS(32, stride, 32)
    case 64:
      COPY_BLOCKS(64, stride, 64)
    default:
      COPY_BLOCKS(bytes, stride, (ptrdiff_t)bytes)
  }
}

char* pack_layout(char* to, const Layout* layout) {
  for (int n = 0; n < layout->n_runs; ++n) {
    const Run* run = &layout->runs[n];
    pack_blocks(to, run->at, run->bytes, run->count, run->stride);
    to += run->bytes * run->count;
  }
  return to;
}

const char* unpack_layout(const Layout* layout, const char* from) {
  for (int n = 0; n < layout->n_runs; ++n) {
    const Run* run = &layout->runs[n];
    unpack_blocks(run->at, from, run->bytes, run->count, run->stride);
    from += run->bytes * run->count;
  }
  return from;
}

/* The part of a run between two of its bytes, block by block: of the run, or into `packed`. */
static void copy_part(const Run* run, size_t begin, size_t end, char* packed, bool into_run) {
  for (size_t at = begin; at < end;) {
    const size_t block = at / run->bytes, inside = at % run->bytes;
    const size_t rest = run->bytes - inside, bytes = rest < end - at ? rest : end - at;
    char* there = run->at + (ptrdiff_t)block * run->stride + inside;
    if (into_run) {
      memcpy(there, packed, bytes);
    } else {
      memcpy(packed, there, bytes);
    }
    packed += bytes;
    at += bytes;
  }
}

static char* copy_range(const Layout* layout, size_t begin, size_t end, char* packed, bool into_layout) {
  size_t first = 0; /* byte of the run, in the layout */
  for (int n = 0; n < layout->n_runs && first < end; ++n) {
    const Run* run = &layout->runs[n];
    const size_t bytes = run->bytes * run->count;
    const size_t from = begin > first ? begin - first : 0, to = end < first + bytes ? end - first : bytes;
    if (from < to) {
      copy_part(run, from, to, packed, into_layout);
      packed += to - from;
    }
    first += bytes;
  }
  return packed;
}

char* pack_range(char* to, const Layout* layout, size_t begin, size_t end) {
  if (begin == 0 && end == layout->bytes) return pack_layout(to, layout);
  return copy_range(layout, begin, end, to, false);
}

const char* unpack_range(const Layout* layout, size_t begin, size_t end, const char* from) {
  if (begin == 0 && end == layout->bytes) return unpack_layout(layout, from);
  return copy_range(layout, begin, end, (char*)(uintptr_t)from, true);
}
