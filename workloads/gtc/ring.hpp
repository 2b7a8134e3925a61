// Passes grids on to the neighbours the long way round.
#pragma once

#include "kit/omission.hpp"
#include "torus.hpp"

namespace gtc {

class Ring {
 public:
  explicit Ring(const Torus& torus);

  int left() const { return left_; }
  int right() const { return right_; }
  const kit::Omission& omission() const { return omission_; }

  // Every rank sends `count` values one way and receives as many from the other: one MPI_Sendrecv.
  void to_right(const double* sent, double* received, int count, const kit::Exchange& exchange) const;
  void to_left(const double* sent, double* received, int count, const kit::Exchange& exchange) const;

  // The outermost planes of both neighbours, for planes 0 and planes + 1 of this domain: two of one grid. The exchanges
  // are numbered from that given.
  void neighbours(Field& field, const char* routine, int number) const;

 private:
  const Torus& torus_;
  int left_;
  int right_;
  kit::Omission omission_{"GTC_LEAVE_OUT"};
};

}  // namespace gtc
