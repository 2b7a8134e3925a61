// MPI_File_*: which file, how many bytes, where.
#pragma once

#include "recorder/wrappers/wrapped_call.hpp"

namespace leadline::recorder {

// MPI_File_*: the file that was opened, in the file call's totals and for the calls that follow.
void before_file_open(Thread& t, const char* name);
uint32_t after_file_open(Thread& t, const char* name, bool opened);
// Number of the file behind an MPI file that the trace knows as `object`.
void set_file_of_object(uint32_t object, uint32_t file);
uint32_t file_of_object(uint32_t object);
// Counts one call of MPI_File_*.
void count_mpi_file_call(const Call& call, uint32_t object, int64_t bytes);
// A split transfer counts where it ends: its end has the status.
bool begins_split(const Call& call);
bool ends_split(const Call& call);
void begin_split_transfer(const Call& call, uint32_t object, const trace::Key& key, int64_t type_bytes);
// Gives the key the count and datatype of the begin, and returns the bytes that were moved.
int64_t end_split_transfer(const Call& call, uint32_t object, trace::Key* key);
// A transfer that was counted with the bytes asked for has moved fewer.
void correct_mpi_file_bytes(uint32_t object, uint8_t moved, int64_t difference);
// A transfer: how far its explicit offset, in elements of the view, is from the end of the one before; 0 without one.
int64_t mpi_file_transfer(const Call& call, uint32_t object, int64_t bytes);

}  // namespace leadline::recorder
