#include "interchange/importing/function_classes.hpp"

#include <cctype>
#include <unordered_map>

#include "leadline/functions.hpp"
#include "trace/file_functions.hpp"

namespace leadline::interchange::importing {

namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

const std::unordered_map<std::string, const host::Traits*>& all_of_mpi() {
  static const auto all = [] {
    std::unordered_map<std::string, const host::Traits*> found;
    for (const host::Traits& t : host::traits) found.emplace(lower_case(t.name), &t);
    return found;
  }();
  return all;
}

}  // namespace

std::optional<NamedFunction> mpi_function(std::string_view name) {
  std::string lower = lower_case(name);
  if (lower.starts_with("pmpi_")) lower.erase(0, 1);
  if (!lower.starts_with("mpi_")) return std::nullopt;
  while (lower.ends_with('_')) lower.pop_back();
  const auto find = [](const std::string& key) -> const host::Traits* {
    const auto at = all_of_mpi().find(key);
    return at == all_of_mpi().end() ? nullptr : at->second;
  };
  const host::Traits* known = find(lower);
  // A trace has no name of its own for the form with large counts.
  if (!known && lower.ends_with("_c")) known = find(lower.substr(0, lower.size() - 2));
  if (known) return NamedFunction{known->name, known->cls};
  return NamedFunction{std::string(name), trace::CallClass::other};
}

std::optional<NamedFunction> file_function(std::string_view name) {
  if (name.ends_with("64")) name.remove_suffix(2);
  for (const trace::FileFunction& f : trace::file_functions) {
    if (name == f.name) return NamedFunction{f.name, f.cls};
  }
  return std::nullopt;
}

}  // namespace leadline::interchange::importing
