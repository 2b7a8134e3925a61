// How a datatype was made. A library of MPI 4 ends the program if the older functions are asked about a datatype with
// large counts, so the newer ones are asked where there are any.
#pragma once

#include <cstdint>

namespace leadline::host {

struct Envelope {
  int32_t combiner = 0;
  int64_t integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
};

// False: the library gave no answer.
bool envelope_of(uint64_t datatype, Envelope* envelope);

// How a datatype derived from one other was made. The other one is freed at the end of the scope.
class DatatypeContents {
 public:
  static constexpr int most = 32;  // arguments; constructors with more are not reported

  explicit DatatypeContents(uint64_t datatype);
  ~DatatypeContents();
  DatatypeContents(const DatatypeContents&) = delete;
  DatatypeContents& operator=(const DatatypeContents&) = delete;

  bool known() const { return known_; }
  int32_t combiner() const { return envelope_.combiner; }
  uint64_t old() const;
  // The constructor's arguments, without the datatype: those of MPI_Type_vector are the number of blocks, their length
  // and the stride.
  int64_t argument(int index) const { return arguments_[index]; }

 private:
  bool ask(uint64_t datatype);
  bool ask_large(uint64_t datatype);

  Envelope envelope_;
  bool known_ = false;
  int64_t arguments_[most] = {};
  uint64_t old_[1] = {};
};

}  // namespace leadline::host
