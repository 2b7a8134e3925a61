// The engine for one kind of times. engine.cpp has the turns of the ranks, messages.inc what becomes of messages.
#pragma once

#include <utility>
#include <vector>

#include "replay/replay.hpp"
#include "replay/state.hpp"
#include "replay/steady.hpp"

namespace leadline::replay {

template <class Instant>
class Engine {
 public:
  Engine(const Program& program, const Options& options);
  Outcome run();

 private:
  using OneRank = Rank<Instant>;
  using OneMessage = Message<Instant>;
  using OneRequest = Request<Instant>;

  void make_rings(OneRank& r, const RankProgram& own);

  // turns
  void go_on(uint32_t rank);
  void load(OneRank& r, const RankProgram& own);
  void prefetch(const RankProgram& own, size_t action) const;
  bool perform(uint32_t rank, OneRank& r, const Action& a);
  bool may_act(uint32_t rank, const OneRank& r, const Action& a);
  bool wait(uint32_t rank, OneRank& r, const Action& a);
  void settle(OneRank& r, const RankProgram& own, const Action& a);
  void draw(OneRank& r, const RankProgram& own, const Action& a);
  void enter(OneRank& r);
  void begin_wait(OneRank& r, const RankProgram& own, const Action& a);
  void know(uint32_t rank, int64_t at_ps);
  void complete(uint32_t rank, bool own, uint32_t slot, const Instant& done, uint32_t on_wait);

  // messages
  uint32_t match(const Action& a, bool sends);
  void send(uint32_t rank, OneRank& r, const Action& a);
  void receive(OneRank& r, const Action& a);
  void withdraw(uint32_t rank, OneRank& r, const Action& a);
  void question(uint32_t message, int64_t at_ps);
  void answer(uint32_t message, const Instant& at);
  void answered(uint32_t message);
  void depart(uint32_t message, const Instant& ready);
  void serve(uint32_t group, int64_t until_ps);
  void arrive(uint32_t message, const Instant& at);
  void release(uint32_t message);
  void no_longer_expected(OneMessage& m);
  bool in_call(const OneMessage& m, uint32_t rank, int64_t at_ps) const;
  uint32_t port_of(uint32_t rank) const { return program_.ports ? program_.ranks[rank].node : rank; }
  // Whether all messages that arrive up to that time have been sent.
  bool safe(int64_t at_ps) const {
    return at_ps <= state_.now_ps || state_.events.empty() || state_.events.top().at_ps + least_latency_ps_ > at_ps;
  }

  // meetings
  void meet(uint32_t rank, OneRank& r, const Action& a);
  void finish(Group<Instant>& group, Meeting<Instant>& meeting);

  std::vector<Stuck> stuck() const;
  bool wait_of(uint32_t rank, Stuck* why) const;

  const Cost& cost(uint32_t number) const { return program_.costs[number]; }
  const Ends& ends(const OneMessage& m) const { return program_.channels[m.channel]; }

  const Program& program_;
  State<Instant> state_;
  int64_t least_latency_ps_ = INT64_MAX / 4;        // of messages that a port may delay
  uint32_t settling_ = none;                        // the rank whose wait ends now
  std::vector<std::pair<Instant, uint32_t>> done_;  // the requests of that wait
  bool synchronous_ = false;                        // short messages may ask first, too
  Outcome outcome_;
  Steady<Instant> steady_;
};

}  // namespace leadline::replay
