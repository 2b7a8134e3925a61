// File I/O of the program: the interface for the rest of the recorder.
#pragma once

#include "recorder/thread.hpp"
#include "recording/live.hpp"

namespace leadline::recorder {

struct Call;

// The calls of functions on files are counted from now on, if the run is recorded. Only the first call does anything.
void watch_files();
void stop_watching_files();
// File calls are events from now on, between MPI_Init and MPI_Finalize; what was counted until now moves to the live
// memory.
void record_files(recording::ProcessHeader* header, char* region, recording::Backing backing);
// Whether they are counted only: a rank's time begins with MPI_Init and ends with MPI_Finalize. A session may begin
// afterwards.
void files_outside(bool outside_mpi);
// Calls are not counted while recording is paused.
void pause_files(bool pause);
// The process ends: nothing is recorded any more.
void finish_files();

// Appends the names of libc's functions to those of MPI's.
void write_file_function_names(recording::ByteTable* text);

// How an event that opens a file names it: 0 for the one after the highest number the thread has opened so far.
int64_t number_in_event(Thread& t, uint32_t file);

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
