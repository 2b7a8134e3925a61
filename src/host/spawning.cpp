#include "host/spawning.hpp"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "host/begins.hpp"

namespace leadline::host {
namespace {

constexpr int32_t longest_value = 255;  // of an info's value: MPI_MAX_INFO_VAL in C is one more

// The key's name in this version of Open MPI; nullptr: another library. Version 5 also takes the old name, with a
// warning.
const char* key_of_variables() {
  if (strcmp(abi.family->name, "openmpi") != 0 || !has_real(Fn::Get_library_version)) return nullptr;
  static char text[16384];  // the program's stack may be small; it is the same text in every thread
  int32_t length = 0;
  if (call_real(Fn::Get_library_version, text, &length) != 0) return nullptr;
  const char* version = strstr(text, "Open MPI v");
  if (!version) return nullptr;
  return strtol(version + strlen("Open MPI v"), nullptr, 10) >= 5 ? "PMIX_ENVAR" : "env";
}

// Variables of an environment, "NAME=value" a line.
class Lines {
 public:
  // Existing variables come first. False: there is already another preload.
  bool begin(const char* text) {
    if (strstr(text, "LD_PRELOAD=")) return false;
    return append(text);
  }
  bool add(const char* variable) {
    const size_t name = strcspn(variable, "=") + 1;
    if (strchr(variable, '\n')) return false;
    for (const char* line = text_; *line;) {
      if (strncmp(line, variable, name) == 0) return true;
      line += strcspn(line, "\n");
      line += *line == '\n';
    }
    return append(variable);
  }
  const char* text() const { return text_; }

 private:
  bool append(const char* line) {
    const size_t n = strlen(line), used = strlen(text_);
    if (used + (used ? 1 : 0) + n > longest_value) return false;
    if (used && n) strcat(text_, "\n");
    strcat(text_, line);
    return true;
  }
  char text_[longest_value + 1] = {};
};

// The first is needed. The others follow in this order while there is room: on this node the launcher's own environment
// has them, too.
bool add_variables(Lines* lines) {
  for (const char* wanted : {"LD_PRELOAD=", "LEADLINE_DIR=", "LEADLINE_TABLE=", "LEADLINE_SHIM_REPORT=", "LEADLINE_"}) {
    for (char** at = environ; at && *at; ++at) {
      const bool added = !begins(*at, wanted) || lines->add(*at);
      if (!added && begins(*at, "LD_PRELOAD=")) return false;
    }
  }
  return strstr(lines->text(), "LD_PRELOAD=") != nullptr;
}

}  // namespace

bool SpawnInfos::needed(Word root, Word comm) {
  const char* preload = getenv("LD_PRELOAD");
  if (!preload || !strstr(preload, "libleadline") || abi.comm(comm) == abi.comm_null) return false;
  int32_t rank = -1;
  return has_real(Fn::Info_dup) && has_real(Fn::Info_get) && key_of_variables() &&
         call_real(Fn::Comm_rank, abi.comm(comm), &rank) == 0 && rank == static_cast<int32_t>(root);
}

Word SpawnInfos::with_variables(Word info) {
  const char* key = key_of_variables();
  if (!key || count_ == most) return info;
  Lines lines;
  char there[longest_value + 1] = {};
  int32_t has = 0;
  if (info != abi.info_null) {
    call_real(Fn::Info_get, info, key, longest_value, there, &has);
    if (has && !lines.begin(there)) return info;
  }
  if (!add_variables(&lines)) {
    had_no_room_ = strcmp(key, "env") != 0;  // before version 5 what mpiexec gave to the ranks may reach it
    return info;
  }
  Word copy = 0;
  const bool made =
      info == abi.info_null ? call_real(Fn::Info_create, &copy) == 0 : call_real(Fn::Info_dup, info, &copy) == 0;
  if (!made) return info;
  copies_[count_++] = copy;
  call_real(Fn::Info_set, copy, key, lines.text());
  return copy;
}

Word SpawnInfos::with_variables(Word infos, int32_t count) {
  if (!infos || count <= 0 || count > most) return infos;
  const auto* theirs = reinterpret_cast<const Word*>(infos);
  for (int32_t i = 0; i < count; ++i) given_[i] = with_variables(theirs[i]);
  return reinterpret_cast<Word>(given_);
}

void SpawnInfos::free() {
  for (int32_t i = 0; i < count_; ++i) call_real(Fn::Info_free, &copies_[i]);
  count_ = 0;
  had_no_room_ = false;
}

}  // namespace leadline::host
