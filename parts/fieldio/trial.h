/* Choices of hints that a file keeps from run to run. */
#ifndef LEADLINE_FIELDIO_TRIAL_H
#define LEADLINE_FIELDIO_TRIAL_H

#include "leadline_fieldio.h"
#include "report.h"
#include "spread.h"

#define take_kept leadline_fieldio_take_kept_
#define keep_choice leadline_fieldio_keep_choice_

/* Collective. Sets choice->kept where the file has a choice for such a field; a file that is not there has none. */
void take_kept(MPI_Comm comm, const char* keep, const char* path, const leadline_spread* spread,
               leadline_fieldio_choice* choice);

/* Rank 0 adds a line to the file, and notes where it cannot. */
void keep_choice(const char* keep, const char* path, const leadline_spread* spread,
                 const leadline_fieldio_choice* choice, Report* report);

#endif
