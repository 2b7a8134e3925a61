// The files of a run as its processes used them, and which files are of one kind: names that differ in numbers only, or
// with one extension and moved by the same calls in the source.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/patterns/files/file_sites.hpp"
#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// One file as one process used it.
struct FileUse {
  struct Amount {
    uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0;
    double time_ns = 0;  // of all calls, those that open and close it too; without those before MPI_Init and the like
    uint64_t transfers() const { return reads + writes; }
    uint64_t bytes() const { return bytes_read + bytes_written; }
    bool larger_than(uint64_t each) const { return transfers() && bytes() / transfers() >= each; }
    Amount& operator+=(const Amount& other);
  };
  uint32_t process = 0;
  uint32_t number = 0;  // among the process's files
  const trace::ProcessFile* file = nullptr;
  Amount libc, mpi;  // the program's calls

  uint64_t opens() const;  // in the ranks' time
  // Each time it was opened, all of it was moved by one transfer (and one more, which found the end): the file is
  // small, not the transfers.
  bool whole_at_once() const;
  uint64_t bytes() const { return libc.bytes() + mpi.bytes(); }
  uint64_t bytes_read() const { return libc.bytes_read + mpi.bytes_read; }
  uint64_t bytes_written() const { return libc.bytes_written + mpi.bytes_written; }
  double time_ns() const { return libc.time_ns + mpi.time_ns; }
};

class FileUses {
 public:
  FileUses(const Profile& profile, const FileSites& sites);

  const std::vector<FileUse>& all() const { return all_; }
  // The uses of the files of one kind. `moved`: the trace::moves that identify them.
  std::vector<std::vector<FileUse>> kinds(uint8_t moved) const;
  // Files whose names differ in numbers only, each of which one process reads or writes; by their common name.
  std::map<std::string, std::vector<FileUse>> families_of_one_rank() const;
  // What the MPI library did with the file for MPI_File_*, on all processes.
  const FileUse::Amount& beneath(const std::string& name) const;
  // The time that the bytes of these uses would take in large transfers, at the rate of the run's own ones. Nothing if
  // it has none.
  std::optional<double> time_of_large_ns(const std::vector<FileUse>& uses) const;

 private:
  enum Way : uint8_t { libc_reads, libc_writes, mpi_reads, mpi_writes, ways };
  struct Moved {
    uint64_t bytes = 0;
    double time_ns = 0;
  };
  void learn_large(const FileUse::Amount& amount, Way reads, Way writes);
  std::string kind_of(const std::string& family, const std::vector<FileUse>& uses, uint8_t moved) const;

  const Profile& profile_;
  const FileSites& sites_;
  std::vector<FileUse> all_;
  std::map<std::string, FileUse::Amount> beneath_;  // by name
  std::array<Moved, ways> large_{};
};

// The name with a '#' for each number in it: "out.0003" is "out.#".
std::string without_numbers(const std::string& name);

}  // namespace leadline::analysis
