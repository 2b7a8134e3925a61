/* What was found, as a file of one line for each kind of plan:
 *
 *   SIGNATURE | method persistent | sizes of the segments
 *
 * Rank 0 reads and writes it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan.h"

enum { SIGNATURE_LENGTH = 160, LINE_LENGTH = 1 << 16 };

/* The same on all ranks: the library, and how much there is to exchange at most. Collective. */
void signature_of(const leadline_segments* plan, char* text, size_t room) {
  long mine[2] = {0, 0}, most[2];
  for (int field = 0; field < plan->n_fields; ++field) {
    for (int neighbour = 0; neighbour < plan->n_neighbours; ++neighbour) {
      const Layout* layout = &face_of(plan, field, neighbour)->send;
      mine[0] += (long)layout->bytes;
      for (int n = 0; n < layout->n_runs; ++n) mine[1] += (long)layout->runs[n].count;
    }
  }
  MPI_Allreduce(mine, most, 2, MPI_LONG, MPI_MAX, plan->comm);
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length;
  MPI_Get_library_version(version, &length);
  unsigned hash = 2166136261u;
  for (int n = 0; n < length; ++n) hash = (hash ^ (unsigned char)version[n]) * 16777619u;
  snprintf(text, room, "library %08x, %d ranks, %d fields, %ld bytes in %ld pieces", hash, plan->ranks, plan->n_fields,
           most[0], most[1]);
}

int leadline_segments_load(leadline_segments* plan, const char* path) {
  if (plan->committed) {
    return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: load after the plan was committed", plan->rank);
  }
  free(plan->loaded_from);
  plan->loaded_from = strdup(path);
  return plan->loaded_from == NULL ? LEADLINE_SEGMENTS_NO_MEMORY : LEADLINE_SEGMENTS_OK;
}

/* numbers: method, persistent, segments, sizes. False if the line belongs to another plan or is invalid. */
static bool understand(const leadline_segments* plan, const char* line, const char* signature, int* numbers) {
  const size_t length = strlen(signature);
  if (strncmp(line, signature, length) != 0 || line[length] != ' ') return false;
  int read, used = 0;
  const char* at = line + length;
  if (sscanf(at, " | %d %d |%n", &numbers[0], &numbers[1], &read) != 2) return false;
  int sum = 0;
  for (at += read; used < plan->n_fields && sscanf(at, " %d%n", &numbers[3 + used], &read) == 1; at += read) {
    if (numbers[3 + used] < 1 || numbers[3 + used] > plan->n_fields) return false;
    sum += numbers[3 + used++];
  }
  numbers[2] = used;
  return sum == plan->n_fields && numbers[0] >= LEADLINE_SEGMENTS_BY_SIZE && numbers[0] <= LEADLINE_SEGMENTS_DATATYPE;
}

/* Opens a file of ours, which decides how the program communicates: only a regular one, never through a link that
 * somebody may have put there, and only if nobody but the user and root can write it. Null, and why not: "" where there
 * is no such file. */
static FILE* open_own(const char* path, int flags, const char* mode, const char** why) {
  *why = "";
  const int opened = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
  if (opened < 0) {
    if (errno != ENOENT) *why = errno == ELOOP || errno == ENXIO ? "not a regular file" : strerror(errno);
    return NULL;
  }
  struct stat status;
  if (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode)) {
    *why = "not a regular file";
  } else if (status.st_uid != geteuid() && status.st_uid != 0) {
    *why = "owned by another user";
  } else if (status.st_mode & S_IWOTH) {
    *why = "world-writable";
  } else if ((status.st_mode & S_IWGRP) && status.st_gid != status.st_uid) {
    *why = "group-writable"; /* many systems give each user a group of the same number */
  } else {
    FILE* file = fdopen(opened, mode);
    if (file != NULL) return file;
    *why = strerror(errno);
  }
  close(opened);
  return NULL;
}

/* Collective. Leaves plan->form null where the file does not know the plan. */
int apply_loaded(leadline_segments* plan) {
  int wanted = plan->loaded_from != NULL, all;
  MPI_Allreduce(&wanted, &all, 1, MPI_INT, MPI_MIN, plan->comm);
  if (!all) return LEADLINE_SEGMENTS_OK;
  char signature[SIGNATURE_LENGTH];
  signature_of(plan, signature, sizeof signature);
  int* numbers = calloc((size_t)plan->n_fields + 3, sizeof *numbers);
  char* line = malloc(LINE_LENGTH);
  if (numbers == NULL || line == NULL) abort();
  if (plan->rank == 0) {
    const char* why;
    FILE* file = open_own(plan->loaded_from, O_RDONLY, "r", &why);
    if (*why != '\0') fprintf(stderr, "leadline_segments: ignored the plan in %s: %s\n", plan->loaded_from, why);
    bool found = false;
    while (file != NULL && fgets(line, LINE_LENGTH, file) != NULL) { /* the last one counts */
      const bool like = strncmp(line, signature, strlen(signature)) == 0;
      if (like) found = understand(plan, line, signature, numbers);
    }
    if (!found) numbers[2] = 0;
    if (file != NULL) fclose(file);
  }
  MPI_Bcast(numbers, plan->n_fields + 3, MPI_INT, 0, plan->comm);
  if (numbers[2] > 0) {
    plan->form = form_shape(plan->n_fields, numbers[2], numbers + 3, (leadline_segments_method)numbers[0], numbers[1]);
  }
  free(numbers);
  free(line);
  return LEADLINE_SEGMENTS_OK;
}

int leadline_segments_save(leadline_segments* plan, const char* path) {
  if (!plan->committed || plan->tuning != NULL) {
    return fail(plan, LEADLINE_SEGMENTS_MISUSE, "rank %d: save before tuning has finished", plan->rank);
  }
  char signature[SIGNATURE_LENGTH];
  signature_of(plan, signature, sizeof signature);
  int error = LEADLINE_SEGMENTS_OK;
  if (plan->rank == 0) {
    const char* why;
    FILE* file = open_own(path, O_WRONLY | O_APPEND | O_CREAT, "a", &why);
    bool written = file != NULL;
    if (file != NULL) {
      const Form* form = plan->form;
      fprintf(file, "%s | %d %d |", signature, (int)form->method, form->persistent);
      for (int s = 0; s < form->segments; ++s) fprintf(file, " %d", form->first[s + 1] - form->first[s]);
      fprintf(file, "\n");
      written = !ferror(file);
      written = fclose(file) == 0 && written;
    }
    if (!written) {
      error = fail(plan, LEADLINE_SEGMENTS_NO_FILE, "rank 0: cannot write %s%s%s", path, *why ? ": " : "", why);
    }
  }
  MPI_Bcast(&error, 1, MPI_INT, 0, plan->comm);
  MPI_Bcast(plan->message, MESSAGE_LENGTH, MPI_CHAR, 0, plan->comm);
  return error;
}
