// Part of plainlog.c: communicators, windows, files, and everything that is only counted.

#define CREATE(name, parameters, arguments, parent) \
  int MPI_##name parameters {                       \
    TALLY(name);                                    \
    const int code = PMPI_##name arguments;         \
    put("MPI_" #name);                              \
    put(" comm=%d", comm_ordinal(parent));          \
    const int made = new_ordinal(*made_comm);       \
    put(" made=%d", made);                          \
    end_line();                                     \
    return code;                                    \
  }
CREATE(Comm_dup, (MPI_Comm comm, MPI_Comm* made_comm), (comm, made_comm), comm)
CREATE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made_comm), (comm, color, key, made_comm), comm)
CREATE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made_comm), (comm, group, made_comm), comm)
CREATE(Intercomm_create, (MPI_Comm comm, int l, MPI_Comm peer, int r, int tag, MPI_Comm* made_comm),
       (comm, l, peer, r, tag, made_comm), comm)
CREATE(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made_comm), (comm, high, made_comm), comm)
CREATE(Cart_create, (MPI_Comm comm, int n, const int* dims, const int* periods, int reorder, MPI_Comm* made_comm),
       (comm, n, dims, periods, reorder, made_comm), comm)
CREATE(Cart_sub, (MPI_Comm comm, const int* keep, MPI_Comm* made_comm), (comm, keep, made_comm), comm)
CREATE(Dist_graph_create_adjacent,
       (MPI_Comm comm, int n, const int* from, const int* fw, int m, const int* to, const int* tw, MPI_Info info,
        int reorder, MPI_Comm* made_comm),
       (comm, n, from, fw, m, to, tw, info, reorder, made_comm), comm)

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made_comm, MPI_Request* request) {
  TALLY(Comm_idup);
  const int code = PMPI_Comm_idup(comm, made_comm, request);
  put("MPI_Comm_idup comm=%d made=%d", comm_ordinal(comm), new_ordinal(*made_comm));
  end_line();
  make("MPI_Comm_idup", request, -1, 0, 0, 0, 0, comm);
  return code;
}

int MPI_Comm_free(MPI_Comm* comm) {
  TALLY(Comm_free);
  const int ordinal = comm_ordinal(*comm);
  put("MPI_Comm_free comm=%d", ordinal);
  end_line();
  if (ordinal >= 0) comm_gone[ordinal] = 1;
  return PMPI_Comm_free(comm);
}

static void begin(void) {
  char path[4096];
  const char* directory = getenv("PLAINLOG_DIR");
  new_ordinal(MPI_COMM_WORLD);
  new_ordinal(MPI_COMM_SELF);
  snprintf(path, sizeof path, "%s/%d.log", directory ? directory : ".", own_rank(MPI_COMM_WORLD));
  if (directory) out = fopen(path, "w");
}

int MPI_Init(int* argc, char*** argv) {
  TALLY(Init);
  const int code = PMPI_Init(argc, argv);
  begin();
  put("MPI_Init"), end_line();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  TALLY(Init_thread);
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  begin();
  put("MPI_Init_thread"), end_line();
  return code;
}

int MPI_Finalize(void) {
  TALLY(Finalize);
  put("MPI_Finalize"), end_line();
  for (int i = 0; i < names && out; ++i) fprintf(out, "calls %s %ld\n", totals[i].name, totals[i].calls);
  if (out) fclose(out);
  out = NULL;
  return PMPI_Finalize();
}

// One-sided calls and files: in the order of events by name only, their bytes where one argument says them.
#define EVENT(name, parameters, arguments)  \
  int MPI_##name parameters {               \
    TALLY(name);                            \
    const int code = PMPI_##name arguments; \
    put("MPI_" #name), end_line();          \
    return code;                            \
  }
#define MOVE(name, parameters, arguments, count, type)                           \
  int MPI_##name parameters {                                                    \
    TALLY(name);                                                                 \
    const int code = PMPI_##name arguments;                                      \
    put("MPI_" #name " moved=%ld", (long)(count) * type_size(type)), end_line(); \
    return code;                                                                 \
  }
#define ORIGIN const void *origin, int n, MPI_Datatype type, int target, MPI_Aint at, int m, MPI_Datatype ttype
#define WIN MPI_Win win
EVENT(Win_create, (void* base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
      (base, bytes, unit, info, comm, win))
EVENT(Win_free, (MPI_Win * win), (win))
EVENT(Win_fence, (int assert, WIN), (assert, win))
EVENT(Win_lock, (int kind, int target, int assert, WIN), (kind, target, assert, win))
EVENT(Win_unlock, (int target, WIN), (target, win))
EVENT(Win_lock_all, (int assert, WIN), (assert, win))
EVENT(Win_unlock_all, (WIN), (win))
EVENT(Win_flush, (int target, WIN), (target, win))
EVENT(Win_flush_all, (WIN), (win))
EVENT(Win_post, (MPI_Group group, int assert, WIN), (group, assert, win))
EVENT(Win_start, (MPI_Group group, int assert, WIN), (group, assert, win))
EVENT(Win_complete, (WIN), (win))
EVENT(Win_wait, (WIN), (win))
MOVE(Put, (ORIGIN, WIN), (origin, n, type, target, at, m, ttype, win), n, type)
MOVE(Get, (void* origin, int n, MPI_Datatype type, int target, MPI_Aint at, int m, MPI_Datatype ttype, WIN),
     (origin, n, type, target, at, m, ttype, win), n, type)
MOVE(Accumulate, (ORIGIN, MPI_Op op, WIN), (origin, n, type, target, at, m, ttype, op, win), n, type)
MOVE(Fetch_and_op, (const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op, WIN),
     (origin, result, type, target, at, op, win), 1, type)

int MPI_Rput(ORIGIN, WIN, MPI_Request* request) {
  TALLY(Rput);
  const int code = PMPI_Rput(origin, n, type, target, at, m, ttype, win, request);
  make("MPI_Rput", request, -1, 0, 0, 0, 0, MPI_COMM_NULL);
  put("MPI_Rput moved=%ld", (long)n * type_size(type)), end_line();
  return code;
}

EVENT(Buffer_detach, (void* buffer, int* bytes), (buffer, bytes))

#define FILE_AT MPI_File file, MPI_Offset at
EVENT(File_open, (MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file),
      (comm, name, mode, info, file))
EVENT(File_close, (MPI_File * file), (file))
EVENT(File_delete, (const char* name, MPI_Info info), (name, info))
EVENT(File_sync, (MPI_File file), (file))
EVENT(File_get_size, (MPI_File file, MPI_Offset* bytes), (file, bytes))
EVENT(File_set_view, (FILE_AT, MPI_Datatype e, MPI_Datatype f, const char* rep, MPI_Info info),
      (file, at, e, f, rep, info))
#define INTO void *buffer, int n, MPI_Datatype type, MPI_Status *status
#define FROM const void *buffer, int n, MPI_Datatype type, MPI_Status *status
MOVE(File_write_at, (FILE_AT, FROM), (file, at, buffer, n, type, status), n, type)
MOVE(File_write_at_all, (FILE_AT, FROM), (file, at, buffer, n, type, status), n, type)
MOVE(File_read_at, (FILE_AT, INTO), (file, at, buffer, n, type, status), n, type)
MOVE(File_read_at_all, (FILE_AT, INTO), (file, at, buffer, n, type, status), n, type)
MOVE(File_read, (MPI_File file, INTO), (file, buffer, n, type, status), n, type)

int MPI_File_iwrite_at(FILE_AT, const void* buffer, int n, MPI_Datatype type, MPI_Request* request) {
  TALLY(File_iwrite_at);
  const int code = PMPI_File_iwrite_at(file, at, buffer, n, type, request);
  make("MPI_File_iwrite_at", request, -1, 0, 0, 0, 0, MPI_COMM_NULL);
  put("MPI_File_iwrite_at moved=%ld", (long)n * type_size(type)), end_line();
  return code;
}

// Only counted.
#define COUNTED(name, parameters, arguments) \
  int MPI_##name parameters {                \
    TALLY(name);                             \
    return PMPI_##name arguments;            \
  }
#define TYPE_MADE MPI_Datatype* made
COUNTED(Comm_rank, (MPI_Comm comm, int* n), (comm, n))
COUNTED(Comm_size, (MPI_Comm comm, int* n), (comm, n))
COUNTED(Comm_remote_size, (MPI_Comm comm, int* n), (comm, n))
COUNTED(Comm_test_inter, (MPI_Comm comm, int* n), (comm, n))
COUNTED(Comm_compare, (MPI_Comm a, MPI_Comm b, int* n), (a, b, n))
COUNTED(Comm_group, (MPI_Comm comm, MPI_Group* group), (comm, group))
COUNTED(Comm_set_name, (MPI_Comm comm, const char* name), (comm, name))
COUNTED(Comm_get_name, (MPI_Comm comm, char* name, int* n), (comm, name, n))
COUNTED(Group_size, (MPI_Group group, int* n), (group, n))
COUNTED(Group_rank, (MPI_Group group, int* n), (group, n))
COUNTED(Group_incl, (MPI_Group group, int n, const int* ranks, MPI_Group* made), (group, n, ranks, made))
COUNTED(Group_translate_ranks, (MPI_Group a, int n, const int* x, MPI_Group b, int* y), (a, n, x, b, y))
COUNTED(Group_free, (MPI_Group * group), (group))
COUNTED(Dims_create, (int nodes, int n, int* dims), (nodes, n, dims))
COUNTED(Cartdim_get, (MPI_Comm comm, int* n), (comm, n))
COUNTED(Cart_get, (MPI_Comm comm, int n, int* dims, int* periods, int* coords), (comm, n, dims, periods, coords))
COUNTED(Cart_coords, (MPI_Comm comm, int rank, int n, int* coords), (comm, rank, n, coords))
COUNTED(Cart_rank, (MPI_Comm comm, const int* coords, int* rank), (comm, coords, rank))
COUNTED(Cart_shift, (MPI_Comm comm, int axis, int by, int* from, int* to), (comm, axis, by, from, to))
COUNTED(Topo_test, (MPI_Comm comm, int* kind), (comm, kind))
COUNTED(Dist_graph_neighbors_count, (MPI_Comm comm, int* n, int* m, int* weighted), (comm, n, m, weighted))
COUNTED(Initialized, (int* flag), (flag))
COUNTED(Finalized, (int* flag), (flag))
COUNTED(Query_thread, (int* level), (level))
COUNTED(Is_thread_main, (int* flag), (flag))
COUNTED(Get_version, (int* a, int* b), (a, b))
COUNTED(Get_library_version, (char* text, int* n), (text, n))
COUNTED(Get_processor_name, (char* text, int* n), (text, n))
COUNTED(Get_count, (const MPI_Status* status, MPI_Datatype type, int* n), (status, type, n))
COUNTED(Get_elements, (const MPI_Status* status, MPI_Datatype type, int* n), (status, type, n))
COUNTED(Test_cancelled, (const MPI_Status* status, int* flag), (status, flag))
COUNTED(Request_get_status, (MPI_Request request, int* flag, MPI_Status* status), (request, flag, status))
COUNTED(Buffer_attach, (void* buffer, int bytes), (buffer, bytes))
COUNTED(Reduce_local, (const void* in, void* inout, int n, MPI_Datatype type, MPI_Op op), (in, inout, n, type, op))
COUNTED(Op_create, (MPI_User_function * function, int commutes, MPI_Op* op), (function, commutes, op))
COUNTED(Op_free, (MPI_Op * op), (op))
COUNTED(Get_address, (const void* place, MPI_Aint* address), (place, address))
COUNTED(Type_contiguous, (int n, MPI_Datatype type, TYPE_MADE), (n, type, made))
COUNTED(Type_vector, (int n, int block, int stride, MPI_Datatype type, TYPE_MADE), (n, block, stride, type, made))
COUNTED(Type_indexed, (int n, const int* blocks, const int* at, MPI_Datatype type, TYPE_MADE),
        (n, blocks, at, type, made))
COUNTED(Type_create_subarray,
        (int n, const int* whole, const int* part, const int* at, int order, MPI_Datatype type, TYPE_MADE),
        (n, whole, part, at, order, type, made))
COUNTED(Type_create_struct, (int n, const int* blocks, const MPI_Aint* at, const MPI_Datatype* types, TYPE_MADE),
        (n, blocks, at, types, made))
COUNTED(Type_create_resized, (MPI_Datatype type, MPI_Aint lb, MPI_Aint extent, TYPE_MADE), (type, lb, extent, made))
COUNTED(Type_dup, (MPI_Datatype type, TYPE_MADE), (type, made))
COUNTED(Type_commit, (MPI_Datatype * type), (type))
COUNTED(Type_free, (MPI_Datatype * type), (type))
COUNTED(File_seek, (FILE_AT, int whence), (file, at, whence))
COUNTED(Type_size, (MPI_Datatype type, int* bytes), (type, bytes))
COUNTED(Type_get_extent, (MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent), (type, lb, extent))
COUNTED(Pack_size, (int n, MPI_Datatype type, MPI_Comm comm, int* bytes), (n, type, comm, bytes))
COUNTED(Pack, (const void* in, int n, MPI_Datatype type, void* out, int room, int* at, MPI_Comm comm),
        (in, n, type, out, room, at, comm))
COUNTED(Unpack, (const void* in, int room, int* at, void* out, int n, MPI_Datatype type, MPI_Comm comm),
        (in, room, at, out, n, type, comm))
COUNTED(Win_get_group, (MPI_Win win, MPI_Group* group), (win, group))
COUNTED(Comm_get_attr, (MPI_Comm comm, int key, void* value, int* flag), (comm, key, value, flag))
COUNTED(Comm_set_attr, (MPI_Comm comm, int key, void* value), (comm, key, value))
COUNTED(Comm_delete_attr, (MPI_Comm comm, int key), (comm, key))
COUNTED(Comm_create_keyval,
        (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* forget, int* key, void* extra),
        (copy, forget, key, extra))
COUNTED(Comm_free_keyval, (int* key), (key))
COUNTED(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler), (comm, handler))
COUNTED(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
COUNTED(Errhandler_free, (MPI_Errhandler * handler), (handler))
COUNTED(Error_class, (int code, int* kind), (code, kind))
COUNTED(Error_string, (int code, char* text, int* n), (code, text, n))
COUNTED(Info_create, (MPI_Info * info), (info))
COUNTED(Info_set, (MPI_Info info, const char* key, const char* value), (info, key, value))
COUNTED(Info_get_nkeys, (MPI_Info info, int* n), (info, n))
COUNTED(Info_get_nthkey, (MPI_Info info, int n, char* key), (info, n, key))
COUNTED(Info_delete, (MPI_Info info, const char* key), (info, key))
COUNTED(Info_free, (MPI_Info * info), (info))

double MPI_Wtime(void) {
  TALLY(Wtime);
  return PMPI_Wtime();
}

double MPI_Wtick(void) {
  TALLY(Wtick);
  return PMPI_Wtick();
}

int MPI_Pcontrol(const int level, ...) {
  TALLY(Pcontrol);
  put("MPI_Pcontrol"), end_line();
  return PMPI_Pcontrol(level);
}
