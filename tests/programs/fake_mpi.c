// See fake_mpi.h. Nothing here orders one thread after another: what the recorder's threads share it must order itself.
#include "fake_mpi.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kept = 1 << 18, waiting = 8, freed_kept = 64 };

typedef struct {
  void* buffer;
  int bytes, source, tag, done, received;
  MPI_Comm comm;
} Receive;

typedef struct {
  MPI_Comm comm;
  int tag, bytes;
  char data[256];
} Message;

static Receive receives[kept];
static unsigned next_receive, next_comm = 2, next_errhandler = 1;
static int initialized, finalized, level;
static MPI_Comm_errhandler_function* handlers[16];
static int handler_in_use;
static _Thread_local Message unexpected[waiting];
static _Thread_local unsigned unexpected_first, unexpected_count;
static _Thread_local Receive* posted[waiting];
static _Thread_local unsigned posted_count;
static _Thread_local MPI_Comm freed[freed_kept];
static _Thread_local unsigned freed_count;

static int failed(MPI_Comm comm, int code) {
  const int handler = __atomic_load_n(&handler_in_use, __ATOMIC_RELAXED);
  if (handler) {
    handlers[handler](&comm, &code);
    return code;
  }
  fprintf(stderr, "fake MPI: error %d\n", code);
  _exit(70);
}

static int good_comm(MPI_Comm c) { return c == MPI_COMM_WORLD || c == MPI_COMM_SELF || (c & 0xff000000) == 0x84000000; }
static int type_bytes(MPI_Datatype t) { return (t & 0xff000000) == 0x4c000000 ? t >> 8 & 0xff : -1; }

static int wrong(int count, MPI_Datatype type, int partner, MPI_Comm comm) {
  if (!good_comm(comm)) return failed(comm, MPI_ERR_COMM);
  if (type_bytes(type) < 0) return failed(comm, MPI_ERR_TYPE);
  return count < 0 || partner > 0 ? failed(comm, MPI_ERR_ARG) : MPI_SUCCESS;
}

#define CHECK(count, type, partner, comm)                   \
  const int error_code = wrong(count, type, partner, comm); \
  if (error_code != MPI_SUCCESS) return error_code

static void fill(MPI_Status* status, int source, int tag, int bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  status->count_lo = bytes;
  status->count_hi_and_cancelled = 0;
}

static void hand_over(Receive* r, const void* data, int bytes, int tag) {
  r->received = bytes < r->bytes ? bytes : r->bytes;
  memcpy(r->buffer, data, (size_t)r->received);
  r->source = 0;
  r->tag = tag;
  r->done = 1;
}

static void deliver(const void* data, int bytes, int tag, MPI_Comm comm) {
  for (unsigned i = 0; i < posted_count; ++i) {
    Receive* r = posted[i];
    if (r->comm != comm || (r->tag != tag && r->tag != MPI_ANY_TAG)) continue;
    hand_over(r, data, bytes, tag);
    memmove(&posted[i], &posted[i + 1], (--posted_count - i) * sizeof *posted);
    return;
  }
  if (bytes > (int)sizeof unexpected->data || unexpected_count == waiting) return;
  Message* m = &unexpected[(unexpected_first + unexpected_count++) % waiting];
  m->comm = comm;
  m->tag = tag;
  m->bytes = bytes;
  memcpy(m->data, data, (size_t)bytes);
}

static void post(Receive* r) {
  for (unsigned i = 0; i < unexpected_count; ++i) {
    Message* m = &unexpected[(unexpected_first + i) % waiting];
    if (m->comm != r->comm || (m->tag != r->tag && r->tag != MPI_ANY_TAG)) continue;
    hand_over(r, m->data, m->bytes, m->tag);
    *m = unexpected[unexpected_first];
    unexpected_first = (unexpected_first + 1) % waiting;
    --unexpected_count;
    return;
  }
  if (posted_count < waiting) posted[posted_count++] = r;
}

#define EXPORT(type, name, ...)                                            \
  type PMPI_##name __VA_ARGS__;                                            \
  type MPI_##name __VA_ARGS__ __attribute__((weak, alias("PMPI_" #name))); \
  type PMPI_##name __VA_ARGS__

EXPORT(int, Init_thread, (int* argc, char*** argv, int wanted, int* provided)) {
  (void)argc, (void)argv;
  level = *provided = wanted;
  initialized = 1;
  return MPI_SUCCESS;
}
EXPORT(int, Init, (int* argc, char*** argv)) {
  int provided;
  return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}
EXPORT(int, Initialized, (int* flag)) { return *flag = initialized, MPI_SUCCESS; }
EXPORT(int, Finalized, (int* flag)) { return *flag = finalized, MPI_SUCCESS; }
EXPORT(int, Query_thread, (int* provided)) { return *provided = level, MPI_SUCCESS; }
EXPORT(int, Finalize, (void)) { return finalized = 1, MPI_SUCCESS; }
EXPORT(int, Abort, (MPI_Comm comm, int code)) {
  (void)comm;
  _exit(code);
}
EXPORT(int, Get_library_version, (char* text, int* length)) {
  strcpy(text, "MPICH Version: none, this is a fake for tests\n");
  return *length = (int)strlen(text), MPI_SUCCESS;
}
EXPORT(int, Comm_rank, (MPI_Comm comm, int* rank)) {
  if (!good_comm(comm)) return failed(comm, MPI_ERR_COMM);
  return *rank = 0, MPI_SUCCESS;
}
EXPORT(int, Comm_size, (MPI_Comm comm, int* size)) {
  const char* text = getenv("FAKE_SIZE");
  if (!good_comm(comm)) return failed(comm, MPI_ERR_COMM);
  return *size = text && comm != MPI_COMM_SELF ? atoi(text) : 1, MPI_SUCCESS;
}
EXPORT(int, Comm_test_inter, (MPI_Comm comm, int* flag)) { return (void)comm, *flag = 0, MPI_SUCCESS; }
EXPORT(int, Comm_remote_size, (MPI_Comm comm, int* size)) { return (void)comm, *size = 0, MPI_SUCCESS; }
EXPORT(int, Comm_group, (MPI_Comm comm, MPI_Group* group)) { return (void)comm, *group = 0x48000000, MPI_SUCCESS; }
EXPORT(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
  return (void)comm, *group = 0x48000000, MPI_SUCCESS;
}
EXPORT(int, Group_free, (MPI_Group * group)) { return *group = 0x08000000, MPI_SUCCESS; }
EXPORT(int, Group_translate_ranks, (MPI_Group a, int n, const int* from, MPI_Group b, int* to)) {
  (void)a, (void)b;
  for (int i = 0; i < n; ++i) to[i] = from[i];
  return MPI_SUCCESS;
}
EXPORT(int, Comm_dup, (MPI_Comm comm, MPI_Comm* made)) {
  if (!good_comm(comm)) return failed(comm, MPI_ERR_COMM);
  *made =
      freed_count ? freed[--freed_count] : (MPI_Comm)(0x84000000 | __atomic_fetch_add(&next_comm, 1, __ATOMIC_RELAXED));
  return MPI_SUCCESS;
}
EXPORT(int, Comm_free, (MPI_Comm * comm)) {
  if (!comm) return failed(MPI_COMM_WORLD, MPI_ERR_ARG);
  if (freed_count < freed_kept) freed[freed_count++] = *comm;
  return *comm = MPI_COMM_NULL, MPI_SUCCESS;
}
EXPORT(int, Comm_create_errhandler, (MPI_Comm_errhandler_function * f, MPI_Errhandler* made)) {
  handlers[next_errhandler] = f;
  return *made = (MPI_Errhandler)next_errhandler++, MPI_SUCCESS;
}
EXPORT(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler h)) {
  return (void)comm, __atomic_store_n(&handler_in_use, h, __ATOMIC_RELAXED), MPI_SUCCESS;
}
EXPORT(int, Type_size, (MPI_Datatype type, int* size)) {
  if (type_bytes(type) < 0) return failed(MPI_COMM_WORLD, MPI_ERR_TYPE);
  return *size = type_bytes(type), MPI_SUCCESS;
}
EXPORT(int, Type_get_extent, (MPI_Datatype type, long* lb, long* extent)) {
  return *lb = 0, *extent = type_bytes(type), MPI_SUCCESS;
}
EXPORT(int, Type_get_true_extent, (MPI_Datatype type, long* lb, long* extent)) {
  return *lb = 0, *extent = type_bytes(type), MPI_SUCCESS;
}
EXPORT(int, Type_get_envelope, (MPI_Datatype type, int* ints, int* addresses, int* types, int* combiner)) {
  return (void)type, *ints = *addresses = *types = 0, *combiner = 1, MPI_SUCCESS;
}
EXPORT(int, Type_get_name, (MPI_Datatype type, char* name, int* length)) {
  return *length = sprintf(name, "type %x", (unsigned)type), MPI_SUCCESS;
}

EXPORT(int, Send, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)) {
  CHECK(count, type, to, comm);
  if (to != MPI_PROC_NULL) deliver(data, count * type_bytes(type), tag, comm);
  return MPI_SUCCESS;
}
EXPORT(int, Isend,
       (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request)) {
  CHECK(count, type, to, comm);
  if (!request) return failed(comm, MPI_ERR_ARG);
  *request = 0x6c000000;  // as MPICH: one for all that are done
  return PMPI_Send(data, count, type, to, tag, comm);
}
EXPORT(int, Irecv,
       (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request)) {
  CHECK(count, type, from, comm);
  if (!request) return failed(comm, MPI_ERR_ARG);
  const unsigned slot = __atomic_fetch_add(&next_receive, 1, __ATOMIC_RELAXED) % kept;
  Receive* r = &receives[slot];
  r->buffer = buffer, r->bytes = count * type_bytes(type), r->source = from, r->tag = tag, r->comm = comm;
  r->done = r->received = 0;
  if (from != MPI_PROC_NULL) post(r);
  return *request = (MPI_Request)(0x98000000 | slot), MPI_SUCCESS;
}
EXPORT(int, Wait, (MPI_Request * request, MPI_Status* status)) {
  if (!request) return failed(MPI_COMM_WORLD, MPI_ERR_REQUEST);
  if ((*request & 0xff000000) == 0x98000000) {
    const Receive* r = &receives[*request & 0xffffff];
    fill(status, r->source, r->tag, r->received);
  } else {
    fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  }
  return *request = MPI_REQUEST_NULL, MPI_SUCCESS;
}
EXPORT(int, Recv, (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status)) {
  MPI_Request request;
  const int rc = PMPI_Irecv(buffer, count, type, from, tag, comm, &request);
  return rc ? rc : PMPI_Wait(&request, status);
}
EXPORT(int, Test, (MPI_Request * request, int* flag, MPI_Status* status)) {
  return *flag = 1, PMPI_Wait(request, status);
}
EXPORT(int, Waitall, (int n, MPI_Request* requests, MPI_Status* statuses)) {
  if (n < 0 || (n > 0 && !requests)) return failed(MPI_COMM_WORLD, MPI_ERR_ARG);
  for (int i = 0; i < n; ++i) {
    PMPI_Wait(&requests[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
  }
  return MPI_SUCCESS;
}
EXPORT(int, Waitany, (int n, MPI_Request* requests, int* index, MPI_Status* status)) {
  for (*index = 0; *index < n && requests[*index] == MPI_REQUEST_NULL;) ++*index;
  if (*index == n) return *index = -32766, MPI_SUCCESS;
  return PMPI_Wait(&requests[*index], status);
}
EXPORT(int, Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  return (void)from, (void)tag, (void)comm, (void)status, *flag = 0, MPI_SUCCESS;
}
EXPORT(int, Barrier, (MPI_Comm comm)) { return good_comm(comm) ? MPI_SUCCESS : failed(comm, MPI_ERR_COMM); }
EXPORT(int, Allreduce, (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  (void)op;
  CHECK(count, type, MPI_PROC_NULL, comm);
  memcpy(out, in, (size_t)(count * type_bytes(type)));
  return MPI_SUCCESS;
}
EXPORT(int, Alltoallv,
       (const void* in, const int* counts, const int* places, MPI_Datatype type, void* out, const int* out_counts,
        const int* out_places, MPI_Datatype out_type, MPI_Comm comm)) {
  (void)in, (void)places, (void)out, (void)out_places, (void)out_type;
  CHECK(0, type, MPI_PROC_NULL, comm);
  if (!counts || !out_counts) return failed(comm, MPI_ERR_ARG);
  return MPI_SUCCESS;
}
EXPORT(double, Wtime, (void)) { return (double)clock() / CLOCKS_PER_SEC; }
