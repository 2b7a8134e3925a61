// A plain log of MPI calls, the simplest tool that can be right: defines MPI_x, calls PMPI_x, and writes one line per
// call to PLAINLOG_DIR/<rank in MPI_COMM_WORLD>.log. What the recorder says is compared with it. Shares no code with
// the recorder and is compiled against each library's own mpi.h. Calls that touch no other rank are only counted; the
// totals of all functions stand at the end as `calls NAME NUMBER`. Polls that found nothing are written as run lengths.
//
// A line: NAME key=value ...   peer: rank of the partner minus own rank; `null`, `any`, `none`.  comm: ordinal, 0 is
// MPI_COMM_WORLD, 1 MPI_COMM_SELF, then in order of creation.  age: how many requests ago the completed one was made,
// 1 = the last; a persistent request is made again by each start, and of MPI_Start and of inactive ones it counts those
// created.  bytes: received, `?` where no status was passed.  One thread only.
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_names = 400, most_live = 4096, most_comms = 4096, line_room = 65536 };

static FILE* out;
static char line[line_room];
static int line_length;
static char last_poll[line_room];
static long last_poll_times;

// --- Totals ---------------------------------------------------------------------------------------------------------
static struct {
  const char* name;
  long calls;
} totals[most_names];
static int names;

static void tally(const char* name, int* slot) {
  if (*slot < 0) {
    *slot = names;
    totals[names++].name = name;
  }
  ++totals[*slot].calls;
}
#define TALLY(name)     \
  static int slot = -1; \
  tally("MPI_" #name, &slot)

// --- Lines ----------------------------------------------------------------------------------------------------------
static void put(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  line_length += vsnprintf(line + line_length, line_room - (size_t)line_length, format, arguments);
  va_end(arguments);
}

static void end_polls(void) {
  if (last_poll_times && out) fprintf(out, "%s times=%ld\n", last_poll, last_poll_times);
  last_poll_times = 0;
}

static void end_line(void) {
  end_polls();
  if (out) fprintf(out, "%s\n", line);
  line_length = 0;
}

// A poll that found nothing: kept until something else happens.
static void end_poll(void) {
  if (last_poll_times && strcmp(line, last_poll) != 0) end_polls();
  strcpy(last_poll, line);
  ++last_poll_times;
  line_length = 0;
}

// --- Communicators, windows and files -------------------------------------------------------------------------------
static MPI_Comm comms[most_comms];
static int comm_gone[most_comms];
static int comm_count;

static int comm_ordinal(MPI_Comm comm) {
  for (int i = comm_count - 1; i >= 0; --i)
    if (!comm_gone[i] && comms[i] == comm) return i;
  return -1;
}

static int new_ordinal(MPI_Comm comm) {
  comms[comm_count] = comm;
  return comm == MPI_COMM_NULL ? -1 : comm_count++;
}

static int own_rank(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

static int comm_size_of_partners(MPI_Comm comm) {
  int inter = 0, size = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter)
    PMPI_Comm_remote_size(comm, &size);
  else
    PMPI_Comm_size(comm, &size);
  return size;
}

static void put_comm(MPI_Comm comm) { put(" comm=%d", comm_ordinal(comm)); }

static void put_rank(const char* key, int partner, MPI_Comm comm) {
  if (partner == MPI_PROC_NULL)
    put(" %s=null", key);
  else if (partner == MPI_ANY_SOURCE)
    put(" %s=any", key);
  else
    put(" %s=%d", key, partner - own_rank(comm));
}

static void put_tag(const char* key, int tag) {
  if (tag == MPI_ANY_TAG)
    put(" %s=any", key);
  else
    put(" %s=%d", key, tag);
}

static int type_size(MPI_Datatype type) {
  int size = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return size;
}

static int status_bytes(MPI_Status* status) {
  int bytes = 0;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  return bytes;
}

// --- Requests -------------------------------------------------------------------------------------------------------
typedef struct {
  const MPI_Request* where;
  MPI_Request handle;
  long ordinal;  // among requests made; of an inactive persistent one among those created
  long created;
  const char* made;
  int receives, persistent, active;
  long count;
  int size, partner, tag;
  MPI_Comm comm;
  int comm_at;  // ordinal: the communicator may be freed before the request completes
  int rank;
} Made;

static Made live[most_live];
static int live_count;
static long requests_made, persistent_created;

static Made* make_one(const char* made, MPI_Request* request, int receives, int persistent, long count, int size,
                      int partner, int tag, MPI_Comm comm) {
  const int at = comm == MPI_COMM_NULL ? -1 : comm_ordinal(comm);
  Made one = {request, *request, 0, 0, made, receives, persistent, !persistent, count, size, partner, tag, comm, at, 0};
  if (at >= 0) one.rank = own_rank(comm);
  // A request variable written over without being completed is lost to the program: forget what was there.
  for (int i = 0; i < live_count; ++i)
    if (live[i].where == request && live[i].handle == *request) live[i] = live[--live_count];
  if (live_count == most_live) abort();
  live[live_count] = one;
  if (persistent)
    live[live_count].created = ++persistent_created;
  else
    live[live_count].ordinal = ++requests_made;
  return &live[live_count++];
}

static void make(const char* made, MPI_Request* request, int receives, long count, int size, int partner, int tag,
                 MPI_Comm comm) {
  make_one(made, request, receives, 0, count, size, partner, tag, comm);
}

static long age(const Made* one) {
  return one->active ? requests_made - one->ordinal + 1 : persistent_created - one->created + 1;
}

// Finished sends may share one handle, so the variable decides; a program may also have moved its requests.
static Made* find(const MPI_Request* where, MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return NULL;
  for (int i = live_count - 1; i >= 0; --i)
    if (live[i].where == where && live[i].handle == handle) return &live[i];
  for (int i = live_count - 1; i >= 0; --i)
    if (live[i].handle == handle) return &live[i];
  return NULL;
}

static void retire(Made* one) {
  one->active = 0;
  if (!one->persistent) *one = live[--live_count];
}

// Completed request `one` with what its status said (NULL: the program did not want to know).
static void put_completed(const Made* one, MPI_Status* status) {
  int partner = one->partner, tag = one->tag, cancelled = 0;
  put(" made=%s age=%ld count=%ld size=%d", one->made, age(one), one->count, one->size);
  // Of a request for a file, Open MPI 4 leaves it open whether it was cancelled.
  if (one->receives == 1 && status) {
    PMPI_Test_cancelled(status, &cancelled);
    if (!cancelled) partner = status->MPI_SOURCE, tag = status->MPI_TAG;
  }
  if (one->comm_at < 0 || one->receives < 0)
    put(" peer=none");
  else if (partner == MPI_PROC_NULL)
    put(" peer=null");
  else if (partner == MPI_ANY_SOURCE)
    put(" peer=any");
  else
    put(" peer=%d", partner - one->rank);
  put_tag("tag", partner == MPI_PROC_NULL ? one->tag : tag);
  put(" comm=%d", one->comm_at);
  if (cancelled)
    put(" cancelled=1");
  else if (one->receives == 1 && status)
    put(" bytes=%d", status_bytes(status));
  else if (one->receives == 1)
    put(" bytes=?");
}

#include "plainlog_collectives.h"
#include "plainlog_completions.h"
#include "plainlog_messages.h"
#include "plainlog_others.h"
