#include "recorder/job/masking.hpp"

#include <stdlib.h>
#include <string.h>

namespace leadline::recorder {
namespace {

constexpr const char mask[] = "***";
constexpr size_t longest_part = 32;
// A part of a name: "db-password", "DB_PASSWORD", "dbPassword". A key is one only at the end: --key, API_KEY.
constexpr const char* parts[] = {"password",    "passwords", "passwd",     "passphrase",    "passcode",
                                 "pwd",         "secret",    "secrets",    "token",         "credential",
                                 "credentials", "bearer",    "apikey",     "authorization", "apitoken",
                                 "authtoken",   "accesskey", "privatekey", "secretkey"};
constexpr const char* last_parts[] = {"key", "auth", "pass", "pw"};
// Words of launchers after which come a name and its value, as two words.
constexpr const char* names_follow[] = {"-env",  "-genv", "--env",  "--genv", "-mca",
                                        "--mca", "-gmca", "--gmca", "-setenv"};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_space(char c) { return !c || is_blank(c); }

template <size_t n>
bool is_one_of(const char* const (&list)[n], const char* text, size_t length) {
  for (const char* each : list) {
    if (strncmp(each, text, length) == 0 && !each[length]) return true;
  }
  return false;
}

bool equals(const char* text, size_t length, const char* other) {
  if (strlen(other) != length) return false;
  for (size_t i = 0; i < length; ++i) {
    if (lower(text[i]) != other[i]) return false;
  }
  return true;
}

// Text that is put together in memory of a fixed size; what does not fit is left out.
class Output {
 public:
  Output(char* into, size_t size) : at_(into), end_(into + size - 1) { *at_ = 0; }
  void add(const char* text, size_t length) {
    const size_t room = static_cast<size_t>(end_ - at_);
    const size_t n = length < room ? length : room;
    memcpy(at_, text, n);
    at_ += n;
    *at_ = 0;
  }
  // Without the users of URLs: scheme://user:password@host.
  void add_without_users(const char* text, size_t length) {
    size_t done = 0;
    for (size_t i = 1; i + 3 <= length; ++i) {
      if (memcmp(text + i, "://", 3) != 0 || !(is_lower(lower(text[i - 1])) || is_digit(text[i - 1]))) continue;
      const size_t begin = i + 3;
      size_t at = 0;
      for (size_t k = begin; k < length && !is_space(text[k]) && !strchr("/?#,", text[k]); ++k) {
        if (text[k] == '@' && k > begin) at = k;
      }
      if (!at) continue;
      add(text + done, begin - done);
      add(mask, sizeof(mask) - 1);
      done = at;
    }
    add(text + done, length - done);
  }

 private:
  char *at_, *end_;
};

// Goes from word to word, and knows from those before whether the next one is a secret.
class Words {
 public:
  explicit Words(Output* out) : out_(out) {}

  void add(const char* word, size_t length) {
    const bool hidden = hidden_, name_follows = name_follows_;
    hidden_ = name_follows_ = false;
    if (equals(word, length, "bearer") || (hidden && equals(word, length, "basic"))) {  // Authorization: Bearer X
      hidden_ = true;
      return out_->add(word, length);
    }
    if (hidden && word[0] != '-') return out_->add(mask, sizeof(mask) - 1);
    const char* equal = static_cast<const char*>(memchr(word, '=', length));
    const size_t name = equal ? static_cast<size_t>(equal - word) : length;
    size_t bare = name;
    while (!equal && bare && word[bare - 1] == ':') --bare;
    if (!is_name(word, bare) || !is_secret(word, bare)) {
      name_follows_ = is_one_of(names_follow, word, length);
      return out_->add_without_users(word, length);
    }
    if (equal && name + 1 < length) {
      out_->add(word, name + 1);
      return out_->add(mask, sizeof(mask) - 1);
    }
    hidden_ = !equal && (word[0] == '-' || name_follows || bare < name);
    out_->add(word, length);
  }

 private:
  static bool is_name(const char* text, size_t length) {
    size_t at = 0;
    while (at < length && at < 2 && text[at] == '-') ++at;
    if (at == length || !(is_lower(lower(text[at])) || text[at] == '_')) return false;
    for (; at < length; ++at) {
      if (!is_lower(lower(text[at])) && !is_digit(text[at]) && !strchr("_.-", text[at])) return false;
    }
    return true;
  }

  Output* out_;
  bool hidden_ = false;  // the next word
  bool name_follows_ = false;
};

}  // namespace

bool keeps_secrets() {
  const char* given = getenv("LEADLINE_KEEP_SECRETS");
  return given && *given && strcmp(given, "0") != 0;
}

bool is_secret(const char* name, size_t length) {
  while (length && *name == '-') ++name, --length;
  if ((length == 3 && memcmp(name, "PWD", 3) == 0) || (length == 6 && memcmp(name, "OLDPWD", 6) == 0)) return false;
  char both[2 * longest_part];  // the part before, and this one behind it
  size_t before = 0, last = 0;
  for (size_t at = 0; at < length;) {
    const auto is_part = [](char c) { return is_lower(lower(c)) || is_digit(c); };
    if (!is_part(name[at])) {
      ++at;
      continue;
    }
    memmove(both, both + before, last);
    before = last;
    last = 0;
    do {
      if (last < longest_part) both[before + last++] = lower(name[at]);
      ++at;
    } while (at < length && is_part(name[at]) && !(is_upper(name[at]) && !is_upper(name[at - 1])));
    if (is_one_of(parts, both + before, last) || is_one_of(parts, both, before + last)) return true;
  }
  return last && is_one_of(last_parts, both + before, last);
}

void mask_words(const char* words, size_t length, char* into, size_t size) {
  Output out(into, size);
  Words each(&out);
  while (length && !words[length - 1]) --length;
  for (size_t at = 0; at < length;) {
    size_t end = at;
    if (is_space(words[at])) {
      out.add(words[at] ? words + at : " ", 1);
      ++at;
      continue;
    }
    while (end < length && !is_space(words[end])) ++end;
    each.add(words + at, end - at);
    at = end;
  }
}

void mask_value(const char* name, size_t length, const char* value, char* into, size_t size) {
  Output out(into, size);
  if (*value && is_secret(name, length)) return out.add(mask, sizeof(mask) - 1);
  out.add_without_users(value, strlen(value));
}

}  // namespace leadline::recorder
