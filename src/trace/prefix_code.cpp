#include "trace/prefix_code.hpp"

#include <algorithm>

namespace leadline::trace {

namespace {

constexpr uint32_t most_symbols = 288, most_length = 15;
constexpr uint32_t longest = 40;  // of a code for 2^23 occurrences

// Replaces counts in ascending order, at least two, by the lengths of their codes, which descend. Source: Moffat and
// Katajainen, "In-place calculation of minimum-redundancy codes", 1995.
void lengths_in_place(uint32_t* a, int n) {
  a[0] += a[1];
  int root = 0, leaf = 2;
  for (int next = 1; next < n - 1; ++next) {  // inner nodes: their counts, then their parents
    const auto least = [&]() -> uint32_t {
      if (leaf < n && (root >= next || a[leaf] <= a[root])) return a[leaf++];
      const uint32_t count = a[root];
      a[root++] = static_cast<uint32_t>(next);
      return count;
    };
    const uint32_t first = least();
    a[next] = first + least();
  }
  a[n - 2] = 0;
  for (int next = n - 3; next >= 0; --next) a[next] = a[a[next]] + 1;
  int available = 1, depth = 0, at = n - 1;
  root = n - 2;
  while (available > 0) {  // leaves of each depth: what inner nodes leave of it
    int used = 0;
    for (; root >= 0 && a[root] == static_cast<uint32_t>(depth); --root) ++used;
    for (; available > used; --available) a[at--] = static_cast<uint32_t>(depth);
    available = 2 * used;
    ++depth;
  }
}

// Shortens codes that are too long, and lengthens others until all find room.
void limit(uint32_t* of_length, uint32_t most) {
  for (uint32_t l = most + 1; l <= longest; ++l) {
    of_length[most] += of_length[l];
    of_length[l] = 0;
  }
  uint64_t taken = 0;
  for (uint32_t l = 1; l <= most; ++l) taken += uint64_t{of_length[l]} << (most - l);
  for (; taken > uint64_t{1} << most; --taken) {
    --of_length[most];
    uint32_t l = most - 1;
    while (!of_length[l]) --l;
    --of_length[l];
    of_length[l + 1] += 2;
  }
}

}  // namespace

void shortest_code(const uint32_t* counts, uint32_t symbols, uint32_t most, uint8_t* lengths) {
  constexpr uint32_t symbol_bits = 9;
  uint32_t order[most_symbols], length[most_symbols];
  uint32_t n = 0;
  for (uint32_t s = 0; s < symbols; ++s) {
    lengths[s] = 0;
    if (counts[s]) order[n++] = counts[s] << symbol_bits | s;
  }
  std::sort(order, order + n);
  const auto symbol = [&](uint32_t i) { return order[i] & ((1u << symbol_bits) - 1); };
  if (n == 1) lengths[symbol(0)] = 1;
  if (n < 2) return;
  for (uint32_t i = 0; i < n; ++i) length[i] = order[i] >> symbol_bits;
  lengths_in_place(length, static_cast<int>(n));
  uint32_t of_length[longest + 1] = {};
  for (uint32_t i = 0; i < n; ++i) ++of_length[length[i]];
  limit(of_length, most);
  uint32_t i = 0;
  for (uint32_t l = most; l > 0; --l) {
    for (uint32_t k = 0; k < of_length[l]; ++k) lengths[symbol(i++)] = static_cast<uint8_t>(l);
  }
}

void codes_of(const uint8_t* lengths, uint32_t symbols, uint16_t* codes) {
  uint32_t of_length[most_length + 1] = {}, next[most_length + 2] = {};
  for (uint32_t s = 0; s < symbols; ++s) ++of_length[lengths[s]];
  of_length[0] = 0;
  for (uint32_t l = 1; l <= most_length; ++l) next[l + 1] = (next[l] + of_length[l]) << 1;
  for (uint32_t s = 0; s < symbols; ++s) {
    const uint32_t code = lengths[s] ? next[lengths[s]]++ : 0;
    uint32_t turned = 0;
    for (uint32_t b = 0; b < lengths[s]; ++b) turned |= (code >> b & 1u) << (lengths[s] - 1 - b);
    codes[s] = static_cast<uint16_t>(turned);
  }
}

}  // namespace leadline::trace
