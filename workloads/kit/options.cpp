#include "kit/options.hpp"

#include <algorithm>
#include <charconv>

#include "kit/program.hpp"

namespace kit {
namespace {

std::string join(std::initializer_list<std::string_view> names) {
  std::string text;
  for (std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += "--" + std::string(name);
  }
  return text;
}

}  // namespace

long parse_whole(std::string_view text, const std::string& what, long least, long most) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw UsageError(what + ": expected an integer from " + std::to_string(least) + " to " + std::to_string(most) +
                     ", got '" + std::string(text) + "'");
  }
  return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const size_t at = text.find(separator);
    pieces.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

Options::Options(int argc, char** argv, std::initializer_list<std::string_view> known) {
  for (int n = 1; n < argc; ++n) {
    const std::string_view word = argv[n];
    if (!word.starts_with("--")) {
      throw UsageError("'" + std::string(word) + "' is not an option; available: " + join(known));
    }
    const size_t equals = word.find('=');
    const std::string name(word.substr(2, equals == std::string_view::npos ? equals : equals - 2));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UsageError("unknown option --" + name + "; available: " + join(known));
    }
    std::string value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (n + 1 < argc) {
      value = argv[++n];
    } else {
      throw UsageError("--" + name + " needs a value");
    }
    if (!given_.emplace(name, value).second) throw UsageError("--" + name + " given twice");
  }
}

std::string Options::text(const std::string& name, const std::string& fallback) const {
  const auto found = given_.find(name);
  return found == given_.end() ? fallback : found->second;
}

std::vector<int> Options::sizes(const std::string& name, const std::string& fallback, int least, int most) const {
  const std::vector<std::string> pieces = split(text(name, fallback), 'x');
  if (pieces.size() != split(fallback, 'x').size()) {
    throw UsageError("--" + name + ": expected the form " + fallback + ", got '" + text(name, fallback) + "'");
  }
  std::vector<int> values;
  for (const std::string& piece : pieces) {
    values.push_back(static_cast<int>(parse_whole(piece, "a number in --" + name, least, most)));
  }
  return values;
}

std::string Options::choice(const std::string& name, std::initializer_list<std::string_view> choices) const {
  const std::string chosen = text(name, std::string(*choices.begin()));
  if (std::find(choices.begin(), choices.end(), chosen) != choices.end()) return chosen;
  std::string known;
  for (std::string_view choice : choices) known += (known.empty() ? "" : ", ") + std::string(choice);
  throw UsageError("--" + name + ": expected one of " + known + ", got '" + chosen + "'");
}

long Options::whole(const std::string& name, long fallback, long least, long most) const {
  const auto found = given_.find(name);
  return found == given_.end() ? fallback : parse_whole(found->second, "--" + name, least, most);
}

}  // namespace kit
