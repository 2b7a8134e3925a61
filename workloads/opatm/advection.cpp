// trcadv: the advection of every tracer, in two half steps.
#include <cstddef>
#include <span>

#include "model.hpp"

namespace opatm {
namespace {

// A segment after the other, each in both its tracers' messages and their arithmetic. A half is done for all before the
// next, so that a segment's last exchange has the time of the other segments' arithmetic.
void advance_packed(Model& model) {
  for (int half = 0; half < 2; ++half) {
    model.packed->concentrations().start();
    size_t first = 0;
    for (const int size : model.settings.segments.sizes) {
      const std::span<Field> segment = std::span(model.concentration).subspan(first, static_cast<size_t>(size));
      model.advection.half_step(segment, *model.packed, first);
      first += static_cast<size_t>(size);
    }
    model.packed->concentrations().finish();
  }
}

}  // namespace

[[gnu::noinline]] void trcadv(Model& model) {
  if (model.packed) {
    advance_packed(model);
    return;
  }
  for (Field& concentration : model.concentration) {
    model.advection.half_step(concentration, model.halo, 0);
    model.advection.half_step(concentration, model.halo, Advection::exchanges_in_half);
  }
}

}  // namespace opatm
