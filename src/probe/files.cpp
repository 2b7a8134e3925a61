#include "probe/files.hpp"

#include <algorithm>

namespace leadline::probe {

namespace {

constexpr int longest_key = 256, longest_value = 4096;  // at least MPI_MAX_INFO_KEY and MPI_MAX_INFO_VAL + 1

}  // namespace

std::vector<std::pair<std::string, std::string>> hints_of(const Library& it, const std::string& path) {
  std::vector<std::pair<std::string, std::string>> found;
  if (!it.file_open || !it.file_info || !it.file_close || !it.info_size || !it.info_key || !it.info_value) return found;
  Handle file = 0, info = 0;
  if (it.file_open(it.world, path.c_str(), it.mode, it.info_null, &file) != 0) return found;  // files return errors
  int keys = 0;
  if (it.file_info(file, &info) == 0 && it.info_size(info, &keys) == 0) {
    for (int i = 0; i < keys; ++i) {
      char key[longest_key] = "", value[longest_value] = "";
      int there = 0;
      if (it.info_key(info, i, key) != 0) break;
      if (it.info_value(info, key, 1000, value, &there) == 0 && there) found.emplace_back(key, value);
    }
  }
  it.file_close(&file);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace leadline::probe
