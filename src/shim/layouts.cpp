#include "shim/layouts.hpp"

#include "host/datatype_contents.hpp"

namespace leadline::shim {

using host::call_real;

namespace {

int32_t combiner_of(uint64_t datatype) {
  host::Envelope envelope;
  host::envelope_of(datatype, &envelope);
  return envelope.combiner;
}

// Whether a derived datatype is nothing but elements of a predefined one, one after the other. Its own figures don't
// tell: they may hide another order.
bool is_row(uint64_t datatype, int depth = 0) {
  const host::Combiners& known = abi.family->combiners;
  const host::DatatypeContents contents(datatype);
  if (!contents.known() || depth > 8) return false;
  if (contents.combiner() != known.contiguous && contents.combiner() != known.dup) return false;
  const uint64_t of = contents.old();
  if (combiner_of(of) != known.named) return is_row(of, depth + 1);
  int32_t size = 0;
  int64_t lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  call_real(Fn::Type_size, of, &size);
  call_real(Fn::Type_get_extent, of, &lb, &extent);
  call_real(Fn::Type_get_true_extent, of, &true_lb, &true_extent);
  return lb == 0 && true_lb == 0 && extent == size && true_extent == size;
}

Layout ask_layout(uint64_t datatype, int64_t size) {
  Layout l{};
  int64_t lb = 0;
  call_real(Fn::Type_get_extent, datatype, &lb, &l.extent);
  call_real(Fn::Type_get_true_extent, datatype, &l.true_lb, &l.true_extent);
  l.named = combiner_of(datatype) == abi.family->combiners.named;
  l.one_block = lb == 0 && l.true_lb == 0 && l.extent == size && l.true_extent == size;
  if (!l.named) l.one_block = l.one_block && is_row(datatype);
  return l;
}

}  // namespace

Layout layout_of(uint64_t datatype, int64_t size) {
  Datatype& known = datatype_at(memory, datatype);
  if (known.handle != datatype || !known.named) return ask_layout(datatype, size);
  if (!known.laid_out) {
    known.layout = ask_layout(datatype, size);
    known.laid_out = true;
  }
  return known.layout;
}

}  // namespace leadline::shim
