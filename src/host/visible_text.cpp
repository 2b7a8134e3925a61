#include "host/visible_text.hpp"

#include <string.h>

#include <cstdint>

namespace leadline::host {
namespace {

struct Character {
  uint32_t code;
  size_t bytes;  // 0: no UTF-8
};

// The shortest form only, and no half of a surrogate pair.
Character character_at(const unsigned char* at, size_t left) {
  if (at[0] < 0x80) return {at[0], 1};
  const size_t bytes = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4 || bytes > left) return {0, 0};
  uint32_t code = at[0] & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((at[i] & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (at[i] & 0x3fu);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {0, 0};
  return {code, bytes};
}

bool is_hidden(uint32_t code) {
  constexpr uint32_t hidden[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},    {0x180e, 0x180e},
                                    {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                                    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
  for (const auto& range : hidden) {
    if (code >= range[0] && code <= range[1]) return true;
  }
  return false;
}

// The longest is \U000e0001.
constexpr size_t most_shown = 10;

size_t show_number(char letter, uint32_t number, unsigned digits, char* into) {
  into[0] = '\\';
  into[1] = letter;
  for (unsigned i = 0; i < digits; ++i) into[2 + i] = "0123456789abcdef"[number >> 4 * (digits - 1 - i) & 15];
  return 2 + digits;
}

size_t show_hidden(uint32_t code, char* into) {
  const char named = code == '\n' ? 'n' : code == '\r' ? 'r' : code == '\t' ? 't' : '\0';
  if (named) {
    into[0] = '\\';
    into[1] = named;
    return 2;
  }
  if (code < 0x80) return show_number('x', code, 2, into);
  return code < 0x10000 ? show_number('u', code, 4, into) : show_number('U', code, 8, into);
}

}  // namespace

size_t write_visibly(const char* text, size_t bytes, char* into, size_t room) {
  const auto* at = reinterpret_cast<const unsigned char*>(text);
  size_t written = 0;
  for (size_t i = 0; i < bytes;) {
    const Character c = character_at(at + i, bytes - i);
    char shown[most_shown];
    size_t n = c.bytes;
    if (!c.bytes) {
      n = show_number('x', at[i], 2, shown);
    } else if (is_hidden(c.code)) {
      n = show_hidden(c.code, shown);
    } else {
      memcpy(shown, at + i, n);
    }
    if (written + n > room) break;
    memcpy(into + written, shown, n);
    written += n;
    i += c.bytes ? c.bytes : 1;
  }
  return written;
}

}  // namespace leadline::host
