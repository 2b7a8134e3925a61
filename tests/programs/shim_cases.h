/* The cases of shim.c. Everything is in whole numbers, so that sums are exact in any order. */
static long results = 0, wrong = 0;
static MPI_Datatype every_second, permuted, matrix;
static MPI_Op add_matrices, multiply_matrices;

enum { side = 2, modulus = 9973 };
typedef struct {
  int a[side * side];
} Matrix;

static void expect(int right, const char* what, MPI_Comm comm) {
  int size;
  ++results;
  if (right) return;
  MPI_Comm_size(comm, &size);
  if (++wrong < 5) fprintf(stderr, "wrong: %s on %d\n", what, size);
}

static Matrix product(Matrix x, Matrix y) {
  Matrix z;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      int sum = 0;
      for (int k = 0; k < side; ++k) sum = (sum + x.a[i * side + k] * y.a[k * side + j]) % modulus;
      z.a[i * side + j] = sum;
    }
  }
  return z;
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count * side * side; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((Matrix*)inout)[i] = product(((Matrix*)in)[i], ((Matrix*)inout)[i]);
}

static void make_types_and_operations(void) {
  /* 3 ints of which the second is not sent; two ints of which the second is sent first. */
  int lengths[2] = {1, 1}, displacements[2] = {1, 0};
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 3 * sizeof(int), &every_second);
  MPI_Type_free(&pair);
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &permuted);
  MPI_Type_contiguous(side * side, MPI_INT, &matrix);
  MPI_Type_commit(&every_second);
  MPI_Type_commit(&permuted);
  MPI_Type_commit(&matrix);
  MPI_Op_create(add, 1, &add_matrices);
  MPI_Op_create(multiply, 0, &multiply_matrices);
}

static void free_types_and_operations(void) {
  MPI_Type_free(&every_second);
  MPI_Type_free(&permuted);
  MPI_Type_free(&matrix);
  MPI_Op_free(&add_matrices);
  MPI_Op_free(&multiply_matrices);
}

static int value(int i, int salt) { return (i * 31 + salt * 17) % 1009; }

/* The ranks name the same numbers in three ways. */
static void broadcast(MPI_Comm comm, int pairs, int root) {
  int rank, right = 1;
  MPI_Comm_rank(comm, &rank);
  const int way = pairs % 2 ? (rank + root) % 3 : 0;
  int* at = malloc(sizeof(int) * (3 * pairs + 1));
  for (int i = 0; i < 3 * pairs + 1; ++i) at[i] = -7;
  for (int i = 0; i < 2 * pairs && rank == root; ++i) {
    const int where = way == 0 ? i : way == 1 ? i / 2 * 3 + i % 2 * 2 : i / 2 * 2 + 1 - i % 2;
    at[where] = value(i, root);
  }
  if (way == 0) MPI_Bcast(at, 2 * pairs, MPI_INT, root, comm);
  if (way == 1) MPI_Bcast(at, pairs, every_second, root, comm);
  if (way == 2) MPI_Bcast(at, pairs, permuted, root, comm);
  for (int i = 0; i < 2 * pairs; ++i) {
    const int where = way == 0 ? i : way == 1 ? i / 2 * 3 + i % 2 * 2 : i / 2 * 2 + 1 - i % 2;
    right = right && at[where] == value(i, root);
  }
  for (int i = 0; i < pairs && way == 1; ++i) right = right && at[3 * i + 1] == -7;
  expect(right && at[3 * pairs] == -7, "broadcast", comm);
  free(at);
}

/* root: -1: to all. */
static void reduce(MPI_Comm comm, int count, int root, int in_place, MPI_Op op) {
  int rank, size, right = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double *from = malloc(sizeof(double) * (count + 1)), *to = malloc(sizeof(double) * (count + 1));
  const int has_result = root < 0 || rank == root;
  for (int i = 0; i < count; ++i) {
    from[i] = value(i, rank);
    to[i] = in_place && has_result ? from[i] : -1;
  }
  to[count] = -1;
  void* input = in_place && has_result ? MPI_IN_PLACE : (void*)from;
  if (root < 0) MPI_Allreduce(input, to, count, MPI_DOUBLE, op, comm);
  if (root >= 0) MPI_Reduce(input, has_result ? to : NULL, count, MPI_DOUBLE, op, root, comm);
  for (int i = 0; i < count && has_result; ++i) {
    double all = value(i, 0);
    for (int r = 1; r < size; ++r) {
      const double v = value(i, r);
      all = op == MPI_SUM ? all + v : all > v ? all : v;
    }
    right = right && to[i] == all;
  }
  for (int i = 0; i < count; ++i) right = right && from[i] == value(i, rank);
  expect(right && to[count] == -1, root < 0 ? "allreduce" : "reduce", comm);
  free(from);
  free(to);
}

static void reduce_matrices(MPI_Comm comm, int count, int root, MPI_Op op) {
  int rank, size, right = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  Matrix *from = calloc(count + 1, sizeof(Matrix)), *to = calloc(count + 1, sizeof(Matrix));
  const int has_result = root < 0 || rank == root;
  for (int i = 0; i < count * side * side; ++i) ((int*)from)[i] = value(i, rank);
  if (root < 0) MPI_Allreduce(from, to, count, matrix, op, comm);
  if (root >= 0) MPI_Reduce(from, to, count, matrix, op, root, comm);
  for (int i = 0; i < count && has_result; ++i) {
    Matrix all, next;
    for (int r = 0; r < size; ++r) {
      for (int k = 0; k < side * side; ++k) next.a[k] = value(i * side * side + k, r);
      if (r == 0)
        all = next;
      else if (op == multiply_matrices)
        all = product(all, next);
      else
        for (int k = 0; k < side * side; ++k) all.a[k] += next.a[k];
    }
    right = right && memcmp(&all, &to[i], sizeof(all)) == 0;
  }
  expect(right, op == multiply_matrices ? "matrix product" : "matrix sum", comm);
  free(from);
  free(to);
}

static void where_is_the_largest(MPI_Comm comm, int count) {
  int rank, size, right = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  struct {
    double value;
    int at;
  } *from = calloc(count, sizeof(*from)), *to = calloc(count, sizeof(*from));
  for (int i = 0; i < count; ++i) {
    from[i].value = value(i, rank);
    from[i].at = rank;
  }
  MPI_Allreduce(from, to, count, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  for (int i = 0; i < count; ++i) {
    int best = 0;
    for (int r = 1; r < size; ++r) best = value(i, r) > value(i, best) ? r : best;
    right = right && to[i].value == value(i, best) && to[i].at == best;
  }
  expect(right, "maxloc", comm);
  free(from);
  free(to);
}

static void large_counts(MPI_Comm comm) {
#ifdef LARGE
  int rank, size;
  long one = 1, all = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int numbers[600];
  for (int i = 0; i < 600; ++i) numbers[i] = rank == 0 ? i : -1;
  MPI_Bcast_c(numbers, 600, MPI_INT, 0, comm);
  expect(numbers[0] == 0 && numbers[599] == 599, "large broadcast", comm);
  MPI_Allreduce_c(&one, &all, 1, MPI_LONG, MPI_SUM, comm);
  expect(all == size, "large allreduce", comm);
  all = 0;
  MPI_Reduce_c(&one, &all, 1, MPI_LONG, MPI_SUM, size - 1, comm);
  expect(all == (rank == size - 1 ? size : 0), "large reduce", comm);
#else
  (void)comm;
#endif
}

static void everything_on(MPI_Comm comm) {
  const int counts[] = {0, 1, 2, 7, 63, 1000, 4097};
  int size;
  MPI_Comm_size(comm, &size);
  for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    const int count = counts[i];
    for (int root = 0; root < size; root += size > 2 ? size - 2 : 1) {
      broadcast(comm, count, root);
      reduce(comm, count, root, 0, MPI_SUM);
      reduce(comm, count, root, 1, MPI_MAX);
      reduce_matrices(comm, count, root, multiply_matrices);
      reduce_matrices(comm, count, root, add_matrices);
    }
    reduce(comm, count, -1, 0, MPI_SUM);
    reduce(comm, count, -1, 1, MPI_MAX);
    reduce_matrices(comm, count, -1, multiply_matrices);
    reduce_matrices(comm, count, -1, add_matrices);
    if (count) where_is_the_largest(comm, count);
  }
  large_counts(comm);
}

/* Made, used and freed in turn; ranks are in different ones. */
static void many_communicators(int count) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < count; ++i) {
    MPI_Comm comm, kept;
    MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 3 == 0, rank, &comm);
    MPI_Comm_dup(comm, &kept);
    broadcast(comm, 501, 0);
    reduce(kept, 333, -1, 0, MPI_SUM);
    MPI_Comm_free(i % 2 ? &kept : &comm);
    reduce(i % 2 ? comm : kept, 64, 0, 0, MPI_SUM);
    MPI_Comm_free(i % 2 ? &comm : &kept);
  }
}

static void between_groups(MPI_Comm part) {
  int rank, mine, number;
  MPI_Comm other;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_rank(part, &mine);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &other);
  double from[500], to[500];
  int theirs;
  MPI_Comm_remote_size(other, &theirs);
  for (int i = 0; i < 500; ++i) from[i] = value(i, rank);
  MPI_Allreduce(from, to, 500, MPI_DOUBLE, MPI_SUM, other);
  int right = 1;
  for (int i = 0; i < 500; ++i) {
    double all = 0;
    for (int r = 0; r < theirs; ++r) all += value(i, 2 * r + 1 - rank % 2);
    right = right && to[i] == all;
  }
  expect(right, "allreduce between groups", part);
  number = rank == 0 ? 42 : -1;
  MPI_Bcast(&number, 1, MPI_INT, rank % 2 ? 0 : mine == 0 ? MPI_ROOT : MPI_PROC_NULL, other);
  expect(number == (rank % 2 || rank == 0 ? 42 : -1), "broadcast between groups", part);
  MPI_Comm_free(&other);
}

/* What is wrong is told as the library tells it. */
static void complains(void) {
  double from[600] = {0}, to[600] = {0};
  MPI_Comm comm;
  int class_of[5], size;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_size(comm, &size);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int codes[] = {
      MPI_Bcast(from, 600, MPI_DOUBLE, size, comm),
      MPI_Bcast(from, -1, MPI_DOUBLE, 0, comm),
      MPI_Bcast(from, 600, MPI_DATATYPE_NULL, 0, comm),
      MPI_Allreduce(from, to, 600, MPI_DOUBLE, MPI_OP_NULL, comm),
      MPI_Allreduce(from, to, 600, MPI_DOUBLE, MPI_BAND, comm),
  };
  for (int i = 0; i < 5; ++i) MPI_Error_class(codes[i], &class_of[i]);
  expect(class_of[0] == MPI_ERR_ROOT, "an error's class: root", comm);
  expect(class_of[1] == MPI_ERR_COUNT, "an error's class: count", comm);
  expect(class_of[2] == MPI_ERR_TYPE, "an error's class: datatype", comm);
  expect(class_of[3] == MPI_ERR_OP, "an error's class: no operation", comm);
  expect(class_of[4] == MPI_ERR_OP, "an error's class: operation", comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
  MPI_Barrier(MPI_COMM_WORLD);
}
