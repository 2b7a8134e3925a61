// The functions of libc whose calls are recorded, as a trace names them: variants of one function (64-bit offsets,
// checked, unlocked) are one.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/call_class.hpp"

namespace leadline::trace {

enum class FileFn : uint16_t {
  open,
  close,
  read,
  write,
  pread,
  pwrite,
  readv,
  writev,
  preadv,
  pwritev,
  lseek,
  mmap,
  fsync,
  fdatasync,
  ftruncate,
  fallocate,
  sendfile,
  copy_file_range,
  fopen,
  freopen,
  fdopen,
  fclose,
  fread,
  fwrite,
  fseek,
  ftell,
  fflush,
  fgetc,
  fputc,
  fgets,
  fputs,
  getline,
  fprintf,
  fscanf,
  count
};
inline constexpr int file_function_count = static_cast<int>(FileFn::count);

struct FileFunction {
  const char* name;
  CallClass cls;
};
inline constexpr FileFunction file_functions[file_function_count] = {
    {"open", CallClass::posix_open},       {"close", CallClass::posix_close},
    {"read", CallClass::posix_read},       {"write", CallClass::posix_write},
    {"pread", CallClass::posix_read},      {"pwrite", CallClass::posix_write},
    {"readv", CallClass::posix_read},      {"writev", CallClass::posix_write},
    {"preadv", CallClass::posix_read},     {"pwritev", CallClass::posix_write},
    {"lseek", CallClass::posix_seek},      {"mmap", CallClass::posix_map},
    {"fsync", CallClass::posix_other},     {"fdatasync", CallClass::posix_other},
    {"ftruncate", CallClass::posix_other}, {"fallocate", CallClass::posix_other},
    {"sendfile", CallClass::posix_read},   {"copy_file_range", CallClass::posix_read},
    {"fopen", CallClass::posix_open},      {"freopen", CallClass::posix_open},
    {"fdopen", CallClass::posix_open},     {"fclose", CallClass::posix_close},
    {"fread", CallClass::posix_read},      {"fwrite", CallClass::posix_write},
    {"fseek", CallClass::posix_seek},      {"ftell", CallClass::posix_other},
    {"fflush", CallClass::posix_other},    {"fgetc", CallClass::posix_read},
    {"fputc", CallClass::posix_write},     {"fgets", CallClass::posix_read},
    {"fputs", CallClass::posix_write},     {"getline", CallClass::posix_read},
    {"fprintf", CallClass::posix_write},   {"fscanf", CallClass::posix_read},
};

// Whether the function works on a stream, not on a descriptor.
constexpr bool is_of_stream(std::string_view function) {
  for (auto i = static_cast<int>(FileFn::fopen); i < file_function_count; ++i) {
    if (function == file_functions[i].name) return true;
  }
  return false;
}
static_assert(is_of_stream("fopen") && is_of_stream("getline") && !is_of_stream("fsync") && !is_of_stream("open"));

}  // namespace leadline::trace
