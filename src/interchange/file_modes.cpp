#include "interchange/file_modes.hpp"

#include <fcntl.h>

namespace leadline::interchange {

namespace {

constexpr uint8_t reads = 0, writes = 1, reads_and_writes = 2;

// A flag, and OTF2's bits for it.
struct Flag {
  int64_t flag;
  uint32_t creation, status;
};
constexpr Flag open_table[] = {
    {O_CREAT, 1 << 0, 0},  {O_TRUNC, 1 << 1, 0},    {O_DIRECTORY, 1 << 2, 0}, {O_EXCL, 1 << 3, 0},
    {O_NOCTTY, 1 << 4, 0}, {O_NOFOLLOW, 1 << 5, 0}, {O_TMPFILE, 1 << 7, 0},   {O_CLOEXEC, 0, 1 << 0},
    {O_APPEND, 0, 1 << 1}, {O_NONBLOCK, 0, 1 << 2}, {O_ASYNC, 0, 1 << 3},     {O_SYNC, 0, 1 << 4},
    {O_DSYNC, 0, 1 << 5},  {O_DIRECT, 0, 1 << 6},   {O_NOATIME, 0, 1 << 7},
};

// An access mode of MPI_File_open by the numbers of MPICH and Open MPI, and by those of MPI 5's ABI.
struct MpiMode {
  int64_t common, mpi5;
  uint32_t creation, status;
};
constexpr MpiMode mpi_table[] = {
    {1, 2, 1 << 0, 0},      // CREATE
    {64, 8, 1 << 3, 0},     // EXCL
    {256, 64, 1 << 9, 0},   // SEQUENTIAL
    {32, 128, 1 << 10, 0},  // UNIQUE_OPEN
    {128, 1, 0, 1 << 1},    // APPEND
    {16, 4, 0, 1 << 8},     // DELETE_ON_CLOSE
};
struct MpiAccess {
  int64_t common, mpi5;
  uint8_t access;
};
constexpr MpiAccess mpi_accesses[] = {
    {2, 16, reads},
    {4, 256, writes},
    {8, 32, reads_and_writes},
};

}  // namespace

// Some flags of open() are several bits, among them another flag's: the longer ones count.
FileModes modes_of_open(int64_t flags) {
  FileModes modes;
  const auto access = flags & O_ACCMODE;
  modes.access = access == O_RDONLY ? reads : access == O_WRONLY ? writes : reads_and_writes;
  for (const Flag& f : open_table) {
    if ((flags & f.flag) != f.flag) continue;
    const bool longer = (f.flag == O_DIRECTORY && (flags & O_TMPFILE) == O_TMPFILE) ||
                        (f.flag == O_DSYNC && (flags & O_SYNC) == O_SYNC);
    if (longer) continue;
    modes.creation |= f.creation;
    modes.status |= f.status;
  }
  return modes;
}

int64_t open_flags(const FileModes& modes) {
  int64_t flags = modes.access == reads ? O_RDONLY : modes.access == writes ? O_WRONLY : O_RDWR;
  for (const Flag& f : open_table) {
    if ((modes.creation & f.creation) || (modes.status & f.status)) flags |= f.flag;
  }
  return flags;
}

FileModes modes_of_mpi(int64_t mode, std::string_view family) {
  const bool mpi5 = family == "mpi5";
  FileModes modes;
  for (const MpiAccess& a : mpi_accesses) {
    if (mode & (mpi5 ? a.mpi5 : a.common)) modes.access = a.access;
  }
  for (const MpiMode& m : mpi_table) {
    if (!(mode & (mpi5 ? m.mpi5 : m.common))) continue;
    modes.creation |= m.creation;
    modes.status |= m.status;
  }
  return modes;
}

int64_t mpi_mode(const FileModes& modes) {
  int64_t mode = 0;
  for (const MpiAccess& a : mpi_accesses) {
    if (a.access == modes.access) mode |= a.common;
  }
  for (const MpiMode& m : mpi_table) {
    if ((modes.creation & m.creation) || (modes.status & m.status)) mode |= m.common;
  }
  return mode;
}

}  // namespace leadline::interchange
