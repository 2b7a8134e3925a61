// The classes of calls and their properties (api/semantics.toml, [classes]), for the functions that a trace names.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "leadline/call_classes.hpp"

namespace leadline::trace {

constexpr bool is_posix(CallClass c) { return facts_of(c).event == EventForm::libc; }

// The direction of a function's data. It is "nowhere" if this version does not know the function and its class does not
// say.
constexpr uint8_t moves_of(CallClass c, std::string_view function) {
  if (!facts_of(c).by_function) return facts_of(c).moves;
  const auto* known =
      std::lower_bound(std::begin(function_moves), std::end(function_moves), function,
                       [](const FunctionMoves& f, std::string_view name) { return std::string_view(f.name) < name; });
  return known != std::end(function_moves) && known->name == function ? known->moves : 0;
}
static_assert(std::is_sorted(std::begin(function_moves), std::end(function_moves),
                             [](const FunctionMoves& a, const FunctionMoves& b) {
                               return std::string_view(a.name) < std::string_view(b.name);
                             }));

}  // namespace leadline::trace
