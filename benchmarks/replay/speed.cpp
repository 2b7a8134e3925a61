// How many messages a second the replay handles, by itself: no recording is read.
//
// Times are the processor's.
//
//   replay_speed [steps=100] [ranks=256] [fields=51] [bytes=72000] [gather=0] [compute=constant|varying] [recorded=100]
//                [skip=1] [sensitivities=0] [goal=FILE]
//
// Each step exchanges `fields` fields with up to six neighbours of a grid, one after another, and then reduces one
// number by recursive doubling; every `gather` steps all ranks send a block to the first. What ranks compute before a
// field is always the same, or a series of `recorded` steps from which further steps are drawn.
//
// `goal` writes the same work for LogGOPSim, whose times are whole numbers: in units of 0.01 ns.

#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <random>
#include <string>

#include "../../tests/replay/builder.hpp"
#include "replay/replay.hpp"

namespace {

using namespace leadline::test;

struct Wanted {
  std::map<std::string, std::string> given;
  uint64_t number(const char* name, uint64_t otherwise) const {
    const auto found = given.find(name);
    return found == given.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
  }
  bool is(const char* name, const char* value) const {
    const auto found = given.find(name);
    return found != given.end() && found->second == value;
  }
};

class Model {
 public:
  explicit Model(const Wanted& wanted)
      : wanted_(wanted), ranks_(static_cast<uint32_t>(wanted.number("ranks", 256))), builder_(ranks_) {
    for (side_ = 1; side_ * side_ * side_ < ranks_; side_ *= 2) {
    }
    second_ = side_;
    while (side_ * second_ * side_ / 2 >= ranks_ && second_ > 1) second_ /= 2;
    const uint64_t steps = wanted.number("steps", 100), each = wanted.number("gather", 0);
    builder_.program.groups.push_back({});
    for (uint32_t r = 0; r < ranks_; ++r) {
      builder_.program.groups[0].push_back(r);
      if (each) builder_.loop(r, steps / each);
      builder_.loop(r, each ? each : steps);
      step(r);
      builder_.end(r);
      if (!each) continue;
      gather(r);
      builder_.end(r);
    }
    share_shapes();
  }
  const Program& program() const { return builder_.program; }

 private:
  void step(uint32_t r) {
    builder_.loop(r, wanted_.number("fields", 51));
    compute(r);
    const auto bytes = static_cast<int64_t>(wanted_.number("bytes", 72000));
    const Way way{900000, 400000, bytes * 80, 0, bytes <= 65536, false, -1, bytes};
    std::vector<uint64_t> requests;
    for (uint32_t n = 0; n < 6; ++n)
      if (const uint32_t other = neighbour(r, n); other != r) requests.push_back(builder_.irecv(r, other, way, n));
    for (uint32_t n = 0; n < 6; ++n)
      if (const uint32_t other = neighbour(r, n); other != r) requests.push_back(builder_.isend(r, other, way, n ^ 1));
    builder_.wait(r, requests);
    builder_.end(r);
    for (uint32_t bit = 1; bit < ranks_; bit *= 2) {
      const Way one{900000, 400000, 640, 0, true, false, -1, 8};
      if ((r ^ bit) >= ranks_) continue;
      const uint64_t from = builder_.irecv(r, r ^ bit, one, 10);
      builder_.wait(r, {from, builder_.isend(r, r ^ bit, one, 10)});
    }
  }
  void gather(uint32_t r) {
    const Way way{900000, 400000, 72000 * 80, 0, false, false, -1, 72000};
    if (r) return builder_.send(r, 0, way, 20);
    for (uint32_t other = 1; other < ranks_; ++other) builder_.receive(0, other, way, 20);
  }
  void compute(uint32_t r) {
    const int64_t ps = 50'000'000;
    if (!wanted_.is("compute", "varying")) return builder_.compute(r, ps + ps / 50 * (r % 7));
    RankProgram& own = builder_.program.ranks[r];
    Series& series = own.series.emplace_back();
    series.recorded = wanted_.number("recorded", 100);
    series.per_iteration = wanted_.number("fields", 51);
    series.wanted = wanted_.number("steps", 100);
    std::lognormal_distribution<double> spread(0, 0.05);
    for (uint64_t i = 0; i < series.recorded * series.per_iteration; ++i)
      series.ps.push_back(static_cast<int64_t>(static_cast<double>(ps) * spread(random_)));
    Action a;
    a.kind = Action::Kind::series;
    builder_.add(r, {a});
  }
  // Of the grid, which has a border; the rank itself: there is none.
  uint32_t neighbour(uint32_t r, uint32_t n) const {
    const uint32_t at[3] = {r % side_, r / side_ % second_, r / side_ / second_};
    const uint32_t sizes[3] = {side_, second_, ranks_ / side_ / second_}, strides[3] = {1, side_, side_ * second_};
    const uint32_t axis = n / 2;
    if (n % 2) return at[axis] + 1 < sizes[axis] ? r + strides[axis] : r;
    return at[axis] ? r - strides[axis] : r;
  }
  // Ranks that do the same share a shape, as the classes of a recording.
  void share_shapes() {
    std::map<std::vector<uint64_t>, uint32_t> known;
    std::vector<Shape> kept;
    for (RankProgram& own : builder_.program.ranks) {
      Shape& shape = builder_.program.shapes[own.shape];
      std::vector<uint64_t> key{shape.calls};
      for (const auto& body : shape.bodies) {
        key.push_back(body.size());
        for (const Element& e : body) key.insert(key.end(), {e.index, e.is_body, e.times});
      }
      const auto [at, fresh] = known.try_emplace(key, static_cast<uint32_t>(kept.size()));
      if (fresh) kept.push_back(std::move(shape));
      own.shape = at->second;
    }
    builder_.program.shapes = std::move(kept);
  }

  const Wanted& wanted_;
  const uint32_t ranks_;
  uint32_t side_ = 1, second_ = 1;
  Builder builder_;
  std::mt19937_64 random_{1};
};

// A rank's actions in GOAL: what it does one after another requires the last of these, a wait all of its requests.
class Goal {
 public:
  Goal(std::FILE* file, const Program& program, uint32_t rank)
      : file_(file), program_(program), own_(program.ranks[rank]), drawn_(own_.series.size()) {
    std::fprintf(file_, "rank %u {\nl1: calc 0\n", rank);
    body(program.shapes[own_.shape], program.shapes[own_.shape].root);
    std::fprintf(file_, "}\n\n");
  }

 private:
  void body(const Shape& shape, uint32_t number) {
    for (const Element& e : shape.bodies[number])
      for (uint64_t t = 0; t < e.times; ++t) {
        if (e.is_body) {
          body(shape, e.index);
        } else {
          for (uint32_t i = own_.first[e.index]; i < own_.first[e.index + 1]; ++i) act(own_.actions[i]);
        }
      }
  }
  void act(const Action& a) {
    if (a.kind == Action::Kind::compute) calculate(a.ps);
    if (a.kind == Action::Kind::series) {
      const Series& series = own_.series[a.at];
      calculate(series.ps[place_in(series, drawn_[a.at]++)]);
    }
    if (a.kind == Action::Kind::send) message("send", "to", program_.channels[a.at].to, a);
    if (a.kind == Action::Kind::receive) message("recv", "from", program_.channels[a.at].from, a);
    if (a.kind != Action::Kind::wait) return;
    std::fprintf(file_, "l%u: calc 0\n", ++made_);
    for (uint32_t i = 0; i < a.count; ++i)
      std::fprintf(file_, "l%u requires l%u\n", made_, requests_[requests_.size() - own_.ages[a.at + i]]);
    last_ = made_;
  }
  void calculate(int64_t ps) {
    std::fprintf(file_, "l%u: calc %lld\n", ++made_, static_cast<long long>(ps / 10));
    std::fprintf(file_, "l%u requires l%u\n", made_, last_);
    last_ = made_;
  }
  void message(const char* what, const char* way, uint32_t other, const Action& a) {
    const auto bytes = static_cast<long long>(program_.transfers[a.transfer].busy.share.gap_bytes);
    std::fprintf(file_, "l%u: %s %lldb %s %u tag %u\n", ++made_, what, bytes, way, other, a.at);
    std::fprintf(file_, "l%u requires l%u\n", made_, last_);
    requests_.push_back(made_);
  }

  std::FILE* file_;
  const Program& program_;
  const RankProgram& own_;
  std::vector<uint64_t> drawn_;
  std::vector<uint32_t> requests_;
  uint32_t made_ = 1, last_ = 1;
};

void write_goal(const std::string& path, const Program& program) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) std::exit(1);
  std::fprintf(file, "num_ranks %zu\n\n", program.ranks.size());
  for (uint32_t rank = 0; rank < program.ranks.size(); ++rank) Goal(file, program, rank);
  std::fclose(file);
}

// Of the processor: the machine may have other work.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double most_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  Wanted wanted;
  for (int i = 1; i < argc; ++i)
    if (const char* equals = std::strchr(argv[i], '='))
      wanted.given[std::string(argv[i], static_cast<size_t>(equals - argv[i]))] = equals + 1;
  const double begin = seconds();
  const Model model(wanted);
  if (wanted.given.count("goal")) write_goal(wanted.given["goal"], model.program());
  const double made = seconds(), made_megabytes = most_megabytes();
  const Outcome outcome =
      replay(model.program(), {wanted.number("skip", 1) != 0, wanted.number("sensitivities", 0) != 0});
  const double taken = seconds() - made;
  std::printf("made in %.2f s, %.0f MB; replayed in %.3f s, %.0f MB: %.6g s of the program%s\n", made - begin,
              made_megabytes, taken, most_megabytes(), static_cast<double>(outcome.whole_ps()) * 1e-12,
              outcome.stuck.empty() ? "" : ", STUCK");
  std::printf("%.4g messages, of which %.4g were replayed: %.1f million a second\n",
              static_cast<double>(outcome.messages), static_cast<double>(outcome.replayed),
              static_cast<double>(outcome.replayed) / taken / 1e6);
  return outcome.stuck.empty() ? 0 : 1;
}
