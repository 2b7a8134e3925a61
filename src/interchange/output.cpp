#include "interchange/output.hpp"

#include <cerrno>

namespace leadline::interchange {

Output::Output(const std::string& path) : file_(std::fopen(path.c_str(), "wbx")) {
  if (!file_) error_ = errno;
}

Output::~Output() { close(); }

void Output::write(std::string_view bytes) {
  if (error_ || bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) error_ = errno ? errno : EIO;
}

int Output::close() {
  if (file_ && std::fclose(file_) && !error_) error_ = errno ? errno : EIO;
  file_ = nullptr;
  return error_;
}

}  // namespace leadline::interchange
