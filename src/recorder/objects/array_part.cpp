#include "recorder/objects/array_part.hpp"

#include "host/datatype_contents.hpp"
#include "recorder/library/functions.hpp"

namespace leadline::recorder {

namespace {

constexpr int most_depth = 8;

using host::DatatypeContents;
using recording::LiveDatatype;

bool add(LiveDatatype* to, int64_t whole, int64_t part) {
  if (to->dims == LiveDatatype::most_dims || part <= 0 || whole < 0 || (whole && whole < part)) return false;
  to->sides[to->dims++] = {whole, part};
  return true;
}

bool describe(uint64_t datatype, int depth, LiveDatatype* to);

// True if the datatype is an element of an array, not itself a part of one.
bool is_element(uint64_t datatype, int depth, LiveDatatype* to) {
  const uint64_t before = to->dims;
  return describe(datatype, depth, to) && to->dims == before;
}

// Blocks of the old datatype, `stride` of which lie between the beginnings of two.
bool blocks(const DatatypeContents& c, int depth, int64_t stride, LiveDatatype* to) {
  const int64_t count = c.argument(0), length = c.argument(1);
  if (count > 1 && !add(to, 0, count)) return false;
  const uint64_t before = to->dims;
  if (!describe(c.old(), depth + 1, to)) return false;
  return to->dims > before ? length == 1 : add(to, stride, length);
}

// The arguments are: number of sides, sizes, parts, beginnings, order.
bool subarray(const DatatypeContents& c, int depth, LiveDatatype* to) {
  const int64_t n = c.argument(0);
  if (n < 1 || n > int64_t{LiveDatatype::most_dims}) return false;
  const auto sides = static_cast<int>(n);
  const bool fortran = c.argument(1 + 3 * sides) == abi.family->order_fortran;
  for (int i = 0; i < sides; ++i) {
    const int side = fortran ? sides - 1 - i : i;
    if (!add(to, c.argument(1 + side), c.argument(1 + sides + side))) return false;
  }
  return is_element(c.old(), depth + 1, to);
}

// Appends to the sides of `to`; nothing if the datatype is one element.
bool describe(uint64_t datatype, int depth, LiveDatatype* to) {
  const host::Combiners& made_by = abi.family->combiners;
  const DatatypeContents c(datatype);
  if (!c.known()) return c.combiner() == made_by.named;
  if (depth == most_depth) return false;
  if (c.combiner() == made_by.dup || c.combiner() == made_by.resized) return describe(c.old(), depth + 1, to);
  if (c.combiner() == made_by.vector) return blocks(c, depth, c.argument(2), to);
  if (c.combiner() == made_by.subarray) return subarray(c, depth, to);
  if (c.combiner() == made_by.hvector) {
    intptr_t lb = 0, extent = 0;
    if (call_real(Fn::Type_get_extent, c.old(), &lb, &extent) != 0 || extent <= 0) return false;
    return blocks(c, depth, c.argument(2) % extent ? 0 : c.argument(2) / extent, to);
  }
  // Several values that belong to one point of the array are one element of it.
  return c.combiner() == made_by.contiguous && is_element(c.old(), depth + 1, to);
}

}  // namespace

void describe_array_part(uint64_t datatype, LiveDatatype* to) {
  if (describe(datatype, 0, to)) return;
  to->dims = 0;
  for (LiveDatatype::Side& side : to->sides) side = {};
}

}  // namespace leadline::recorder
