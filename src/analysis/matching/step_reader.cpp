#include "analysis/matching/step_reader.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/matching/usual_step.hpp"
#include "calls/thread_calls.hpp"
#include "calls/timed_calls.hpp"

namespace leadline::analysis {

using calls::MessageHalf;
using calls::ThreadCalls;
using calls::Wanted;
using structure::CallPart;
using structure::DecodedCall;
using trace::RequestUse;

namespace {

uint64_t messages_of(const Profile& profile) {
  uint64_t all = 0;
  for (const ProcessSummary& p : profile.processes()) all += p.total.messages;
  return all;
}

}  // namespace

StepReader::StepReader(const Profile& profile, Part part, uint64_t most_messages)
    : profile_(profile), part_(part), most_messages_(most_messages) {
  if (part == Part::first_calls || part == Part::whole) {
    uint64_t calls = 0;
    for (const ProcessSummary& p : profile.processes()) calls += p.total.calls + p.files.calls;
    wanted_ = part == Part::first_calls || (calls <= most_whole && messages_of(profile) <= most_messages);
    timed_ = part == Part::whole;
    steps_.resize(1);
    return;
  }
  std::vector<const std::vector<ProcessLoop>*> each;
  for (const ProcessSummary& p : profile.processes()) each.push_back(&p.loops);
  loops_ = loops_to_merge(each, profile.loops().main());
  usual_ = usual_count(loops_, profile.loops().main());
  RunIterations run = merge_loops(loops_, profile.loops().main());
  // Windows of an inner loop's iterations may hold none of the main loop's, if the recorder did not know that.
  for (uint32_t l = 1; part == Part::iterations && run.kept == "sampled" && run.sampled.empty(); ++l) {
    if (l == profile.loops().all().size()) break;
    if (!profile.loops().within(l, profile.loops().main())) continue;
    std::vector<const ProcessLoop*> inner = loops_to_merge(each, l);
    RunIterations of_inner = merge_loops(inner, l);
    if (of_inner.sampled.empty()) continue;
    loops_ = std::move(inner);
    usual_ = usual_count(loops_, l);
    run = std::move(of_inner);
  }
  if (run.found) choose(run);
}

StepReader::StepReader(const Profile& profile, const std::vector<uint64_t>& iterations, uint32_t loop)
    : profile_(profile), part_(Part::iterations) {
  std::vector<const std::vector<ProcessLoop>*> each;
  for (const ProcessSummary& p : profile.processes()) each.push_back(&p.loops);
  if (!loop) loop = profile.loops().main();
  loops_ = loops_to_merge(each, loop);
  usual_ = usual_count(loops_, loop);
  const RunIterations run = merge_loops(loops_, loop);
  timed_ = (run.kept == "full" && run.count > 0) || !run.sampled.empty();
  wanted_ = run.found && timed_ && !iterations.empty();
  for (const uint64_t iteration : iterations) steps_.emplace_back().step.iteration = iteration;
}

void StepReader::choose(const RunIterations& run) {
  const bool whole = run.kept == "full" && run.count > 0;
  timed_ = whole || !run.sampled.empty();
  if (part_ == Part::iteration) return choose_one(run, whole);
  if (!timed_) return;
  // The slowest ones are kept because they are slow: among the regularly chosen ones they would count too much.
  std::set<uint64_t> slow;
  for (const Outlier& o : run.outliers) slow.insert(o.iteration);
  const double ranks = static_cast<double>(profile_.processes().size());
  const double calls = std::max(3 * run.calls * ranks, 1.0);
  const auto allowed = [calls](size_t limit) { return static_cast<size_t>(static_cast<double>(limit) / calls); };
  const size_t enough = std::max(allowed(most_chosen), std::min(allowed(most_calls), enough_chosen));
  size_t most = std::clamp<size_t>(enough, 1, most_iterations);
  if (part_ == Part::slowest) {
    for (const uint64_t iteration : slow) {
      if (steps_.size() < most) steps_.emplace_back().step.iteration = iteration;
    }
    wanted_ = !steps_.empty();
    return;
  }
  const uint64_t all = whole ? run.count : run.sampled.size();
  if (whole && calls * static_cast<double>(all) <= static_cast<double>(most_of_all)) most = std::max<size_t>(most, all);
  const auto take = [&](uint64_t at) {
    const uint64_t iteration = whole ? at : run.sampled[at];
    if (slow.count(iteration) || (!steps_.empty() && steps_.back().step.iteration >= iteration)) return;
    steps_.emplace_back().step.iteration = iteration;
  };
  if (const size_t few = most_by_messages(run.calls * ranks); few < std::min<uint64_t>(most, all)) {
    for (uint64_t at = (all - few) / 2; at < all && steps_.size() < few; ++at) take(at);
  } else {
    // In consecutive pairs: the next iteration shows whether what happened in one lasts.
    for (size_t i = 0; i < most && i < all; ++i)
      take(most >= all ? i : std::min<uint64_t>(i / 2 * 2 * all / most + i % 2, all - 1));
  }
  wanted_ = true;
}

// And others, which may be taken in its place.
void StepReader::choose_one(const RunIterations& run, bool whole) {
  // From the middle on, or later than the first: start-up is over.
  const uint64_t all = whole ? run.count : run.sampled.size();
  const double calls = std::max(2 * run.calls * static_cast<double>(profile_.processes().size()), 1.0);
  const auto most = static_cast<uint64_t>(
      std::clamp(static_cast<double>(most_calls) / calls, 1.0, static_cast<double>(most_alternatives)));
  const uint64_t first = std::min(all / 2, std::max<uint64_t>(all, most + 1) - most);
  for (uint64_t at = first; at < std::min(all, first + most); ++at) {
    steps_.emplace_back().step.iteration = whole ? at : run.sampled[at];
  }
  if (!timed_) steps_.emplace_back().step.iteration = 1;
  wanted_ = true;
}

// How many iterations with so many calls each.
size_t StepReader::most_by_messages(double calls) const {
  uint64_t all_calls = 0;
  for (const ProcessSummary& p : profile_.processes()) all_calls += p.total.calls;
  const double in_one =
      calls * static_cast<double>(messages_of(profile_)) / static_cast<double>(std::max<uint64_t>(all_calls, 1));
  const double most = static_cast<double>(most_messages_) / std::max(in_one, 1.0);
  return most < SIZE_MAX / 2 ? static_cast<size_t>(std::max(most, 1.0)) : SIZE_MAX;
}

// Takes the calls of one thread.
class StepReader::Reading {
 public:
  Reading(StepReader* reader, const trace::Process& process, uint32_t index, size_t stream)
      : reader_(reader),
        process_(process),
        index_(index),
        stream_(stream),
        sites_(reader->profile_.processes()[index].site_numbers[stream]),
        made_in_(reader->steps_.size()),
        probes_in_(reader->steps_.size()),
        windows_in_(reader->steps_.size()) {}

  // The next calls are of this step, after those of it that were taken before.
  void go_to(size_t step) {
    step_ = &reader_->steps_[step];
    made_ = &made_in_[step];
    probes_ = &probes_in_[step];
    windows_ = &windows_in_[step];
  }

  void take(const calls::Call& c, bool margin = false) {
    if (++reader_->calls_ > most_calls) reader_->wanted_ = false;
    if (!reader_->wanted_) return;
    const auto at = static_cast<uint32_t>(step_->step.calls.size());
    const trace::TimedEvent& event = c.event;
    const trace::Key& key = event.event.key;
    call_ = &c.decoded();
    step_->step.calls.push_back(
        {index_, static_cast<uint32_t>(stream_), key.site < sites_.size() ? sites_[key.site] : UINT32_MAX, call_->cls,
         margin, event.polled, event.begin_ns, event.begin_ns + event.duration_ns, event.gap_ns, rounding(event)});
    StepCollective* const collective =
        c.effects.collective ? &step_->collectives[{c.effects.comm, c.collective_number()}] : nullptr;
    if (collective) join(at, collective);
    if (call_->facts().event == trace::EventForm::access) access(at);
    named_ = c.halves();
    next_ = 0;
    const RequestUse use = call_->facts().requests;
    if (use == RequestUse::completes) return complete(at);
    if (call_->cls == trace::CallClass::probe || call_->cls == trace::CallClass::mprobe) return probe(at);
    size_t requests = 0;
    for (const CallPart& part : call_->parts) {
      End* end = end_of(part);
      if (end) {
        end->posted = at;
        end->wildcard = part.wildcard;
        if (part.receives()) end->probe = probe_of(part);
        if (use != RequestUse::makes && use != RequestUse::starts) end->done = at;
      }
      if (part.request == RequestUse::starts || (part.request == RequestUse::makes && !requests++)) {
        made_->push_back({at, end});
      } else if (part.request == RequestUse::makes && end) {
        made_->back().end = end;  // of a call that sends and receives: its receive
      }
    }
    if (call_->parts.empty() && use == RequestUse::makes) made_->push_back({at, nullptr});
    if (collective && use == RequestUse::makes) {
      made_->back().collective = collective;
      made_->back().member = collective->members.size() - 1;
    } else if (collective) {
      collective->members.back().done = at;
    }
  }

 private:
  // Each time is within 3 % in the trace, and long ones are within the tolerance.
  static double rounding(const trace::TimedEvent& event) {
    if (!event.series) return 0;
    const double relative = 0.03 * std::max(event.duration_ns, event.gap_ns);
    return std::min(static_cast<double>(event.series->tolerance) * event.series->ns_per_tick, relative);
  }

  struct Request {
    uint32_t call;
    End* end;  // of the message that it is about, if that is known
    StepCollective* collective = nullptr;
    size_t member = 0;
  };

  // A message that a probe found: the next receive with its partner and tag takes it.
  struct Probe {
    uint32_t call;
    uint64_t comm;
    int32_t source, tag;
  };
  static constexpr size_t most_probes = 64;

  void access(uint32_t at) {
    if (call_->function >= process_.functions.size()) return;
    Step& step = step_->step;
    const WindowCalls::Caller caller{process_.rank, static_cast<uint32_t>(stream_)};
    if (windows_->take(at, *call_, process_.functions[call_->function].name, caller, &step.accesses, &step_->epochs)) {
      const auto number = static_cast<uint32_t>(step.accesses.operations.size() - 1);
      step.operated_at[step.calls[at].site].push_back(number);
    }
  }

  void probe(uint32_t at) {
    if (!call_->identity || !call_->partner.real()) return;
    const Probe found{at, call_->identity, call_->partner.rank, call_->tag};
    for (const Probe& p : *probes_) {  // found before, and not received yet
      if (p.comm == found.comm && p.source == found.source && p.tag == found.tag) return;
    }
    if (probes_->size() == most_probes) probes_->erase(probes_->begin());
    probes_->push_back(found);
  }

  uint32_t probe_of(const CallPart& part) {
    for (auto p = probes_->begin(); p != probes_->end(); ++p) {
      if (p->comm != part.identity || p->source != part.partner.rank || p->tag != part.tag) continue;
      const uint32_t call = p->call;
      probes_->erase(p);
      return call;
    }
    return StepMessage::none;
  }

  // The end of a message that the next of the call's parts names; nullptr if it names none.
  End* end_of(const CallPart& part) {
    const bool names = part.names_message && part.identity && part.partner.real();
    if (!names || next_ == named_.size()) return nullptr;
    const MessageHalf& name = named_[next_++];
    auto& both = step_->ends.of(name.channel, name.number);
    End& end = name.sends ? both.sender : both.receiver;
    end.bytes = std::max(end.bytes, name.sends ? part.out_bytes : std::max(part.in_bytes, part.posted_bytes));
    return &end;
  }

  void join(uint32_t at, StepCollective* collective) {
    StepCollective::Member member;
    member.call = at;
    for (const CallPart& part : call_->parts) {
      member.out_bytes += part.out_bytes;
      member.in_bytes += part.in_bytes;
    }
    const trace::Communicator* comm =
        call_->comm < process_.communicators.size() ? &process_.communicators[call_->comm] : nullptr;
    using Kind = trace::Communicator::Kind;
    const bool intra = comm && (comm->kind == Kind::intra || comm->kind == Kind::window);
    const int32_t size = intra ? comm->size : 0;
    member.rooted = call_->partner.rank >= 0;
    member.is_root = intra && call_->partner.rank == comm->rank;
    member.rank = intra ? comm->rank : -1;
    name_sources(&member);
    collective->size = collective->members.empty() || collective->size == size ? size : 0;
    collective->members.push_back(std::move(member));
  }

  void name_sources(StepCollective::Member* member) {
    if (call_->function >= process_.functions.size()) return;
    const std::string_view name = process_.functions[call_->function].name;
    for (const std::string_view one : {"MPI_Alltoallv", "MPI_Alltoallw", "MPI_Ialltoallv", "MPI_Ialltoallw"}) {
      member->by_rank |= name.starts_with(one);
    }
    const std::span<const int64_t> counts = call_->collective.receive_counts;
    if (!member->by_rank || call_->collective.vector_lost || counts.empty()) return;
    std::vector<bool> from;
    for (const int64_t n : counts) from.push_back(n > 0);
    std::shared_ptr<const std::vector<bool>>& known = sources_[from];
    if (!known) known = std::make_shared<const std::vector<bool>>(std::move(from));
    member->from = known;
  }

  void complete(uint32_t at) {
    for (const CallPart& part : call_->parts) {
      const uint64_t age = part.maker.thread < 0 ? part.maker.age : 0;
      Request* request = age && age <= made_->size() ? &(*made_)[made_->size() - age] : nullptr;
      if (End* end = end_of(part)) {  // the source of the message is known only now
        end->posted = request ? request->call : at;
        end->wildcard = true;
        end->done = at;
      } else if (request && request->end) {
        request->end->done = at;
      } else if (request && request->collective) {
        request->collective->members[request->member].done = at;
      }
    }
  }

  StepReader* reader_;
  const trace::Process& process_;
  uint32_t index_;
  size_t stream_;
  const std::vector<uint32_t>& sites_;
  const DecodedCall* call_ = nullptr;  // the one being taken
  std::vector<MessageHalf> named_;
  size_t next_ = 0;
  std::vector<std::vector<Request>> made_in_;  // in each step so far
  std::vector<std::vector<Probe>> probes_in_;
  std::vector<Probe>* probes_ = nullptr;
  std::vector<WindowCalls> windows_in_;
  WindowCalls* windows_ = nullptr;
  std::vector<Request>* made_ = nullptr;  // in the next one
  std::map<std::vector<bool>, std::shared_ptr<const std::vector<bool>>> sources_;
  Building* step_ = nullptr;
};

void StepReader::add(const trace::Process& process, uint32_t index) {
  if (!wanted_) return;
  if (part_ == Part::first_calls || part_ == Part::whole) {
    for (size_t stream = 0; stream < process.streams.size() && wanted_; ++stream) {
      Reading reading(this, process, index, stream);
      reading.go_to(0);
      part_ == Part::whole ? walk_whole(process, stream, &reading) : walk_first(process, stream, &reading);
    }
    return;
  }
  const ProcessLoop& loop = *loops_[index];
  if (!loop.found || !similar_counts(loop.times.iterations(), usual_)) return;
  Reading reading(this, process, index, loop.stream);
  if (!timed_) return walk(process, loop, &reading);
  calls::TimedCalls timed(process, loop.stream, loop.times);
  const uint64_t margin = part_ == Part::iteration ? 0 : 1;
  std::vector<std::pair<uint64_t, uint64_t>> ranges;  // ascending
  for (const Building& b : steps_) {
    const uint64_t wanted = b.step.iteration;
    ranges.emplace_back(wanted > margin ? wanted - margin : 0, wanted + margin);
  }
  timed.visit(ranges, [&](const calls::Call& c) {
    if (!c.inside || c.event.event.run) return;
    const auto ends_before = [](const auto& range, uint64_t iteration) { return range.second < iteration; };
    const auto at = std::lower_bound(ranges.begin(), ranges.end(), c.iteration, ends_before);
    for (auto r = at; r != ranges.end() && r->first <= c.iteration; ++r) {
      const auto step = static_cast<size_t>(r - ranges.begin());
      reading.go_to(step);
      reading.take(c, c.iteration != steps_[step].step.iteration);
    }
  });
}

// From the first call on, since the place of the iteration is unknown.
void StepReader::walk(const trace::Process& process, const ProcessLoop& loop, Reading* reading) {
  ThreadCalls thread(process, loop.stream, {.form = Wanted::Form::single, .requests = false, .loop = &loop.times});
  if (!thread.has_iterations()) return;
  reading->go_to(0);
  const uint64_t wanted = steps_[0].step.iteration;
  for (size_t walked = 1; thread.next(); ++walked) {
    if (thread.inside() && thread.iteration() > wanted) return;
    if (thread.inside() && thread.iteration() == wanted && !thread.polls()) reading->take(thread.here());
    if (walked > most_walked) {
      wanted_ = false;
      return;
    }
  }
}

void StepReader::walk_first(const trace::Process& process, size_t index, Reading* reading) {
  ThreadCalls thread(process, index, {.form = Wanted::Form::single});
  const size_t processes = std::max<size_t>(profile_.processes().size(), 1);
  const size_t of_each = std::max(most_first_of_few / processes, std::min(most_first / processes, enough_first));
  const size_t most = of_each / process.streams.size();
  size_t taken = 0;
  while (thread.next()) {
    if (thread.polls()) continue;
    if (++taken > most) return;
    reading->take(thread.here());
  }
}

void StepReader::walk_whole(const trace::Process& process, size_t index, Reading* reading) {
  ThreadCalls thread(process, index, {.form = Wanted::Form::timed});
  while (wanted_ && thread.next()) {
    if (!thread.timed()) wanted_ = false;
    if (!thread.polls()) reading->take(thread.here());
  }
}

std::vector<Step> StepReader::finish() {
  std::vector<Step> found;
  for (Building& b : steps_) {
    Step& step = b.step;
    step.found = wanted_ && !step.calls.empty();
    step.timed = timed_;
    for (const StepCall& c : step.calls) step.processes.insert(c.process);
    if (!step.found) continue;
    for (const auto* message : b.ends.by_name()) {
      const End &sender = message->sender, &receiver = message->receiver;
      if (sender.posted == StepMessage::none || receiver.posted == StepMessage::none) {
        ++step.unmatched;
        continue;
      }
      step.sent_at[step.calls[sender.posted].site].push_back(static_cast<uint32_t>(step.messages.size()));
      step.messages.push_back({sender.posted, receiver.posted, sender.done, receiver.done, receiver.probe, sender.bytes,
                               receiver.wildcard});
    }
    if (part_ == Part::whole) step.epochs = b.epochs.matched();
    b.ends = {};
    for (auto& [name, collective] : b.collectives) step.collectives.push_back(std::move(collective));
    found.push_back(std::move(step));
  }
  if (part_ == Part::iteration && !found.empty()) found = usual_of(std::move(found));
  return found;
}

}  // namespace leadline::analysis
