#include "shim/table.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace leadline::shim {

namespace {

constexpr size_t most_bytes = size_t{4} << 20;
constexpr int words_of_rule = 8;

struct TableWord {
  const char* text;
  int length;
  bool is(const char* other) const { return strncmp(text, other, length) == 0 && !other[length]; }
};

// Splits a line, which ends at `end` or at a '#'. The number of words, of which at most `most` are kept.
int split(const char* at, const char* end, TableWord* words, int most) {
  int count = 0;
  while (at < end && *at != '#') {
    if (*at == ' ' || *at == '\t' || *at == '\r') {
      ++at;
      continue;
    }
    const char* begin = at;
    while (at < end && *at != ' ' && *at != '\t' && *at != '\r' && *at != '#') ++at;
    if (count < most) words[count] = {begin, static_cast<int>(at - begin)};
    ++count;
  }
  return count;
}

bool number(TableWord word, int64_t* value) {
  *value = 0;
  for (int i = 0; i < word.length; ++i) {
    const int digit = word.text[i] - '0';
    if (digit < 0 || digit > 9) return false;
    if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, digit, value)) return false;
  }
  return word.length > 0;
}

class Parser {
 public:
  explicit Parser(Table* table) : table_(table) {}

  void parse(const char* text) {
    while (*text && !table_->problem[0]) {
      const char* end = strchr(text, '\n');
      if (!end) end = text + strlen(text);
      ++line_;
      TableWord words[words_of_rule];
      const int count = split(text, end, words, words_of_rule);
      if (count == words_of_rule) {
        rule(words);
      } else if (count) {
        wrong("expected %d words, got %d", words_of_rule, count);
      }
      text = *end ? end + 1 : end;
    }
    if (table_->problem[0]) table_->rules.clear();
  }

 private:
  [[gnu::format(printf, 2, 3)]] void wrong(const char* format, ...) {
    char reason[160];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    snprintf(table_->problem, sizeof(table_->problem), "line %d: %s", line_, reason);
  }

  // Two numbers, of which the first is not the larger one.
  bool range(const TableWord* words, const char* of, int64_t most, int64_t* first, int64_t* last) {
    for (int i = 0; i < 2; ++i) {
      int64_t* into = i ? last : first;
      if (!number(words[i], into) || *into > most) {
        wrong("%.*s: not a number of %s", words[i].length > 40 ? 40 : words[i].length, words[i].text, of);
        return false;
      }
    }
    if (*first <= *last) return true;
    wrong("%s: first %lld is above last %lld", of, static_cast<long long>(*first), static_cast<long long>(*last));
    return false;
  }

  void rule(const TableWord* words) {
    Rule r{};
    char text[sizeof(r.name)] = {};
    const auto copied = [&](TableWord w) {
      memset(text, 0, sizeof(text));
      memcpy(text, w.text, static_cast<size_t>(w.length) < sizeof(text) ? w.length : sizeof(text) - 1);
      return text;
    };
    if (!collectives::operation_of(copied(words[0]), &r.operation)) return wrong("unknown operation %s", text);
    int64_t first = 0, last = 0, radix = 0;
    if (!range(words + 1, "processes", INT32_MAX, &first, &last)) return;
    r.first_processes = static_cast<int32_t>(first);
    r.last_processes = static_cast<int32_t>(last);
    if (!range(words + 3, "bytes", INT64_MAX, &r.first_bytes, &r.last_bytes)) return;
    const bool is_for_all_sizes = r.first_bytes == 0 && r.last_bytes == INT64_MAX;
    if (collectives::facts_of(r.operation).has_data && !collectives::facts_of(r.operation).sizes_are_known() &&
        !is_for_all_sizes) {
      return wrong("%s: ranks do not know each other's sizes, so the bytes must be 0 to %lld",
                   collectives::name_of(r.operation), static_cast<long long>(INT64_MAX));
    }
    memcpy(r.name, copied(words[5]), sizeof(r.name));
    if (strcmp(r.name, "native") != 0 && !(r.algorithm = collectives::find_algorithm(r.operation, r.name))) {
      return wrong("unknown algorithm %s of %s", r.name, collectives::name_of(r.operation));
    }
    if (!number(words[6], &r.segment_bytes)) return wrong("%s: expected a number of bytes", copied(words[6]));
    if (!number(words[7], &radix) || radix > INT32_MAX) return wrong("%s: invalid radix", copied(words[7]));
    r.radix = static_cast<int32_t>(radix);
    table_->rules.push_back(r);
  }

  Table* table_;
  int line_ = 0;
};

void parse_table(const char* text, Table* table) {
  table->hash = 14695981039346656037u;
  for (const char* c = text; *c; ++c) table->hash = (table->hash ^ static_cast<unsigned char>(*c)) * 1099511628211u;
  Parser(table).parse(text);
}

}  // namespace

void read_table(const char* path, Table* table) {
  const auto fails = [&](const char* why) { snprintf(table->problem, sizeof(table->problem), "%s", why); };
  if (!path || !*path) return fails("LEADLINE_TABLE is unset or empty");
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return fails(strerror(errno));
  struct stat status;
  char* text = nullptr;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    fails("not a file");
  } else if (status.st_uid != geteuid() && status.st_uid != 0) {
    fails("owned by another user");
  } else if (status.st_mode & S_IWOTH) {
    fails("world-writable");
  } else if (status.st_mode & S_IWGRP && status.st_gid != status.st_uid) {  // many systems give each user such a group
    fails("group-writable");
  } else if (static_cast<size_t>(status.st_size) > most_bytes) {
    fails("larger than 4 MiB");
  } else if ((text = static_cast<char*>(calloc(1, static_cast<size_t>(status.st_size) + 1)))) {
    ssize_t all = 0, got = 0;
    while (all < status.st_size && (got = read(fd, text + all, static_cast<size_t>(status.st_size - all))) > 0)
      all += got;
    if (all == status.st_size) {
      parse_table(text, table);
    } else {
      fails("cannot read it");
    }
  } else {
    fails("out of memory");
  }
  free(text);
  close(fd);
}

}  // namespace leadline::shim
