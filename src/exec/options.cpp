#include "exec/options.hpp"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <string_view>

#include "leadline/exec_tables.hpp"

namespace leadline::exec {

namespace {

// "64MB", "1.5GiB", "4096": what text/sizes.py reads, without blanks. False for anything else.
bool read_size(std::string_view text, double* n_bytes, bool* has_unit) {
  size_t at = 0;
  while (at < text.size() && isdigit(static_cast<unsigned char>(text[at]))) ++at;
  if (!at) return false;
  if (at < text.size() && text[at] == '.') {
    const size_t point = at++;
    while (at < text.size() && isdigit(static_cast<unsigned char>(text[at]))) ++at;
    if (at == point + 1) return false;
  }
  double value = strtod(std::string(text.substr(0, at)).c_str(), nullptr);
  std::string_view unit = text.substr(at);
  *has_unit = !unit.empty();
  constexpr std::string_view prefixes = "kmgt";
  if (!unit.empty()) {
    const size_t power = prefixes.find(static_cast<char>(tolower(static_cast<unsigned char>(unit[0]))));
    if (power != std::string_view::npos) {
      unit.remove_prefix(1);
      const bool binary = !unit.empty() && tolower(static_cast<unsigned char>(unit[0])) == 'i';
      if (binary) unit.remove_prefix(1);
      for (size_t i = 0; i <= power; ++i) value *= binary ? 1024 : 1000;
    }
  }
  if (!unit.empty() && tolower(static_cast<unsigned char>(unit[0])) == 'b') unit.remove_prefix(1);
  *n_bytes = value;
  return unit.empty();
}

bool is_size(const Setting& setting, const char* text) {
  double n_bytes = 0;
  bool has_unit = false;
  if (!read_size(text, &n_bytes, &has_unit)) return false;
  if (!has_unit && n_bytes > 0 && n_bytes < bare_least) return false;
  return n_bytes >= setting.least;
}

bool is_rate(const char* text) {
  const size_t length = strlen(text);
  if (!length || length > 9 || strspn(text, "0123456789") != length) return false;
  const long rate = atol(text);
  return rate >= 1 && rate <= most_samples_per_s;
}

bool is_series_word(const char* text) {
  for (const char* word : series_words) {
    if (!strcmp(word, text)) return true;
  }
  return false;
}

bool is_valid(const Setting& setting, const char* text) {
  switch (setting.kind) {
    case Kind::flag:
      return !strcmp(text, "1");
    case Kind::size:
      return is_size(setting, text);
    case Kind::series:
      return is_series_word(text) || is_size(setting, text);
    case Kind::rate:
      return is_rate(text);
    case Kind::text:
      return *text != 0;
  }
  return false;
}

const Setting* setting_called(std::string_view flag) {
  for (const Setting& setting : settings) {
    if (flag == setting.flag) return &setting;
  }
  return nullptr;
}

// Variables that the user has set stand for options that were not given.
bool read_variables(Options* out) {
  for (const Setting& setting : settings) {
    const char* text = getenv(setting.variable);
    if (!text || !*text || out->settings.count(setting.variable)) continue;
    if (setting.kind == Kind::flag && !strcmp(text, "0")) continue;
    if (!is_valid(setting, text)) return false;
    out->settings[setting.variable] = text;
  }
  return true;
}

// One option and its value: `*word` is its last word afterwards.
bool read_option(char**& word, Options* out) {
  const std::string_view text = *word;
  const size_t equals = text.starts_with("--") ? text.find('=') : std::string_view::npos;
  const std::string_view name = text.substr(0, equals);
  const bool is_output = name == "--output" || name == "-o";
  const Setting* setting = is_output ? nullptr : setting_called(name);
  const char* value = equals == std::string_view::npos ? nullptr : *word + equals + 1;
  if (!is_output && !setting && text.starts_with("-o")) {
    out->output = text.substr(2);
    return out->has_output = true;
  }
  if (!is_output && !setting) return false;
  if (setting && setting->kind == Kind::flag) {
    if (value) return false;
    value = "1";
  } else if (setting && setting->kind == Kind::rate && !value) {
    // --sample without a rate is followed by the program.
    value = word[1] && isdigit(static_cast<unsigned char>(word[1][0])) ? *++word : samples_per_s;
  } else if (!value) {
    if (!word[1]) return false;
    value = *++word;
  }
  if (is_output) {
    out->output = value;
    return out->has_output = *value != 0;
  }
  if (!is_valid(*setting, value)) return false;
  out->settings[setting->variable] = value;
  return true;
}

}  // namespace

bool read_options(char** words, Options* out) {
  char** word = words;
  for (; *word && **word == '-'; ++word) {
    if (!strcmp(*word, "--")) {
      ++word;
      break;
    }
    if (!read_option(word, out)) return false;
  }
  for (; *word; ++word) out->program.push_back(*word);
  if (out->program.empty()) return false;
  for (const char* name : {"LEADLINE_OUTPUT", "LEADLINE_DIR"}) {
    const char* text = getenv(name);
    if (out->has_output || !text || !*text) continue;
    out->output = text;
    out->has_output = true;
  }
  return read_variables(out);
}

}  // namespace leadline::exec
