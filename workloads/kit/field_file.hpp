// Field I/O (parts/fieldio) for the workloads: fields that are spread over the ranks, in NetCDF files.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct leadline_spread;
struct leadline_field_file;

namespace kit {

using Sizes = std::array<int64_t, 3>;

// Of a field: this rank's block, and where it lies in an array in memory. Reading fills the array around the block,
// too, as far as `halo` says.
struct FieldBlock {
  Sizes whole;
  Sizes first;
  Sizes count;
  Sizes array;
  Sizes offset;
  Sizes halo;
};

// How a field is spread over the ranks of MPI_COMM_WORLD.
class Spread {
 public:
  explicit Spread(const FieldBlock& block);  // collective; throws kit::UsageError on all ranks

 private:
  friend class FieldFile;
  friend struct HintChoice choose_hints(const std::string& path, const Spread& spread, const std::string& keep);
  struct Free {
    void operator()(leadline_spread* spread) const;
  };
  std::unique_ptr<leadline_spread, Free> spread_;
};

enum class Access { read, create };
enum class Way { serial, gathered, parallel };
enum class Ranks { all, this_one };

// Collective over the ranks that open it, unless said otherwise. Throws kit::UsageError, on all of them.
class FieldFile {
 public:
  static constexpr int root = 0;

  // hints: for the parallel way; empty: as field I/O chooses.
  FieldFile(const std::string& path, Access access, Way way, const std::string& hints = "", Ranks ranks = Ranks::all);

  enum class Type { int8, int64, float64 };

  // Of a file that is being created, until its definitions end; what is wrong is thrown then.
  int define_dimension(const std::string& name, int64_t length);
  int define_variable(const std::string& name, Type type, const std::vector<int>& dimensions);
  void describe(int variable, const std::string& attribute, const std::string& text);
  void set_number(const std::string& attribute, int64_t value);
  void end_definitions();

  int64_t length(const std::string& dimension);
  int64_t number(const std::string& attribute);
  int variable(const std::string& name, const std::vector<int64_t>& shape);
  double value(int variable);  // of one without dimensions

  // A field whose dimensions follow the leading ones, from or to the arrays.
  void read(int variable, const std::vector<int64_t>& leading, const Spread& spread, double* values);
  void write(int variable, const std::vector<int64_t>& leading, const Spread& spread, const double* values);

  // What the root has; in the parallel way all ranks call it, in the others they may. What is wrong is thrown by the
  // next settle().
  void put(int variable, const std::vector<int64_t>& first, const std::vector<int64_t>& count, const double* values);
  void put(int variable, const std::vector<int64_t>& first, const std::vector<int64_t>& count, const int64_t* values);

  void settle();
  void close();

 private:
  void expect(int code) const;

  struct Free {
    void operator()(leadline_field_file* file) const;
  };
  std::unique_ptr<leadline_field_file, Free> file_;
};

// The hints that are fastest for files of fields that are spread so, as field I/O finds by trying.
struct HintChoice {
  std::string hints;
  bool is_kept;          // by a file, from an earlier run; then the rest is 0
  int rounds;            // each of all sets
  double took_s;         // trying
  double written_bytes;  // and read
  double share;          // of the time that the usual set took
};

// Collective over MPI_COMM_WORLD; throws kit::UsageError on all ranks. Tries with a scratch file beside `path`.
// keep: the file of choices; empty: none.
HintChoice choose_hints(const std::string& path, const Spread& spread, const std::string& keep);

// Throws UsageError with the problem of the lowest rank that has one, on all ranks. Collective over MPI_COMM_WORLD.
void agree_on(const std::string& problem);

}  // namespace kit
