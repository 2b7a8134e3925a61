/* Field I/O: fields that are spread over the ranks, in NetCDF files, read and written by all ranks together.
 *
 * A file is opened in one of three ways, and all else is the same in each:
 *
 *   parallel  each rank its part, by PnetCDF's collective calls
 *   gathered  one reader and writer, rank 0, which scatters and gathers slab by slab, in bounded memory
 *   serial    every rank reads everything and keeps its part; parts go to rank 0 in blocking sends. To compare with.
 *
 * NetCDF and PnetCDF are loaded when the first file is opened: neither need be there when the program is compiled.
 *
 * Functions that return int return LEADLINE_FIELDIO_OK or an error, the same on all ranks unless they are documented
 * as local. They do not end the program and do not leave anybody waiting. After an error of a file nothing more is done
 * with it; every further call returns the error. docs/build-in/fieldio.md has the whole story. */
#ifndef LEADLINE_FIELDIO_H
#define LEADLINE_FIELDIO_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LEADLINE_FIELDIO_OK = 0, LEADLINE_FIELDIO_FAILED = 1 };

/* --- How a field is spread ---------------------------------------------------------------------------------------- */

enum { LEADLINE_FIELDIO_DIMENSIONS = 6 };

/* A rank's block of the field, and the array in memory that the block lies in. Numbers are of points, in the order of
 * the file: the last dimension is contiguous. */
typedef struct {
  int dimensions;
  const int64_t* whole;  /* the field's sizes, the same on all ranks */
  const int64_t* first;  /* of the block in the field */
  const int64_t* count;  /* of the block; may be 0 */
  const int64_t* sizes;  /* of the array; null: those of the block */
  const int64_t* offset; /* of the block in the array; null: 0 */
  const int64_t* halo;   /* how far reading fills the array around the block, as far as the field goes; null: 0 */
} leadline_block;

typedef struct leadline_spread leadline_spread;

/* Collective. Null only where there is no memory. On an error the spread holds the message and is freed as any other.
 */
int leadline_spread_create(MPI_Comm comm, const leadline_block* block, leadline_spread** spread);

/* Local. mask: one byte for each point of the array, 0 where there is land; it is not copied. Reading leaves land as
 * it is in memory, writing writes `land` there. Null: no land. */
void leadline_spread_mask(leadline_spread* spread, const unsigned char* mask, double land);

const char* leadline_spread_message(const leadline_spread* spread);

/* Local. */
void leadline_spread_free(leadline_spread** spread);

/* --- Files -------------------------------------------------------------------------------------------------------- */

typedef enum {
  LEADLINE_FIELDIO_AUTO, /* parallel if there is a PnetCDF for this program's MPI library, else gathered */
  LEADLINE_FIELDIO_PARALLEL,
  LEADLINE_FIELDIO_GATHERED,
  LEADLINE_FIELDIO_SERIAL
} leadline_fieldio_way;

/* In a file and in memory, except for the first, which is only in files. NetCDF converts where they differ. */
typedef enum {
  LEADLINE_FIELDIO_INT8,
  LEADLINE_FIELDIO_INT32,
  LEADLINE_FIELDIO_INT64,
  LEADLINE_FIELDIO_FLOAT,
  LEADLINE_FIELDIO_DOUBLE
} leadline_fieldio_type;

typedef struct {
  leadline_fieldio_way way; /* the same on all ranks */
  size_t limit_bytes;       /* the most that the buffers of rank 0 may take; 0: 64 MiB. Its own is what counts. */
  const char* hints;        /* of MPI-IO and PnetCDF, "name=value;name=value"; null: the library's choice */
} leadline_fieldio_options;

typedef struct leadline_field_file leadline_field_file;

/* Collective. options: null for all zero. The file is null only where there is no memory; on an error it holds the
 * message, and is closed as any other. An existing file is replaced, in the format CDF-5. */
int leadline_fieldio_open(MPI_Comm comm, const char* path, const leadline_fieldio_options* options,
                          leadline_field_file** file);
int leadline_fieldio_create(MPI_Comm comm, const char* path, const leadline_fieldio_options* options,
                            leadline_field_file** file);

/* The way that the file is open in. */
leadline_fieldio_way leadline_fieldio_way_of(const leadline_field_file* file);

/* All ranks call these in the same order until the definitions end; an error is returned by the end. Numbers of
 * dimensions and variables are from 0. */
int leadline_fieldio_dimension(leadline_field_file* file, const char* name, int64_t length);
int leadline_fieldio_define(leadline_field_file* file, const char* name, leadline_fieldio_type type, int dimensions,
                            const int* dimension);
void leadline_fieldio_text(leadline_field_file* file, int variable, const char* attribute, const char* text);
void leadline_fieldio_number(leadline_field_file* file, const char* attribute, int64_t value); /* of the file */
void leadline_fieldio_land(leadline_field_file* file, int variable, leadline_fieldio_type type, double value);
int leadline_fieldio_end_definitions(leadline_field_file* file); /* collective */

/* Collective. What a file says of itself. variable: it must have these sizes. */
int leadline_fieldio_get_length(leadline_field_file* file, const char* dimension, int64_t* length);
int leadline_fieldio_get_number(leadline_field_file* file, const char* attribute, int64_t* value);
int leadline_fieldio_variable(leadline_field_file* file, const char* name, int dimensions, const int64_t* sizes,
                              int* variable);

/* Collective. A field, from or to the array of each rank. A variable with more dimensions than the field has `leading`
 * ones before the field's, with these indices. To be written, the blocks must cover the field, and not overlap. */
int leadline_fieldio_read(leadline_field_file* file, int variable, int leading, const int64_t* index,
                          const leadline_spread* spread, leadline_fieldio_type type, void* values);
int leadline_fieldio_write(leadline_field_file* file, int variable, int leading, const int64_t* index,
                           const leadline_spread* spread, leadline_fieldio_type type, const void* values);

/* Collective. What is not spread: all ranks get the same. */
int leadline_fieldio_get(leadline_field_file* file, int variable, int dimensions, const int64_t* first,
                         const int64_t* count, leadline_fieldio_type type, void* values);

/* Rank 0 writes what is not spread. In the parallel way all ranks must call, in others they may; a variable without
 * dimensions must have the same value on all. Local: an error is this rank's, and is that of all ranks from the next
 * collective call on. */
int leadline_fieldio_put(leadline_field_file* file, int variable, int dimensions, const int64_t* first,
                         const int64_t* count, leadline_fieldio_type type, const void* values);

/* Collective. All ranks learn what has failed on any. message: as long as the file lasts. */
int leadline_fieldio_settle(leadline_field_file* file);
const char* leadline_fieldio_message(const leadline_field_file* file);

/* The most that this rank's buffers have taken so far. */
size_t leadline_fieldio_buffer_bytes(const leadline_field_file* file);

/* Collective. Writes what is left and closes; the message can still be read. */
int leadline_fieldio_close(leadline_field_file* file);

/* Collective. Closes what is open, and frees. */
void leadline_fieldio_free(leadline_field_file** file);

/* --- Hints -------------------------------------------------------------------------------------------------------- */

/* Collective. Whether PnetCDF can be used here, on all ranks; `why`, where not null, gets the reason where not. */
int leadline_fieldio_has_parallel(MPI_Comm comm, char* why, size_t why_bytes);

enum { LEADLINE_FIELDIO_HINT_SETS = 7, LEADLINE_FIELDIO_LONGEST_HINTS = 256 };

/* Number 0 is what is used where nothing is chosen. */
const char* leadline_fieldio_hint_set(int number);

/* How much is tried; the same on all ranks. */
typedef struct {
  int rounds;       /* of all sets, at most 32; 0: 7 */
  double limit_s;   /* nothing further is tried after so long; 0: 10 */
  const char* keep; /* a file: a choice that it has for such a field is taken, and what three rounds found is added to
                       it; null: none */
} leadline_fieldio_trial;

typedef struct {
  char hints[LEADLINE_FIELDIO_LONGEST_HINTS];
  int set;               /* its number */
  int kept;              /* 1: taken from the file; nothing was tried, and all below is 0 */
  int rounds;            /* that were completed within the limit */
  double took_s;         /* trying, as a whole */
  int64_t written_bytes; /* by all ranks together, and as many were read */
  /* Of each set: writing and reading once, on the slowest rank. */
  double median_s[LEADLINE_FIELDIO_HINT_SETS];
  double least_s[LEADLINE_FIELDIO_HINT_SETS];
  double most_s[LEADLINE_FIELDIO_HINT_SETS];
} leadline_fieldio_choice;

/* Collective. Writes a field that is spread so to the scratch file PATH.hints, and reads it, with each set of hints in
 * turn. Chooses the fastest: another set than number 0 only after three rounds or more, all of which it won by at least
 * 2 %. A field of more than 64 MiB is an error. trial: null for all zero. message: null, or what is wrong. */
int leadline_fieldio_choose_hints(MPI_Comm comm, const char* path, const leadline_spread* spread,
                                  const leadline_fieldio_trial* trial, leadline_fieldio_choice* choice, char* message,
                                  size_t message_bytes);

#ifdef __cplusplus
}
#endif
#endif
