// Part of traffic.c: enquiries, datatypes, windows, files, attributes and errors.

static void enquiries(void) {
  int n, m, flag;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  double t = 0;
  for (int i = 0; i < 100; ++i) {
    MPI_Comm_rank(world, &n);
    MPI_Comm_size(world, &m);
    t += MPI_Wtime();
  }
  t += MPI_Wtick();
  MPI_Initialized(&flag);
  MPI_Finalized(&flag);
  MPI_Query_thread(&n);
  MPI_Is_thread_main(&flag);
  MPI_Get_version(&n, &m);
  MPI_Get_library_version(text, &n);
  MPI_Get_processor_name(text, &n);
  check += flag;
  (void)t;
}

static void datatypes(void) {
  MPI_Datatype row, column, some, window, wide, copy, record;
  MPI_Request request;
  MPI_Status status;
  MPI_Aint lb, extent, places[2];
  int blocks[2] = {1, 2}, starts[2] = {0, 4}, whole[2] = {4, 4}, part[2] = {2, 2}, corner[2] = {1, 1};
  MPI_Datatype members[2] = {MPI_DOUBLE, MPI_INT};
  int bytes, position = 0, elements;
  char packed[256];
  fill(10);
  MPI_Type_contiguous(4, MPI_DOUBLE, &row);
  MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_indexed(2, blocks, starts, MPI_DOUBLE, &some);
  MPI_Type_create_subarray(2, whole, part, corner, MPI_ORDER_C, MPI_DOUBLE, &window);
  MPI_Get_address(out, places);
  MPI_Get_address(out + 1, places + 1);
  places[1] -= places[0];
  places[0] = 0;
  MPI_Type_create_struct(2, blocks, places, members, &record);
  MPI_Type_create_resized(column, 0, sizeof(double), &wide);
  MPI_Type_dup(row, &copy);
  MPI_Type_commit(&row);
  MPI_Type_commit(&column);
  MPI_Type_commit(&wide);
  MPI_Type_size(column, &bytes);
  MPI_Type_get_extent(wide, &lb, &extent);
  MPI_Irecv(in, 1, column, left, 80, world, &request);
  MPI_Send(out, 1, row, right, 80, world);
  MPI_Wait(&request, &status);
  MPI_Get_elements(&status, column, &elements);
  MPI_Irecv(in, 1, row, left, 81, world, &request);
  MPI_Send(out, 1, wide, right, 81, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Pack_size(length, MPI_DOUBLE, world, &bytes);
  for (int i = 0; i < 2; ++i) MPI_Pack(out, 4, MPI_DOUBLE, packed, sizeof packed, &position, world);
  position = 0;
  for (int i = 0; i < 2; ++i) MPI_Unpack(packed, sizeof packed, &position, result, 4, MPI_DOUBLE, world);
  check += elements + (double)extent;
  add_up(in, 16);
  add_up(result, 4);
  MPI_Datatype* all[7] = {&row, &column, &some, &window, &wide, &copy, &record};
  for (int i = 0; i < 7; ++i) MPI_Type_free(all[i]);
}

static void windows(void) {
  MPI_Win window;
  MPI_Group all, before, after;
  MPI_Request request;
  static double memory[room];
  double one = 1;
  fill(11);
  memset(memory, 0, sizeof memory);
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, world, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, length, MPI_DOUBLE, right, 0, length, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Get(in, length, MPI_DOUBLE, left, 0, length, MPI_DOUBLE, window);
  MPI_Accumulate(out, 2, MPI_DOUBLE, right, 16, 2, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
  MPI_Put(out, 1, MPI_DOUBLE, right, 20, 1, MPI_DOUBLE, window);
  MPI_Win_flush(right, window);
  MPI_Win_unlock(right, window);
  MPI_Win_lock_all(0, window);
  MPI_Fetch_and_op(&one, result, MPI_DOUBLE, right, 24, MPI_SUM, window);
  MPI_Win_flush_all(window);
  MPI_Rput(out, 1, MPI_DOUBLE, right, 28, 1, MPI_DOUBLE, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(window);
  MPI_Barrier(world);
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &left, &before);
  MPI_Group_incl(all, 1, &right, &after);
  MPI_Win_post(before, 0, window);
  MPI_Win_start(after, 0, window);
  MPI_Put(out, 1, MPI_DOUBLE, right, 32, 1, MPI_DOUBLE, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Group_free(&before);
  MPI_Group_free(&after);
  MPI_Group_free(&all);
  add_up(in, length);
  add_up(memory, 40);
  MPI_Win_free(&window);
}

static void files(const char* directory) {
  MPI_File file;
  MPI_Offset bytes;
  MPI_Request request;
  MPI_Status status;
  char path[1024];
  const MPI_Offset mine = (MPI_Offset)rank * length * (MPI_Offset)sizeof(double);
  fill(12);
  snprintf(path, sizeof path, "%s/traffic.data", directory);
  MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  for (int i = 0; i < 3; ++i) MPI_File_write_at(file, mine, out, length, MPI_DOUBLE, &status);
  MPI_File_write_at_all(file, mine, out, length, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, mine, out, length, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(world);
  MPI_File_read_at(file, mine, in, length, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, mine, result, length, MPI_DOUBLE, &status);
  MPI_File_seek(file, mine, MPI_SEEK_SET);
  MPI_File_read(file, in, length, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_get_size(file, &bytes);
  MPI_File_close(&file);
  if (rank == 0) MPI_File_delete(path, MPI_INFO_NULL);
  MPI_Barrier(world);
  check += (double)bytes;
  add_up(in, length);
  add_up(result, length);
}

static void attributes(void) {
  MPI_Comm comm;
  MPI_Info info;
  MPI_Errhandler handler;
  int key, flag, n;
  void* value;
  static int kept = 5;
  char text[MPI_MAX_INFO_KEY];
  for (int i = 0; i < 2; ++i) MPI_Comm_get_attr(world, MPI_TAG_UB, &value, &flag);
  MPI_Comm_dup(world, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(comm, key, &kept);
  MPI_Comm_get_attr(comm, key, &value, &flag);
  check += flag;
  MPI_Comm_delete_attr(comm, key);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_get_errhandler(comm, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  MPI_Info_create(&info);
  MPI_Info_set(info, "first", "1");
  MPI_Info_set(info, "second", "2");
  MPI_Info_get_nkeys(info, &n);
  check += n;
  MPI_Info_get_nthkey(info, 0, text);
  MPI_Info_delete(info, "first");
  MPI_Info_free(&info);
  MPI_Pcontrol(1);
}

static void errors(void) {
  MPI_Comm comm;
  int kind, n;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = MPI_Send(out, 1, MPI_DOUBLE, size + 5, 1, comm);
  MPI_Error_class(code, &kind);
  MPI_Error_string(code, text, &n);
  check += kind == MPI_ERR_RANK;
  MPI_Comm_free(&comm);
}
