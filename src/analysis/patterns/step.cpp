#include "analysis/patterns/step.hpp"

#include <algorithm>
#include <utility>

#include "analysis/matching/timed_calls.hpp"
#include "structure/call_decoder.hpp"

namespace leadline::analysis {

using structure::CallPart;
using structure::DecodedCall;
using trace::RequestUse;

StepReader::StepReader(const Profile& profile, Part part) : profile_(profile), part_(part) {
  if (part == Part::first_calls) {
    wanted_ = true;
    return;
  }
  std::vector<const std::vector<ProcessLoop>*> each;
  for (const ProcessSummary& p : profile.processes()) each.push_back(&p.loops);
  loops_ = loops_to_merge(each, profile.loops().main());
  usual_ = usual_count(loops_);
  const RunIterations run = merge_loops(loops_);
  if (!run.found) return;
  // In the middle: start-up is over, and the sides of a window are there, too.
  if (run.kept == "full" && run.count > 0) {
    step_.timed = true;
    step_.iteration = run.count / 2;
  } else if (!run.sampled.empty()) {
    step_.timed = true;
    step_.iteration = run.sampled[run.sampled.size() / 2];
  } else {
    step_.iteration = 1;
  }
  wanted_ = true;
}

// Takes the calls of one process.
class StepReader::Reading {
 public:
  Reading(StepReader* reader, const trace::Process& process, uint32_t index, size_t stream)
      : reader_(reader),
        index_(index),
        sites_(reader->profile_.processes()[index].site_numbers[stream]),
        decoder_(process, stream),
        request_sites_(process) {}

  void take(const trace::TimedEvent& event, const Traffic& traffic, const Acts& acts) {
    Step& step = reader_->step_;
    if (step.calls.size() >= most_calls) {
      reader_->wanted_ = false;
      return;
    }
    const auto at = static_cast<uint32_t>(step.calls.size());
    const trace::Key& key = event.event.key;
    decoder_.decode(event.event, &call_);
    if (request_sites_.alike()) request_sites_.resolve(decoder_, &call_);
    step.calls.push_back({index_, key.site < sites_.size() ? sites_[key.site] : UINT32_MAX, call_.cls, event.begin_ns,
                          event.begin_ns + event.duration_ns, event.gap_ns});
    if (acts.collective) reader_->collectives_[{acts.comm, traffic.collective_number(acts)}].push_back(at);
    named_ = traffic.parts_of(acts);
    next_ = 0;
    const RequestUse use = call_.facts().requests;
    if (use == RequestUse::completes) return complete(at);
    size_t requests = 0;
    for (const CallPart& part : call_.parts) {
      End* end = end_of(part);
      if (end) {
        end->posted = at;
        end->wildcard = part.wildcard;
        if (use != RequestUse::makes && use != RequestUse::starts) end->done = at;
      }
      if (part.request == RequestUse::starts || (part.request == RequestUse::makes && !requests++)) {
        made_.push_back({at, end});
      } else if (part.request == RequestUse::makes && end) {
        made_.back().end = end;  // of a call that sends and receives: its receive
      }
    }
    if (call_.parts.empty() && use == RequestUse::makes) made_.push_back({at, nullptr});
  }

 private:
  struct Request {
    uint32_t call;
    End* end;  // of the message that it is about, if that is known
  };

  // The end of a message that the next of the call's parts names; nullptr if it names none.
  End* end_of(const CallPart& part) {
    const bool names = part.names_message && part.identity && part.partner.real();
    if (!names || next_ == named_.size()) return nullptr;
    const leadline::analysis::Part& name = named_[next_++];
    auto& both = reader_->ends_[{name.channel, name.number}];
    End& end = name.sends ? both.first : both.second;
    end.bytes = std::max(end.bytes, name.sends ? part.out_bytes : std::max(part.in_bytes, part.posted_bytes));
    return &end;
  }

  void complete(uint32_t at) {
    for (const CallPart& part : call_.parts) {
      const uint64_t age = part.maker.thread < 0 ? part.maker.age : 0;
      Request* request = age && age <= made_.size() ? &made_[made_.size() - age] : nullptr;
      if (End* end = end_of(part)) {  // the source of the message is known only now
        end->posted = request ? request->call : at;
        end->wildcard = true;
        end->done = at;
      } else if (request && request->end) {
        request->end->done = at;
      }
    }
  }

  StepReader* reader_;
  uint32_t index_;
  const std::vector<uint32_t>& sites_;
  structure::CallDecoder decoder_;
  structure::RequestSites request_sites_;
  DecodedCall call_;
  std::vector<leadline::analysis::Part> named_;
  size_t next_ = 0;
  std::vector<Request> made_;  // in the step so far
};

void StepReader::add(const trace::Process& process, uint32_t index) {
  step_.first.resize(index + 1, static_cast<uint32_t>(step_.calls.size()));
  if (part_ == Part::first_calls && wanted_) {
    for (size_t stream = 0; stream < process.streams.size(); ++stream) {
      Reading reading(this, process, index, stream);
      walk_first(process, stream, &reading);
    }
    return;
  }
  const ProcessLoop& loop = *loops_[index];
  if (!wanted_ || !loop.found || !same_numbers(loop.times.iterations(), usual_)) return;
  Reading reading(this, process, index, loop.stream);
  if (!step_.timed) return walk(process, loop, &reading);
  TimedCalls calls(process, loop);
  calls.visit(step_.iteration, step_.iteration, [&](const TimedCalls::Call& c) {
    if (c.inside && c.iteration == step_.iteration && !c.event.event.run)
      reading.take(c.event, calls.traffic(), c.acts);
  });
}

// From the first call on, for nothing says where the iteration is.
void StepReader::walk(const trace::Process& process, const ProcessLoop& loop, Reading* reading) {
  const trace::Stream& stream = process.streams[loop.stream];
  LoopIterations iterations(stream, generation_of(stream, loop.times), loop.times);
  if (!iterations.found()) return;
  Traffic traffic(process, loop.stream);
  trace::Walker walker(stream);
  trace::TimedEvent timed;
  size_t walked = 0, generation = 0;
  while (walker.next(&timed.event)) {
    if (timed.event.generation != generation) timed.entry = 0;
    generation = timed.event.generation;
    const uint64_t times = timed.event.run ? 1 : timed.event.times;
    if (!timed.event.run) timed.event.times = 1;
    for (uint64_t i = 0; i < times; ++i, ++timed.entry) {
      const uint64_t iteration = iterations.of(timed);
      const bool inside = iterations.inside(timed);
      if (inside && iteration > step_.iteration) return;
      const Acts& acts = traffic.count(timed.event);
      if (inside && iteration == step_.iteration && !timed.event.run) reading->take(timed, traffic, acts);
      if (!timed.event.run) timed.from = timed.event.key.site;
      if (++walked > most_walked) {
        wanted_ = false;
        return;
      }
    }
  }
}

void StepReader::walk_first(const trace::Process& process, size_t index, Reading* reading) {
  Traffic traffic(process, index);
  trace::Walker walker(process.streams[index]);
  trace::TimedEvent timed;
  const size_t most = most_first / std::max<size_t>(profile_.processes().size(), 1) / process.streams.size();
  size_t taken = 0;
  while (walker.next(&timed.event)) {
    if (timed.event.run) continue;
    const uint64_t times = timed.event.times;
    timed.event.times = 1;
    for (uint64_t i = 0; i < times; ++i) {
      if (++taken > most) return;
      reading->take(timed, traffic, traffic.count(timed.event));
    }
  }
}

Step StepReader::finish() {
  step_.first.resize(profile_.processes().size() + 1, static_cast<uint32_t>(step_.calls.size()));
  step_.found = wanted_ && !step_.calls.empty();
  if (!step_.found) return {};
  for (const auto& [name, both] : ends_) {
    const auto& [sender, receiver] = both;
    if (sender.posted == StepMessage::none || receiver.posted == StepMessage::none) {
      ++step_.unmatched;
      continue;
    }
    step_.sent_at[step_.calls[sender.posted].site].push_back(static_cast<uint32_t>(step_.messages.size()));
    step_.messages.push_back(
        {sender.posted, receiver.posted, sender.done, receiver.done, sender.bytes, receiver.wildcard});
  }
  for (auto& [name, calls] : collectives_) step_.collectives.push_back(std::move(calls));
  return std::move(step_);
}

}  // namespace leadline::analysis
