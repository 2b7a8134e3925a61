// The plain file, in 8-byte words of this machine's order; its layout is described in output.hpp.

#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "kit/program.hpp"
#include "output.hpp"
#include "output_file.hpp"
#include "summary.hpp"

namespace opatm {
namespace {

class PlainOutput : public OutputFile {
 public:
  PlainOutput(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  void write_words(const void* words, size_t count) {
    if (std::fwrite(words, 8, count, file_.get()) != count) fail();
  }

  void begin(int64_t step) override { write_words(&step, 1); }

  void write_summary(int, const Summary& summary) override {
    const std::vector<double> profiles = summary.profiles();
    write_words(profiles.data(), profiles.size());
    write_words(summary.blooming().data(), summary.blooming().size());
    write_words(summary.histogram().data(), summary.histogram().size());
  }

  void write_map(int, int, const std::vector<double>& values) override { write_words(values.data(), values.size()); }

  void write_part(int, int, const std::vector<double>&) override {}  // nobody has but the root
  void settle() override {}

  void finish() override {
    if (std::fflush(file_.get()) != 0) fail();
    file_.reset();
  }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] void fail() const { throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno)); }

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace

std::unique_ptr<OutputFile> create_plain_output(const Settings& settings, int rank) {
  std::FILE* file = nullptr;
  int error = 0;
  if (rank == kit::FieldFile::root) {
    file = std::fopen(settings.output.c_str(), "wb");
    if (file == nullptr) error = errno;
  }
  MPI_Bcast(&error, 1, MPI_INT, kit::FieldFile::root, MPI_COMM_WORLD);
  if (error != 0) throw kit::UsageError("cannot write --output " + settings.output + ": " + std::strerror(error));
  if (file == nullptr) return nullptr;
  auto output = std::make_unique<PlainOutput>(settings.output, file);
  const PlainLayout layout(settings);
  output->write_words(layout.header.data(), layout.header.size());
  return output;
}

}  // namespace opatm
