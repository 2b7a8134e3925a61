#include "analysis/patterns/exchanges/order.hpp"

#include <algorithm>
#include <map>

#include "analysis/patterns/exchanges/operation_order.hpp"
#include "analysis/patterns/exchanges/rows.hpp"

namespace leadline::analysis {

namespace {

using trace::CallClass;

// The messages of one exchange in the step.
std::vector<StepMessage> messages_of(const std::vector<uint32_t>& sites, const Step& step) {
  std::vector<StepMessage> own;
  for (const uint32_t s : sites) {
    const auto at = step.sent_at.find(s);
    if (at == step.sent_at.end()) continue;
    for (const uint32_t m : at->second) own.push_back(step.messages[m]);
  }
  return own;
}

// For each rank and each direction, the calls that send and those after which a message is there.
void passing(const std::vector<StepMessage>& messages, const Step& step, const Exchange& e, Ordering* o) {
  const auto kind = e.shape.kind;
  if (kind != Shape::Kind::grid && kind != Shape::Kind::upwind && kind != Shape::Kind::ring) return;
  struct Calls {
    std::vector<uint32_t> sent, received;
  };
  std::map<uint32_t, std::map<int64_t, Calls>> ranks;  // by the partner's distance
  for (const StepMessage& m : messages) {
    const uint32_t from = step.calls[m.send].process, to = step.calls[m.receive].process;
    ranks[from][int64_t{to} - from].sent.push_back(m.send);
    if (m.receive_done != StepMessage::none) ranks[to][int64_t{from} - to].received.push_back(m.receive_done);
  }
  uint64_t passed_on = 0;
  std::vector<double> gaps;
  for (auto& [rank, directions] : ranks) {
    for (auto& [distance, calls] : directions) {
      const auto opposite = directions.find(-distance);
      if (calls.sent.empty() || opposite == directions.end()) continue;
      std::vector<uint32_t>& sent = calls.sent;
      std::vector<uint32_t>& received = opposite->second.received;
      if (received.empty()) continue;
      std::sort(sent.begin(), sent.end());
      std::sort(received.begin(), received.end());
      ++o->between;
      // One more or fewer: the part that was read may end between the two.
      const size_t pairs = std::min(sent.size(), received.size());
      bool each = std::max(sent.size(), received.size()) <= pairs + 1;
      for (size_t i = 0; each && i < pairs; ++i) each = received[i] < sent[i];
      if (!each) continue;
      ++passed_on;
      for (size_t i = 0; i < pairs; ++i) {
        double gap = 0;
        for (uint32_t c = received[i] + 1; c <= sent[i]; ++c) gap += step.calls[c].gap_ns;
        gaps.push_back(gap);
      }
    }
  }
  if (!o->between) return;
  o->passes_on = static_cast<double>(passed_on) / static_cast<double>(o->between);
  o->passing_ns = middle(gaps);
}

void rows(const std::vector<StepMessage>& messages, const Step& step, const ComputationBetween& computation,
          Ordering* o) {
  std::vector<uint32_t> known = arrivals(step);
  int64_t bytes = 0;
  for (const StepMessage& m : messages) bytes += m.bytes / static_cast<int64_t>(messages.size());
  const std::vector<uint32_t> computed = computation.breaks(step, bytes);
  known.insert(known.end(), computed.begin(), computed.end());
  std::sort(known.begin(), known.end());
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> sends;
  for (const StepMessage& m : messages) {
    sends[{step.calls[m.send].process, step.calls[m.receive].process}].push_back(m.send);
  }
  std::vector<uint64_t> lengths;  // of the row that each message is in
  uint64_t least = UINT64_MAX;
  for (auto& [pair, calls] : sends) {
    std::sort(calls.begin(), calls.end());
    std::vector<uint64_t> own;
    add_rows(calls, known, &own);
    least = std::min(least, middle(own));
    lengths.insert(lengths.end(), own.begin(), own.end());
  }
  o->together = std::max<uint64_t>(middle(lengths), 1);
  o->together_least = std::clamp<uint64_t>(least, 1, o->together);
}

bool in_pairs(const std::vector<StepMessage>& messages, const Step& step) {
  std::map<uint32_t, uint32_t> partner;
  for (const StepMessage& m : messages) {
    const uint32_t from = step.calls[m.send].process, to = step.calls[m.receive].process;
    if (partner.try_emplace(from, to).first->second != to || partner.try_emplace(to, from).first->second != from)
      return false;
  }
  return true;
}

// Replays only the exchange's calls. A message takes one unit of time.
class Chain {
 public:
  enum class Sends : uint8_t { wait, find_receives, return_at_once };
  Chain(const std::vector<StepMessage>& messages, const Step& step, Sends sends)
      : messages_(messages), sends_(sends), posted_(messages.size()) {
    std::map<uint32_t, Call> calls;
    for (uint32_t m = 0; m < messages.size(); ++m) {
      const StepMessage& message = messages[m];
      calls[message.send].posts.push_back({m, true});
      calls[message.receive].posts.push_back({m, false});
      if (message.send_done != StepMessage::none) calls[message.send_done].ends.push_back({m, true});
      if (message.receive_done != StepMessage::none) calls[message.receive_done].ends.push_back({m, false});
    }
    for (auto& [at, call] : calls) ranks_[step.calls[at].process].calls.push_back(std::move(call));
    if (sends == Sends::find_receives) {
      for (Times& t : posted_) t.receive = 0;
    }
  }

  // 0: some calls never return.
  uint64_t length() {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto& [rank, r] : ranks_) {
        while (r.next < r.calls.size() && advance(&r)) moved = true;
      }
    }
    uint64_t longest = 0;
    for (const auto& [rank, r] : ranks_) {
      if (r.next < r.calls.size()) return 0;
      longest = std::max(longest, r.now);
    }
    return longest;
  }

 private:
  struct End {
    uint32_t message;
    bool sends;
  };
  struct Call {
    std::vector<End> posts, ends;
    bool posted = false;
  };
  struct Rank {
    std::vector<Call> calls;
    size_t next = 0;
    uint64_t now = 0;
  };
  struct Times {
    int64_t send = -1, receive = -1;
  };

  bool advance(Rank* r) {
    Call& call = r->calls[r->next];
    if (!call.posted) {
      for (const End& p : call.posts) {
        if (!p.sends && sends_ == Sends::find_receives) continue;
        (p.sends ? posted_[p.message].send : posted_[p.message].receive) = static_cast<int64_t>(r->now);
      }
      call.posted = true;
    }
    uint64_t until = r->now;
    for (const End& e : call.ends) {
      if (e.sends && sends_ == Sends::return_at_once) continue;
      const Times& t = posted_[e.message];
      if ((e.sends ? t.receive : t.send) < 0) return false;
      until = std::max(until, static_cast<uint64_t>(e.sends ? t.receive : t.send) + 1);
    }
    r->now = until;
    ++r->next;
    return true;
  }

  const std::vector<StepMessage>& messages_;
  Sends sends_;
  std::vector<Times> posted_;
  std::map<uint32_t, Rank> ranks_;
};

void overlap(const std::vector<StepMessage>& messages, const Step& step, Ordering* o) {
  std::vector<bool> completing(step.calls.size());
  // Computation between the first post and the completion, once for all messages that are under way together.
  std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> spans;  // by process: from call to call
  const auto add = [&](uint32_t posted, uint32_t done) {
    if (done == StepMessage::none || done <= posted) return;
    spans[step.calls[posted].process].push_back({posted, done});
    if (!completing[done]) {
      completing[done] = true;
      o->completing_ns += step.calls[done].end_ns - step.calls[done].begin_ns;
    }
    o->nonblocking = true;
  };
  for (const StepMessage& m : messages) {
    add(m.send, m.send_done);
    add(m.receive, m.receive_done);
  }
  for (auto& [process, own] : spans) {
    std::sort(own.begin(), own.end());
    uint32_t covered = 0;
    double sum = 0;
    for (const auto& [from, to] : own) {
      for (uint32_t c = std::max(from, covered) + 1; c <= to; ++c) sum += step.calls[c].gap_ns;
      covered = std::max(covered, to);
    }
    o->overlapped_ns += sum;
    o->overlapped_by_process.push_back(sum);
  }
}

// Of two ranks that exchange by MPI_Sendrecv, one always sends before the other receives.
void unexpected(const std::vector<StepMessage>& messages, const Step& step, const RunTime& time, Ordering* o) {
  const auto begin = [&](uint32_t call) {
    const ProcessTime& t = time.processes[step.calls[call].process];
    return t.begin_ns + t.rate * step.calls[call].begin_ns;
  };
  for (const StepMessage& m : messages) {
    const bool both = trace::facts_of(step.calls[m.receive].cls).event == trace::EventForm::exchange;
    if (m.bytes < Ordering::large_bytes || both) continue;
    ++o->large;
    const double error = std::max(time.error_ns, 0.0);
    o->large_unexpected += begin(m.send) + error + 1000 < begin(m.receive);
  }
}

}  // namespace

bool overlaps_nothing(std::vector<double> overlapped_ns, double completing_ns) {
  constexpr double least_overlap = 0.1;
  std::sort(overlapped_ns.begin(), overlapped_ns.end());
  const size_t all = overlapped_ns.size(), counted = all - all / 4;
  double sum = 0;
  for (size_t i = 0; i < counted; ++i) sum += overlapped_ns[i];
  return sum * static_cast<double>(all) < least_overlap * completing_ns * static_cast<double>(counted);
}

bool in_stages(const std::vector<uint32_t>& sites, const Step& step) {
  struct Event {
    uint32_t call;
    bool receives;  // a call that does both begins with the send
    uint32_t partner;
    auto operator<=>(const Event&) const = default;
  };
  std::map<uint32_t, std::vector<Event>> ranks;
  for (const StepMessage& m : messages_of(sites, step)) {
    const uint32_t from = step.calls[m.send].process, to = step.calls[m.receive].process;
    ranks[from].push_back({m.send, false, to});
    if (m.receive_done != StepMessage::none) ranks[to].push_back({m.receive_done, true, from});
  }
  uint64_t changes = 0, after_receive = 0;
  for (auto& [rank, events] : ranks) {
    std::sort(events.begin(), events.end());
    const Event* last = nullptr;
    bool received = false;
    for (const Event& e : events) {
      if (e.receives) {
        received |= last && e.partner == last->partner;
        continue;
      }
      if (last && last->partner != e.partner) {
        ++changes;
        after_receive += received;
      }
      last = &e;
      received = false;
    }
  }
  return changes && 10 * after_receive >= 9 * changes;
}

bool replies(const std::vector<uint32_t>& asking, const std::vector<uint32_t>& answering, const Step& step) {
  struct Event {
    uint32_t call;
    bool answers;
    uint32_t partner;
    auto operator<=>(const Event&) const = default;
  };
  std::map<uint32_t, std::vector<Event>> ranks;
  for (const StepMessage& m : messages_of(asking, step)) {
    if (m.receive_done != StepMessage::none)
      ranks[step.calls[m.receive].process].push_back({m.receive_done, false, step.calls[m.send].process});
  }
  for (const StepMessage& m : messages_of(answering, step)) {
    ranks[step.calls[m.send].process].push_back({m.send, true, step.calls[m.receive].process});
  }
  uint64_t answers = 0, to_the_last = 0;
  for (auto& [rank, events] : ranks) {
    std::sort(events.begin(), events.end());
    uint32_t last = UINT32_MAX;
    for (const Event& e : events) {
      if (e.answers) {
        ++answers;
        to_the_last += e.partner == last;
        last = UINT32_MAX;
      } else {
        last = e.partner;
      }
    }
  }
  return 2 * to_the_last >= answers;
}

Ordering ordering_of(const Exchange& e, const Step& step, const RunTime& time, const ComputationBetween& computation) {
  Ordering o;
  if (!step.found) return o;
  if (e.one_sided) {
    order_operations(e, step, &o);
    return o;
  }
  const std::vector<StepMessage> messages = messages_of(e.sites, step);
  o.known = !messages.empty();
  o.messages = messages.size();
  if (!o.known) return o;
  passing(messages, step, e, &o);
  rows(messages, step, computation, &o);
  o.in_pairs = in_pairs(messages, step);
  for (const StepMessage& m : messages) {
    const CallClass cls = step.calls[m.send].cls;
    o.blocking_sends |= cls == CallClass::send;
  }
  if (o.blocking_sends) {
    o.chain = Chain(messages, step, Chain::Sends::wait).length();
    o.chain_posted = Chain(messages, step, Chain::Sends::find_receives).length();
    o.chain_buffered = Chain(messages, step, Chain::Sends::return_at_once).length();
  }
  o.timed = step.timed;
  if (!step.timed) return o;
  overlap(messages, step, &o);
  unexpected(messages, step, time, &o);
  return o;
}

}  // namespace leadline::analysis
