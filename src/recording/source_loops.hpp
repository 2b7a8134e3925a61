// The loops of the program's source, found from call paths and machine code.
//
// Two calls that follow one another have a path in common; below it, both return addresses lie in one routine. If the
// routine's code leads from the first to the second without going back, no loop repeated. Otherwise it was the
// innermost loop that holds both; where none does, the routine was left and entered again, by an
// iteration of the innermost loop about its call, in its caller or further out. A loop is known by its calling context
// and its header's address, so it is the same on all ranks, whatever they exchange and however their steps differ.
//
// Some iterations can't be seen: a loop further out may also have repeated without passing another call. Such
// loops are marked: their iterations are lower bounds. If the code can't be read (another processor, code without
// unwind tables), addresses decide: coming back to an earlier address means repeating a loop that begins there.
#pragma once

#include "code/routine.hpp"
#include "recording/context_index.hpp"
#include "recording/live.hpp"
#include "recording/routine_memory.hpp"
#include "recording/transitions.hpp"

namespace leadline::recording {

// Where a frame's code lies in memory now; false if that is unknown. An interpreter's own loops tell nothing about the
// program that it runs: frames in one are opaque.
struct CodePlaces {
  bool (*address)(void* self, uint64_t frame, uint64_t* address) = nullptr;
  bool (*opaque)(void* self, uint64_t frame) = nullptr;
  code::CodeMap map;
  void* self = nullptr;
  uint64_t most_kept_bytes = 8u << 20;  // of what is known of routines; those in use may take more
};

class SourceLoops {
 public:
  struct Tables {
    Table<LiveContext> contexts;
    Table<LiveSite> sites;
    Table<LiveLoop> loops;
    Table<uint32_t> context_loops;
  };
  static constexpr unsigned most_nested = 64;

  void attach(const Tables& tables, const CodePlaces& places);
  void set_places(const CodePlaces& places) {
    places_ = places;
    places_.map.endings = &endings_;
  }
  // `functions`: 256 bytes, a bit per function number: those of libc on files.
  void set_file_functions(const uint8_t* functions) { files_ = functions; }
  ~SourceLoops() { forget(); }
  SourceLoops() = default;
  SourceLoops(const SourceLoops&) = delete;
  SourceLoops& operator=(const SourceLoops&) = delete;

  // Other code may have replaced unloaded code.
  void forget_code() {
    forget();
    endings_.forget();
  }
  void forget() {
    forget_routines();
    loud_ = nullptr;
  }

  // Whether machine code is there to be read, and not only what was found in it before.
  bool reads_code() const { return code::reads_this_processor && places_.address; }

  // The loop that repeated between calls at the two sites, 0: none.
  uint32_t repeated(uint32_t from_site, uint32_t to_site);

  // Called once all calls are known, before mark_silent(). `vain`: by site, whether its calls only polled and always
  // failed, so that passing them leaves no event. `loud`: zeroed memory for a byte per context, needed until forget().
  void begin_silence(const uint8_t* vain, uint8_t* loud);

  // Calls that lead to recorded ones do not always do so: a routine may write only every tenth time that it is called.
  // A call is quiet if control must have passed it without an event, whatever way it took from one site to the other.
  // Likewise a loop, such as one over neighbours on a rank that has none, or one that is left before its first call.
  // Call this for all transitions before the first mark_silent().
  void learn_quiet(uint32_t from_site, uint32_t to_site);
  void end_learning() { mark_loud_calls(); }

  // From now on, calls of routines that only use files are quiet, and so are statements of a run-time library, which
  // keeps a buffer. A file is no evidence that nothing else happened: of two messages in a row, an iteration that wrote
  // nothing may end between them. `sure`: zeroed memory for a byte per context. Returns whether there are such calls.
  bool hush_files(const uint8_t* vain, uint8_t* sure);
  bool on_file(uint32_t site) const { return site < t_.sites.size() && is_on_file(t_.sites[site].function); }

  // Marks the loops further out that may have repeated as well on its way.
  void mark_silent(uint32_t from_site, uint32_t to_site);

  // Whether the whole path to the site is known and no interpreter is on it.
  bool sees(uint32_t site);

  // The innermost loop around a call at the site, 0: none. Further ones by LiveLoop::outer.
  uint32_t around(uint32_t site) { return site < t_.sites.size() ? innermost(t_.sites[site].context) : 0; }

  uint32_t count() const { return t_.loops.size(); }
  uint32_t contexts() const { return t_.contexts.size(); }
  const LiveLoop& operator[](uint32_t loop) const { return t_.loops[loop]; }
  bool within(uint32_t inner, uint32_t loop) const {
    for (unsigned depth = 0; inner && depth < most_nested; ++depth, inner = t_.loops[inner].outer) {
      if (inner == loop) return true;
    }
    return false;
  }

 private:
  struct Meeting {
    uint32_t context, from, to;  // what the paths have in common, and their next contexts
  };
  static constexpr uint32_t opaque_context = UINT32_MAX;  // instead of a loop's number + 1
  static constexpr uint32_t most_routines = 512, most_returns = 4096;
  static constexpr uint64_t sure_uses = 128;
  struct Known {
    code::Routine* routine;
    uint64_t bytes;       // of its memory
    uint64_t begin, end;  // frames
    uint64_t bias;        // address less frame
    uint32_t contexts;    // that there were when it was read
    uint32_t pins;        // it must stay where it is
    uint64_t used;        // when it was last asked for
    bool good;
  };
  // Code that reads other routines meanwhile keeps its own copy.
  class Pin {
   public:
    explicit Pin(const Known& known) : known_(const_cast<Known*>(&known)) { ++known_->pins; }
    ~Pin() { release(); }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    void release() {
      if (known_) --known_->pins;
      known_ = nullptr;
    }

   private:
    Known* known_;
  };

  void forget_routines();
  bool is_vain(uint32_t context) const { return loud_ && context < loud_count_ && !loud_[context]; }
  bool has_code(uint32_t context) const { return context >= trace::first_context && context < t_.contexts.size(); }
  bool meet(uint32_t from_site, uint32_t to_site, Meeting* m);
  bool may_be_one_call(uint32_t from_site, uint32_t to_site);
  bool calls_run_time_library(uint32_t context);
  bool is_on_file(uint32_t function) const {
    return files_ && function < 8 * 256 && files_[function / 8] >> (function % 8) & 1;
  }
  uint32_t innermost(uint32_t context);
  bool found_before(uint32_t context) const;
  uint32_t repeated_as_found(const Meeting& m, bool back);
  bool opaque(uint32_t context);
  uint32_t* known_of(uint32_t context);
  uint32_t number(uint32_t context, const Known& known, uint32_t loop);
  uint32_t number(const LiveLoop& loop);
  uint32_t number_by_order(uint32_t context, uint64_t from, uint64_t to);
  void take_in(uint32_t loop);
  const Known* routine_of(uint64_t frame);
  const Known* routine_at(uint64_t begin, uint64_t address);
  bool tail_calls(const Known& known, uint64_t from_return, uint64_t routine, bool any, unsigned depth);
  bool calls_directly(uint32_t context, const Known& called) const;
  bool calls_once(uint32_t context);
  Known* room_for_one();
  Known* read(uint64_t frame, uint64_t address, Known* into);
  uint32_t returns_in(const Known& known, uint64_t* returns, uint32_t count, bool vain) const;
  Known* least_used(bool with_memory);
  bool keep(const code::Routine& read, Known* known);
  void mark_loud_calls();
  void learn_passed(const Known& known, uint64_t from, uint64_t to);
  void mark_passed_loops(const Known& known) const;
  void release(Known* known);
  void mark_silent_from(uint32_t context, const Known& known, uint64_t from, uint64_t to, uint32_t loop);
  void mark_silent_further(uint32_t context, const Known& called);
  bool makes_calls_of(uint32_t context, const Known& called) const;

  Tables t_;
  CodePlaces places_;
  const uint8_t* files_ = nullptr;
  code::KnownEndings endings_;
  mutable ContextIndex index_;
  PositionMap map_{1u << 16};
  Known known_[most_routines] = {};
  uint32_t known_count_ = 0;
  uint64_t kept_bytes_ = 0;
  RoutineMemory memory_;
  uint16_t last_of_[1024] = {};  // by a hash of the frame: the number of the routine that had it last
  struct Workspace {
    code::Routine::Workspace routine;
    uint64_t returns[most_returns];
  };
  Workspace* workspace_ = nullptr;
  uint64_t uses_ = 0;
  uint8_t* loud_ = nullptr;  // by context: passing it leaves events; null: all of them count as loud
  uint32_t loud_count_ = 0;
  static constexpr uint32_t most_passed = 256;  // more are assumed to make calls, as others
  uint64_t passed_[most_passed] = {};           // headers of loops that control passed without a call, as frames
  uint32_t passed_count_ = 0;
};

}  // namespace leadline::recording
