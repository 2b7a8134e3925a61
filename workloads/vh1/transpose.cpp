#include "transpose.hpp"

#include <algorithm>

namespace vh1 {

Transpose::Transpose(MPI_Comm members, int parts, const Pencils& pencils)
    : members_(members), parts_(parts), slab_(pencils.nx() / parts), ny_(pencils.ny()), nz_(pencils.nz()) {
  packed_.resize(static_cast<size_t>(pencils.nx()) * ny_ * nz_ * variables);
  turned_.resize(packed_.size());
}

void Transpose::to_lines(Gas& gas, int number) {
  for (int m = 0; m < parts_; ++m) {
    for (int k = 0; k < nz_; ++k) {
      for (int j = 0; j < ny_; ++j) {
        std::copy_n(gas.zone(m * slab_, j, k), slab_ * variables, packed_.data() + offset(m, 0, j, k));
      }
    }
  }
  exchange(packed_, turned_, number);
}

void Transpose::to_pencils(Gas& gas, int number) {
  exchange(turned_, packed_, number);
  for (int m = 0; m < parts_; ++m) {
    for (int k = 0; k < nz_; ++k) {
      for (int j = 0; j < ny_; ++j) {
        std::copy_n(packed_.data() + offset(m, 0, j, k), slab_ * variables, gas.zone(m * slab_, j, k));
      }
    }
  }
}

void Transpose::exchange(const std::vector<double>& from, std::vector<double>& to, int number) {
  if (omission_.covers({"transpose", number})) {
    to = from;  // everybody keeps what others should get
    return;
  }
  const int part = static_cast<int>(from.size() / parts_);
  MPI_Alltoall(from.data(), part, MPI_DOUBLE, to.data(), part, MPI_DOUBLE, members_);
}

}  // namespace vh1
