// What completions record in addition to the call that made the request. That of a file operation has what its status
// told it to have moved:
//   wait and its like   value = bytes moved, flag_any_tag set; a status that told nothing: value = unknown_value.
//   lists               [listed_link, bytes moved, listed_bytes_told, bytes posted].
// Earlier recorders left 0 in all of these places.
#pragma once

#include <cstdint>

#include "trace/event.hpp"

namespace leadline::trace {

inline constexpr uint32_t flag_bytes_told = flag_any_tag;
inline constexpr int64_t listed_bytes_told = 1;  // in place of partner and tag
// In a list, in place of partner and tag: the request was cancelled in time.
inline constexpr int64_t listed_cancelled = static_cast<int64_t>(uint64_t{static_cast<uint32_t>(peer_null)} << 32);

}  // namespace leadline::trace
