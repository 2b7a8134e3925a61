// What a terminal would obey is shown by its number, all other text as it is.
#include "host/visible_text.hpp"

#include <string>

#include "../native/check.hpp"

namespace {

std::string shown(const std::string& text, size_t room = 200) {
  std::string into(room, '?');
  into.resize(leadline::host::write_visibly(text.data(), text.size(), into.data(), room));
  return into;
}

void expect(const std::string& text, const std::string& wanted) { testing::check_equal(shown(text), wanted, wanted); }

}  // namespace

int main() {
  expect("", "");
  expect("/scratch/run 1: 50 %", "/scratch/run 1: 50 %");
  expect("t\u00eate \u65e5\u672c \U0001f600", "t\u00eate \u65e5\u672c \U0001f600");
  expect("\x1b[31mred", "\\x1b[31mred");
  expect(std::string("a\0b", 3), "a\\x00b");
  expect("two\nlines\r\tand\x7f", "two\\nlines\\r\\tand\\x7f");
  expect("\u0085\u202e\ufeff\u200b", "\\u0085\\u202e\\ufeff\\u200b");
  expect("\U000e0041", "\\U000e0041");
  expect("a\u200db", "a\u200db");             // a joiner, which words need
  expect("\xff\xc3", "\\xff\\xc3");           // no UTF-8, and cut short
  expect("\xc0\xaf", "\\xc0\\xaf");           // a longer form than needed
  expect("\xed\xa0\x80", "\\xed\\xa0\\x80");  // half of a pair
  expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
  // Nothing is cut within a character.
  testing::check_equal(shown("ab\x1b", 5), std::string("ab"), "no room for the number");
  testing::check_equal(shown("a\u00e9", 2), std::string("a"), "no room for the letter");
  return testing::result();
}
