// Tables with a row for every rank of every call site, or for every pair of ranks, as columns. They may have millions
// of rows, so they are handed out without a copy. python/leadline/tables declares the columns: their units and
// meanings.
//
// In a column whose values may be unknown, -1 is an unknown integer and NaN an unknown number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profile.hpp"

namespace leadline::analysis {

// Where a process is in every table: its row in the table of ranks, the number of its MPI_COMM_WORLD, its rank there.
struct WorldRank {
  int32_t process = -1, world = -1, rank = -1;
};

// Value i is bytes[offsets[i] .. offsets[i + 1]).
struct TextColumn {
  std::vector<int64_t> offsets{0};
  std::vector<uint8_t> bytes;

  void add(std::string_view text);
};

struct CallColumns {
  std::vector<int32_t> site, process, world, rank;
  TextColumn function;
  std::vector<int64_t> calls, messages, bytes, received, operations, put, got;
  std::vector<double> time_s, min_s, max_s;
};

struct MatrixColumns {
  std::vector<int32_t> process, world, source, target;
  std::vector<int64_t> messages, bytes, operations, put, got;
};

// A row per group of sites and process that called one of them; rows of a group ascend by WorldRank::process. The sites
// of a group are of one function.   functions: the names of the profile's functions, in UTF-8.   world_ranks: of its
// processes.
CallColumns call_columns(const Profile& profile, const std::vector<std::vector<uint32_t>>& groups,
                         const std::vector<std::string>& functions, const std::vector<WorldRank>& world_ranks);

// A row per edge, ascending by WorldRank::process of its source and by target; unknown targets come last.
MatrixColumns matrix_columns(const Profile& profile, const std::vector<WorldRank>& world_ranks);

// An Arrow validity bitmap: a bit for each value, 0 if it is unknown. Empty if all are known.
struct Validity {
  std::vector<uint8_t> bits;
  int64_t unknown = 0;
};
Validity validity_of(const int32_t* values, size_t count);
Validity validity_of(const int64_t* values, size_t count);
Validity validity_of(const double* values, size_t count);

}  // namespace leadline::analysis
