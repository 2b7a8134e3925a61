// The engine for one kind of times. engine.cpp has the turns of the ranks, messages.inc what becomes of messages.
#pragma once

#include <functional>
#include <memory>
#include <queue>
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
  friend class Steady<Instant>;
  using OneRank = Rank<Instant>;
  using OneMessage = Message<Instant>;
  using OneRequest = Request<Instant>;
  using State = typename OneRequest::State;

  // turns
  void go_on(uint32_t rank);
  void load(OneRank& r, const RankProgram& own);
  bool perform(uint32_t rank, OneRank& r, const Action& a);
  bool may_act(uint32_t rank, const OneRank& r, const Action& a);
  bool wait(uint32_t rank, OneRank& r, const Action& a);
  void settle(uint32_t rank, OneRank& r, const Action& a);
  void draw(OneRank& r, const RankProgram& own, const Action& a);
  void enter(OneRank& r);
  void block(OneRank& r, bool own, uint32_t slot);
  void wake(uint32_t rank, int64_t at_ps);
  void complete(uint32_t rank, bool own, uint32_t slot, const Instant& done);

  // messages
  uint32_t match(const Action& a, bool sends);
  void send(uint32_t rank, OneRank& r, const Action& a);
  void receive(OneRank& r, const Action& a);
  void question(uint32_t message, int64_t at_ps);
  void answer(uint32_t message, const Instant& at);
  void answered(uint32_t message);
  void depart(uint32_t message, const Instant& ready);
  void serve(uint32_t group, int64_t until_ps);
  void arrive(uint32_t message, const Instant& at);
  void release(uint32_t message);
  bool in_call(uint32_t rank, int64_t at_ps) const;
  uint32_t port_of(uint32_t rank) const { return program_.ports ? program_.ranks[rank].node : rank; }
  bool safe(int64_t at_ps) const { return at_ps <= now_ps_ || events_.empty() || events_.top().at_ps > at_ps; }

  // meetings
  void meet(uint32_t rank, OneRank& r, const Action& a);
  void finish(Group<Instant>& group, Meeting<Instant>& meeting);

  std::vector<Stuck> stuck() const;
  bool wait_of(uint32_t rank, Stuck* why) const;

  const Cost& cost(uint32_t number) const { return program_.costs[number]; }
  const Ends& ends(const OneMessage& m) const { return program_.channels[m.channel]; }

  const Program& program_;
  const Options options_;
  std::vector<OneRank> ranks_;
  std::vector<Queue> channels_;
  std::vector<OneMessage> messages_;
  std::vector<uint32_t> free_;
  std::vector<Instant> question_at_;  // by message: of its question or answer under way
  std::vector<Port<Instant>> ports_;  // of nodes
  std::vector<std::vector<Coming>> coming_;
  std::vector<Group<Instant>> groups_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::pair<Instant, uint32_t>> done_;  // of one wait
  int64_t now_ps_ = 0;
  bool synchronous_ = false;  // short messages may ask first, too
  Outcome outcome_;
  Steady<Instant> steady_;
};

}  // namespace leadline::replay
