// A NetCDF file through a library's functions, which NetCDF and PnetCDF name and order alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kit/netcdf_file.hpp"

namespace kit {

// Calls: a table of pointers to the library's functions. Calls::Size: the type of its indices and lengths.
template <typename Calls>
class NetcdfFileOf : public NetcdfFile {
 public:
  NetcdfFileOf(const Calls& calls, std::string path, int id) : calls_(calls), path_(std::move(path)), id_(id) {}
  NetcdfFileOf(const NetcdfFileOf&) = delete;
  NetcdfFileOf& operator=(const NetcdfFileOf&) = delete;
  ~NetcdfFileOf() override {
    if (open_) calls_.close(id_);
  }

  int define_dimension(const std::string& name, int64_t length) override {
    int dimension = 0;
    check(calls_.def_dim(id_, name.c_str(), static_cast<Size>(length), &dimension), name);
    return dimension;
  }

  int define_variable(const std::string& name, Type type, const std::vector<int>& dimensions) override {
    const int external = type == Type::int8 ? NC_BYTE : type == Type::int64 ? NC_INT64 : NC_DOUBLE;
    int variable = 0;
    check(
        calls_.def_var(id_, name.c_str(), external, static_cast<int>(dimensions.size()), dimensions.data(), &variable),
        name);
    return variable;
  }

  void describe(int variable, const std::string& attribute, const std::string& text) override {
    check(calls_.put_att_text(id_, variable, attribute.c_str(), static_cast<Size>(text.size()), text.c_str()),
          attribute);
  }

  void set_number(const std::string& attribute, int64_t value) override {
    const long long number = value;
    check(calls_.put_att_longlong(id_, NC_GLOBAL, attribute.c_str(), NC_INT64, 1, &number), attribute);
  }

  void end_definitions() override {
    int before = 0;
    check(calls_.set_fill(id_, NC_NOFILL, &before), "no fill values");
    check(calls_.enddef(id_), "its definitions");
  }

  int64_t length(const std::string& dimension) override {
    int number = 0;
    check(calls_.inq_dimid(id_, dimension.c_str(), &number), "dimension " + dimension);
    return length_of(number);
  }

  int64_t number(const std::string& attribute) override {
    long long value = 0;
    check(calls_.get_att_longlong(id_, NC_GLOBAL, attribute.c_str(), &value), "attribute " + attribute);
    return value;
  }

  int variable(const std::string& name, const std::vector<int64_t>& shape) override {
    int variable = 0;
    int rank = 0;
    check(calls_.inq_varid(id_, name.c_str(), &variable), "variable " + name);
    check(calls_.inq_varndims(id_, variable, &rank), name);
    std::vector<int> dimensions(static_cast<size_t>(rank));
    check(calls_.inq_vardimid(id_, variable, dimensions.data()), name);
    std::vector<int64_t> found;
    for (int dimension : dimensions) found.push_back(length_of(dimension));
    if (found != shape) {
      throw NetcdfError(path_ + ": variable " + name + " has the shape " + shown(found) + " instead of " +
                        shown(shape));
    }
    return variable;
  }

  void read(int variable, const Slab& slab, double* values) override {
    check(calls_.get_vara_double(id_, variable, sizes(slab.first).data(), sizes(slab.count).data(), values), "reading");
  }

  void write(int variable, const Slab& slab, const double* values) override {
    check(calls_.put_vara_double(id_, variable, sizes(slab.first).data(), sizes(slab.count).data(), values), "writing");
  }

  void write(int variable, const Slab& slab, const int64_t* values) override {
    const std::vector<long long> numbers(values, values + points(slab));
    check(calls_.put_vara_longlong(id_, variable, sizes(slab.first).data(), sizes(slab.count).data(), numbers.data()),
          "writing");
  }

  void close() override {
    open_ = false;
    check(calls_.close(id_), "closing");
  }

 private:
  using Size = typename Calls::Size;

  int64_t length_of(int dimension) {
    Size length = 0;
    check(calls_.inq_dimlen(id_, dimension, &length), "a dimension's length");
    return static_cast<int64_t>(length);
  }

  static std::vector<Size> sizes(const std::vector<int64_t>& numbers) { return {numbers.begin(), numbers.end()}; }

  static int64_t points(const Slab& slab) {
    int64_t product = 1;
    for (int64_t count : slab.count) product *= count;
    return product;
  }

  static std::string shown(const std::vector<int64_t>& shape) {
    std::string text;
    for (int64_t length : shape) text += (text.empty() ? "" : "x") + std::to_string(length);
    return text.empty() ? "of a single value" : text;
  }

  void check(int code, const std::string& what) const {
    if (code != NC_NOERR) throw NetcdfError(path_ + ": " + what + ": " + calls_.strerror(code));
  }

  const Calls& calls_;
  std::string path_;
  int id_;
  bool open_ = true;
};

}  // namespace kit
