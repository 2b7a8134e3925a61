#include "analysis/matching.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/clocks.hpp"
#include "analysis/iterations.hpp"
#include "analysis/loops.hpp"
#include "analysis/measure.hpp"
#include "analysis/open_receives.hpp"
#include "trace/reading/series_walk.hpp"

namespace leadline::analysis {

namespace {

using trace::CallClass;
using trace::EventForm;
using trace::Key;
using trace::RequestUse;
using Role = MatchedCall::Role;
using Channel = std::tuple<uint64_t, int32_t, int32_t, int32_t>;  // communicator, source, dest, tag

// One half of a message with its number in the channel.
struct Part {
  bool sends = false;
  Channel channel;
  uint64_t number = 0;
};

// What a call does, and who counts it.
struct Acts {
  struct Half {
    bool sends;
    Channel channel;
    uint64_t* count;
  };
  Key key;
  bool known = false;
  std::vector<Half> halves;
  uint64_t* collective = nullptr;
  uint64_t comm = 0;
};

// What the calls of one process send, receive and take part in, counted from its first call.
class Parts {
 public:
  Parts(const trace::Process& process, size_t stream)
      : process_(process), measurer_(process, stream), receives_(process, stream) {}

  // Whether calls may be passed in no order.
  bool may_pass() const { return receives_.by_site(); }
  // Counts equal calls that are passed.
  void pass(const trace::Event& e) {
    other_ = {};
    of(e, &other_);
    for (const Acts::Half& half : other_.halves) *half.count += e.times;
    if (other_.collective) *other_.collective += e.times;
  }

  // Counts the call; what it is stands until the next one. A position's calls are all alike but where parameters vary.
  const Acts& count(const trace::Event& e) {
    receives_.follow(e);
    if (e.generation != generation_) known_.clear();
    generation_ = e.generation;
    const bool fixed = e.position != 0 && e.word_count == 0;
    if (fixed && e.position >= known_.size()) known_.resize(e.position + 1);
    Acts& acts = fixed ? known_[e.position] : other_;
    if (!fixed || !acts.known || !(acts.key == e.key)) {
      acts = {};
      acts.key = e.key;
      acts.known = true;
      of(e, &acts);
    }
    for (const Acts::Half& half : acts.halves) ++*half.count;
    if (acts.collective) ++*acts.collective;
    return acts;
  }

 private:
  void of(const trace::Event& e, Acts* parts) {
    const Key& k = e.key;
    const CallClass cls = measurer_.class_of(k.site);
    parts->comm = identity(k.comm);
    const trace::CallFacts& facts = trace::facts_of(cls);
    switch (facts.event) {
      case EventForm::message: {
        if (facts.requests == RequestUse::creates) return;
        // Whose message it is that a receive from anybody gets is known when it completes.
        const bool open = cls == CallClass::irecv && k.comm & (trace::flag_any_source | trace::flag_any_tag);
        if (!open) add((facts.moves & trace::moves::sends) != 0, k.comm, k.peer, k.tag, parts);
        return;
      }
      case EventForm::exchange:
        add(true, k.comm, k.peer, k.tag, parts);
        if (e.word_count >= 4) {
          add(false, k.comm, static_cast<int32_t>(e.words[2]), static_cast<int32_t>(e.words[3]), parts);
        }
        return;
      case EventForm::completion:
        if (facts.requests == RequestUse::completes) completed(e, parts);
        return;
      case EventForm::completions:
        return all_completed(e, parts);
      case EventForm::start:
        return started(e, parts);
      case EventForm::starts:
        return all_started(e, parts);
      case EventForm::collective:
      case EventForm::creation:
        // Not what is only made ready here, nor a communicator that is there later.
        if (parts->comm && cls != CallClass::coll_init && cls != CallClass::comm_icreate)
          parts->collective = &collectives_[parts->comm];
        return;
      case EventForm::plain:
      case EventForm::probe:
      case EventForm::object:
      case EventForm::access:
      case EventForm::file:
      case EventForm::libc:
        return;
    }
  }

  uint64_t identity(uint32_t comm) const {
    const uint32_t id = comm & trace::comm_mask;
    return id < process_.communicators.size() ? process_.communicators[id].identity : 0;
  }

  void add(bool sends, uint32_t comm, int32_t peer, int32_t tag, Acts* parts) {
    const uint64_t id = identity(comm);
    if (!id || peer < trace::first_real_peer) return;
    const int32_t own = process_.communicators[comm & trace::comm_mask].rank;
    const auto other = static_cast<int32_t>(static_cast<uint32_t>(own) + static_cast<uint32_t>(peer));
    const Channel channel = sends ? Channel{id, own, other, tag} : Channel{id, other, own, tag};
    parts->halves.push_back({sends, channel, &(sends ? sent_ : received_)[channel]});
  }

  // A receive from anybody, or of any tag, got its message.
  void completed(const trace::Event& e, Acts* parts) {
    const CallClass maker = measurer_.class_of(measurer_.linked(e.key.extra, e.words, e.word_count));
    if (!receives_later(maker) || e.key.comm & trace::flag_cancelled) return;
    if (e.key.comm & (trace::flag_any_source | trace::flag_any_tag)) {
      add(false, e.key.comm, e.key.peer, e.key.tag, parts);
    }
  }

  void all_completed(const trace::Event& e, Acts* parts) {
    for (size_t i = 1; i + 4 <= e.word_count; i += 4) {
      if (!receives_later(measurer_.class_of(measurer_.listed(e.words[i])))) continue;
      const uint32_t comm = receives_.communicator(e.words[i]);
      const auto whom = static_cast<uint64_t>(e.words[i + 2]);
      if (comm) add(false, comm, static_cast<int32_t>(whom >> 32), static_cast<int32_t>(whom), parts);
    }
  }

  static bool receives_later(CallClass c) { return c == CallClass::irecv || c == CallClass::recv_init; }

  // Of a receive from anybody the message counts when it completes.
  void start_one(CallClass creator, uint32_t comm, int32_t peer, int32_t tag, Acts* parts) {
    if (creator == CallClass::send_init) add(true, comm, peer, tag, parts);
    const bool open = comm & (trace::flag_any_source | trace::flag_any_tag) || tag == trace::tag_any;
    if (creator == CallClass::recv_init && !open) add(false, comm, peer, tag, parts);
  }

  void started(const trace::Event& e, Acts* parts) {
    const CallClass creator = measurer_.class_of(measurer_.linked(e.key.extra, e.words, e.word_count));
    start_one(creator, e.key.comm, e.key.peer, e.key.tag, parts);
  }

  void all_started(const trace::Event& e, Acts* parts) {
    for (size_t i = 1; i + 4 <= e.word_count; i += 4) {
      const auto whom = static_cast<uint64_t>(e.words[i + 2]);
      start_one(measurer_.class_of(measurer_.listed(e.words[i])), static_cast<uint32_t>(e.words[i + 3]),
                static_cast<int32_t>(whom >> 32), static_cast<int32_t>(whom), parts);
    }
  }

  const trace::Process& process_;
  Measurer measurer_;
  std::map<Channel, uint64_t> sent_, received_;
  std::unordered_map<uint64_t, uint64_t> collectives_;
  ProcessReceives receives_;
  std::vector<Acts> known_;  // by position
  size_t generation_ = 0;
  Acts other_;
};

// The call just counted: where a channel comes more than once, the last of its messages has the channel's number.
std::vector<Part> parts_of(const Acts& acts) {
  std::vector<Part> parts(acts.halves.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Acts::Half& half = acts.halves[i];
    uint64_t later = 0;
    for (size_t j = i + 1; j < parts.size(); ++j) later += acts.halves[j].count == half.count;
    parts[i] = {half.sends, half.channel, *half.count - later};
  }
  return parts;
}

// Counts the iterations of a loop along the calls.
class Iterations {
 public:
  // `generation`: the anchor's, which delimits the iterations where no loop of the source does.
  Iterations(const trace::Stream& stream, size_t generation, const trace::LoopTimes& loop)
      : stream_(stream),
        loop_(loop),
        generation_(generation),
        anchor_(stream.generations[generation].positions[loop.position].key) {}

  void pass(const trace::Event& e) {
    if (!loop_.source && e.generation == generation_ && e.key == anchor_) occurrences_ += e.times;
  }
  void pass(uint32_t from, uint32_t to, uint64_t times) {
    if (loop_.source && among(loop_.begins, from, to)) occurrences_ += times;
  }
  // The iteration of the next call.
  uint64_t of(const trace::TimedEvent& timed) {
    const trace::Event& e = timed.event;
    const bool begins = loop_.source ? !e.run && among(loop_.begins, timed.from, e.key.site)
                                     : e.generation == generation_ && e.key == anchor_;
    if (begins && !loop_.after) ++occurrences_;
    const uint64_t since = occurrences_ > loop_.skipped ? occurrences_ - loop_.skipped : 0;
    if (begins && loop_.after) ++occurrences_;
    return (loop_.after ? since : since ? since - 1 : 0) / loop_.trips;
  }
  // Whether the call is one of the loop's.
  bool inside(const trace::TimedEvent& e) const {
    if (loop_.source) return stream_.within(stream_.loop_around(e.event.key.site), loop_.source);
    return e.event.generation == generation_ && e.entry >= loop_.first_call;
  }

 private:
  static bool among(const std::vector<uint64_t>& ways, uint32_t from, uint32_t to) {
    return std::binary_search(ways.begin(), ways.end(), uint64_t{from} << 32 | to);
  }

  const trace::Stream& stream_;
  const trace::LoopTimes& loop_;
  size_t generation_;
  Key anchor_;
  uint64_t occurrences_ = 0;
};

struct End {
  size_t call;
  bool second;
};

class Matcher {
 public:
  Matcher(uint64_t iteration, RunTime time) : wanted_(iteration), time_(std::move(time)) {}

  // `by_number`: its iterations are counted as the wanted one is. Of others, which come last, only the calls that those
  // have something to do with are taken.
  void add(const trace::Process& process, uint32_t index, const ProcessLoop& loop, bool by_number) {
    const trace::Stream& stream = process.streams[loop.stream];
    size_t generation = stream.generations.size();
    for (const trace::Series& s : stream.series) {
      for (const trace::LoopTimes& l : s.loops) {
        if (l.position != loop.times.position || l.source != loop.times.source ||
            l.occurrences != loop.times.occurrences) {
          continue;
        }
        for (size_t g = 0; g < stream.generations.size(); ++g) {
          if (stream.generations[g].number == s.generation) generation = g;
        }
      }
    }
    if (generation == stream.generations.size()) return;
    Parts parts(process, loop.stream);
    Iterations iterations(stream, generation, loop.times);
    const trace::Passed passed{[&](const trace::Event& e) {
                                 parts.pass(e);
                                 iterations.pass(e);
                               },
                               [&](uint32_t from, uint32_t to, uint64_t times) { iterations.pass(from, to, times); }};
    trace::SeriesWalk walk(stream);
    trace::TimedEvent e;
    while (parts.may_pass() ? walk.next_timed(&e, passed) : walk.next(&e)) {
      const uint64_t iteration = iterations.of(e);
      const Acts& acts = parts.count(e.event);
      if (!e.series) continue;
      if (!by_number) {
        if (concerns(acts)) put(e, process, loop.stream, index, wanted_, acts);
      } else if (iterations.inside(e)) {
        if (iteration > wanted_ + 1) break;
        if (iteration + 1 >= wanted_) put(e, process, loop.stream, index, iteration, acts);
      }
    }
  }

  MatchedIteration finish() {
    for (const auto& [key, ends] : messages_) {
      if (ends.first.size() == 1 && ends.second.size() == 1) {
        join(ends.first[0], ends.second[0].call);
        join(ends.second[0], ends.first[0].call);
      }
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

  bool concerns(const Acts& acts) const {
    if (acts.collective && collectives_.count({acts.comm, *acts.collective})) return true;
    for (const Part& p : parts_of(acts)) {
      const auto at = messages_.find({p.channel, p.number});
      if (at != messages_.end() && !(p.sends ? at->second.second : at->second.first).empty()) return true;
    }
    return false;
  }

  void put(const trace::TimedEvent& e, const trace::Process& process, size_t of, uint32_t index, uint64_t iteration,
           const Acts& acts) {
    MatchedCall c;
    c.process = index;
    c.site = e.event.key.site;
    const trace::Stream& stream = process.streams[of];
    c.stream = static_cast<uint32_t>(of);
    const uint32_t function = c.site < stream.sites.size() ? stream.sites[c.site].function : 0;
    c.function = function < process.functions.size() ? process.functions[function].name : "";
    c.iteration = iteration;
    const ProcessTime& time = time_.processes[index];
    c.begin_ns = time.begin_ns + time.rate * e.begin_ns;
    c.duration_ns = time.rate * e.duration_ns;
    c.gap_ns = time.rate * e.gap_ns;
    c.polled = e.polled;
    c.comm = acts.comm;
    const size_t at = out_.calls.size();
    if (acts.collective) {
      c.role = Role::collective;
      c.number = *acts.collective;
      collectives_[{acts.comm, c.number}].push_back(at);
    }
    for (const Part& p : parts_of(acts)) {
      const bool second = c.role == Role::send && !p.sends;
      if (!second) {
        std::tie(c.comm, c.source, c.dest, c.tag) = p.channel;
        c.number = p.number;
      }
      c.role = second ? Role::both : p.sends ? Role::send : Role::receive;
      auto& ends = messages_[{p.channel, p.number}];
      (p.sends ? ends.first : ends.second).push_back({at, second});
    }
    out_.calls.push_back(std::move(c));
  }

  uint64_t wanted_;
  RunTime time_;
  MatchedIteration out_;
  std::map<std::pair<Channel, uint64_t>, std::pair<std::vector<End>, std::vector<End>>> messages_;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<size_t>> collectives_;
};

}  // namespace

MatchedIteration match_iteration(const std::vector<std::shared_ptr<trace::Process>>& processes, uint64_t iteration) {
  std::vector<OwnTime> times;
  for (const auto& p : processes) times.push_back(own_time(*p));
  Matcher matcher(iteration, run_time(times));
  RunLoops run_loops;
  std::unordered_map<std::string, uint32_t> modules;
  std::vector<std::vector<ProcessLoop>> found;
  for (uint32_t i = 0; i < processes.size(); ++i) {
    std::vector<uint32_t> own;
    for (const trace::Module& m : processes[i]->modules) {
      own.push_back(
          modules.try_emplace(m.path + '\n' + m.build_id, static_cast<uint32_t>(modules.size())).first->second);
    }
    std::vector<std::vector<uint32_t>> numbers;
    run_loops.add(*processes[i], i, own, &numbers);
    found.push_back(loops_of(*processes[i], numbers));
  }
  const uint32_t main = run_loops.main();
  std::vector<const std::vector<ProcessLoop>*> each;
  for (const std::vector<ProcessLoop>& own : found) each.push_back(&own);
  const std::vector<const ProcessLoop*> all = loops_to_merge(each, main);
  const uint64_t usual = usual_count(all);
  for (const bool by_number : {true, false}) {
    for (uint32_t i = 0; i < processes.size(); ++i) {
      if (!all[i]->found || same_numbers(all[i]->times.iterations(), usual) != by_number) continue;
      matcher.add(*processes[i], i, *all[i], by_number);
    }
  }
  return matcher.finish();
}

}  // namespace leadline::analysis
