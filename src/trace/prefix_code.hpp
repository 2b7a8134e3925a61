// Prefix codes as DEFLATE (RFC 1951, section 3.2.2) uses them: the lengths of the codes determine the codes.
#pragma once

#include <cstdint>

namespace leadline::trace {

// The lengths of the shortest code for symbols that occur so often, none longer than `most`; 0: it does not occur.
// At most 288 symbols, which occur less than 2^23 times in all.
void shortest_code(const uint32_t* counts, uint32_t symbols, uint32_t most, uint8_t* lengths);

// The codes of the lengths, their bits in the order in which they are written, the first one lowest.
void codes_of(const uint8_t* lengths, uint32_t symbols, uint16_t* codes);

}  // namespace leadline::trace
