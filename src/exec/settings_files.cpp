#include "exec/settings_files.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <string>

#include "exec/directory.hpp"
#include "exec/is_file.hpp"

namespace leadline::exec {

bool has_settings_file() {
  const char* base = getenv("XDG_CONFIG_HOME");
  const char* home = getenv("HOME");
  if (base && *base) {
    if (is_file(std::string(base) + "/leadline/config.toml")) return true;
  } else if (home && *home) {
    if (is_file(std::string(home) + "/.config/leadline/config.toml")) return true;
  }
  std::string folder = absolute(".");
  while (true) {
    if (is_file(folder + "/leadline.toml")) return true;
    if (folder.empty() || folder == "/") return false;
    folder.resize(folder.rfind('/'));
  }
}

}  // namespace leadline::exec
