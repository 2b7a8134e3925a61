#include "collectives/node_cost.hpp"

#include <algorithm>

#include "collectives/memory_sizes.hpp"

namespace leadline::collectives {

namespace {

using network::Network;

double copy_rate_ns(const Network& network, int64_t bytes) {
  double rate = network.copy_per_byte_ns;
  const auto use = [&](int64_t from, double of) {
    if (bytes >= from && of > 0) rate = of;
  };
  use(int64_t{2} << 20, network.copy_2_mib_per_byte_ns);
  use(int64_t{8} << 20, network.copy_8_mib_per_byte_ns);
  use(int64_t{64} << 20, network.copy_uncached_per_byte_ns);
  return rate;
}

class Together {
 public:
  Together(Operation operation, int root, int64_t block_bytes, const Network& network, std::vector<double>* times)
      : facts_(facts_of(operation)),
        root_(root),
        bytes_(facts_.has_data ? block_bytes : 0),
        ranks_(static_cast<int>(times->size())),
        network_(network),
        times_(*times) {
    pieces_ = facts_.contributed.block_per_rank ? ranks_ : 1;
    const int64_t held = bytes_ * std::max(facts_.blocks_contributed(ranks_), facts_.blocks_received(ranks_));
    copy_ns_ = copy_rate_ns(network, held);
    flag_ns_ = network.flag_latency_ns();
  }

  void run() const {
    if (bytes_ * pieces_ <= node::slot_bytes) return pass_slots();
    const double begin = *std::max_element(times_.begin(), times_.end()) + flag_ns_;
    const int64_t in_round = node::round_bytes / pieces_;
    const double rounds = static_cast<double>((bytes_ + in_round - 1) / in_round);
    double longest = 0;
    for (int rank = 0; rank < ranks_; ++rank) longest = std::max(longest, work_ns(rank) + rounds * flags_ns(rank));
    const double first_round = copied(std::min(bytes_ * pieces_, node::round_bytes)) + flag_ns_;
    std::fill(times_.begin(), times_.end(), begin + first_round + longest);
  }

 private:
  bool is_root(int rank) const { return facts_.has_root && rank == root_; }
  bool puts(int rank) const { return facts_.contributes(is_root(rank)); }
  bool takes(int rank) const { return facts_.has_result(is_root(rank)) && !(facts_.has_one_buffer() && puts(rank)); }
  double copied(int64_t bytes) const { return static_cast<double>(bytes) * copy_ns_; }
  double reduced(int64_t bytes) const { return static_cast<double>(bytes) * network_.reduce_per_byte_ns; }

  // Each rank puts what it has into its slot; who needs it takes it from there, one rank's after the other.
  void pass_slots() const {
    std::vector<double> there = times_;
    for (int rank = 0; rank < ranks_; ++rank)
      if (puts(rank)) there[static_cast<size_t>(rank)] += copied(bytes_ * pieces_);
    times_ = there;
    for (int rank = 0; rank < ranks_; ++rank) {
      double& now = times_[static_cast<size_t>(rank)];
      for (int i = 1; takes(rank) && i < ranks_; ++i) {
        const int source = (rank + i) % ranks_;
        if (!puts(source)) continue;
        now = std::max(now, there[static_cast<size_t>(source)]) + flag_ns_;
        now += facts_.reduces ? reduced(bytes_) : copied(bytes_);
      }
    }
  }

  int sources(int rank) const {
    if (!takes(rank)) return 0;
    return facts_.contributed.root_only ? 1 : ranks_ - 1;
  }

  double flags_ns(int rank) const { return flag_ns_ * (facts_.reduces ? 2 * (ranks_ - 1) : sources(rank)); }

  double work_ns(int rank) const {
    if (facts_.reduces) return reducing_ns(rank);
    const int64_t put = puts(rank) ? bytes_ * std::max<int64_t>(pieces_ - 1, 1) : 0;
    return copied(put + bytes_ * sources(rank));
  }

  // Each rank combines a part for all; a root of up to three ranks everything.
  double reducing_ns(int rank) const {
    if (facts_.received.root_only && ranks_ <= 3)
      return is_root(rank) ? reduced(bytes_ * (ranks_ - 1)) : copied(bytes_);
    const int64_t part = bytes_ / ranks_, others = bytes_ - part;
    const bool has_result = facts_.has_result(is_root(rank));
    return copied(others + (is_root(rank) ? 0 : part) + (has_result ? others : 0)) + reduced(part * (ranks_ - 1));
  }

  const OperationFacts& facts_;
  const int root_;
  const int64_t bytes_;
  const int ranks_;
  int64_t pieces_ = 1;  // blocks that a rank puts
  const Network& network_;
  double copy_ns_ = 0, flag_ns_ = 0;
  std::vector<double>& times_;
};

}  // namespace

void model_together(Operation operation, int root, int64_t block_bytes, const Network& network,
                    std::vector<double>* times_ns) {
  Together(operation, root, block_bytes, network, times_ns).run();
}

}  // namespace leadline::collectives
