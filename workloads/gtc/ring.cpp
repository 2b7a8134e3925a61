#include "ring.hpp"

namespace gtc {

namespace {
constexpr int rightward = 1;
constexpr int leftward = 2;
}  // namespace

Ring::Ring(const Torus& torus)
    : torus_(torus),
      left_((torus.domain() + torus.domains() - 1) % torus.domains()),
      right_((torus.domain() + 1) % torus.domains()) {}

void Ring::to_right(const double* sent, double* received, int count, const kit::Exchange& exchange) const {
  if (omission_.covers(exchange)) return;
  MPI_Sendrecv(sent, count, MPI_DOUBLE, right_, rightward, received, count, MPI_DOUBLE, left_, rightward, torus_.ring(),
               MPI_STATUS_IGNORE);
}

void Ring::to_left(const double* sent, double* received, int count, const kit::Exchange& exchange) const {
  if (omission_.covers(exchange)) return;
  MPI_Sendrecv(sent, count, MPI_DOUBLE, left_, leftward, received, count, MPI_DOUBLE, right_, leftward, torus_.ring(),
               MPI_STATUS_IGNORE);
}

void Ring::neighbours(Field& field, const char* routine, int number) const {
  const int planes = torus_.planes();
  to_right(field.plane(planes), field.plane(0), torus_.points(), {routine, number});
  to_left(field.plane(1), field.plane(planes + 1), torus_.points(), {routine, number + 1});
}

}  // namespace gtc
