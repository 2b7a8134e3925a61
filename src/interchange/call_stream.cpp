#include "interchange/call_stream.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace leadline::interchange {

using structure::CallPart;
using trace::RequestUse;

namespace {

constexpr size_t most_under_way = size_t{1} << 16;  // as structure::Requests: the oldest are forgotten

// The part that the half of a message is about.
const CallPart* part_of(const structure::DecodedCall& call, const calls::MessageHalf& half) {
  const auto& [identity, source, dest, tag, partitioned] = half.channel;
  for (const CallPart& part : call.parts) {
    if (!part.names_message || part.identity != identity || part.tag != tag) continue;
    if (half.sends ? part.sends() && part.partner.rank == dest : part.receives() && part.partner.rank == source) {
      return &part;
    }
  }
  return nullptr;
}

calls::Wanted wanted_of(size_t stream, const analysis::ProcessLoop& loop, const CallStream::Options& options) {
  using Form = calls::Wanted::Form;
  const bool here = loop.found && loop.stream == stream;
  return {options.times ? Form::timed : Form::single, true, here ? &loop.times : nullptr, options.leaves};
}

}  // namespace

analysis::ProcessLoop loop_on(const analysis::Profile& profile, uint32_t index, uint32_t loop) {
  const std::vector<analysis::ProcessLoop>& own = profile.processes()[index].loops;
  const uint32_t wanted = loop ? loop : profile.loops().main();
  return *analysis::loops_to_merge({&own}, wanted).front();
}

CallStream::CallStream(const trace::Process& process, size_t stream, const analysis::ProcessLoop& loop,
                       const analysis::ProcessTime& time, const Window& window, const Options& options)
    : thread_(process, stream, wanted_of(stream, loop, options)),
      time_(time),
      window_(window),
      only_timed_(options.only_timed),
      files_(process, stream, options.opened),
      one_sided_(process, stream) {}

bool CallStream::next() {
  if (!window_.whole && !thread_.has_iterations()) return false;
  while (thread_.next()) {
    iteration_ = -1;
    if (thread_.inside()) iteration_ = static_cast<int64_t>(std::min<uint64_t>(thread_.iteration(), INT64_MAX));
    const auto at = static_cast<uint64_t>(iteration_);
    if (!window_.whole && iteration_ >= 0 && at >= window_.end) return false;
    wanted_ = window_.whole || (iteration_ >= 0 && at >= window_.first);
    take();
    if (!wanted_) continue;
    place();
    return true;
  }
  return false;
}

void CallStream::take() {
  const calls::Call here = thread_.here();
  call_ = &thread_.decoded();
  const bool exported = wanted_ && (timed() || !only_timed_);
  files_.follow(*call_, exported, timed() ? here.event.begin_ns : std::nan(""));
  one_sided_.follow(*call_, exported);
  // Collective calls on a window are not collectives in these formats.
  const trace::EventForm form = call_->facts().event;
  const bool of_communicator = form == trace::EventForm::collective || form == trace::EventForm::creation;
  collective_ = of_communicator ? here.collective_number() : 0;
  sends_.clear();
  receives_.clear();
  made_.clear();
  completed_.clear();
  if (!here.effects.halves.empty()) {
    for (const calls::MessageHalf& half : here.halves()) {
      const CallPart* part = part_of(*call_, half);
      MessageEnd end{half.sends, half.channel, half.number};
      if (part) end.bytes = half.sends ? part->out_bytes : part->in_bytes >= 0 ? part->in_bytes : part->posted_bytes;
      (half.sends ? sends_ : receives_).push_back(end);
    }
  }
  keep_creation();
  follow_requests();
}

void CallStream::keep_creation() {
  if (call_->cls != trace::CallClass::coll_init) return;
  collectives_.insert_or_assign(collectives_.end(), thread_.requests().created, *call_);
  if (collectives_.size() > most_under_way) collectives_.erase(collectives_.begin());
}

const structure::DecodedCall* CallStream::created(const CallPart& started) const {
  const auto at = started.maker.thread < 0 ? collectives_.find(started.maker.number) : collectives_.end();
  return at == collectives_.end() || at->second.site != started.maker.site ? nullptr : &at->second;
}

// The messages of a call that makes requests end later: its receives move to the calls that complete them.
void CallStream::follow_requests() {
  if (call_->nothing || call_->refused || polls()) return;
  const RequestUse use = call_->facts().requests;
  const uint64_t last = thread_.requests().made;
  if (use == RequestUse::makes || use == RequestUse::starts) {
    const size_t count = use == RequestUse::makes ? 1 : call_->parts.size();
    std::vector<MessageEnd> received = std::exchange(receives_, {});
    size_t send = 0, receive = 0;
    for (size_t i = 0; i < count; ++i) {
      RequestUnderWay request;
      request.number = last - count + 1 + i;
      request.exported = wanted_ && (timed() || !only_timed_);
      if (one_sided_.started()) request.access = {call_->identity, one_sided_.started()};
      if (files_.file().by != OpenFile::Interface::none) request.file = files_.file();
      const auto takes = [&](const CallPart& part) {
        if (part.collective()) {
          request.collective = {part.maker.function, part.identity, call_->partner.rank, part.out_bytes, part.in_bytes};
        }
        if (part.sends() && send < sends_.size() && !request.sent) {
          sends_[send].request = request.number;
          request.sent = sends_[send++];
        }
        if (!part.receives() || part.partner.peer == trace::peer_null) return;
        request.receives = true;
        if (!part.wildcard && part.names_message && part.identity && receive < received.size()) {
          received[receive].request = request.number;
          request.received = received[receive++];
        }
      };
      if (use == RequestUse::starts) {
        takes(call_->parts[i]);
      } else {
        for (const CallPart& part : call_->parts) takes(part);
      }
      made_.push_back(request);
      under_way_.insert_or_assign(under_way_.end(), request.number, request);
      if (under_way_.size() > most_under_way) under_way_.erase(under_way_.begin());
    }
  } else if (use == RequestUse::completes || use == RequestUse::frees) {
    std::vector<MessageEnd> named = std::exchange(receives_, {});  // of receives from anybody
    size_t next = 0;
    for (const CallPart& part : call_->parts) {
      const bool names = part.names_message && part.receives() && part.identity && part.partner.real();
      const auto at = part.maker.thread < 0 ? under_way_.find(part.maker.number) : under_way_.end();
      RequestUnderWay request;
      if (at != under_way_.end()) {
        request = at->second;
        under_way_.erase(at);
      }
      request.cancelled = part.cancelled;
      if (request.file) request.moved = part.moves & trace::moves::reads ? part.in_bytes : part.out_bytes;
      if (names && next < named.size() && !request.received) request.received = named[next++];
      if (request.received) {
        request.received->request = request.number;
        if (part.in_bytes >= 0) request.received->bytes = part.in_bytes;
        const bool ends = !part.cancelled && use == RequestUse::completes;
        if (ends && (request.exported || !request.number)) receives_.push_back(*request.received);
      }
      if (request.access && use == RequestUse::completes) {
        request.access->completed = one_sided_.complete(request.access->window, request.access->operation);
      }
      if (request.number) completed_.push_back(request);
    }
  }
}

// A damaged trace may contain any time; the trace's rounding may move a window's begin before the end of the one
// before.
void CallStream::place() {
  const auto in_run = [&](double ns) { return time_.begin_ns + time_.rate * ns; };
  begin_ns_ = end_ns_ = last_ns_;
  if (!timed()) return;
  const trace::TimedEvent& event = thread_.event();
  const double begin = in_run(event.begin_ns), end = in_run(event.begin_ns + event.duration_ns);
  if (std::isfinite(begin)) begin_ns_ = std::clamp(begin, last_ns_, 1e18);
  end_ns_ = std::isfinite(end) ? std::clamp(end, begin_ns_, 1e18) : begin_ns_;
  last_ns_ = end_ns_;
}

}  // namespace leadline::interchange
