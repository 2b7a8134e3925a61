// How a file is opened: the flags of open(), those of MPI_File_open, and what OTF2 calls them.
#pragma once

#include <cstdint>
#include <string_view>

namespace leadline::interchange {

// As OTF2 numbers them.
struct FileModes {
  uint8_t access = 0;  // 0: to read, 1: to write, 2: both
  uint32_t creation = 0, status = 0;
};

FileModes modes_of_open(int64_t flags);
int64_t open_flags(const FileModes& modes);

// `family`: of the ABI, whose numbers these are.
FileModes modes_of_mpi(int64_t mode, std::string_view family);
int64_t mpi_mode(const FileModes& modes);  // as MPICH and Open MPI number it

}  // namespace leadline::interchange
