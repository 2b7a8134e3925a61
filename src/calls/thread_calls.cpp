#include "calls/thread_calls.hpp"

#include "trace/structure.hpp"

namespace leadline::calls {

using structure::ProcessRequests;
using structure::Requests;

ThreadCalls::ThreadCalls(const trace::Process& process, size_t stream, const Wanted& wanted)
    : stream_(process.streams[stream]), decoder_(process, stream) {
  if (wanted.requests) requests_.emplace(process, stream, Requests::Keep::all);
  if (wanted.form == Wanted::Form::equal) {
    equal_.emplace(stream_);
    return;
  }
  single_.emplace(stream_, wanted.form == Wanted::Form::timed);
  traffic_.emplace(process, stream);
  tree_ = wanted.leaves;
  if (tree_.tree) leaves_.emplace(*tree_.tree, tree_.root);
  if (wanted.loop) iterations_.emplace(stream_, *wanted.loop);
  if (iterations_ && !iterations_->found()) iterations_.reset();
}

bool ThreadCalls::walk() { return equal_ ? equal_->next(&event_.event) : single_->next(&event_); }

bool ThreadCalls::next() {
  if (!walk()) return false;
  is_decoded_ = false;
  if (leaves_) follow_tree();
  if (iterations_) {
    iteration_ = iterations_->of(event_);
    inside_ = iterations_->inside(event_);
  }
  if (traffic_) effects_ = &traffic_->count(event_.event);
  if (requests_) {  // no call may be left out
    decoder_.decode(event_.event, &call_);
    requests_->follow(&call_, event_.event.times);
    is_decoded_ = true;
  }
  return true;
}

// Tree and walk go through the same calls in the same order: the tree leaves out failed polls only.
void ThreadCalls::follow_tree() {
  leaf_ = structure::no_call;
  if (polls()) return;
  if (!leaf_left_) leaves_->next(&at_, &leaf_left_);
  uint32_t site = event_.event.key.site;
  if (tree_.sites) site = site < tree_.sites->size() ? (*tree_.sites)[site] : structure::no_index;
  const bool known = leaf_left_ && tree_.tree->calls[at_].key.site == site;
  if (known) leaf_ = at_;
  if (!known) return leaves_.reset();
  --leaf_left_;
}

const trace::Generation* ThreadCalls::generation() const {
  const size_t index = event_.event.generation;
  if (index >= stream_.generations.size()) return nullptr;
  if (!places_ || places_of_ != index) {
    places_.reset();
    places_ = stream_.generations[index].decoded();
    places_of_ = index;
  }
  return places_.get();
}

const trace::TimeStats* ThreadCalls::distribution() const {
  const trace::Generation* own = generation();
  const uint32_t position = event_.event.position;
  if (!own || position >= own->positions.size() || !own->positions[position].times.count) return nullptr;
  return &own->positions[position].times;
}

double ThreadCalls::mean_poll_ns() const {
  const trace::Generation* own = generation();
  if (!own) return 0;
  for (const trace::DecodedPolls::Site& each : own->polls.sites) {
    if (each.key.site == event_.event.key.site && each.times.count) {
      return each.times.sum_ns / static_cast<double>(each.times.count);
    }
  }
  return 0;
}

const structure::DecodedCall& ThreadCalls::decoded() {
  if (is_decoded_) return call_;
  if (traffic_) return traffic_->decoded(event_.event);
  decoder_.decode(event_.event, &call_);
  is_decoded_ = true;
  return call_;
}

}  // namespace leadline::calls
