/* Rare situations for the shim:   shim_ways WAY
     groups   a broadcast in groups of 2, 3 and 4 of four ranks
     killed   rank 1 kills itself between reductions, the others go on
     errors   a reduction, and then an error on a duplicate of MPI_COMM_WORLD, and one on nothing
     types    broadcasts of datatypes without gaps and with, and one of 2 GiB with a root that does not exist
     session  rank 0 reduces in a session before MPI_Init, then all broadcast */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { elements = 1000 };

static int rank, wrong, data[elements];

static void broadcast(MPI_Comm comm, int count, MPI_Datatype datatype) {
  int from;
  MPI_Comm_rank(comm, &from);
  for (int i = 0; i < elements; ++i) data[i] = from == 0 ? i : -1;
  MPI_Bcast(data, count, datatype, 0, comm);
  for (int i = 0; i < elements; ++i) wrong += data[i] != i;
}

static void in_groups(void) {
  for (int size = 2; size <= 4; ++size) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &part);
    if (part == MPI_COMM_NULL) continue;
    broadcast(part, elements, MPI_INT);
    MPI_Comm_free(&part);
  }
}

static void killed(void) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    if (rank == 1 && i == 5) kill(getpid(), SIGKILL);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

// By MPICH's rules the duplicate has the handler that MPI_COMM_WORLD has when the error comes, not when it was made,
// and so has an error on nothing: a library by whose rules the program would end is not tried.
static void of_errors(void) {
  MPI_Comm copy, part;
  int size = 0, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  wrong += MPI_Comm_split(copy, 0, 0, NULL) == MPI_SUCCESS;
  wrong += MPI_Type_size(MPI_DATATYPE_NULL, &size) == MPI_SUCCESS;
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
}

static void of_types(void) {
  MPI_Datatype ten, same, hundred, column;
  MPI_Type_contiguous(10, MPI_INT, &ten);
  MPI_Type_dup(ten, &same);
  MPI_Type_contiguous(10, same, &hundred);
  MPI_Type_commit(&hundred);
  broadcast(MPI_COMM_WORLD, elements / 100, hundred);
  MPI_Type_free(&ten);
  MPI_Type_free(&same);
  broadcast(MPI_COMM_WORLD, elements / 100, hundred);
  MPI_Type_free(&hundred);
  // A column of a matrix of two: the other stays as it was.
  MPI_Type_vector(elements / 2, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < elements; ++i) data[i] = rank == 0 ? i : -1;
  MPI_Bcast(data, 1, column, 0, MPI_COMM_WORLD);
  for (int i = 0; i < elements; ++i) wrong += data[i] != (rank == 0 || i % 2 == 0 ? i : -1);
  MPI_Type_free(&column);
  // The library complains before it looks at the data.
  int one = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  wrong += MPI_Bcast(&one, 1 << 29, MPI_INT, 99, MPI_COMM_WORLD) == MPI_SUCCESS;
}

#if MPI_VERSION >= 4
static void of_session(MPI_Session* session) {
  MPI_Group group;
  MPI_Comm comm;
  int one = 1, sum = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session);
  MPI_Group_from_session_pset(*session, "mpi://SELF", &group);
  MPI_Comm_create_from_group(group, "leadline.self", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  wrong += sum != 1;
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
}
#endif

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
#if MPI_VERSION >= 4
  MPI_Session session = MPI_SESSION_NULL;
  const char* number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("PMIX_RANK");
  if (strcmp(way, "session") == 0 && number && atoi(number) == 0) of_session(&session);
#endif
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(way, "session") == 0) broadcast(MPI_COMM_WORLD, elements, MPI_INT);
  if (strcmp(way, "groups") == 0) in_groups();
  if (strcmp(way, "killed") == 0) killed();
  if (strcmp(way, "types") == 0) of_types();
  if (strcmp(way, "errors") == 0) of_errors();
#if MPI_VERSION >= 4
  if (session != MPI_SESSION_NULL) MPI_Session_finalize(&session);
#endif
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
