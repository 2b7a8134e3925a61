#include "report.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

void note(Report* report, const char* format, ...) {
  if (report->failed) return;
  report->failed = true;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report->message, sizeof report->message, format, arguments);
  va_end(arguments);
}

bool agree_on(Report* report, MPI_Comm comm) {
  if (report->settled) return false;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int mine = report->failed ? rank : INT_MAX;
  int first = INT_MAX;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == INT_MAX) return true;
  MPI_Bcast(report->message, MESSAGE_BYTES, MPI_CHAR, first, comm);
  report->failed = true;
  report->settled = true;
  return false;
}
