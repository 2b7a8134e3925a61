// The engine for one kind of times. engine.cpp has the ranks, waits.inc their waits, messages.inc what becomes of
// messages, meetings.inc collectives without a schedule.
#pragma once

#include <cstddef>
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
  using OneCost = typename Instant::Cost;
  using OneTransfer = TransferOf<OneCost>;

  // What a wait ends: a message by its first byte, then by when it has passed the port.
  struct Ending {
    int64_t head_ps;
    uint32_t message, on_wait;
    Instant done;
  };

  static constexpr std::ptrdiff_t ahead = 8;  // actions, whose memory is fetched

  void make_rings(OneRank& r, const RankProgram& own);
  void find_in_place();

  // ranks
  void prefetch_next() const;
  void go_on(uint32_t rank);
  bool act(uint32_t rank, OneRank& r, const RankProgram& own);
  bool go_back(OneRank& r) const;
  void mark(uint32_t rank, const OneRank& r, const Action& a);
  void load(OneRank& r, const RankProgram& own);
  void prefetch(const Action& a) const;
  bool wait(uint32_t rank, OneRank& r, const RankProgram& own, const Action& a);
  void settle(uint32_t rank, OneRank& r, const RankProgram& own, const Action& a);
  void draw(OneRank& r, const RankProgram& own, const Action& a);
  void enter(OneRank& r);
  void note_absence(OneRank& r);
  bool begin_wait(uint32_t rank, OneRank& r, const RankProgram& own, const Action& a);
  void know(uint32_t rank);
  void complete(uint32_t rank, uint32_t slot, const Instant& done);

  // events, once no rank can go on without them
  void note(uint32_t rank, OneRank& r);
  void make_events();
  void happen(const Event& event);

  // messages
  uint32_t match(const Action& a, bool sends);
  uint32_t add_to(Channel<Instant>& channel, uint32_t number);
  void send(uint32_t rank, OneRank& r, const Action& a);
  void receive(OneRank& r, const Action& a);
  void withdraw(uint32_t rank, OneRank& r, const Action& a);
  bool reaches(const OneRank& r, const OneMessage& m, bool awaited, const Instant& at, Instant* when) const;
  bool awaits_send(const OneMessage& m) const;
  bool awaits_receive(const OneMessage& m) const;
  void ask(uint32_t message);
  void answer(uint32_t message, const Instant& at);
  void offer(uint32_t message, bool awaited);
  void taken(OneMessage& m, const Instant& at);
  void ready(uint32_t message, const Instant& at);
  void contacts(OneRank& r, int64_t until_ps);
  template <class Due>
  void contacts_if(OneRank& r, const Due& due);
  void put_to_leave(OneRank& r, uint32_t message);
  void leave(uint32_t rank, OneRank& r);
  void leave_until(OneRank& r, int64_t until_ps, bool in_turn);
  void depart(uint32_t message, OneMessage& m, const Instant& ready);
  void arrive(uint32_t message);
  void pass_link(uint32_t message, OneMessage& m, uint32_t link);
  const std::vector<uint32_t>* route_of(const OneMessage& m) const;
  void come(uint32_t message);
  static void sort_by_end(Ending* begin, Ending* end);
  Instant serve(OneRank& r, uint32_t message, const OneMessage& m);
  void release(uint32_t message);
  void no_longer_expected(OneMessage& m);
  // When it asks, of a message that has not been answered; or is all there, to be taken.
  Instant asked_at(uint32_t message) const;

  // meetings
  void meet(uint32_t rank, OneRank& r, const Action& a);
  void finish(Group<Instant>& group, Meeting<Instant>& meeting);

  std::vector<Stuck> stuck() const;
  bool wait_of(uint32_t rank, Stuck* why) const;
  static uint32_t call_of(const RankProgram& own, uint32_t action);

  const OneCost& cost(uint32_t number) const { return costs_[number]; }
  const OneTransfer& transfer(uint32_t number) const { return transfers_[number]; }
  const Ends& ends(const OneMessage& m) const { return state_.channels[m.channel].ends; }

  bool arrives_before(int64_t head_ps, uint32_t message, const Ending& other) const {
    if (head_ps != other.head_ps) return head_ps < other.head_ps;
    const OneMessage &a = state_.message(message), &b = state_.message(other.message);
    return ends(a).from != ends(b).from ? ends(a).from < ends(b).from : a.number < b.number;
  }

  const Program& program_;
  std::vector<Shape> shapes_;   // joined
  std::vector<OneCost> costs_;  // the program's, no larger than is needed
  std::vector<OneTransfer> transfers_;
  State<Instant> state_;
  uint32_t running_ = none;
  std::vector<uint32_t> noted_;  // ranks whose events are to be made
  std::vector<Ending> ending_;   // as many as the longest wait has
  bool synchronous_ = false;     // short messages may ask first, too
  bool in_place_ = false;        // some messages are sent in place
  Outcome outcome_;
  Steady<Instant> steady_;
  const uint64_t seed_;  // of iterations that are drawn; 0: the program's own
};

}  // namespace leadline::replay
