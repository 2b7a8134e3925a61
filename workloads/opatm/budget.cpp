#include "budget.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>

namespace opatm {
namespace {

// The values of all ranks together, on rank 0.
std::vector<kit::ExactSum> collected(const std::vector<kit::ExactSum>& mine) {
  std::vector<kit::ExactSum::Limbs> limbs;
  for (const kit::ExactSum& sum : mine) limbs.push_back(sum.limbs());
  std::vector<kit::ExactSum::Limbs> all(limbs.size());
  MPI_Reduce(limbs.data(), all.data(), static_cast<int>(2 * limbs.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  std::vector<kit::ExactSum> sums;
  for (const kit::ExactSum::Limbs& pair : all) sums.emplace_back(pair);
  return sums;
}

double relative(double imbalance, double whole) { return std::abs(imbalance) / (whole > 0.0 ? whole : 1.0); }

}  // namespace

Budget::Budget(const std::vector<double>& thickness_m, size_t tracers)
    : thickness_m_(thickness_m),
      beginning_(tracers),
      present_(tracers),
      by_transport_(tracers),
      by_reaction_(tracers) {}

kit::ExactSum Budget::mass(const Field& concentration) const {
  kit::ExactSum sum;
  for (int i = 0; i < concentration.nx(); ++i) {
    for (int k = 0; k < concentration.levels(); ++k) {
      const double* row = concentration.row(i, k);
      for (int j = 0; j < concentration.ny(); ++j) sum.add(row[j] * thickness_m_[k]);
    }
  }
  return sum;
}

void Budget::begin(const std::vector<Field>& concentration) {
  for (size_t n = 0; n < concentration.size(); ++n) beginning_[n] = present_[n] = mass(concentration[n]);
}

void Budget::after_transport(const std::vector<Field>& concentration) {
  for (size_t n = 0; n < concentration.size(); ++n) {
    const kit::ExactSum before = present_[n];
    present_[n] = mass(concentration[n]);
    by_transport_[n] += present_[n] - before;
  }
}

void Budget::after_reaction(const std::vector<Field>& concentration) {
  for (size_t n = 0; n < concentration.size(); ++n) {
    const kit::ExactSum before = present_[n];
    present_[n] = mass(concentration[n]);
    by_reaction_[n] += present_[n] - before;
  }
}

double Budget::relative_error() const {
  const std::vector<kit::ExactSum> whole = collected(beginning_);
  const std::vector<kit::ExactSum> transported = collected(by_transport_);
  const std::vector<kit::ExactSum> reacted = collected(by_reaction_);
  double largest = 0.0;
  for (size_t first = 0; first < whole.size(); first += roles) {
    kit::ExactSum chain;
    kit::ExactSum chain_reacted;
    for (size_t n = first; n < std::min(first + roles, whole.size()); ++n) {
      largest = std::max(largest, relative(transported[n].value(), whole[n].value()));
      chain += whole[n];
      chain_reacted += reacted[n];
    }
    largest = std::max(largest, relative(chain_reacted.value(), chain.value()));
  }
  return largest;
}

}  // namespace opatm
