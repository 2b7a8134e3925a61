#include "pencils.hpp"

#include <climits>
#include <cstdlib>

#include "kit/program.hpp"
#include "sweep.hpp"

namespace vh1 {
namespace {

// Equal blocks only, as the original has it: then a transpose is a plain MPI_Alltoall.
bool fits(const Settings& settings, int py, int pz) {
  const int nx = settings.grid[0];
  return nx % py == 0 && nx % pz == 0 && settings.grid[1] % py == 0 && settings.grid[2] % pz == 0;
}

// The number of parts along y that makes the cut as square as fits; 0 where none fits.
int squarest(const Settings& settings, int ranks) {
  int best = 0;
  for (int py = 1; py <= ranks; ++py) {
    if (ranks % py != 0 || !fits(settings, py, ranks / py)) continue;
    if (best == 0 || std::abs(py - ranks / py) < std::abs(best - ranks / best)) best = py;
  }
  return best;
}

std::string product(const std::vector<int>& numbers) {
  std::string text;
  for (int number : numbers) text += (text.empty() ? "" : "x") + std::to_string(number);
  return text;
}

}  // namespace

Pencils::Pencils(const Settings& settings, int rank, int ranks) : nx_(settings.grid[0]) {
  if (settings.pencils.empty()) {
    py_ = squarest(settings, ranks);
    if (py_ == 0) {
      throw kit::UsageError("a grid of " + product(settings.grid) + " cannot be decomposed into " +
                            std::to_string(ranks) +
                            " equal pencils PY x PZ: NX must be divisible by both, NY by PY, NZ by PZ");
    }
    pz_ = ranks / py_;
  } else {
    py_ = settings.pencils[0];
    pz_ = settings.pencils[1];
    const std::string asked = "--pencils " + product(settings.pencils);
    if (static_cast<long>(py_) * pz_ != ranks) {
      throw kit::UsageError(asked + " does not give one part to each of " + std::to_string(ranks) + " processes");
    }
    if (!fits(settings, py_, pz_)) {
      throw kit::UsageError(asked + ": a grid of " + product(settings.grid) +
                            " cannot be divided this way: NX must be divisible by both, NY by PY, NZ by PZ");
    }
  }
  const double values = static_cast<double>(nx_) * settings.grid[1] * settings.grid[2] / ranks * variables;
  if (values > INT_MAX) {
    throw kit::UsageError("a pencil of a grid of " + product(settings.grid) + " has more than 2^31 values");
  }
  ny_ = settings.grid[1] / py_;
  nz_ = settings.grid[2] / pz_;
  first_y_ = rank % py_ * ny_;
  first_z_ = rank / py_ * nz_;
  MPI_Comm_split(MPI_COMM_WORLD, rank / py_, rank, &row_);
  MPI_Comm_split(MPI_COMM_WORLD, rank % py_, rank, &column_);
}

Pencils::~Pencils() {
  MPI_Comm_free(&row_);
  MPI_Comm_free(&column_);
}

}  // namespace vh1
