// Frames of call paths in one word each, and the numbers of contexts that stand for no frame (see Context in
// process.hpp).
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr uint32_t context_unknown = 0, context_begin = 1, first_context = 2;
inline constexpr uint32_t most_frames = 64;  // in one path

inline constexpr uint32_t module_of(uint64_t frame) { return static_cast<uint32_t>(frame >> 48); }
inline constexpr uint64_t frame_offset_mask = (uint64_t{1} << 48) - 1;
inline constexpr uint64_t frame_word(uint32_t module, uint64_t offset) { return uint64_t{module} << 48 | offset; }
// These stand for frames in memory that no module holds, and for frames left out of a path that was too long.
inline constexpr uint32_t no_module_word = 0xffff;
inline constexpr uint64_t frame_of_no_module = frame_word(no_module_word, 0);
inline constexpr uint64_t frames_left_out = frame_word(no_module_word, 1);

}  // namespace leadline::trace
