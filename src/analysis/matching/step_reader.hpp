// Reads a part of the run, call by call on all ranks (Step), from the processes' traces.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/matching/message_ends.hpp"
#include "analysis/matching/step.hpp"
#include "analysis/matching/window_calls.hpp"
#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// Reads such parts of processes that are added in the profile's order.
class StepReader {
 public:
  enum class Part : uint8_t {
    // One iteration whose calls' times were kept on all processes, of several in a row the richest that is not alone;
    // if there is none, the second one, without times. After it, those of the others that send what it does not.
    iteration,
    // Several of these, regularly chosen, with the calls of the iterations beside each; all if these are few. None if
    // there are no times.
    iterations,
    slowest,      // the iterations that took much longer than usual, where their calls' times were kept
    first_calls,  // without times
    whole,        // all calls with their times; not found if some were not kept, or if there are too many
  };
  // `most_messages`: of all iterations together, about; one is read in any case.
  StepReader(const Profile& profile, Part part, uint64_t most_messages = UINT64_MAX);
  // These iterations, ascending, as in Part::iterations.   loop: number in Profile::loops(); 0: the main one.
  StepReader(const Profile& profile, const std::vector<uint64_t>& iterations, uint32_t loop = 0);
  void add(const trace::Process& process, uint32_t index);
  bool wanted() const { return wanted_; }  // there may be such messages
  std::vector<Step> finish();              // those found

 private:
  struct End {
    uint32_t posted = StepMessage::none, done = StepMessage::none, probe = StepMessage::none;
    int64_t bytes = 0;
    bool wildcard = false;
  };
  struct Building {
    Step step;
    MessageEnds<End> ends;
    std::map<std::pair<uint64_t, uint64_t>, StepCollective> collectives;
    Epochs epochs;
  };
  static constexpr size_t most_calls = size_t{1} << 22;   // of all steps together
  static constexpr size_t most_chosen = size_t{1} << 20;  // of several iterations with those beside them, of which
  static constexpr size_t enough_chosen = 6;              // so many are read even so, if all calls allow it
  static constexpr size_t most_walked = size_t{1} << 24;  // before a step on a process, if it is not timed
  static constexpr size_t most_first = size_t{1} << 18;   // first calls of all processes together, of which
  static constexpr size_t most_first_of_few = size_t{1} << 16;  // some processes have no more, unless they
  static constexpr size_t enough_first = size_t{1} << 10;       // have fewer than this each
  static constexpr size_t most_whole = size_t{1} << 21;
  static constexpr size_t most_iterations = 24;
  static constexpr size_t most_alternatives = 8;          // of one iteration
  static constexpr size_t most_of_all = size_t{1} << 16;  // calls: of so few, all iterations are read
  class Reading;
  void choose(const RunIterations& run);
  void choose_one(const RunIterations& run, bool whole);
  size_t most_by_messages(double calls) const;
  void walk(const trace::Process& process, const ProcessLoop& loop, Reading* reading);
  void walk_first(const trace::Process& process, size_t stream, Reading* reading);
  void walk_whole(const trace::Process& process, size_t stream, Reading* reading);

  const Profile& profile_;
  Part part_;
  uint64_t most_messages_ = UINT64_MAX;
  std::vector<const ProcessLoop*> loops_;
  uint64_t usual_ = 0;
  bool wanted_ = false, timed_ = false;
  size_t calls_ = 0;
  std::vector<Building> steps_;
};

}  // namespace leadline::analysis
