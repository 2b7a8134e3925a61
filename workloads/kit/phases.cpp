#include "kit/phases.hpp"

#include <mpi.h>

#include <cstdio>

namespace kit {
namespace {

std::string seconds(double value_s) {
  char text[32];
  std::snprintf(text, sizeof text, value_s < 10.0 ? "%.2f s" : "%.1f s", value_s);
  return text;
}

}  // namespace

std::string Phases::slowest() const {
  std::vector<double> mine_s = spent_s_;
  mine_s.push_back(std::chrono::duration<double>(Clock::now() - begin_).count());
  std::vector<double> longest_s = mine_s;
  MPI_Reduce(mine_s.data(), longest_s.data(), static_cast<int>(mine_s.size()), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  std::string text = seconds(longest_s.back()) + " (";
  for (size_t n = 0; n < names_.size(); ++n) {
    text += (n > 0 ? ", " : "") + names_[n] + " " + seconds(longest_s[n]);
  }
  return text + ")";
}

}  // namespace kit
