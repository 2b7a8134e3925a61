// The calls of one thread, one after another, as much of each as its user asks for. Streamed: memory does not grow with
// the trace. To go to some iterations at once: timed_calls.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "calls/call.hpp"
#include "calls/loop_iterations.hpp"
#include "calls/traffic.hpp"
#include "structure/build_tree.hpp"
#include "structure/call_decoder.hpp"
#include "structure/decoded_call.hpp"
#include "structure/requests.hpp"
#include "structure/tree_calls.hpp"
#include "trace/reading/series_walk.hpp"

namespace leadline::calls {

// The leaves of a loop tree in the order of a thread's calls.
struct Leaves {
  const structure::LoopTree* tree = nullptr;
  structure::Sequence root = 0;
  // By site of the thread, the number that the tree has; nullptr: the tree is the thread's own.
  const std::vector<uint32_t>* sites = nullptr;

  static Leaves of(const structure::LoopTree& own) { return {&own, own.root, nullptr}; }
};

struct Wanted {
  // `equal`: equal calls in a row come as one, `times` of them; their messages and iterations are not counted.
  // `single`: each call by itself; `timed`: with its begin and duration, where they were kept, which takes twice as
  // long. A run of failed polls always comes as one.
  enum class Form : uint8_t { equal, single, timed };
  Form form = Form::timed;
  // A call that completes requests has the data of the calls that made them; otherwise only what their call sites tell.
  bool requests = false;
  const trace::LoopTimes* loop = nullptr;  // whose iterations are counted, if the thread timed it
  Leaves leaves = {};                      // to say which leaf a call is; not for Form::equal
};

class ThreadCalls {
 public:
  // The process must outlive it.   `stream`: an index into its streams.
  ThreadCalls(const trace::Process& process, size_t stream, const Wanted& wanted);

  bool next();  // false at the end

  // Of the call that next() went to:
  const structure::DecodedCall& decoded();
  const trace::TimedEvent& event() const { return event_; }
  bool polls() const { return event_.event.run; }  // a run of polls that found nothing, `times` to a power of two
  uint64_t times() const { return event_.event.times; }
  bool timed() const { return event_.series != nullptr; }
  // The distribution of the times of all calls at its place in the trace's graph, valid until the next call; nullptr:
  // they were not kept apart.
  const trace::TimeStats* distribution() const;
  // Of a run of polls: the mean duration of a poll at its site.
  double mean_poll_ns() const;
  bool inside() const { return inside_; }            // it is one of the loop's
  uint64_t iteration() const { return iteration_; }  // of the loop
  // Its number in the tree; structure::no_call: a poll that found nothing, or a call beyond what the tree has.
  uint32_t leaf() const { return leaf_; }
  // With its messages. Not for Form::equal.
  Call here() { return {event_, *effects_, inside_, iteration_, &*traffic_}; }

  // Whether iterations of the loop are counted.
  bool has_iterations() const { return iterations_.has_value(); }
  // The requests of the thread so far, if they are followed.
  const structure::Requests::Mark& requests() const { return requests_->mark(); }

 private:
  bool walk();
  void follow_tree();
  const trace::Generation* generation() const;  // of the call

  const trace::Stream& stream_;
  structure::CallDecoder decoder_;
  std::optional<trace::Walker> equal_;
  std::optional<trace::SeriesWalk> single_;
  std::optional<Traffic> traffic_;
  std::optional<structure::ProcessRequests> requests_;
  std::optional<LoopIterations> iterations_;
  Leaves tree_;
  std::optional<structure::CallsInOrder> leaves_;
  uint32_t leaf_ = structure::no_call, at_ = 0;
  uint64_t leaf_left_ = 0;  // calls in a row that are the leaf `at_`
  trace::TimedEvent event_;
  const CallEffects* effects_ = nullptr;
  mutable std::shared_ptr<const trace::Generation> places_;  // of the generation with this index
  mutable size_t places_of_ = 0;
  structure::DecodedCall call_;
  bool is_decoded_ = false;  // `call_` is the call that next() went to
  bool inside_ = false;
  uint64_t iteration_ = 0;
};

}  // namespace leadline::calls
