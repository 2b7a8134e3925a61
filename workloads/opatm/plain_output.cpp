// The plain file, in 8-byte words of this machine's order; its layout is described in output.hpp.

#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "kit/program.hpp"
#include "output.hpp"
#include "output_file.hpp"
#include "summary.hpp"

namespace opatm {
namespace {

class PlainOutput : public OutputFile {
 public:
  PlainOutput(const Settings& settings, std::FILE* file)
      : path_(settings.output), file_(file), grid_(settings.grid), layout_(settings) {
    write_words(0, layout_.header.data(), layout_.header.size());
  }

  void begin(int64_t step) override {
    ++output_;
    write_words(layout_.of_output(output_), &step, 1);
  }

  void write_summary(int tracer, const Summary& summary) override {
    const std::vector<double> profiles = summary.profiles();
    uint64_t at = layout_.of_tracer(output_, tracer);
    write_words(at, profiles.data(), profiles.size());
    at += profiles.size();
    write_words(at, summary.blooming().data(), summary.blooming().size());
    at += summary.blooming().size();
    write_words(at, summary.histogram().data(), summary.histogram().size());
  }

  void write_map(int tracer, int map, const std::vector<double>& values) override {
    write_words(layout_.of_map(output_, tracer, map), values.data(), values.size());
  }

  void write_piece(int tracer, int map, const MapPiece& piece) override {
    const uint64_t begin = layout_.of_map(output_, tracer, map);
    piece.for_each_run(grid_,
                       [&](size_t at, const double* values, size_t count) { write_words(begin + at, values, count); });
  }

  void write_part(int, int, const std::vector<double>&) override {}  // only the root has it
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

  // Does not seek where the file is there already, so that what is written in order may go to a pipe.
  void write_words(uint64_t at, const void* words, size_t count) {
    if (at != at_ && fseeko(file_.get(), static_cast<off_t>(8 * at), SEEK_SET) != 0) fail();
    if (std::fwrite(words, 8, count, file_.get()) != count) fail();
    at_ = at + count;
  }

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  Extent grid_;
  PlainLayout layout_;
  int64_t output_ = -1;  // the number of the last one
  uint64_t at_ = 0;      // the word that is next in the file
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
  return std::make_unique<PlainOutput>(settings, file);
}

}  // namespace opatm
