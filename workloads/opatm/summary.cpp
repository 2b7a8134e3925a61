#include "summary.hpp"

#include <algorithm>
#include <limits>

#include "forcing.hpp"

namespace opatm {
namespace {

int bin_of(double concentration, double typical) {
  const double bin = concentration * (128.0 / typical);
  return bin > 0.0 ? static_cast<int>(std::min(bin, Summary::bins - 1.0)) : 0;
}

void add_limbs(std::vector<kit::ExactSum::Limbs>& sums, const std::vector<kit::ExactSum::Limbs>& others) {
  for (size_t k = 0; k < sums.size(); ++k) {
    sums[k][0] += others[k][0];
    sums[k][1] += others[k][1];
  }
}

void append(std::vector<double>& values, const std::vector<kit::ExactSum::Limbs>& sums) {
  for (const kit::ExactSum::Limbs& sum : sums) values.push_back(kit::ExactSum(sum).value());
}

}  // namespace

Summary::Summary(int levels)
    : inventory_(levels, Limbs{}),
      mean_inventory_(levels, Limbs{}),
      sinking_(levels, Limbs{}),
      minimum_(levels, std::numeric_limits<double>::infinity()),
      maximum_(levels, -std::numeric_limits<double>::infinity()),
      blooming_(levels, 0),
      histogram_(bins, 0) {}

void Summary::describe(const Tracer& tracer, int step, const Block& block, const Field& concentration,
                       const std::vector<double>& mean, const std::vector<double>& thickness_m, const Field* kind) {
  const int levels = concentration.levels();
  const int nx = concentration.nx();
  const int ny = concentration.ny();
  header_ = {tracer.number, step, block.x.first, nx, block.y.first, ny, levels, static_cast<int64_t>(mean.size())};
  for (int k = 0; k < levels; ++k) {
    const double sinking = k + 1 < levels ? tracer.sinking_m_per_day : 0.0;
    kit::ExactSum inventory, mean_inventory, sinking_flux;
    for (int i = 0; i < nx; ++i) {
      const double* row = concentration.row(i, k);
      const double* mean_row = mean.data() + (static_cast<size_t>(i) * levels + k) * ny;
      const double* kind_row = kind != nullptr ? kind->row(i, k) : nullptr;
      for (int j = 0; j < ny; ++j) {
        if (kind_row != nullptr && kind_row[j] == Kind::land) continue;
        inventory.add(row[j] * thickness_m[k]);
        mean_inventory.add(mean_row[j] * thickness_m[k]);
        sinking_flux.add(row[j] * sinking);
        minimum_[k] = std::min(minimum_[k], row[j]);
        maximum_[k] = std::max(maximum_[k], row[j]);
        blooming_[k] += row[j] > 2.0 * tracer.typical ? 1 : 0;
        ++histogram_[bin_of(row[j], tracer.typical)];
      }
    }
    inventory_[k] = inventory.limbs();
    mean_inventory_[k] = mean_inventory.limbs();
    sinking_[k] = sinking_flux.limbs();
  }
}

void Summary::add(const Summary& other) {
  add_limbs(inventory_, other.inventory_);
  add_limbs(mean_inventory_, other.mean_inventory_);
  add_limbs(sinking_, other.sinking_);
  for (size_t k = 0; k < minimum_.size(); ++k) {
    minimum_[k] = std::min(minimum_[k], other.minimum_[k]);
    maximum_[k] = std::max(maximum_[k], other.maximum_[k]);
    blooming_[k] += other.blooming_[k];
  }
  for (size_t n = 0; n < histogram_.size(); ++n) histogram_[n] += other.histogram_[n];
}

Block Summary::block() const {
  const auto number = [this](int n) { return static_cast<int>(header_[n]); };
  return {{number(2), number(3)}, {number(4), number(5)}};
}

std::array<Summary::Piece, 8> Summary::pieces() {
  const int levels = static_cast<int>(minimum_.size());
  return {{{header_.data(), static_cast<int>(header_.size()), MPI_INT64_T},
           {inventory_.data(), 2 * levels, MPI_INT64_T},
           {mean_inventory_.data(), 2 * levels, MPI_INT64_T},
           {sinking_.data(), 2 * levels, MPI_INT64_T},
           {minimum_.data(), levels, MPI_DOUBLE},
           {maximum_.data(), levels, MPI_DOUBLE},
           {blooming_.data(), levels, MPI_INT64_T},
           {histogram_.data(), bins, MPI_INT64_T}}};
}

// Every element has 8 bytes.
size_t Summary::size_bytes() {
  size_t words = 0;
  for (const Piece& piece : pieces()) words += static_cast<size_t>(piece.count);
  return 8 * words;
}

void Summary::copy_to(char* bytes) {
  for (const Piece& piece : pieces()) {
    const char* from = static_cast<const char*>(piece.data);
    bytes = std::copy_n(from, 8 * static_cast<size_t>(piece.count), bytes);
  }
}

void Summary::copy_from(const char* bytes) {
  for (const Piece& piece : pieces()) {
    std::copy_n(bytes, 8 * static_cast<size_t>(piece.count), static_cast<char*>(piece.data));
    bytes += 8 * static_cast<size_t>(piece.count);
  }
}

std::vector<double> Summary::profiles() const {
  std::vector<double> values;
  append(values, inventory_);
  append(values, mean_inventory_);
  append(values, sinking_);
  values.insert(values.end(), minimum_.begin(), minimum_.end());
  values.insert(values.end(), maximum_.begin(), maximum_.end());
  return values;
}

}  // namespace opatm
