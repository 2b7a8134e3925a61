// A file that is written once, from its beginning to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace leadline::interchange {

class Output {
 public:
  // The file must not exist.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes);
  int close();  // errno of the first failure; 0: everything is in the file

 private:
  std::FILE* file_;
  int error_ = 0;
};

}  // namespace leadline::interchange
