// Part of random_program.c: what happens at the leaves of the tree of loops.

typedef struct {
  MPI_Comm comm;
  int me, n, tag, shift;
  uint64_t key;  // sizes follow from it and the sender's rank
  int words;
} Exchange;

static Exchange prepare(const Node* node) {
  Exchange e;
  e.comm = comms[node->comm];
  MPI_Comm_rank(e.comm, &e.me);
  MPI_Comm_size(e.comm, &e.n);
  e.tag = node->vary_tag ? draw(&shared, 1 << 24) : node->step_tag ? (int)(step % 30000) : node->tag;
  e.shift = node->vary_partner ? draw(&shared, size) : node->shift;
  e.words = node->words;
  e.key = node->vary_size ? (uint64_t)draw(&shared, 1 << 30) : 0;
  return e;
}

static int words_from(const Exchange* e, int sender) {
  return e->key ? 1 + (int)(mix(e->key + (uint64_t)sender) % 300) : e->words;
}

static int to_of(const Exchange* e, int shift) { return (e->me + shift) % e->n; }

static int from_of(const Exchange* e, int shift) { return (e->me + e->n * (1 + shift / e->n) - shift) % e->n; }

static void took(const int* data, int words) {
  for (int i = 0; i < words; ++i) check += data[i];
}

static void post(const Exchange* e, int slot, int shift, MPI_Request* request) {
  const int from = from_of(e, shift);
  MPI_Irecv(in[slot], words_from(e, from), MPI_INT, from, e->tag, e->comm, request);
}

static void complete_in_random_order(int n, MPI_Request* requests) {
  int left[most_requests];
  for (int i = 0; i < n; ++i) left[i] = i;
  for (int m = n; m > 0; --m) {
    const int pick = draw(&own, m);
    MPI_Wait(&requests[left[pick]], MPI_STATUS_IGNORE);
    left[pick] = left[m - 1];
  }
}

static void complete(int how, int n, MPI_Request* requests) {
  MPI_Status statuses[most_requests], status;
  int indices[most_requests], flag = 0, place, some;
  switch (how) {
    case 0:
      MPI_Waitall(n, requests, draw(&own, 2) ? statuses : MPI_STATUSES_IGNORE);
      break;
    case 1:
      for (int i = 0; i < n; ++i) MPI_Waitany(n, requests, &place, i % 2 ? &status : MPI_STATUS_IGNORE);
      break;
    case 2:
      for (int done = 0; done < n; done += some) MPI_Waitsome(n, requests, &some, indices, statuses);
      break;
    case 3:
      complete_in_random_order(n, requests);
      break;
    case 4:
      for (int i = 0; i < n; ++i)
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, &status);
      break;
    default:
      for (; !flag;) MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
  }
}

static void ring(const Node* node, const Exchange* e) {
  MPI_Request pair[2];
  const int from = from_of(e, e->shift);
  post(e, 0, e->shift, pair);
  if (node->kind == 0) {
    MPI_Isend(out, words_from(e, e->me), MPI_INT, to_of(e, e->shift), e->tag, e->comm, pair + 1);
    complete(node->completion, 2, pair);
  } else {
    MPI_Send(out, words_from(e, e->me), MPI_INT, to_of(e, e->shift), e->tag, e->comm);
    MPI_Wait(pair, MPI_STATUS_IGNORE);
  }
  took(in[0], words_from(e, from));
}

static void fan_out(const Node* node, const Exchange* e, int fan) {
  MPI_Request requests[most_requests], moved[most_requests];
  for (int i = 0; i < fan; ++i) post(e, i, e->shift + i, requests + i);
  for (int i = 0; i < fan; ++i)
    MPI_Isend(out, words_from(e, e->me), MPI_INT, to_of(e, e->shift + i), e->tag, e->comm, requests + fan + i);
  // Requests may be kept anywhere: half the time the receives' are moved before they are completed.
  if (draw(&own, 2)) {
    memcpy(moved, requests, sizeof moved);
    complete(node->completion, fan, moved);
    MPI_Waitall(fan, requests + fan, MPI_STATUSES_IGNORE);
  } else {
    complete(node->completion, 2 * fan, requests);
  }
  for (int i = 0; i < fan; ++i) took(in[i], words_from(e, from_of(e, e->shift + i)));
}

static void halo(const Node* node, const Exchange* e) {
  MPI_Request requests[most_requests];
  for (int i = 0; i < 26; ++i) {
    const int from = from_of(e, i * 5 + 1);
    MPI_Irecv(in[i], words_from(e, from), MPI_INT, from, i, e->comm, requests + i);
  }
  for (int i = 0; i < 26; ++i)
    MPI_Isend(out, words_from(e, e->me), MPI_INT, to_of(e, i * 5 + 1), i, e->comm, requests + 26 + i);
  if (node->completion == 0)
    MPI_Waitall(52, requests, MPI_STATUSES_IGNORE);
  else
    for (int i = 0; i < 52; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  took(in[3], words_from(e, from_of(e, 16)));
}

static void collective(const Exchange* e, int kind) {
  const int n = e->key ? 1 + (int)(e->key % 100) : e->words, root = e->shift % e->n;
  switch (kind) {
    case 0:
      MPI_Barrier(e->comm);
      break;
    case 1:
      MPI_Bcast(in[0], n, MPI_INT, root, e->comm);
      break;
    case 2:
      MPI_Reduce(out, in[0], n, MPI_INT, MPI_SUM, root, e->comm);
      break;
    case 3:
      MPI_Allreduce(out, in[0], n, MPI_INT, MPI_MAX, e->comm);
      break;
    case 4:
      MPI_Gather(out, n, MPI_INT, in[0], n, MPI_INT, root, e->comm);
      break;
    case 5:
      MPI_Allgather(out, n, MPI_INT, in[0], n, MPI_INT, e->comm);
      break;
    case 6:
      MPI_Alltoall(out, n, MPI_INT, in[0], n, MPI_INT, e->comm);
      break;
    default:
      MPI_Scan(out, in[0], n, MPI_INT, MPI_SUM, e->comm);
  }
}

static void nonblocking_collective(const Node* node, const Exchange* e) {
  MPI_Request request;
  int flag = 0;
  if (node->tag % 2)
    MPI_Iallreduce(out, in[0], e->words, MPI_INT, MPI_SUM, e->comm, &request);
  else
    MPI_Ibarrier(e->comm, &request);
  if (node->completion < 3)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  else
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

// Everybody sends to the root, which takes the messages as they come.
static void wildcards(const Exchange* e, int any_tag) {
  MPI_Status status;
  const MPI_Comm comm = any_tag ? any_comm : any_source_comm;
  const int root = e->shift % size;
  if (rank != root) {
    MPI_Send(out, 1 + rank, MPI_INT, root, any_tag ? e->tag % 1000 + rank : e->tag, comm);
    return;
  }
  for (int i = 0; i < size - 1; ++i) {
    const int tag = any_tag ? MPI_ANY_TAG : e->tag;
    if (i % 3 == 2) {
      MPI_Request request;
      MPI_Irecv(in[0], room, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
      MPI_Wait(&request, i % 2 ? MPI_STATUS_IGNORE : &status);
    } else if (i % 3 == 1) {
      MPI_Recv(in[0], room, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
    } else {
      int count;
      MPI_Recv(in[0], room, MPI_INT, MPI_ANY_SOURCE, tag, comm, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      check += count == status.MPI_SOURCE + 1 ? 1 : 1000000;
    }
  }
}

static void probed(const Node* node, const Exchange* e) {
  MPI_Request request;
  MPI_Status status;
  int flag = 0, words;
  const int from = from_of(e, e->shift);
  MPI_Isend(out, words_from(e, e->me), MPI_INT, to_of(e, e->shift), e->tag, e->comm, &request);
  if (node->completion < 3)
    MPI_Probe(from, e->tag, e->comm, &status);
  else
    while (!flag) MPI_Iprobe(from, e->tag, e->comm, &flag, &status);
  MPI_Get_count(&status, MPI_INT, &words);
  MPI_Recv(in[0], words, MPI_INT, from, e->tag, e->comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  took(in[0], words);
}

static void persistent(const Node* node, const Exchange* e) {
  MPI_Request pair[2];
  const int from = from_of(e, e->shift);
  MPI_Recv_init(in[0], words_from(e, from), MPI_INT, from, e->tag, e->comm, pair);
  MPI_Send_init(out, words_from(e, e->me), MPI_INT, to_of(e, e->shift), e->tag, e->comm, pair + 1);
  for (int i = 0; i < node->fan; ++i) {
    if (node->tag % 2) {
      MPI_Startall(2, pair);
    } else {
      MPI_Start(pair);
      MPI_Start(pair + 1);
    }
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    took(in[0], words_from(e, from));
  }
  MPI_Request_free(pair);
  MPI_Request_free(pair + 1);
}

static void by_oneself(const Node* node) {
  const int times = draw(&own, 2 + rank * 3);
  for (int i = 0; i < times; ++i) {
    if (node->tag % 2)
      MPI_Send(out, 1 + draw(&own, 3), MPI_INT, MPI_PROC_NULL, node->tag, MPI_COMM_WORLD);
    else
      MPI_Sendrecv(out, node->words, MPI_INT, 0, 1, in[0], node->words, MPI_INT, 0, 1, MPI_COMM_SELF,
                   MPI_STATUS_IGNORE);
  }
}

static void leaf(const Node* node) {
  const Exchange e = prepare(node);
  MPI_Comm comm;
  switch (node->kind) {
    case 0:
    case 1:
      ring(node, &e);
      break;
    case 2:
      fan_out(node, &e, node->fan);
      break;
    case 3: {
      const int from = from_of(&e, e.shift);
      MPI_Sendrecv(out, words_from(&e, e.me), MPI_INT, to_of(&e, e.shift), e.tag, in[0], words_from(&e, from), MPI_INT,
                   from, e.tag, e.comm, MPI_STATUS_IGNORE);
      took(in[0], words_from(&e, from));
      break;
    }
    case 4:
      collective(&e, node->vary_partner ? draw(&shared, 8) : node->tag % 8);
      break;
    case 5:
      nonblocking_collective(node, &e);
      break;
    case 6:
      wildcards(&e, 0);
      break;
    case 12:
      wildcards(&e, 1);
      break;
    case 7:
      probed(node, &e);
      break;
    case 8:
      persistent(node, &e);
      break;
    case 9:
      by_oneself(node);
      break;
    case 10:
      halo(node, &e);
      break;
    default:
      MPI_Comm_dup(e.comm, &comm);
      MPI_Barrier(comm);
      MPI_Comm_free(&comm);
  }
}
