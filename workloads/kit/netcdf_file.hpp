// A NetCDF file in the classic format CDF-5, whichever library reads or writes it.
//
// The NetCDF library serves one process, PnetCDF all ranks together. Either is loaded when a file is opened, and both
// may be missing: from the machine on which the workload is built, and from the one on which it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kit {

// What is wrong with which file.
class NetcdfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Part of a variable: the first index and the number of indices in each dimension.
struct Slab {
  std::vector<int64_t> first;
  std::vector<int64_t> count;
};

// Every function throws NetcdfError. Of a parallel file, all of them are collective.
class NetcdfFile {
 public:
  enum class Type { int8, int64, float64 };

  virtual ~NetcdfFile() = default;

  // Of a file that is being created, until its definitions end.
  virtual int define_dimension(const std::string& name, int64_t length) = 0;
  virtual int define_variable(const std::string& name, Type type, const std::vector<int>& dimensions) = 0;
  virtual void describe(int variable, const std::string& attribute, const std::string& text) = 0;
  virtual void set_number(const std::string& attribute, int64_t value) = 0;  // of the whole file
  virtual void end_definitions() = 0;

  virtual int64_t length(const std::string& dimension) = 0;
  virtual int64_t number(const std::string& attribute) = 0;
  // The variable of that name; it must have this shape.
  virtual int variable(const std::string& name, const std::vector<int64_t>& shape) = 0;

  virtual void read(int variable, const Slab& slab, double* values) = 0;
  virtual void write(int variable, const Slab& slab, const double* values) = 0;
  virtual void write(int variable, const Slab& slab, const int64_t* values) = 0;

  virtual void close() = 0;
};

enum class Access { read, create };

// For one process.
std::unique_ptr<NetcdfFile> open_netcdf(const std::string& path, Access access);

// For all ranks of MPI_COMM_WORLD together. hints: of MPI-IO and PnetCDF, as "name=value;name=value".
std::unique_ptr<NetcdfFile> open_netcdf_in_parallel(const std::string& path, Access access, const std::string& hints);

}  // namespace kit
