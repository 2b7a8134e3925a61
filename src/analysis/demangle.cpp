#include "analysis/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>

namespace leadline::analysis {

namespace {

// "_ZN5opatm6trcadvEi" -> "opatm::trcadv(int)".
std::string demangle(const std::string& name) {
  if (name.rfind("_Z", 0) != 0 && name.rfind("___Z", 0) != 0) return name;
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (status != 0 || text == nullptr) return name;
  std::string result = text;
  std::free(text);
  return result;
}

constexpr std::string_view operator_word = "operator";

// Where the name's own parameter list opens: the last "(" outside template arguments that follows a name, not
// "(anonymous namespace)", "{lambda(int)#1}" nor "operator()".
size_t parameters_begin(const std::string& text) {
  int angle = 0, brace = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, operator_word.size(), operator_word) == 0 &&
        (i == 0 || text[i - 1] == ':' || text[i - 1] == ' ')) {
      i += operator_word.size();
      if (text.compare(i, 2, "()") == 0) i += 2;
      while (i < text.size() && text[i] != '(') ++i;
      return i;
    }
    const char c = text[i];
    if (c == '<') ++angle;
    if (c == '>' && i > 0 && text[i - 1] != '-') --angle;
    if (c == '{') ++brace;
    if (c == '}') --brace;
    if (c != '(' || angle > 0 || brace > 0) continue;
    constexpr std::string_view anonymous = "(anonymous namespace)";
    if (text.compare(i, anonymous.size(), anonymous) == 0) {
      i += anonymous.size() - 1;
      continue;
    }
    // "f(int)::local" or "f(int)::{lambda()#1}::operator()() const": parameters of an enclosing function.
    int depth = 0;
    size_t end = i;
    for (; end < text.size(); ++end) {
      if (text[end] == '(') ++depth;
      if (text[end] == ')' && --depth == 0) break;
    }
    const size_t scope = text.find("::", end);
    const bool encloses = scope != std::string::npos && (scope == end + 1 || text.compare(end + 1, 8, " const::") == 0);
    if (!encloses) return i;
    i = scope;
  }
  return text.size();
}

// Where the name begins after a return type: only functions made from templates carry one.
size_t name_begin(const std::string& text, size_t end) {
  int angle = 0, brace = 0, paren = 0;
  size_t begin = 0;
  for (size_t i = 0; i < end; ++i) {
    if (text.compare(i, operator_word.size(), operator_word) == 0 && angle == 0) return begin;
    const char c = text[i];
    if (c == '<') ++angle;
    if (c == '>' && i > 0 && text[i - 1] != '-') --angle;
    if (c == '{') ++brace;
    if (c == '}') --brace;
    if (c == '(') ++paren;
    if (c == ')') --paren;
    if (c == ' ' && angle == 0 && brace == 0 && paren == 0) begin = i + 1;
  }
  return begin;
}

}  // namespace

std::string demangle_short(const std::string& name) {
  const std::string text = demangle(name);
  if (text == name) return name;
  const size_t end = parameters_begin(text);
  const size_t begin = name_begin(text, end);
  return text.substr(begin, end - begin);
}

}  // namespace leadline::analysis
