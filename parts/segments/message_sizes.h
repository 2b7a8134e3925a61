/* Which messages a plan makes where the choice is left to it: bytes, as measured for each library
 * (docs/build-in/segments.md).
 *
 *   DESCRIBED     a piece from which on pieces are described to the library by a datatype, not packed,
 *   IN_MESSAGES   if they make up more than this;
 *   ALL           a message from which on even short pieces are described;
 *   ALONE         a face that travels alone;
 *   FULL          what the other messages have at most, more or less,
 *   EAGER         and what they have at most where all fields together have
 *   SMALL         no more than this: the library sends such messages at once;
 *   IN_TURN       a message before which the rank waits for the one before it.
 *
 * Where two ranks share a cache, copying costs little; where they do not, a buffer that the other one has read is slow
 * to write. The limits keep the worse of the two cases short. */
#ifndef LEADLINE_SEGMENTS_MESSAGE_SIZES_H
#define LEADLINE_SEGMENTS_MESSAGE_SIZES_H

#include <limits.h>
#include <mpi.h>

enum { NEVER = INT_MAX };

#if defined(I_MPI_VERSION)
enum { DESCRIBED = 1 << 10, IN_MESSAGES = 16 << 10, ALL = NEVER };
enum { LIBRARY_ALONE = 16 << 10, LIBRARY_FULL = 256 << 10, EAGER = NEVER, SMALL = 0, LIBRARY_IN_TURN = 16 << 10 };
#elif defined(OPEN_MPI)
enum { DESCRIBED = 256, IN_MESSAGES = 0, ALL = 16 << 10 };
enum { LIBRARY_ALONE = 48 << 10, LIBRARY_FULL = 64 << 10, EAGER = 4000, SMALL = 8000, LIBRARY_IN_TURN = NEVER };
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 50000000
enum { DESCRIBED = NEVER, IN_MESSAGES = NEVER, ALL = NEVER };
enum { LIBRARY_ALONE = 8 << 10, LIBRARY_FULL = NEVER, EAGER = 8 << 10, SMALL = 24 << 10, LIBRARY_IN_TURN = NEVER };
#else
enum { DESCRIBED = NEVER, IN_MESSAGES = NEVER, ALL = NEVER };
enum { LIBRARY_ALONE = 24 << 10, LIBRARY_FULL = NEVER, EAGER = 7 << 10, SMALL = 24 << 10, LIBRARY_IN_TURN = NEVER };
#endif

/* Below, Open MPI sends at once what MPI_Isend gives it, and takes half as long again for MPI_Start. */
enum { PERSISTENT = 512 };

/* Tests compile the library with small ones. */
#ifndef LEADLINE_SEGMENTS_FULL_BYTES
#define LEADLINE_SEGMENTS_FULL_BYTES LIBRARY_FULL
#define LEADLINE_SEGMENTS_ALONE_BYTES LIBRARY_ALONE
#define LEADLINE_SEGMENTS_IN_TURN_BYTES LIBRARY_IN_TURN
#endif

#endif
