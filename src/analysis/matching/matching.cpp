#include "analysis/matching/matching.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/loops.hpp"
#include "analysis/matching/completions.hpp"
#include "analysis/matching/message_ends.hpp"
#include "calls/timed_calls.hpp"

namespace leadline::analysis {

namespace {

using calls::MessageHalf;
using calls::TimedCalls;
using Role = MatchedCall::Role;

struct End {
  size_t call = 0;
  bool second = false;
  uint32_t ends = 0;  // that have this name: of partitioned requests there may be several
};

class Matcher {
 public:
  Matcher(uint64_t iteration, const RunTime& time) : wanted_(iteration), time_(time) {}

  // For a process that counts its iterations in the same way as the wanted one is counted.
  void add(TimedCalls* calls, uint32_t index) {
    const uint64_t first = wanted_ ? wanted_ - 1 : 0, last = wanted_ + 1;
    Completions completions(&out_.calls);
    calls->visit(first, last, [&](const calls::Call& c) {
      const bool wanted = c.inside && c.iteration >= first && c.iteration <= last;
      if (wanted) put(*calls, index, c.iteration, c);
      completions.follow(c, wanted);
    });
  }

  // Of the remaining threads, only the calls that match a call above.
  void add_concerned(TimedCalls* calls, uint32_t index) {
    Completions completions(&out_.calls);
    calls->visit_all([&](const calls::Call& c) {
      const bool wanted = concerns(c);
      if (wanted) put(*calls, index, wanted_, c);
      completions.follow(c, wanted);
    });
  }

  MatchedIteration finish() {
    for (const auto* message : messages_.by_name()) {
      const End &sender = message->sender, &receiver = message->receiver;
      if (sender.ends != 1 || receiver.ends != 1) continue;
      join(sender, receiver.call);
      join(receiver, sender.call);
      out_.messages.emplace_back(sender.call, receiver.call);
    }
    for (const auto& [key, calls] : collectives_) {
      for (size_t i = 0; calls.size() > 1 && i < calls.size(); ++i) {
        out_.calls[calls[i]].partner = static_cast<int64_t>(calls[(i + 1) % calls.size()]);
      }
    }
    for (const MatchedCall& c : out_.calls) {
      if (c.iteration != wanted_) continue;
      if (c.role == Role::send || c.role == Role::both) out_.unmatched_sends += c.partner < 0;
      if (c.role == Role::receive) out_.unmatched_receives += c.partner < 0;
      if (c.role == Role::both) out_.unmatched_receives += c.second_partner < 0;
    }
    return std::move(out_);
  }

 private:
  void join(const End& end, size_t other) {
    MatchedCall& c = out_.calls[end.call];
    (end.second ? c.second_partner : c.partner) = static_cast<int64_t>(other);
  }

  bool concerns(const calls::Call& c) const {
    if (c.effects.collective && collectives_.count({c.effects.comm, c.collective_number()})) return true;
    for (const MessageHalf& p : c.halves()) {
      const auto* message = messages_.find(p.channel, p.number);
      if (message && (p.sends ? message->receiver : message->sender).ends) return true;
    }
    return false;
  }

  void put(const TimedCalls& of, uint32_t index, uint64_t iteration, const calls::Call& call) {
    const trace::Process& process = of.process();
    const trace::TimedEvent& e = call.event;
    const calls::CallEffects& effects = call.effects;
    MatchedCall c;
    c.process = index;
    c.site = e.event.key.site;
    const trace::Stream& stream = process.streams[of.stream()];
    c.stream = static_cast<uint32_t>(of.stream());
    const uint32_t function = c.site < stream.sites.size() ? stream.sites[c.site].function : 0;
    c.function =
        function < process.functions.size() ? std::string_view(process.functions[function].name) : std::string_view();
    c.iteration = iteration;
    const ProcessTime& time = time_.processes[index];
    c.begin_ns = time.begin_ns + time.rate * e.begin_ns;
    c.duration_ns = time.rate * e.duration_ns;
    c.gap_ns = time.rate * e.gap_ns;
    c.polled = e.polled;
    c.comm = effects.comm;
    c.makes_request = !effects.made.empty();
    c.out_bytes = effects.out_bytes;
    c.in_bytes = effects.in_bytes;
    const size_t at = out_.calls.size();
    if (effects.collective) {
      c.role = Role::collective;
      c.number = call.collective_number();
      collectives_[{effects.comm, c.number}].push_back(at);
    }
    for (const MessageHalf& p : call.halves()) {
      const bool second = c.role == Role::send && !p.sends;
      if (!second) {
        std::tie(c.comm, c.source, c.dest, c.tag, std::ignore) = p.channel;
        c.number = p.number;
      }
      c.role = second ? Role::both : p.sends ? Role::send : Role::receive;
      auto& message = messages_.of(p.channel, p.number);
      End& end = p.sends ? message.sender : message.receiver;
      if (!end.ends++) end.call = at, end.second = second;
    }
    out_.calls.push_back(std::move(c));
  }

  uint64_t wanted_;
  const RunTime& time_;
  MatchedIteration out_;
  MessageEnds<End> messages_;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<size_t>> collectives_;
};

}  // namespace

struct Matching::State {
  std::vector<std::shared_ptr<trace::Process>> processes;
  RunTime time;
  std::vector<std::vector<ProcessLoop>> loops;
  struct Rank {
    uint32_t index;
    bool by_number;  // its iterations are counted as most processes count theirs
    std::unique_ptr<TimedCalls> calls;
  };
  std::vector<Rank> ranks;

  void add(const std::vector<const ProcessLoop*>& of, uint64_t usual) {
    for (uint32_t i = 0; i < processes.size(); ++i) {
      if (!of[i]->found) continue;
      ranks.push_back({i, similar_counts(of[i]->times.iterations(), usual),
                       std::make_unique<TimedCalls>(*processes[i], of[i]->stream, of[i]->times)});
    }
  }
};

Matching::Matching(std::vector<std::shared_ptr<trace::Process>> processes) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.processes = std::move(processes);
  std::vector<OwnTime> times;
  for (const auto& p : s.processes) times.push_back(own_time(*p));
  s.time = run_time(times);
  RunLoops run_loops;
  std::unordered_map<std::string, uint32_t> modules;
  for (uint32_t i = 0; i < s.processes.size(); ++i) {
    std::vector<uint32_t> own;
    for (const trace::Module& m : s.processes[i]->modules) {
      own.push_back(
          modules.try_emplace(m.path + '\n' + m.build_id, static_cast<uint32_t>(modules.size())).first->second);
    }
    std::vector<std::vector<uint32_t>> numbers;
    run_loops.add(*s.processes[i], i, own, &numbers);
    s.loops.push_back(loops_of(*s.processes[i], numbers));
  }
  std::vector<const std::vector<ProcessLoop>*> each;
  for (const std::vector<ProcessLoop>& own : s.loops) each.push_back(&own);
  const std::vector<const ProcessLoop*> all = loops_to_merge(each, run_loops.main());
  s.add(all, usual_count(all, run_loops.main()));
}

Matching::Matching(std::vector<std::shared_ptr<trace::Process>> processes, const std::vector<ProcessLoop>& loops,
                   const std::vector<ProcessTime>& times, uint64_t usual)
    : state_(std::make_unique<State>()) {
  state_->processes = std::move(processes);
  state_->time.processes = times;
  std::vector<const ProcessLoop*> all;
  state_->loops.push_back(loops);
  for (const ProcessLoop& loop : state_->loops.back()) all.push_back(&loop);
  state_->add(all, usual);
}

Matching::~Matching() = default;

MatchedIteration Matching::iteration(uint64_t number) {
  Matcher matcher(number, state_->time);
  for (State::Rank& r : state_->ranks) {
    if (r.by_number) matcher.add(r.calls.get(), r.index);
  }
  for (State::Rank& r : state_->ranks) {
    if (!r.by_number) matcher.add_concerned(r.calls.get(), r.index);
  }
  return matcher.finish();
}

void Matching::visit_all(const std::function<void(const LoopCall&)>& each) {
  for (State::Rank& r : state_->ranks) {
    if (!r.by_number) continue;
    const ProcessTime& time = state_->time.processes[r.index];
    r.calls->visit_times([&](const trace::TimedEvent& e, bool inside, uint64_t iteration) {
      if (!inside) return;
      const double begin = time.begin_ns + time.rate * e.begin_ns;
      each({r.index, r.calls->stream(), e.event.key.site, iteration, begin, begin + time.rate * e.duration_ns,
            time.rate * e.gap_ns, e.polled});
    });
  }
}

size_t Matching::processes() const {
  const auto by_number = [](const State::Rank& r) { return r.by_number; };
  return static_cast<size_t>(std::count_if(state_->ranks.begin(), state_->ranks.end(), by_number));
}

}  // namespace leadline::analysis
