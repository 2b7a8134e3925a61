// File I/O of the program: the interface for the rest of the recorder.
#pragma once

#include "recorder/thread.hpp"
#include "recording/live.hpp"

namespace leadline::recorder {

struct OpenFile;

// When file calls are events.
struct FileWatch {
  bool outside = true;  // of MPI_Init and MPI_Finalize
  bool paused = false;
};
extern constinit FileWatch file_watch;

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

// Calls of functions for one character are counted in the open file; this moves them to the table of files.
void count_characters(OpenFile* file);

// How an event that opens a file names it: 0 for the one after the highest number the thread has opened so far.
int64_t number_in_event(Thread& t, uint32_t file);

}  // namespace leadline::recorder
