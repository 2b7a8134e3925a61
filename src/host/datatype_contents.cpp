#include "host/datatype_contents.hpp"

#include "host/real.hpp"

namespace leadline::host {

namespace {

template <class... A>
int call_large(Fn fn, A... a) {
  void* real = real_functions[static_cast<int>(fn)][static_cast<int>(Name::pmpi_c)];
  return reinterpret_cast<int (*)(A...)>(real)(a...);
}

bool has_large(Fn fn) { return real_functions[static_cast<int>(fn)][static_cast<int>(Name::pmpi_c)] != nullptr; }

bool is_predefined(uint64_t datatype) {
  const Combiners& c = abi.family->combiners;
  Envelope e;
  if (!envelope_of(datatype, &e)) return true;
  return e.combiner == c.named || e.combiner == c.f90_real || e.combiner == c.f90_complex ||
         e.combiner == c.f90_integer;
}

}  // namespace

bool envelope_of(uint64_t datatype, Envelope* e) {
  if (has_large(Fn::Type_get_envelope)) {
    return call_large(Fn::Type_get_envelope, datatype, &e->integers, &e->addresses, &e->large_counts, &e->datatypes,
                      &e->combiner) == 0;
  }
  int32_t integers = 0, addresses = 0, datatypes = 0;
  if (!has_real(Fn::Type_get_envelope) ||
      call_real(Fn::Type_get_envelope, datatype, &integers, &addresses, &datatypes, &e->combiner) != 0)
    return false;
  e->integers = integers;
  e->addresses = addresses;
  e->datatypes = datatypes;
  return true;
}

DatatypeContents::DatatypeContents(uint64_t datatype) {
  if (!has_real(Fn::Type_free) || !envelope_of(datatype, &envelope_) || envelope_.datatypes != 1) return;
  if (envelope_.integers + envelope_.addresses + envelope_.large_counts > most) return;
  known_ = envelope_.large_counts ? ask_large(datatype) : ask(datatype);
}

bool DatatypeContents::ask(uint64_t datatype) {
  int32_t integers[most] = {};
  intptr_t addresses[most] = {};
  const auto n = static_cast<int32_t>(envelope_.integers), m = static_cast<int32_t>(envelope_.addresses);
  if (!has_real(Fn::Type_get_contents) ||
      call_real(Fn::Type_get_contents, datatype, n, m, 1, integers, addresses, old_) != 0)
    return false;
  for (int32_t i = 0; i < n; ++i) arguments_[i] = integers[i];
  for (int32_t i = 0; i < m; ++i) arguments_[n + i] = addresses[i];
  return true;
}

bool DatatypeContents::ask_large(uint64_t datatype) {
  int32_t integers[most] = {};
  intptr_t addresses[most] = {};
  int64_t counts[most] = {};
  if (!has_large(Fn::Type_get_contents) ||
      call_large(Fn::Type_get_contents, datatype, envelope_.integers, envelope_.addresses, envelope_.large_counts,
                 int64_t{1}, integers, addresses, counts, old_) != 0)
    return false;
  // Before the large counts of a constructor comes only the number of dimensions, after them only the order.
  int n = 0;
  if (envelope_.integers) arguments_[n++] = integers[0];
  for (int64_t i = 0; i < envelope_.large_counts; ++i) arguments_[n++] = counts[i];
  for (int64_t i = 0; i < envelope_.addresses; ++i) arguments_[n++] = addresses[i];
  for (int64_t i = 1; i < envelope_.integers; ++i) arguments_[n++] = integers[i];
  return true;
}

DatatypeContents::~DatatypeContents() {
  if (known_ && !is_predefined(old())) call_real(Fn::Type_free, old_);
}

uint64_t DatatypeContents::old() const {
  return Abi::stored(reinterpret_cast<Word>(old_), abi.family->handle_bytes.datatype);
}

}  // namespace leadline::host
