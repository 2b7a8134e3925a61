// The symbols of DEFLATE (RFC 1951, section 3.2.5 to 3.2.7).
#pragma once

#include <cstdint>

namespace leadline::trace::deflate {

inline constexpr uint32_t end_of_block = 256, first_length = 257;
inline constexpr uint32_t literals = 286, distances = 30, code_lengths = 19;
inline constexpr uint32_t fixed_literals = 288, fixed_distances = 30;
inline constexpr uint32_t most_bits = 15, most_code_length_bits = 7;
inline constexpr uint32_t least_match = 3, most_match = 258, most_distance = 1u << 15;

// Of a symbol: its least value, and how many bits more follow.
struct Span {
  uint16_t least;
  uint8_t bits;
};

inline constexpr Span lengths[] = {{3, 0},   {4, 0},   {5, 0},   {6, 0},   {7, 0},  {8, 0},  {9, 0},  {10, 0},
                                   {11, 1},  {13, 1},  {15, 1},  {17, 1},  {19, 2}, {23, 2}, {27, 2}, {31, 2},
                                   {35, 3},  {43, 3},  {51, 3},  {59, 3},  {67, 4}, {83, 4}, {99, 4}, {115, 4},
                                   {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
inline constexpr Span spans[] = {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
                                 {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
                                 {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
                                 {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
                                 {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};

// The order in which the lengths of the codes of code lengths are written; 16: the last length again, 3 to 6 times; 17
// and 18: zeros, 3 to 10 and 11 to 138.
inline constexpr uint8_t order[code_lengths] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
inline constexpr Span repeats[] = {{3, 2}, {3, 3}, {11, 7}};

inline uint8_t fixed_length(uint32_t symbol) { return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8; }

}  // namespace leadline::trace::deflate
