// Descriptors, directories and the environment, as programs use them that think they are alone.

// As if somebody had closed the standard streams: the program's own files get their numbers.
static int low[3];
static void open_low_descriptors(int steps) {
  (void)steps;
  for (int fd = 0; fd < 3; ++fd) close(fd);
}
static void write_low_descriptors(int steps) {
  traffic(steps);
  for (int i = 0; i < 3; ++i) {
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", file_name, i);
    low[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  }
  noise(100 * steps);
  for (int i = 0; i < 3; ++i) dprintf(low[i], "file %d is descriptor %d\n", i, low[i]);
}

// Daemons close what they did not open, and get the numbers for files of their own.
static void close_all_descriptors(int steps) {
  traffic(steps);
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  int own[8];
  for (int i = 0; i < 8; ++i) {
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", file_name, i);
    own[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    dprintf(own[i], "file %d\n", i);
  }
  noise(100 * steps);
  traffic(steps);
  for (int i = 0; i < 8; ++i) {
    dprintf(own[i], "descriptor %d, %ld bytes\n", own[i], (long)lseek(own[i], 0, SEEK_END));
  }
}

// FILE is the run's directory: it goes while the program runs.
static void remove_directory(int steps) {
  traffic(steps);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    char command[8192];
    snprintf(command, sizeof command, "rm -rf '%s'", file_name);
    printf("removed: %d\n", system(command));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  noise(100 * steps);
  traffic(steps);
}

static void change_directory(int steps) {
  (void)steps;
  if (chdir("/") != 0) exit(9);
}

static void clear_environment(int steps) {
  (void)steps;
  const char* kept = getenv("FAKE_SIZE");
  char* copy = kept ? strdup(kept) : NULL;
  unsetenv("LEADLINE_DIR");
  unsetenv("LD_PRELOAD");
  if (copy) setenv("FAKE_SIZE", copy, 1);
}
