// Part of plainlog.c: messages between two ranks.

#define SEND(name)                                                                                        \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm) { \
    TALLY(name);                                                                                          \
    const int code = PMPI_##name(buffer, count, type, partner, tag, comm);                                \
    put("MPI_" #name " count=%d size=%d", count, type_size(type));                                        \
    put_rank("peer", partner, comm), put_tag("tag", tag), put_comm(comm), end_line();                     \
    return code;                                                                                          \
  }
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

#define START(name, constness, receives, persistent)                                                        \
  int MPI_##name(constness void* buffer, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                                    \
    TALLY(name);                                                                                            \
    const int code = PMPI_##name(buffer, count, type, partner, tag, comm, request);                         \
    make_one("MPI_" #name, request, receives, persistent, count, type_size(type), partner, tag, comm);      \
    put("MPI_" #name " count=%d size=%d", count, type_size(type));                                          \
    put_rank("peer", partner, comm), put_tag("tag", tag), put_comm(comm), end_line();                       \
    return code;                                                                                            \
  }
START(Isend, const, 0, 0)
START(Ibsend, const, 0, 0)
START(Issend, const, 0, 0)
START(Irsend, const, 0, 0)
START(Irecv, , 1, 0)
START(Send_init, const, 0, 1)
START(Bsend_init, const, 0, 1)
START(Ssend_init, const, 0, 1)
START(Rsend_init, const, 0, 1)
START(Recv_init, , 1, 1)

// The receiving half: what was asked for and, where a status tells, what came.
static void put_received(const char* peer, const char* tag_key, int partner, int tag, MPI_Comm comm,
                         MPI_Status* status) {
  const int known = status != MPI_STATUS_IGNORE && partner != MPI_PROC_NULL;
  put_rank(peer, known ? status->MPI_SOURCE : partner, comm);
  put_tag(tag_key, known ? status->MPI_TAG : tag);
  put_comm(comm);
  if (status != MPI_STATUS_IGNORE)
    put(" bytes=%d", status_bytes(status));
  else
    put(" bytes=?");
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int partner, int tag, MPI_Comm comm, MPI_Status* status) {
  TALLY(Recv);
  const int code = PMPI_Recv(buffer, count, type, partner, tag, comm, status);
  put("MPI_Recv count=%d size=%d", count, type_size(type));
  put_received("peer", "tag", partner, tag, comm, status);
  end_line();
  return code;
}

int MPI_Sendrecv(const void* from, int n, MPI_Datatype type, int to, int tag, void* into, int m, MPI_Datatype rtype,
                 int source, int rtag, MPI_Comm comm, MPI_Status* status) {
  TALLY(Sendrecv);
  const int code = PMPI_Sendrecv(from, n, type, to, tag, into, m, rtype, source, rtag, comm, status);
  put("MPI_Sendrecv count=%d size=%d", n, type_size(type));
  put_rank("peer", to, comm), put_tag("tag", tag);
  put(" rcount=%d rsize=%d", m, type_size(rtype));
  put_received("source", "rtag", source, rtag, comm, status);
  end_line();
  return code;
}

int MPI_Sendrecv_replace(void* buffer, int n, MPI_Datatype type, int to, int tag, int source, int rtag, MPI_Comm comm,
                         MPI_Status* status) {
  TALLY(Sendrecv_replace);
  const int code = PMPI_Sendrecv_replace(buffer, n, type, to, tag, source, rtag, comm, status);
  put("MPI_Sendrecv_replace count=%d size=%d", n, type_size(type));
  put_rank("peer", to, comm), put_tag("tag", tag);
  put_received("source", "rtag", source, rtag, comm, status);
  end_line();
  return code;
}

static void put_found(int flag, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (flag) {
    put_received("peer", "tag", source, tag, comm, status);
    end_line();
  } else {
    put(" nothing=1");
    end_poll();
  }
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  TALLY(Probe);
  const int code = PMPI_Probe(source, tag, comm, status);
  put("MPI_Probe");
  put_found(1, source, tag, comm, status);
  return code;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  TALLY(Iprobe);
  const int code = PMPI_Iprobe(source, tag, comm, flag, status);
  put("MPI_Iprobe");
  put_found(*flag, source, tag, comm, status);
  return code;
}

// A matched message remembers where it came from; one at a time is enough for the test programs.
static struct {
  MPI_Comm comm;
  int source, tag;
} matched;

static void match(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  matched.comm = comm;
  matched.source = status == MPI_STATUS_IGNORE || source == MPI_PROC_NULL ? source : status->MPI_SOURCE;
  matched.tag = status == MPI_STATUS_IGNORE || source == MPI_PROC_NULL ? tag : status->MPI_TAG;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  TALLY(Mprobe);
  const int code = PMPI_Mprobe(source, tag, comm, message, status);
  match(source, tag, comm, status);
  put("MPI_Mprobe");
  put_found(1, source, tag, comm, status);
  return code;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  TALLY(Improbe);
  const int code = PMPI_Improbe(source, tag, comm, flag, message, status);
  if (*flag) match(source, tag, comm, status);
  put("MPI_Improbe");
  put_found(*flag, source, tag, comm, status);
  return code;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  TALLY(Mrecv);
  const int code = PMPI_Mrecv(buffer, count, type, message, status);
  put("MPI_Mrecv count=%d size=%d", count, type_size(type));
  put_received("peer", "tag", matched.source, matched.tag, matched.comm, status);
  end_line();
  return code;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  TALLY(Imrecv);
  const int code = PMPI_Imrecv(buffer, count, type, message, request);
  make("MPI_Imrecv", request, 1, count, type_size(type), matched.source, matched.tag, matched.comm);
  put("MPI_Imrecv count=%d size=%d", count, type_size(type));
  put_rank("peer", matched.source, matched.comm), put_tag("tag", matched.tag), put_comm(matched.comm), end_line();
  return code;
}
