// Communicators and requests by the thousand; arguments that are wrong.

static void many_communicators(int steps) {
  enum { alive = 1000 };
  static MPI_Comm comms[alive];
  for (int i = 0; i < alive; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < alive; i += 10) sum += ring(1, comms[i], 5);
  for (int i = 0; i < alive; ++i) MPI_Comm_free(&comms[i]);
  for (int i = 0; i < steps; ++i) {
    MPI_Comm one;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    sum += ring(1, one, 6);
    MPI_Comm_free(&one);
  }
}

static void many_requests(int steps) {
  MPI_Request* requests = malloc(2 * (size_t)steps * sizeof *requests);
  int* data = malloc(2 * (size_t)steps * sizeof *data);
  for (int i = 0; i < steps; ++i) {
    MPI_Irecv(&data[i], 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(&data[steps + i], 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[steps + i]);
  }
  for (int i = 0; i < 100; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  MPI_Waitall(2 * steps - 100, requests + 100, MPI_STATUSES_IGNORE);
  free(requests);
  free(data);
}

// Each request is made in one variable and kept in a list that moves as it grows, as a std::vector does.
static void copied_requests(int steps) {
  MPI_Request* list = NULL;
  int value = 0;
  for (int i = 0; i < steps; ++i) {
    MPI_Request one;
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, i % 7, MPI_COMM_WORLD, &one);
    if ((i & (i - 1)) == 0) list = realloc(list, 2 * ((size_t)i + 1) * sizeof *list);
    list[i] = one;
  }
  MPI_Waitall(steps, list, MPI_STATUSES_IGNORE);
  free(list);
}

static int handled;
static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}

static void install(MPI_Comm comm) {
  MPI_Errhandler made;
  MPI_Comm_create_errhandler(count_error, &made);
  MPI_Comm_set_errhandler(comm, made);
}

// Handles that never were any: the handler is called once for each, not again for questions of ours.
static void errors_that_return(int steps) {
  install(MPI_COMM_WORLD);
  install(MPI_COMM_SELF);
  int errors = 0;
  traffic(10);
  for (int i = 0; i < steps; ++i) {
    int value = 0;
    errors += MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
    errors += MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
#ifdef FAKE  // real libraries do not survive these
    MPI_Request request;
    errors += MPI_Send(&value, 1, (MPI_Datatype)0x0badbeef, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
    errors += MPI_Isend(&value, 1, MPI_INT, 0, 0, (MPI_Comm)0x0badbeef, &request) != MPI_SUCCESS;
    errors += MPI_Allreduce(&value, &value, 1, (MPI_Datatype)0x0badbeef, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
#endif
  }
  traffic(10);
  printf("rank %d: %d errors returned, %d handled\n", rank, errors, handled);
}

// Null where the library wants an address: it says so, and nobody may look there before it.
static void null_arguments(int steps) {
  install(MPI_COMM_WORLD);
  install(MPI_COMM_SELF);
  int errors = 0, value = 0;
  for (int i = 0; i < steps; ++i) {
    errors += MPI_Wait(NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    errors += MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
    errors += MPI_Comm_free(NULL) != MPI_SUCCESS;
    errors += MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, NULL) != MPI_SUCCESS;
    errors += MPI_Alltoallv(NULL, NULL, NULL, MPI_INT, NULL, NULL, NULL, MPI_INT, MPI_COMM_WORLD) != MPI_SUCCESS;
  }
  traffic(10);
  printf("rank %d: %d errors returned, %d handled\n", rank, errors, handled);
}
