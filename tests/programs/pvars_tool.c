// Stands in for the tools interface of an MPI library: four performance variables, and a count of what was left open.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int started, sessions, handles;

int PMPI_T_init_thread(int required, int* provided) {
  *provided = required;
  ++started;
  return 0;
}
int PMPI_T_finalize(void) {
  --started;
  if (getenv("PVARS_SAY")) printf("open: %d %d %d\n", started, sessions, handles);
  return 0;
}
int PMPI_T_pvar_get_num(int* n) {
  *n = 100000;
  return 0;
}
int PMPI_T_pvar_get_info(int i, char* name, int* name_len, int* verbosity, int* cls, MPI_Datatype* type, MPI_T_enum* e,
                         char* desc, int* desc_len, int* bind, int* readonly, int* continuous, int* atomic) {
  if (i > 4) return 1;
  const char* names[] = {"unexpected_recvq_length", "time_in_allocate", "of_a_window", "begins_later", "never"};
  snprintf(name, (size_t)*name_len, "%s", names[i]);
  snprintf(desc, (size_t)*desc_len, "what %s is", names[i]);
  *verbosity = 0;
  *cls = i == 1 ? MPI_T_PVAR_CLASS_TIMER : MPI_T_PVAR_CLASS_LEVEL;
  *type = i == 1 ? MPI_DOUBLE : MPI_UNSIGNED;
  *bind = i == 2 ? MPI_T_BIND_MPI_WIN : MPI_T_BIND_NO_OBJECT;
  *continuous = i != 3;
  *readonly = *atomic = 0;
  (void)e;
  return 0;
}
int PMPI_T_pvar_session_create(MPI_T_pvar_session* session) {
  ++sessions;
  *session = (MPI_T_pvar_session)&sessions;
  return 0;
}
int PMPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  --sessions;
  *session = NULL;
  return 0;
}
int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int i, void* object, MPI_T_pvar_handle* handle, int* count) {
  static int kinds[2] = {0, 1};
  (void)session;
  if (i > 1 && i != 4) abort();  // bound to an object, or not running: must not be read
  if (object || i == 4) return 1;
  ++handles;
  *handle = (MPI_T_pvar_handle)&kinds[i];
  *count = i == 0 ? 3 : 1;
  return 0;
}
int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  (void)session;
  --handles;
  *handle = NULL;
  return 0;
}
int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* into) {
  int rank = 0;
  (void)session;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (*(const int*)handle == 0) {
    const unsigned values[3] = {1u, 2u, (unsigned)rank};
    memcpy(into, values, sizeof(values));
  } else {
    const double value = 0.25;
    memcpy(into, &value, sizeof(value));
  }
  return 0;
}
