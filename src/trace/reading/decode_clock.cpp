#include "trace/reading/decode.hpp"

namespace leadline::trace {

void decode_clock(ByteReader& in, Process* p) {
  ProcessClock& clock = p->clock;
  clock = {};
  clock.identity = in.varint();
  clock.start_ns = in.svarint();
  clock.compared = in.byte() != 0;
  const size_t n = in.count(3);
  if (n > 2) return in.fail();
  for (size_t i = 0; i < n && in.ok(); ++i) {
    ProcessClock::Comparison c;
    c.own_ns = in.varint();
    c.offset_ns = in.svarint();
    c.error_ns = in.varint();
    clock.comparisons.push_back(c);
  }
}

void name_clock_losses(Process* p) {
  if (!p->clock.compared || p->clock.comparisons.size() == 2) return;
  if (p->clock.comparisons.empty()) {
    p->losses.push_back({"clocks-not-compared", 1,
                         "clocks of different hosts were not compared in MPI_Init, because some rank did not join "
                         "soon enough: times of different hosts follow the system clocks"});
  } else {
    p->losses.push_back({"clock-drift-unknown", 1,
                         "clocks of different hosts were compared in MPI_Init only, not in MPI_Finalize: times of "
                         "different hosts may drift apart"});
  }
}

}  // namespace leadline::trace
