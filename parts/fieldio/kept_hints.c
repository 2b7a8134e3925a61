/* Choices of hints as a file of one line for each kind of field:
 *
 *   library HASH, file system HEX, N ranks, WHOLExSIZES, cut HASH | hints
 *
 * Rank 0 reads and writes it. The hash of the library is over its version and over what chooses its MPI-IO in the
 * environment; that of the cut over all ranks' blocks. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "field_file.h"
#include "trial.h"

enum { SIGNATURE_BYTES = 512, LINE_BYTES = SIGNATURE_BYTES + LEADLINE_FIELDIO_LONGEST_HINTS + 8 };

static uint32_t hash_of(uint32_t hash, const void* data, size_t bytes) {
  for (const unsigned char* at = data; bytes > 0; --bytes) hash = (hash ^ *at++) * 16777619u;
  return hash;
}

static uint32_t library_hash(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  const char* component = getenv("OMPI_MCA_io"); /* Open MPI has two, which know different hints */
  uint32_t hash = hash_of(2166136261u, version, (size_t)length);
  return component != NULL ? hash_of(hash, component, strlen(component)) : hash;
}

/* The type of the one that the file is to be on; 0: unknown. */
static unsigned long file_system_of(const char* path) {
  const char* end = strrchr(path, '/');
  char* folder = end == NULL ? strdup(".") : strndup(path, (size_t)(end - path) + 1);
  struct statfs found;
  const bool is_known = folder != NULL && statfs(folder, &found) == 0;
  free(folder);
  return is_known ? (unsigned long)found.f_type : 0;
}

static void signature_of(const char* path, const leadline_spread* spread, char* text) {
  uint32_t cut = 2166136261u;
  for (int rank = 0; rank < spread->ranks; ++rank) {
    const size_t bytes = (size_t)spread->dimensions * sizeof(int64_t);
    cut = hash_of(hash_of(cut, spread->wide[rank].first, bytes), spread->wide[rank].count, bytes);
    cut = hash_of(hash_of(cut, spread->blocks[rank].first, bytes), spread->blocks[rank].count, bytes);
  }
  int used = snprintf(text, SIGNATURE_BYTES, "library %08" PRIx32 ", file system %lx, %d ranks, ", library_hash(),
                      file_system_of(path), spread->ranks);
  for (int d = 0; d < spread->dimensions; ++d) {
    used +=
        snprintf(text + used, SIGNATURE_BYTES - (size_t)used, "%s%" PRId64, d > 0 ? "x" : "", spread->whole.count[d]);
  }
  snprintf(text + used, SIGNATURE_BYTES - (size_t)used, ", cut %08" PRIx32 " | ", cut);
}

/* -1: these hints are not among those that are tried. */
static int set_with(const char* hints, size_t length) {
  for (int set = 0; set < LEADLINE_FIELDIO_HINT_SETS; ++set) {
    const char* text = leadline_fieldio_hint_set(set);
    if (strlen(text) == length && strncmp(hints, text, length) == 0) return set;
  }
  return -1;
}

/* Opens a file of ours, which decides how fields are written: only a regular one, never through a link that
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

void take_kept(MPI_Comm comm, const char* keep, const char* path, const leadline_spread* spread,
               leadline_fieldio_choice* choice) {
  int set = -1;
  if (spread->rank == ROOT) {
    char signature[SIGNATURE_BYTES], line[LINE_BYTES];
    signature_of(path, spread, signature);
    const size_t length = strlen(signature);
    const char* why;
    FILE* file = open_own(keep, O_RDONLY, "r", &why);
    if (*why != '\0') fprintf(stderr, "leadline_fieldio: ignored the selected hints in %s: %s\n", keep, why);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
      const bool like = strncmp(line, signature, length) == 0;
      const int found = like ? set_with(line + length, strcspn(line + length, "\n")) : -1;
      if (found >= 0) set = found; /* the last one counts */
    }
    if (file != NULL) fclose(file);
  }
  MPI_Bcast(&set, 1, MPI_INT, ROOT, comm);
  choice->kept = set >= 0;
  choice->set = set >= 0 ? set : 0;
}

void keep_choice(const char* keep, const char* path, const leadline_spread* spread,
                 const leadline_fieldio_choice* choice, Report* report) {
  if (spread->rank != ROOT) return;
  char signature[SIGNATURE_BYTES];
  signature_of(path, spread, signature);
  const char* why;
  FILE* file = open_own(keep, O_WRONLY | O_APPEND | O_CREAT, "a", &why);
  bool written = file != NULL;
  if (file != NULL) {
    fprintf(file, "%s%s\n", signature, leadline_fieldio_hint_set(choice->set));
    written = !ferror(file);
    written = fclose(file) == 0 && written;
  }
  if (!written) note(report, "%s: cannot save the selected hints%s%s", keep, *why ? ": " : "", why);
}
