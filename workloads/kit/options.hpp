// Command lines of the form `--name value` or `--name=value`.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kit {

// The whole of `text` as a number within [least, most]; throws UsageError naming `what` otherwise.
long parse_whole(std::string_view text, const std::string& what, long least, long most);

// "a,b,c" -> {"a", "b", "c"}; empty pieces are kept, so that the caller can refuse them.
std::vector<std::string> split(std::string_view text, char separator);

class Options {
 public:
  // Throws UsageError on an unknown or repeated name, a missing value, or a word that is not an option.
  Options(int argc, char** argv, std::initializer_list<std::string_view> known);

  std::string text(const std::string& name, const std::string& fallback) const;
  // "4x3x2" -> {4, 3, 2}: as many numbers as the fallback has, each within [least, most].
  std::vector<int> sizes(const std::string& name, const std::string& fallback, int least, int most) const;

  // One of the choices, the first where none is given.
  std::string choice(const std::string& name, std::initializer_list<std::string_view> choices) const;

  long whole(const std::string& name, long fallback, long least, long most) const;

 private:
  std::map<std::string, std::string> given_;
};

}  // namespace kit
