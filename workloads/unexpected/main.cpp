// Messages between pairs of ranks, received in time and received late; docs/reference/workloads/unexpected.md.
//
// What is sent before its receive is posted either waits in the receiver's memory and is copied once more (eager), or
// keeps its sender waiting until the receiver comes (rendezvous).

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "kit/options.hpp"
#include "kit/program.hpp"

namespace {

const char* const usage =
    "unexpected: messages whose receives are posted, and messages that come before their receives\n"
    "  --bytes N                of a message (262144)\n"
    "  --messages N             in a burst from each even rank to the next one (8)\n"
    "  --rounds N               bursts of either kind (50)\n"
    "  --delay MS               after which late receives are posted, in milliseconds (2)\n";

struct Settings {
  int bytes, messages, rounds, delay_ms;
};

using Clock = std::chrono::steady_clock;

// Seconds of all rounds.
struct Spent {
  double whole = 0.0, posted = 0.0, late = 0.0, sending = 0.0;
};

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

Settings read_settings(int argc, char** argv) {
  const kit::Options options(argc, argv, {"bytes", "messages", "rounds", "delay"});
  return {static_cast<int>(options.whole("bytes", 262144, 1, 1 << 28)),
          static_cast<int>(options.whole("messages", 8, 1, 10000)),
          static_cast<int>(options.whole("rounds", 50, 1, 1000000)),
          static_cast<int>(options.whole("delay", 2, 0, 60000))};
}

class Burst {
 public:
  Burst(const Settings& settings, const kit::Session& session)
      : settings_(settings),
        sends_(session.rank % 2 == 0),
        idle_(session.rank == session.ranks - 1 && sends_),
        partner_(session.rank + (sends_ ? 1 : -1)),
        buffers_(settings.messages, std::vector<unsigned char>(settings.bytes)),
        requests_(settings.messages) {}

  bool sends() const { return sends_ && !idle_; }
  bool receives() const { return !sends_; }

  void fill(int round) {
    for (int i = 0; sends() && i < settings_.messages; ++i) {
      std::fill(buffers_[i].begin(), buffers_[i].end(), value(round, i));
    }
  }

  void start() {
    for (int i = 0; i < settings_.messages; ++i) {
      unsigned char* data = buffers_[i].data();
      if (sends_) {
        MPI_Isend(data, settings_.bytes, MPI_BYTE, partner_, i, MPI_COMM_WORLD, &requests_[i]);
      } else {
        MPI_Irecv(data, settings_.bytes, MPI_BYTE, partner_, i, MPI_COMM_WORLD, &requests_[i]);
      }
    }
  }

  void finish() { MPI_Waitall(settings_.messages, requests_.data(), MPI_STATUSES_IGNORE); }

  // How many bytes are not what was sent.
  long wrong(int round) const {
    long found = 0;
    for (int i = 0; receives() && i < settings_.messages; ++i) {
      for (const unsigned char byte : buffers_[i]) found += byte != value(round, i);
    }
    return found;
  }

 private:
  static unsigned char value(int round, int message) { return static_cast<unsigned char>(7 * round + message + 1); }

  const Settings& settings_;
  bool sends_, idle_;
  int partner_;
  std::vector<std::vector<unsigned char>> buffers_;
  std::vector<MPI_Request> requests_;
};

// Receives are posted before anything is sent.
[[gnu::noinline]] void receive_in_time(Burst& burst, Spent& spent) {
  if (burst.receives()) burst.start();
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = Clock::now();
  if (burst.sends()) burst.start();
  if (burst.sends() || burst.receives()) burst.finish();
  spent.posted += since(begin);
}

// Receives are posted once the receiver has done something else; what it takes from then on counts.
[[gnu::noinline]] void receive_late(Burst& burst, Spent& spent, std::chrono::milliseconds delay) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (burst.sends()) {
    const auto begin = Clock::now();
    burst.start();
    burst.finish();
    spent.sending += since(begin);
  } else if (burst.receives()) {
    std::this_thread::sleep_for(delay);
    const auto begin = Clock::now();
    burst.start();
    burst.finish();
    spent.late += since(begin);
  }
}

int run(const kit::Session& session, int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  if (session.ranks < 2) throw kit::UsageError("needs two processes at least");
  Burst burst(settings, session);
  Spent spent;
  const auto begin = Clock::now();
  long wrong = 0;
  for (int round = 0; round < settings.rounds; ++round) {
    burst.fill(round);
    receive_in_time(burst, spent);
    wrong += burst.wrong(round);
    burst.fill(round + 1);
    receive_late(burst, spent, std::chrono::milliseconds(settings.delay_ms));
    wrong += burst.wrong(round + 1);
  }
  spent.whole = since(begin);
  Spent slowest;
  MPI_Reduce(&spent, &slowest, sizeof spent / sizeof(double), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  long all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (session.rank != 0) return 0;
  std::printf(
      "unexpected: %d messages of %d bytes, %d ranks, %d rounds: %.6f s (posted %.6f s, unexpected %.6f s, sending "
      "%.6f s), %ld bytes wrong\n",
      settings.messages, settings.bytes, session.ranks, settings.rounds, slowest.whole, slowest.posted, slowest.late,
      slowest.sending, all);
  if (all == 0) return 0;
  std::fprintf(stderr, "unexpected: %ld bytes are not what was sent\n", all);
  return 1;
}

}  // namespace

int main(int argc, char** argv) { return kit::run_program({"unexpected", usage, run}, argc, argv); }
