// Part of plainlog.c: calls that start, complete or give up requests.

static MPI_Request handles[most_live];

// Looks the requests up before the call, which may change them.
static void look_up(int n, const MPI_Request* requests) {
  if (n > most_live) abort();
  for (int i = 0; i < n; ++i) handles[i] = requests[i];
}

static Made* looked_up(int i, const MPI_Request* requests) {
  Made* one = find(requests + i, handles[i]);
  return one && one->active ? one : NULL;
}

static MPI_Status* status_at(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? NULL : statuses + i;
}

static void one_done(const char* name, int i, const MPI_Request* requests, MPI_Status* status) {
  Made* one = looked_up(i, requests);
  put("%s", name);
  if (one)
    put_completed(one, status), retire(one);
  else
    put(" null=1");
  end_line();
}

// Lists over the completed requests, in the order of `indices` (NULL: all).
static void many_done(const char* name, int n, int done, const int* indices, const MPI_Request* requests,
                      MPI_Status* statuses) {
  int found = 0;
  for (int i = 0; i < done; ++i) found += looked_up(indices ? indices[i] : i, requests) != NULL;
  put("%s requests=%d done=%d", name, n, found);
  for (int i = 0; i < done; ++i) {
    Made* one = looked_up(indices ? indices[i] : i, requests);
    if (!one) continue;
    put(" |");
    put_completed(one, status_at(statuses, i));
  }
  end_line();
  for (int i = 0; i < done; ++i) {
    Made* one = looked_up(indices ? indices[i] : i, requests);
    if (one) retire(one);
  }
}

static void nothing_done(const char* name) {
  put("%s nothing=1", name);
  end_poll();
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  TALLY(Wait);
  look_up(1, request);
  const int code = PMPI_Wait(request, status);
  one_done("MPI_Wait", 0, request, status == MPI_STATUS_IGNORE ? NULL : status);
  return code;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  TALLY(Test);
  look_up(1, request);
  const int code = PMPI_Test(request, flag, status);
  if (*flag)
    one_done("MPI_Test", 0, request, status == MPI_STATUS_IGNORE ? NULL : status);
  else
    nothing_done("MPI_Test");
  return code;
}

int MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) {
  TALLY(Waitall);
  look_up(n, requests);
  const int code = PMPI_Waitall(n, requests, statuses);
  many_done("MPI_Waitall", n, n, NULL, requests, statuses);
  return code;
}

int MPI_Testall(int n, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  TALLY(Testall);
  look_up(n, requests);
  const int code = PMPI_Testall(n, requests, flag, statuses);
  if (*flag)
    many_done("MPI_Testall", n, n, NULL, requests, statuses);
  else
    nothing_done("MPI_Testall");
  return code;
}

int MPI_Waitany(int n, MPI_Request* requests, int* index, MPI_Status* status) {
  TALLY(Waitany);
  look_up(n, requests);
  const int code = PMPI_Waitany(n, requests, index, status);
  if (*index == MPI_UNDEFINED)
    put("MPI_Waitany null=1"), end_line();
  else
    one_done("MPI_Waitany", *index, requests, status == MPI_STATUS_IGNORE ? NULL : status);
  return code;
}

int MPI_Testany(int n, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  TALLY(Testany);
  look_up(n, requests);
  const int code = PMPI_Testany(n, requests, index, flag, status);
  if (!*flag)
    nothing_done("MPI_Testany");
  else if (*index == MPI_UNDEFINED)
    put("MPI_Testany null=1"), end_line();
  else
    one_done("MPI_Testany", *index, requests, status == MPI_STATUS_IGNORE ? NULL : status);
  return code;
}

int MPI_Waitsome(int n, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  TALLY(Waitsome);
  look_up(n, requests);
  const int code = PMPI_Waitsome(n, requests, done, indices, statuses);
  many_done("MPI_Waitsome", n, *done == MPI_UNDEFINED ? 0 : *done, indices, requests, statuses);
  return code;
}

int MPI_Testsome(int n, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  TALLY(Testsome);
  look_up(n, requests);
  const int code = PMPI_Testsome(n, requests, done, indices, statuses);
  if (*done == 0)
    nothing_done("MPI_Testsome");
  else
    many_done("MPI_Testsome", n, *done == MPI_UNDEFINED ? 0 : *done, indices, requests, statuses);
  return code;
}

static void put_started(Made* one) {
  put(" made=%s age=%ld count=%ld size=%d", one->made, age(one), one->count, one->size);
  if (one->receives < 0)
    put(" peer=none");
  else
    put_rank("peer", one->partner, one->comm);
  put_tag("tag", one->tag);
  put(" comm=%d", one->comm_at);
  one->active = 1;
  one->ordinal = ++requests_made;
}

int MPI_Start(MPI_Request* request) {
  TALLY(Start);
  const int code = PMPI_Start(request);
  Made* one = find(request, *request);
  put("MPI_Start");
  if (one) put_started(one);
  end_line();
  return code;
}

int MPI_Startall(int n, MPI_Request* requests) {
  TALLY(Startall);
  const int code = PMPI_Startall(n, requests);
  put("MPI_Startall requests=%d", n);
  for (int i = 0; i < n; ++i) {
    Made* one = find(requests + i, requests[i]);
    if (one) put(" |"), put_started(one);
  }
  end_line();
  return code;
}

static void give_up(const char* name, MPI_Request* request) {
  Made* one = find(request, *request);
  put("%s", name);
  if (one)
    put(" made=%s age=%ld", one->made, age(one));
  else
    put(" null=1");
  end_line();
}

int MPI_Request_free(MPI_Request* request) {
  TALLY(Request_free);
  Made* one = find(request, *request);
  give_up("MPI_Request_free", request);
  if (one) *one = live[--live_count];
  return PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request* request) {
  TALLY(Cancel);
  give_up("MPI_Cancel", request);
  return PMPI_Cancel(request);
}
