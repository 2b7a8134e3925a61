// Whether a site that records every job leaves this one out (docs/record/every-job.md).
//
// LEADLINE_OFF  1: record nothing; a path: record nothing while there is a file of that name.
// LEADLINE_ONE_IN  N: record one job in N. Every rank of a job comes to the same answer without communication, because
// it follows from what the ranks of a job have in common and other jobs do not (recorder/job/job.hpp).
#pragma once

namespace leadline::recorder {

bool is_switched_off();
bool is_left_out();

}  // namespace leadline::recorder
