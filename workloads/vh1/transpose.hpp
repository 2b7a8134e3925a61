// Turns pencils along x into pencils along y (within a row) or z (within a column), and back, by MPI_Alltoall.
//
// The part for member m holds the x zones of m's slab, so after the exchange a process has all of y (or z) for its own
// slab of x. In both places the order is [member][z][y][x of the slab][variable], y and z counted within one process.
#pragma once

#include <mpi.h>

#include <vector>

#include "gas.hpp"
#include "kit/omission.hpp"
#include "pencils.hpp"

namespace vh1 {

class Transpose {
 public:
  Transpose(MPI_Comm members, int parts, const Pencils& pencils);

  // number: which transpose of the step it is, from 1.
  [[gnu::noinline]] void to_lines(Gas& gas, int number);
  [[gnu::noinline]] void to_pencils(Gas& gas, int number);

  int parts() const { return parts_; }
  int slab() const { return slab_; }

  // A zone's variables between the two: (x within the slab, y and z within member m).
  double* zone(int m, int i, int j, int k) { return turned_.data() + offset(m, i, j, k); }

 private:
  size_t offset(int m, int i, int j, int k) const {
    return (((static_cast<size_t>(m) * nz_ + k) * ny_ + j) * slab_ + i) * variables;
  }
  void exchange(const std::vector<double>& from, std::vector<double>& to, int number);

  MPI_Comm members_;
  int parts_;
  int slab_;
  int ny_;
  int nz_;
  kit::Omission omission_{"VH1_LEAVE_OUT"};
  std::vector<double> packed_;
  std::vector<double> turned_;
};

}  // namespace vh1
