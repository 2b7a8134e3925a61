// The recorder's state for each thread of the program.
#pragma once

#include <cstdint>

#include "host/spawning.hpp"
#include "recorder/call_paths/call_path.hpp"
#include "recorder/call_paths/code_places.hpp"
#include "recorder/call_paths/local_calls.hpp"
#include "recorder/call_paths/regions.hpp"
#include "recorder/clocks/clock.hpp"
#include "recorder/memory/inside.hpp"
#include "recorder/memory/scratch.hpp"
#include "recorder/objects/handles.hpp"
#include "recorder/samples/sample_ring.hpp"
#include "recording/event_graph.hpp"

namespace leadline::recorder {

struct Thread {
  uint32_t depth = 0;                   // > 0 inside an MPI call of this thread
  uint32_t sample_left = first_sample;  // calls until the recorder times itself again
  uint32_t left_before = 0;             // > 0: sample_left before it was set for the call at hand: time_this_call
  bool call_returned = false;           // what is learnt now follows a call: its own recording is timed
  const void* outer_frame = nullptr;    // frame of that call
  const void* outer_return = nullptr;   // and where it returns to
  recording::ThreadHeader* header = nullptr;
  recording::EventGraph graph;
  CallPaths paths;
  CodeSearch code;
  LocalCalls locals;
  RegionStack regions;
  SampleRing ring;  // open if the user asked for samples

  CommView last_comm;
  TypeView last_type;
  uint32_t views_epoch = 0;

  Scratch handles, statuses, words, entries;
  alignas(16) char status[64];  // in place of MPI_STATUS_IGNORE
  Word own_status = 0;          // address of what we passed instead, 0: the program's own

  uint64_t sampled_ticks = 0, samples = 0;
  Ticks long_work_from = 0;       // the recorder does more than a few microseconds' work from then on; 0: it does not
  uint64_t long_work_cpu_ns = 0;  // the thread's processor time then
  char* region = nullptr;
  Thread** slot = nullptr;  // this_thread of the thread that owns it: null there makes the thread call enter()
  uint16_t number = 0;
  bool taken = false;

  // Set by the wrapper of MPI_File_open: the requested name, and the file that the library opened for it.
  const char* opening = nullptr;
  uint32_t opened_file = 0;
  uint32_t highest_file = 0;  // number among the files this thread opened

  host::SpawnInfos spawn_infos;  // of the call of MPI_Comm_spawn at hand

  // Whether an MPI call of the thread lies above the frame: a call that was left by a jump or an exception does not.
  bool is_in_call(const void* frame) const;

  // What passed since the last call is not the program's time.
  void skip_to(uint64_t ticks) {
    if (ticks > header->last_end) graph.series().pass_over(ticks - header->last_end);
  }

  // The recording of the call at hand takes longer than that of others: it is timed as a whole (add_event).
  void time_this_call() {
    if (left_before) return;
    left_before = sample_left;
    sample_left = 1;
  }
  // What follows may take so long that the thread loses its core meanwhile.
  void begins_long_work() {
    if (long_work_from > header->last_end) return;
    long_work_from = now();
    long_work_cpu_ns = processor_ns();
  }
  // How much of the ticks until now the thread had a core.
  Ticks on_a_core(Ticks ticks, uint64_t tick_factor);

  static constexpr uint32_t first_sample = 61, sample_every = 509;  // primes: not in step with loops
};

// Only a preempted thread takes this long to record a call, unless begins_long_work() announced it.
inline constexpr Ticks preempted_ticks = 60000;

// Null where this thread has not called MPI yet, or is not recorded.
extern thread_local constinit Thread* this_thread;
inline Thread* own_thread() { return __atomic_load_n(&this_thread, __ATOMIC_RELAXED); }
inline void set_own_thread(Thread* t) { __atomic_store_n(&this_thread, t, __ATOMIC_RELAXED); }

}  // namespace leadline::recorder
