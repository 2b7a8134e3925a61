// The output of every hour: 29 fields, gathered on rank 0 one after the other. They are checked, not written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "atmosphere.hpp"
#include "kit/fingerprint.hpp"

namespace wrf {

class History {
 public:
  History(const Atmosphere& atmosphere, const Tiles& tiles, int rank);

  // False if a value is NaN or infinite, on every rank. Collective.
  [[gnu::noinline]] bool write(Atmosphere& atmosphere);

  const std::string& failure() const { return failure_; }        // names the field
  uint64_t fingerprint() const { return fingerprint_.value(); }  // on rank 0, of all that was gathered

  // Values above their field's mean, as rank 0 counts them in the whole field and as each rank counts its own.
  int64_t counted_at_root() const { return counted_at_root_; }
  int64_t counted_here() const { return counted_here_; }

 private:
  struct Output {
    const char* name;
    int levels;  // one, or all
    std::function<double(int, int, int)> value;
  };

  static std::vector<Output> outputs(const Atmosphere& atmosphere);
  [[gnu::noinline]] void gather(const std::vector<double>& mine, int levels);
  bool look_at(const Output& output, const std::vector<double>& mine);

  const Tiles& tiles_;
  Extent grid_;
  Tile tile_;
  int rank_;
  std::vector<double> whole_;  // on rank 0: west to east, south to north, upwards
  kit::Fingerprint fingerprint_;
  uint64_t place_ = 0;
  int64_t counted_at_root_ = 0;
  int64_t counted_here_ = 0;
  std::string failure_;
};

}  // namespace wrf
