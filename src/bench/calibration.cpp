#include "bench/calibration.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>

#include "bench/memory.hpp"
#include "bench/pair.hpp"
#include "bench/places.hpp"

namespace leadline::bench {

namespace {

constexpr int64_t longest_message = 64 << 20, longest_eager = 4 << 20, longest_in_flows = 1 << 20;
constexpr int fewest_samples = 5, most_samples = 400;
constexpr double sample_ns = 100'000;  // of short messages, so many in a row
constexpr int lines_tag = 50;

// Powers of two and what is half way between them.
std::vector<int64_t> message_sizes(int64_t eager) {
  std::vector<int64_t> sizes = {0, 1, 2, 4};
  for (int64_t bytes = 8; bytes <= longest_message; bytes *= 2) {
    sizes.push_back(bytes);
    if (bytes * 3 / 2 <= longest_message) sizes.push_back(bytes * 3 / 2);
  }
  for (const int64_t bytes : {eager, eager + 1})
    if (eager >= 0 && eager < longest_eager) sizes.push_back(bytes);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

struct Series {
  Question what;
  int64_t bytes;
  int repeat = 1;
  int64_t pause_ns = 0;
  std::vector<double> ns;
  int64_t spent_ns = 0;
};

// What the leader of a pair asks.
class Session {
 public:
  Session(Pair* pair, network::Distance distance, double seconds)
      : pair_(*pair), name_(network::distance_names[int(distance)]), budget_ns_(seconds * 1e9) {}

  std::vector<std::string> run() {
    const auto eager = int64_t(pair_.ask(Question::eager, longest_eager, 1));
    lines_.push_back("eager " + std::string(name_) + " " + std::to_string(eager >= longest_eager ? INT64_MAX : eager));
    const int64_t most = std::min(eager, longest_eager);
    if (most >= 0)
      lines_.push_back("copied " + std::string(name_) + " " +
                       std::to_string(int64_t(pair_.ask(Question::copied, most, 1))));
    plan(eager);
    take_turns();
    for (const Series& series : series_) write(series);
    return std::move(lines_);
  }

 private:
  // A first message of each size says how long the others will take. Sizes that would take too long are left out.
  void plan(int64_t eager) {
    double slowest_ns_per_byte = 0;
    for (const int64_t bytes : message_sizes(eager)) {
      if (6 * slowest_ns_per_byte * double(bytes) > budget_ns_ / 4) break;
      pair_.ask(Question::round_trip, bytes, 1);
      const double ns = pair_.ask(Question::round_trip, bytes, 1);
      if (bytes >= 65536) slowest_ns_per_byte = ns / double(bytes);
      plan_size(bytes, ns, bytes <= eager);
    }
    if (eager < longest_eager) plan_rendezvous(eager);
    series_.push_back({Question::call, 0, 4, 0, {}});
    series_.push_back({Question::post, 0, 4, 0, {}});
  }

  void plan_size(int64_t bytes, double ns, bool eager) {
    const int repeat = int(std::clamp(sample_ns / (2 * ns + 1), 1.0, 50.0));
    series_.push_back({Question::round_trip, bytes, repeat, 0, {}});
    times_.push_back({bytes, ns});
    const bool power = (bytes & (bytes - 1)) == 0;
    const bool quick = fewest_samples * Pair::in_stream * ns < budget_ns_ / 40;
    if (quick && bytes * Pair::in_stream <= longest_message && (power || !eager))
      series_.push_back({Question::stream, bytes, std::max(1, repeat / Pair::in_stream), 0, {}});
    if (!eager) return;
    const auto pause = int64_t(3 * ns) + 10'000;
    const int few = std::clamp(repeat / 8, 1, 4);
    series_.push_back({Question::send, bytes, few, pause, {}});
    series_.push_back({Question::receive, bytes, few, pause, {}});
  }

  void plan_rendezvous(int64_t eager) {
    const int64_t first = std::max<int64_t>(eager + 1, 1);
    for (const auto& [bytes, ns] : times_)
      if (bytes > eager && bytes <= 8 * first) series_.push_back({Question::send, bytes, 1, 10'000, {}});
    const int64_t wanted = std::max<int64_t>(4 * first, 1 << 20);
    for (const auto& [bytes, ns] : times_) {
      if (bytes < wanted) continue;
      series_.push_back({Question::overlap, bytes, 1, int64_t(2 * ns) + 50'000, {}});
      break;
    }
  }

  void take_turns() {
    const int64_t begin = local_ns();
    const double share = budget_ns_ / double(series_.size());
    for (int turn = 0, more = 1; more && turn < most_samples; ++turn) {
      more = 0;
      for (Series& series : series_) {
        const bool enough = turn >= fewest_samples;
        if (enough && (double(series.spent_ns) > 2 * share || double(local_ns() - begin) > budget_ns_)) continue;
        more = 1;
        const int64_t before = local_ns();
        series.ns.push_back(pair_.ask(series.what, series.bytes, series.repeat, series.pause_ns));
        series.spent_ns += local_ns() - before;
      }
    }
  }

  void write(const Series& series) {
    char number[64];
    std::string line =
        "asked " + std::string(name_) + " " + question_names[int(series.what)] + " " + std::to_string(series.bytes);
    for (const double ns : series.ns) {
      std::snprintf(number, sizeof number, " %.1f", ns);
      line += number;
    }
    lines_.push_back(line);
  }

  Pair& pair_;
  const char* name_;
  double budget_ns_;
  std::vector<Series> series_;
  std::vector<std::pair<int64_t, double>> times_;
  std::vector<std::string> lines_;
};

// Of the leader, to rank 0.
void hand_over(const Job& job, int leader, std::vector<std::string> lines, std::vector<std::string>* all) {
  std::string text;
  if (job.rank == leader) {
    for (const std::string& line : lines) text += line + "\n";
    if (leader) {
      const auto size = int64_t(text.size());
      MPI_Send(&size, 1, MPI_INT64_T, 0, lines_tag, job.comm);
      MPI_Send(text.data(), int(size), MPI_CHAR, 0, lines_tag, job.comm);
    }
  }
  if (job.rank == 0) {
    if (leader) {
      int64_t size = 0;
      MPI_Recv(&size, 1, MPI_INT64_T, leader, lines_tag, job.comm, MPI_STATUS_IGNORE);
      text.resize(std::size_t(size));
      MPI_Recv(text.data(), int(size), MPI_CHAR, leader, lines_tag, job.comm, MPI_STATUS_IGNORE);
    }
    if (!text.empty()) all->push_back(text.substr(0, text.size() - 1));
  }
}

void measure_pair(const Job& job, const RankPair& which, double seconds, std::vector<std::string>* all) {
  std::vector<std::string> lines;
  if (job.rank == which.one || job.rank == which.other) {
    const bool leads = job.rank == which.one;
    Pair pair(job, leads ? which.other : which.one, longest_message);
    if (leads) {
      lines.push_back("pair " + std::string(network::distance_names[int(which.distance)]) + " " +
                      std::to_string(which.one) + " " + std::to_string(which.other));
      const std::vector<std::string> found = Session(&pair, which.distance, seconds).run();
      lines.insert(lines.end(), found.begin(), found.end());
      pair.end();
    } else {
      pair.answer();
    }
  }
  patient_barrier(job.comm);
  hand_over(job, which.one, lines, all);
}

// One to all pairs at once.
void measure_flows(const Job& job, const std::vector<RankPair>& pairs, double seconds, std::vector<std::string>* all) {
  const auto most = int(pairs.size());
  std::optional<Pair> own;
  int mine = -1;
  for (int i = 0; i < most; ++i) {
    if (job.rank != pairs[i].one && job.rank != pairs[i].other) continue;
    own.emplace(job, job.rank == pairs[i].one ? pairs[i].other : pairs[i].one, longest_in_flows * Pair::in_stream);
    mine = i;
  }
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  const double share = seconds * 1e9 / double(2 * counts.size());
  for (const int64_t bytes : {int64_t{8}, longest_in_flows}) {
    for (const int count : counts) {
      std::string line = "flows " + std::string(network::distance_names[int(pairs[0].distance)]) + " " +
                         std::to_string(count) + " " + std::to_string(bytes);
      const int64_t begin = local_ns();
      for (int turn = 0, more = 1; more; ++turn) {
        double took = 0, slowest = 0;
        patient_barrier(job.comm);
        if (mine >= 0 && mine < count) {
          if (job.rank == pairs[mine].one) {
            took = own->ask(Question::stream, bytes, bytes > 8 ? 1 : 8);
            own->end();
          } else {
            own->answer();
          }
        }
        MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, job.comm);
        char number[64];
        std::snprintf(number, sizeof number, " %.1f", slowest / count);
        if (turn) line += number;
        more = turn < fewest_samples || (turn < most_samples && double(local_ns() - begin) < share);
        MPI_Bcast(&more, 1, MPI_INT, 0, job.comm);
      }
      if (job.rank == 0) all->push_back(line);
    }
  }
}

void write_memory(const std::vector<MemoryCost>& costs, std::vector<std::string>* all) {
  for (const MemoryCost& cost : costs) {
    std::string line = std::string("memory ") + cost.kind + " " + std::to_string(cost.bytes);
    for (const double ns : cost.ns) {
      char number[64];
      std::snprintf(number, sizeof number, " %.1f", ns);
      line += number;
    }
    all->push_back(line);
  }
}

}  // namespace

std::vector<std::string> calibrate(const Job& job, double seconds) {
  std::vector<std::string> lines;
  const RankPlaces places = find_places(job);
  if (job.rank == 0) {
    for (int rank = 0; rank < job.size; ++rank) {
      lines.push_back("place " + std::to_string(rank) + " " + std::to_string(places.node[rank]) + " " +
                      std::to_string(places.socket[rank]) + " " + std::to_string(places.core_complex[rank]));
    }
  }
  if (job.size < 2 || job.oversubscribed) return lines;
  const std::vector<MemoryCost> memory = measure_memory(job, seconds / 10);
  if (job.rank == 0) write_memory(memory, &lines);
  const std::vector<RankPair> pairs = pairs_to_measure(places);
  for (const RankPair& pair : pairs) measure_pair(job, pair, 0.7 * seconds / double(pairs.size()), &lines);
  for (const bool between_nodes : {false, true}) {
    const std::vector<RankPair> flows = pairs_at_once(places, between_nodes);
    if (!flows.empty()) measure_flows(job, flows, seconds / 10, &lines);
  }
  return lines;
}

}  // namespace leadline::bench
