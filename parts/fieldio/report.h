/* What failed on this rank, and how all ranks learn of it. */
#ifndef LEADLINE_FIELDIO_REPORT_H
#define LEADLINE_FIELDIO_REPORT_H

#include <mpi.h>
#include <stdbool.h>

#define note leadline_fieldio_note_
#define agree_on leadline_fieldio_agree_on_

enum { MESSAGE_BYTES = 1024 };

typedef struct {
  bool failed;  /* here, so far */
  bool settled; /* all ranks have the message */
  char message[MESSAGE_BYTES];
} Report;

/* The first thing that fails is kept. */
void note(Report* report, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* Collective. False where anything has failed on any rank: then all have the message of the lowest such rank. */
bool agree_on(Report* report, MPI_Comm comm);

#endif
