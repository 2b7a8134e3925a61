#include "kit/field_file.hpp"

#include <mpi.h>

#include <algorithm>
#include <climits>

#include "kit/program.hpp"

namespace kit {
namespace {

constexpr int part_tag = 30;

Slab slab_of(const std::vector<int64_t>& leading, const std::array<int64_t, 3>& first,
             const std::array<int64_t, 3>& count) {
  Slab slab{leading, std::vector<int64_t>(leading.size(), 1)};
  slab.first.insert(slab.first.end(), first.begin(), first.end());
  slab.count.insert(slab.count.end(), count.begin(), count.end());
  return slab;
}

// Calls visit(where the piece is in the whole field, where it is in the part, values) for the contiguous pieces of a
// part.
template <typename Visit>
void visit_pieces(const Spread& spread, const Box& box, Visit visit) {
  int64_t in_part = 0;
  for (int64_t a = box.first[0]; a < box.first[0] + box.count[0]; ++a) {
    for (int64_t b = box.first[1]; b < box.first[1] + box.count[1]; ++b, in_part += box.count[2]) {
      visit((a * spread.whole[1] + b) * spread.whole[2] + box.first[2], in_part, box.count[2]);
    }
  }
}

void take_part(const Spread& spread, const Box& box, const double* whole, double* part) {
  visit_pieces(spread, box,
               [=](int64_t from, int64_t to, int64_t count) { std::copy_n(whole + from, count, part + to); });
}

void put_part(const Spread& spread, const Box& box, const double* part, double* whole) {
  visit_pieces(spread, box,
               [=](int64_t to, int64_t from, int64_t count) { std::copy_n(part + from, count, whole + to); });
}

// The numbers and places of all parts' values, one part after another.
struct Counts {
  std::vector<int> counts, places;
  int64_t total = 0;

  explicit Counts(const Spread& spread) {
    for (const Box& box : spread.parts) {
      counts.push_back(static_cast<int>(box.points()));
      places.push_back(static_cast<int>(total));
      total += box.points();
    }
    if (total > INT_MAX) throw UsageError("a field of more than 2^31 points cannot be scattered or gathered");
  }
};

}  // namespace

void agree_on(const std::string& problem) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = problem.empty() ? INT_MAX : rank;
  int first = INT_MAX;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == INT_MAX) return;
  std::string text = problem;
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, first, MPI_COMM_WORLD);
  text.resize(static_cast<size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, first, MPI_COMM_WORLD);
  throw UsageError(text);
}

FieldFile::FieldFile(const std::string& path, Access access, Way way, const std::string& hints) : way_(way) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  try {
    if (way == Way::parallel) {
      file_ = open_netcdf_in_parallel(path, access, hints);
    } else if (rank_ == root || (way == Way::serial && access == Access::read)) {
      file_ = open_netcdf(path, access);
    }
  } catch (const NetcdfError& error) {
    problem_ = error.what();
  }
  settle();
}

void FieldFile::settle() { agree_on(problem_); }

void FieldFile::close() {
  on_file([](NetcdfFile& file) { file.close(); });
  settle();
}

// In the gathered way only the root can ask the file.
int64_t FieldFile::agreed(int64_t value) const {
  if (way_ == Way::gathered) MPI_Bcast(&value, 1, MPI_INT64_T, root, MPI_COMM_WORLD);
  return value;
}

int64_t FieldFile::length(const std::string& dimension) {
  int64_t length = 0;
  on_file([&](NetcdfFile& file) { length = file.length(dimension); });
  return agreed(length);
}

int64_t FieldFile::number(const std::string& attribute) {
  int64_t number = 0;
  on_file([&](NetcdfFile& file) { number = file.number(attribute); });
  return agreed(number);
}

int FieldFile::variable(const std::string& name, const std::vector<int64_t>& shape) {
  int variable = 0;
  on_file([&](NetcdfFile& file) { variable = file.variable(name, shape); });
  return variable;
}

void FieldFile::read(int variable, const std::vector<int64_t>& leading, const Spread& spread,
                     std::vector<double>& part) {
  const Box& mine = spread.parts[static_cast<size_t>(rank_)];
  part.resize(static_cast<size_t>(mine.points()));
  if (way_ == Way::parallel) {
    on_file([&](NetcdfFile& file) { file.read(variable, slab_of(leading, mine.first, mine.count), part.data()); });
    return;
  }
  read_whole(variable, leading, spread);
  if (way_ == Way::gathered) {
    scatter(spread, part);
  } else {
    take_part(spread, mine, whole_.data(), part.data());
  }
}

void FieldFile::read_whole(int variable, const std::vector<int64_t>& leading, const Spread& spread) {
  if (!file_) return;
  whole_.resize(static_cast<size_t>(spread.points()));
  on_file([&](NetcdfFile& file) { file.read(variable, slab_of(leading, {0, 0, 0}, spread.whole), whole_.data()); });
}

void FieldFile::scatter(const Spread& spread, std::vector<double>& part) {
  const Counts counts(spread);
  if (rank_ == root) {
    packed_.resize(static_cast<size_t>(counts.total));
    for (int rank = 0; rank < ranks_; ++rank) {
      take_part(spread, spread.parts[static_cast<size_t>(rank)], whole_.data(), packed_.data() + counts.places[rank]);
    }
  }
  MPI_Scatterv(packed_.data(), counts.counts.data(), counts.places.data(), MPI_DOUBLE, part.data(),
               static_cast<int>(part.size()), MPI_DOUBLE, root, MPI_COMM_WORLD);
}

void FieldFile::write(int variable, const std::vector<int64_t>& leading, const Spread& spread,
                      const std::vector<double>& part) {
  const Box& mine = spread.parts[static_cast<size_t>(rank_)];
  if (way_ == Way::parallel) {
    on_file([&](NetcdfFile& file) { file.write(variable, slab_of(leading, mine.first, mine.count), part.data()); });
    return;
  }
  gather(spread, part);
  if (rank_ != root) return;
  on_file([&](NetcdfFile& file) { file.write(variable, slab_of(leading, {0, 0, 0}, spread.whole), whole_.data()); });
}

// The whole field on the root.
void FieldFile::gather(const Spread& spread, const std::vector<double>& part) {
  const Counts counts(spread);
  if (rank_ == root) {
    whole_.resize(static_cast<size_t>(spread.points()));
    packed_.resize(static_cast<size_t>(counts.total));
  }
  if (way_ == Way::gathered) {
    MPI_Gatherv(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, packed_.data(), counts.counts.data(),
                counts.places.data(), MPI_DOUBLE, root, MPI_COMM_WORLD);
  } else if (rank_ != root) {
    MPI_Send(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, root, part_tag, MPI_COMM_WORLD);
  } else {
    std::copy(part.begin(), part.end(), packed_.begin() + counts.places[root]);
    for (int source = 0; source < ranks_; ++source) {
      if (source == root) continue;
      MPI_Recv(packed_.data() + counts.places[source], counts.counts[source], MPI_DOUBLE, source, part_tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (rank_ != root) return;
  for (int rank = 0; rank < ranks_; ++rank) {
    put_part(spread, spread.parts[static_cast<size_t>(rank)], packed_.data() + counts.places[rank], whole_.data());
  }
}

}  // namespace kit
