// The ranks in MPI_COMM_WORLD of a communicator's members. Copies share them: each of P processes has a communicator of
// P members, so that a reader of all of them would otherwise spend P² on these alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace leadline::trace {

class Members {
 public:
  Members() = default;
  explicit Members(std::vector<int32_t> ranks)
      : ranks_(ranks.empty() ? nullptr : std::make_shared<const std::vector<int32_t>>(std::move(ranks))) {}

  const std::vector<int32_t>& ranks() const {
    static const std::vector<int32_t> none;
    return ranks_ ? *ranks_ : none;
  }
  size_t size() const { return ranks().size(); }
  bool empty() const { return !ranks_; }
  int32_t operator[](size_t member) const { return (*ranks_)[member]; }
  auto begin() const { return ranks().begin(); }
  auto end() const { return ranks().end(); }

 private:
  std::shared_ptr<const std::vector<int32_t>> ranks_;  // nullptr: none
};

}  // namespace leadline::trace
