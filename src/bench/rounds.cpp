#include "bench/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "bench/arrivals.hpp"
#include "bench/machine.hpp"
#include "bench/mixed.hpp"
#include "bench/waiting_check.hpp"

namespace leadline::bench {

namespace {

constexpr int fewest_rounds = 5;
constexpr int batch = 8;  // rounds after which the ranks exchange their progress, and another point has its turn
constexpr int64_t most_bytes_by_turns = int64_t{16} << 20;
constexpr int64_t shortest_tolerance_ns = 1000;
constexpr int64_t ping_pong_ns = 200'000;    // of ping-pongs a sample is so long, more or less
constexpr int64_t first_lead_ns = 50'000;    // from the announcement of a round to its begin
constexpr int64_t shared_lead_ns = 500'000;  // where ranks share cores

struct Runner {
  std::unique_ptr<Candidate> candidate;
  Samples samples;
  int64_t window_ns = 0, slack_ns = 0, prelude_ns = 0;
  std::vector<double> took;        // by round, on this rank, ns from the start
  std::vector<double> prelude;     // by round, on this rank, ns
  std::vector<double> began;       // by round, on this rank, ns from the start; 0 where it was there in time
  std::vector<uint8_t> came_late;  // by round, on this rank: to its start, or something else had its core meanwhile
  int late = 0;                    // of a whole number of batches: on the rank that was late most often in each
  int64_t soonest_ns = INT64_MAX;  // after a start, or a barrier, that this rank began, in any round
  bool wrong = false;
};

class Measurement {
 public:
  Measurement(const Job& job, const Plan& plan, int point, const collectives::OperationFacts* facts, const Grid* grid,
              Announce announce, int64_t end_ns)
      : job_(job),
        plan_(plan),
        point_(point),
        end_ns_(end_ns),
        seconds_(plan.points[point].seconds > 0 ? plan.points[point].seconds : plan.seconds),
        exchange_(!facts),
        has_data_(!facts || facts->has_data),
        contents_(job, facts, plan.points[point].bytes, plan.root, grid),
        arrivals_(plan, plan.points[point].arrivals, job.rank, job.size),
        announce_(announce) {
    lead_ns_ = job.oversubscribed ? shared_lead_ns : first_lead_ns;
    for (const CandidateName& name : plan.points[point].candidates) {
      Runner runner;
      runner.candidate =
          make_candidate(job, plan, plan.points[point].operation, name, &contents_, &runner.samples.problem);
      runners_.push_back(std::move(runner));
    }
    for (std::size_t i = 0; i < runners_.size(); ++i)
      if (runners_[i].candidate) warm_up(int(i));
  }

  // A few rounds. False: they were the last.
  bool take_turn() {
    const int64_t begin = local_ns();
    bool more = true;
    for (int i = 0; i < batch && more; ++i, ++round_)
      more = run_round(round_, wanted(round_ + 1), std::min(begin + int64_t(seconds_ * 1e9) - spent_ns_, end_ns_));
    spent_ns_ += local_ns() - begin;
    return more;
  }

  std::vector<Samples> finish() {
    std::vector<Samples> all;
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (runners_[i].candidate) finish_one(int(i), round_);
      all.push_back(std::move(runners_[i].samples));
    }
    return all;
  }

 private:
  // Checked completely, then timed in another run.
  void warm_up(int index) {
    Runner& runner = runners_[index];
    if (job_.rank == 0) announce_(point_, index);
    check_whole(&runner, 1);
    int64_t fastest = INT64_MAX;
    for (int i = 0; i < 3; ++i) {
      patient_barrier(job_.comm);
      const int64_t begin = local_ns();
      runner.candidate->run();
      fastest = std::min(fastest, local_ns() - begin);
    }
    int64_t slowest = 0;
    MPI_Allreduce(&fastest, &slowest, 1, MPI_INT64_T, MPI_MAX, job_.comm);
    runner.samples.repeat = plan_.repeat;
    if (plan_.repeat == 0)
      runner.samples.repeat =
          exchange_ ? int(std::clamp(ping_pong_ns / std::max<int64_t>(slowest, 1), int64_t{1}, int64_t{1000})) : 1;
    runner.slack_ns = job_.oversubscribed ? 500'000 : 10'000;
    runner.prelude_ns = 2 * slowest;
    runner.window_ns = slowest * runner.samples.repeat;
    runner.samples.tolerance_ns = std::max(shortest_tolerance_ns, runner.window_ns / 50);
  }

  void check_whole(Runner* runner, uint64_t salt) {
    if (!has_data_) {
      if (!all_wait_for_the_last(job_, runner->candidate.get())) runner->wrong = true;
      return;
    }
    contents_.set_all(salt);
    patient_barrier(job_.comm);
    runner->candidate->run();
    if (!contents_.all_right()) runner->wrong = true;
    patient_barrier(job_.comm);
  }

  std::vector<int> order_of(int round) const {
    std::vector<int> order;
    for (std::size_t i = 0; i < runners_.size(); ++i)
      if (runners_[i].candidate) order.push_back(int(i));
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[mixed(plan_.seed * 1'000'003 + uint64_t(round) * 1009 + i) % i]);
    return order;
  }

  // Late rounds are made up for, to a point.
  bool wanted(int round) const {
    if (round < plan_.rounds) return true;
    return !job_.oversubscribed && round < 4 * plan_.rounds && round - most_late_ < plan_.rounds;
  }

  // False: it was the last.
  bool run_round(int round, bool may_go_on, int64_t end) {
    const std::vector<int> order = order_of(round);
    if (order.empty()) return false;
    int64_t agreed[2] = {0, 0};
    patient_barrier(job_.comm);
    if (job_.rank == 0) {
      agreed[0] = job_.now_ns() + lead_ns_;
      agreed[1] = may_go_on && (round + 1 < fewest_rounds || local_ns() < end);
    }
    MPI_Request request;
    MPI_Ibcast(agreed, 2, MPI_INT64_T, 0, job_.comm, &request);
    wait_patiently(&request);
    int64_t start = agreed[0];
    waiting_.more_ns();
    for (const int index : order) {
      start += runners_[index].prelude_ns;
      sample(&runners_[index], round, start);
      start += runners_[index].window_ns + runners_[index].slack_ns + arrivals_.longest_ns(round);
    }
    if ((round + 1) % batch == 0) adapt(order);
    return agreed[1] != 0;
  }

  // The caches hold what the previous operation left. That is therefore the operation itself, for all candidates.
  void run_prelude(Runner* runner) {
    if (runner->samples.repeat > 1 || exchange_) return;
    runner->candidate->run();
    if (plan_.buffers_written) contents_.work_on_it();
  }

  void sample(Runner* runner, int round, int64_t start) {
    const int64_t before = local_ns();
    run_prelude(runner);
    runner->prelude.push_back(double(local_ns() - before));
    contents_.set_some(uint64_t(round) + 2);
    if (plan_.after_barrier) {
      leave_barrier();
      start = job_.now_ns();
    }
    const int64_t arrival = start + arrivals_.delay_ns(round), last = start + arrivals_.longest_ns(round);
    job_.wait_until(arrival);
    const int64_t begin = job_.now_ns();
    for (int i = 0; i < runner->samples.repeat; ++i) runner->candidate->run();
    const int64_t finish = job_.now_ns();
    if (!contents_.some_right()) runner->wrong = true;
    runner->soonest_ns = std::min(runner->soonest_ns, begin - start);
    runner->took.push_back(double(finish - last));
    runner->began.push_back(double(std::max<int64_t>(begin - last, 0)));
    const bool kept_away = !job_.oversubscribed && waiting_.more_ns() > runner->samples.tolerance_ns;
    runner->came_late.push_back(kept_away || begin > arrival + runner->samples.tolerance_ns);
  }

  void leave_barrier() const {
    if (job_.oversubscribed)
      patient_barrier(job_.comm);
    else
      MPI_Barrier(job_.comm);
  }

  static int64_t recent_median(const std::vector<double>& values) {
    std::vector<double> recent(values.end() - batch, values.end());
    std::nth_element(recent.begin(), recent.begin() + batch / 2, recent.end());
    return int64_t(std::max(recent[batch / 2], 0.0));
  }

  // Windows as long as the samples, and a start that every rank can reach.
  void adapt(const std::vector<int>& order) {
    const std::size_t n = order.size();
    std::vector<int64_t> mine(3 * n), all(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const Runner& runner = runners_[order[i]];
      mine[3 * i] = recent_median(runner.took);
      mine[3 * i + 1] = std::accumulate(runner.came_late.end() - batch, runner.came_late.end(), int64_t{0});
      mine[3 * i + 2] = recent_median(runner.prelude);
    }
    MPI_Request request;
    MPI_Iallreduce(mine.data(), all.data(), int(3 * n), MPI_INT64_T, MPI_MAX, job_.comm, &request);
    wait_patiently(&request);
    const int64_t most_slack = job_.oversubscribed ? 2'000'000 : 1'000'000;
    for (std::size_t i = 0; i < n; ++i) {
      Runner& runner = runners_[order[i]];
      runner.window_ns = all[3 * i] + all[3 * i] / 2;
      runner.prelude_ns = all[3 * i + 2] + all[3 * i + 2] / 2;
      runner.late += int(all[3 * i + 1]);
      most_late_ = std::max(most_late_, runner.late);
      if (all[3 * i + 1] * 5 <= batch) continue;
      // The previous window, or the lead, may have been too short.
      for (const int other : order) runners_[other].slack_ns = std::min(most_slack, runners_[other].slack_ns * 5 / 4);
      lead_ns_ = std::min(most_slack, lead_ns_ * 5 / 4);
    }
  }

  void finish_one(int index, int rounds) {
    Runner& runner = runners_[index];
    if (job_.rank == 0) announce_(point_, index);
    check_whole(&runner, uint64_t(rounds) + 2);
    const int wrong = runner.wrong;
    int anywhere = 0;
    MPI_Allreduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, job_.comm);
    runner.samples.correct = !anywhere;
    runner.samples.soonest_ns.resize(job_.size);
    MPI_Gather(&runner.soonest_ns, 1, MPI_INT64_T, runner.samples.soonest_ns.data(), 1, MPI_INT64_T, 0, job_.comm);
    std::vector<double> longest(rounds), last_began(rounds);
    std::vector<uint8_t> late(rounds);
    MPI_Reduce(runner.took.data(), longest.data(), rounds, MPI_DOUBLE, MPI_MAX, 0, job_.comm);
    MPI_Reduce(runner.began.data(), last_began.data(), rounds, MPI_DOUBLE, MPI_MAX, 0, job_.comm);
    MPI_Reduce(runner.came_late.data(), late.data(), rounds, MPI_UINT8_T, MPI_MAX, 0, job_.comm);
    const double operations = double(runner.samples.repeat) * runner.candidate->times_per_run;
    for (int round = 0; round < rounds; ++round) {
      runner.samples.late += late[round];
      const bool dropped = late[round] && !job_.oversubscribed;
      // Late samples that are kept count from when the last rank began, since the previous candidate may have delayed
      // it.
      const double took = longest[round] - (late[round] ? last_began[round] : 0);
      runner.samples.ns.push_back(dropped ? -1 : took / operations);
    }
    runner.candidate.reset();
  }

  const Job& job_;
  const Plan& plan_;
  int point_;
  int64_t end_ns_;
  double seconds_;
  bool exchange_, has_data_;
  Contents contents_;
  Arrivals arrivals_;
  Announce announce_;
  Waiting waiting_;
  int64_t lead_ns_;
  int64_t spent_ns_ = 0;  // in rounds
  int round_ = 0;
  int most_late_ = 0;
  std::vector<Runner> runners_;
};

// Whether it is not yet `end_ns` on rank 0, for all ranks alike.
bool has_time(const Job& job, int64_t end_ns) {
  if (end_ns == INT64_MAX) return true;
  int before = local_ns() < end_ns;
  MPI_Request request;
  MPI_Ibcast(&before, 1, MPI_INT, 0, job.comm, &request);
  wait_patiently(&request);
  return before != 0;
}

// As many points as fit, and one at least. Their buffers exist at the same time.
std::size_t end_of_group(const Plan& plan, std::size_t begin) {
  int64_t bytes = plan.points[begin].bytes;
  std::size_t end = begin + 1;
  for (; end < plan.points.size(); ++end) {
    bytes += plan.points[end].bytes;
    if (bytes > most_bytes_by_turns) break;
  }
  return end;
}

}  // namespace

void measure_points(const Job& job, const Plan& plan, const std::function<void()>& before_turn, Announce announce,
                    Report report) {
  const int64_t end_ns = plan.within_s > 0 ? local_ns() + int64_t(plan.within_s * 1e9) : INT64_MAX;
  std::optional<Grid> grid;
  if (!plan.dims.empty()) grid.emplace(job, plan.dims);
  for (std::size_t begin = 0, end = 0; begin < plan.points.size(); begin = end) {
    end = end_of_group(plan, begin);
    std::vector<std::unique_ptr<Measurement>> group;
    for (std::size_t i = begin; i < end; ++i) {
      const collectives::OperationFacts* facts = nullptr;
      if (i == begin) before_turn();
      const bool known = facts_of(plan.points[i].operation, &facts);
      const Grid* const of_ranks = grid ? &*grid : nullptr;
      const bool measures = known && has_time(job, end_ns);
      group.push_back(measures ? std::make_unique<Measurement>(job, plan, int(i), facts, of_ranks, announce, end_ns)
                               : nullptr);
    }
    std::vector<bool> going(group.size(), true);
    for (bool any = true; any;) {
      any = false;
      before_turn();
      for (std::size_t i = 0; i < group.size(); ++i) {
        going[i] = going[i] && group[i] && group[i]->take_turn();
        any = any || going[i];
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<Samples> all(plan.points[i].candidates.size());
      const collectives::OperationFacts* facts = nullptr;
      const char* const why = facts_of(plan.points[i].operation, &facts) ? no_time : "unknown operation";
      for (Samples& samples : all) samples.problem = why;
      if (group[i - begin]) all = group[i - begin]->finish();
      if (job.rank != 0) continue;
      for (std::size_t j = 0; j < all.size(); ++j) report(int(i), int(j), all[j]);
    }
  }
}

}  // namespace leadline::bench
