// Whether a send waits for its receive (api/semantics.toml, [send_modes]).
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "leadline/send_modes.hpp"

namespace leadline::trace {

// Of a call that sends, or that creates a persistent send.
constexpr SendMode send_mode_of(std::string_view function) {
  const auto* known = std::find_if(std::begin(function_modes), std::end(function_modes),
                                   [&](const FunctionMode& f) { return function == f.name; });
  return known == std::end(function_modes) ? SendMode::standard : known->mode;
}

}  // namespace leadline::trace
