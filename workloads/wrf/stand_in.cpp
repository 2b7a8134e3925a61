#include "stand_in.hpp"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace wrf {

// As measured on one core of an AMD EPYC with the default grid; they make 1 in a step.
double share_of(Part part) {
  switch (part) {
    case Part::diagnosis:
      return 0.0100;
    case Part::laplacians:
      return 0.0050;
    case Part::tendencies:
      return 0.1505;
    case Part::push:
      return 0.0025;
    case Part::rise:
      return 0.0088;
    case Part::tracers:
      return 0.1415;
    case Part::begin:
    case Part::end:
      break;
  }
  return 0.0;
}

void rest(const Atmosphere& a, Part part) {
  static const int exact = prctl(PR_SET_TIMERSLACK, 1);  // else a sleep of microseconds takes 50 more
  static_cast<void>(exact);
  constexpr double second = 1e9;
  const double points = static_cast<double>(a.tile.nx) * a.tile.ny * a.nz();
  const double ns = points * static_cast<double>(a.settings.sleep_ns) * share_of(part);
  timespec left{static_cast<time_t>(ns / second), 0};
  left.tv_nsec = static_cast<long>(ns - static_cast<double>(left.tv_sec) * second);
  while (ns > 0.0 && nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace wrf
